"""What is known stays whole while it changes: chunks that facts share, a rename during extraction, the facts of a hit."""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest

from memd.memory.extraction.extractor import Extraction
from memd.memory.extraction.window import Window
from memd.memory.indexing.indexed_store import open_store
from memd.memory.memory import EvolvingMemory
from memd.memory.merge.plan import key_of
from memd.memory.records import Rename
from memd.memory.store import documents_read
from memd.memory.store.documents_write import apply_changes
from memd.memory.write_batches import WriteBatch
from memd.schemas import Query
from memd.tests.contracts.knowledge import Homes, day, known, memory_in, read_all


class WholeLines(Homes):
    """Says each fact in the words of its whole line, so that two facts of a line share a chunk."""

    async def extract(self, windows: Sequence[Window], run: str = "") -> list[Extraction]:
        """As ``Homes`` reads them."""
        return [
            replace(
                found,
                statements=tuple(
                    replace(each, content=next(w.text for w in window.lines if w.message == each.evidence[0].message))
                    for each in found.statements
                ),
            )
            for window, found in zip(windows, await super().extract(windows, run), strict=True)
        ]


class Interrupted(Homes):
    """Does something else once, while it reads."""

    meanwhile: Callable[[], Awaitable[object]] | None = None

    async def extract(self, windows: Sequence[Window], run: str = "") -> list[Extraction]:
        """As ``Homes`` reads them."""
        if self.meanwhile is not None:
            meanwhile, self.meanwhile = self.meanwhile, None
            await meanwhile()
        return await super().extract(windows, run)


async def _unled(memory: EvolvingMemory) -> list[str]:
    return [each.detail for each in await memory.check() if each.severity == "error"]


def _fact_chunks(connection: sqlite3.Connection) -> set[UUID]:
    return {UUID(bytes=key) for (key,) in connection.execute("SELECT key FROM chunks WHERE ordinal >= 1000")}


@pytest.mark.anyio
@pytest.mark.parametrize("attribute", ["home", "likes"])
@pytest.mark.slow
async def test_a_chunk_stays_while_another_fact_names_it(tmp_path: Path, attribute: str) -> None:
    """Two facts of one message, in the same words, have one chunk: it goes with the last of them."""
    async with memory_in(lambda: open_store(tmp_path), WholeLines()) as (memory, store):
        document = day(0, ("Bob", "I live in Berlin and I like tea"))
        await memory.write([document])
        await read_all(memory)
        facts = {each.fact.attribute: each for each in await known(memory)}
        assert facts["home"].chunks == facts["likes"].chunks
        first = facts.pop(attribute)
        await memory.fact_service.updates.undo(str(first.fact.id), "undo")
        assert await _unled(memory) == []
        assert await store.database.read(_fact_chunks) == set(first.chunks)
        (other,) = facts.values()
        await memory.fact_service.updates.undo(str(other.fact.id), "undo both")
        assert await _unled(memory) == []
        assert await store.database.read(_fact_chunks) == set()


@pytest.mark.anyio
async def test_a_rename_during_extraction_counts(tmp_path: Path) -> None:
    """What was read under the old name is resolved with what is said under the new one."""
    extractor = Interrupted()
    async with memory_in(lambda: open_store(tmp_path), extractor) as (memory, store):
        document = day(0, ("Bob", "I live in Berlin"))
        await memory.write([document])
        chat = (await store.database.read(documents_read.documents, [key_of(document)]))[key_of(document)].chat
        assert chat is not None
        rename = Rename(chat=chat, source="chat", old="Bob", new="Robert")
        extractor.meanwhile = lambda: store.database.write(apply_changes, WriteBatch(renames=[rename]))
        await read_all(memory)
        await memory.write([day(3, ("Robert", "I live in Rome"))])
        await read_all(memory)
        assert {each.fact.value: each.fact.status for each in await known(memory)} == {
            "Berlin": "superseded",
            "Rome": "active",
        }


@pytest.mark.anyio
@pytest.mark.slow
async def test_the_facts_of_the_best_hit_come_first(tmp_path: Path) -> None:
    """However many facts rest on the hits, and however old they are."""
    async with memory_in(lambda: open_store(tmp_path), Homes()) as (memory, store):
        await memory.write([day(n, *[("Bob", f"I like tea{n}x{i}") for i in range(10)]) for n in range(8)])
        await read_all(memory)
        await memory.write([day(50, ("Bob", "I like zebra zebra"))])
        await read_all(memory)
        await store.refresh_indexes()
        result = await memory.query(Query(text="zebra I like", limit=100, context=0))
        assert len(result.hits) > 50
        assert result.hits[0].text == "I like zebra zebra"
        assert result.facts[0].value == "zebra"
