"""Retired texts: nothing finds them, their facts go, and undoing the run, or the text itself, brings them back."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.memory.embedding.bundled import BundledEmbedder
from memd.memory.export import exported_documents
from memd.memory.extraction.rules.engine import RulesExtractor
from memd.memory.forgetting.selection import ForgetSelection
from memd.memory.indexing.indexed_store import IndexedStore, open_store
from memd.memory.memory import EvolvingMemory
from memd.memory.merge.plan import key_of
from memd.memory.search_types import FactFilter, Filter
from memd.memory.store import documents_read, fact_rows, inputs
from memd.schemas import TextDocument
from memd.tests.contracts.knowledge import Homes
from memd.tests.effort import examples

pytestmark = pytest.mark.anyio


def note(name: str, words: str) -> TextDocument:
    """A note in some wording."""
    metadata = {"source": "notes", "author": "Ann"}
    return TextDocument(
        id=f"notes:{name}", content=words, timestamp=datetime(2024, 1, 15, tzinfo=UTC), metadata=metadata
    )


async def nothing_lasts(_: Collection[str]) -> Collection[str]:
    """No run brought anything for good."""
    return ()


async def retire(memory: EvolvingMemory, *names: str, run: str) -> int:
    """Retire notes."""
    return await memory.retirement.retire([key_of(note(name, "-")) for name in names], run, nothing_lasts)


async def contents(memory: EvolvingMemory) -> list[str]:
    """What is exported."""
    return [each.content async for some in exported_documents(memory.database, Filter()) for each in some]


async def hits(memory: EvolvingMemory, store: IndexedStore, words: str) -> list[str]:
    """The texts of hits."""
    await store.refresh_indexes()
    return [hit.text for hit in (await memory.query(words)).hits]


async def facts(memory: EvolvingMemory) -> list[str]:
    """The current facts, after what waits was read."""
    while (await memory.fact_service.extract_pending("reading")).documents:
        pass
    page = await memory.database.read(fact_rows.facts, FactFilter(), 0, 100)
    return sorted(stored.fact.content for _, stored in page)


async def test_a_retired_note_is_nowhere_and_undoing_brings_it_back_verbatim(tmp_path: Path) -> None:
    """Words, lists, counts, exports and facts; the other note stays, and doctor finds nothing wrong at any time."""
    async with open_store(tmp_path) as store:
        memory = EvolvingMemory(store, None, BundledEmbedder(), RulesExtractor())
        await memory.start()
        await memory.write([note("a", "I live in Bergen. The zeppelin flies."), note("b", "a balloon")], "r1")
        before, known = await contents(memory), await facts(memory)
        assert known
        assert await retire(memory, "a", run="r2") == 1
        assert {result.severity for result in await memory.check()} <= {"ok"}
        assert await contents(memory) == ["a balloon"]
        assert await hits(memory, store, "zeppelin") == []
        assert (await memory.stats())["documents"] == 1
        assert [line.id for line in await memory.database.read(documents_read.listing, Filter(), None, 9)] == [
            "notes:b"
        ]
        assert await memory.database.read(documents_read.find, "notes:a") == []
        assert await facts(memory) == []
        assert await retire(memory, "a", run="r3") == 0
        plan = await memory.undo_runs("r2")
        assert (plan.documents, plan.restored, plan.touched) == (0, 1, frozenset[UUID]())
        assert await contents(memory) == before
        assert await hits(memory, store, "zeppelin") == ["I live in Bergen. The zeppelin flies."]
        assert await facts(memory) == known
        assert {result.severity for result in await memory.check()} <= {"ok"}
        assert not await memory.database.read(inputs.documents_of, "r2")


async def test_the_rules_take_a_retired_note_for_changed_while_a_model_fails(tmp_path: Path) -> None:
    """Its facts go then, too, and come back with it."""
    async with open_store(tmp_path) as store:
        memory = EvolvingMemory(store, None, BundledEmbedder())
        await memory.start()
        await memory.fact_service.set_extractor(Homes(), substitute=RulesExtractor())

        async def count() -> int:
            await memory.fact_service.extract_provisionally("reading")
            assert (await memory.fact_service.extract_provisionally("reading")).seen == 0
            return len(await memory.database.read(fact_rows.facts, FactFilter(), 0, 100))

        await memory.write([note("a", "I live in Bergen.")], "r1")
        assert await count() == 1
        await retire(memory, "a", run="r2")
        assert await count() == 0
        await memory.write([note("a", "I live in Bergen.")], "r3")
        assert await count() == 1


async def test_a_note_that_comes_back_is_there_again(tmp_path: Path) -> None:
    """As it was, and counts as added; undoing that it went then changes nothing, undoing that it came takes it away."""
    async with open_store(tmp_path) as store:
        memory = EvolvingMemory(store, None, BundledEmbedder())
        await memory.start()
        await memory.write([note("a", "the zeppelin")], "r1")
        await retire(memory, "a", run="r2")
        report = await memory.write([note("a", "the zeppelin")], "r3")
        assert (report.added, report.updated, report.unchanged) == (1, 0, 0)
        assert await hits(memory, store, "zeppelin") == ["the zeppelin"]
        assert (await memory.plan_undo("r2")).empty
        plan = await memory.undo_runs("r3")
        assert (plan.documents, plan.messages, plan.restored) == (1, 1, 0)
        assert await contents(memory) == []
        assert (await memory.undo_runs("r2")).restored == 1
        assert await contents(memory) == ["the zeppelin"]


async def test_what_another_run_brought_for_good_stays(tmp_path: Path) -> None:
    """An import of the same note, before or after the source."""

    async def imports_last(runs: Collection[str]) -> Collection[str]:
        return set(runs) & {"import"}

    async with open_store(tmp_path) as store:
        memory = EvolvingMemory(store, None, BundledEmbedder())
        await memory.start()
        for first, second in (("import", "source"), ("source", "import")):
            await memory.write([note("a", "words")], first)
            await memory.note_unchanged([note("a", "words")], second)
            keys = [key_of(note("a", "words"))]
            assert await memory.retirement.divided(keys, imports_last) == (set(), {*keys})
            assert await memory.retirement.retire(keys, "later", imports_last) == 0
            assert await contents(memory) == ["words"]
            await memory.undo_runs("import", "source")


@pytest.mark.parametrize("selection", [ForgetSelection(documents=("notes:a",)), ForgetSelection(people=("Ann",))])
async def test_forgetting_reaches_retired_notes(tmp_path: Path, selection: ForgetSelection) -> None:
    """Nothing of its words is kept, no undoing brings it back, and neither does its file under this name or another."""
    async with open_store(tmp_path) as store:
        memory = EvolvingMemory(store, None, BundledEmbedder())
        await memory.start()
        await memory.write([note("a", "the zeppelin")], "r1")
        await retire(memory, "a", run="r2")
        plan = await memory.forget_planner.plan(selection)
        assert [impact.id for impact in plan.affected] == ["notes:a"]
        await memory.forget(plan)
        assert not await memory.database.read(inputs.documents_of, "r2")
        again = [note("a", "the zeppelin"), note("a", "other words")]
        if selection.documents:
            assert (await memory.write(again, "r3")).forgotten == 2
        assert (await memory.write([note("a", "the zeppelin")], "r4")).forgotten == 1
        assert await contents(memory) == []


Change = tuple[str, str]
"""The name of a note, and its new words; empty words: it is retired."""
CHANGES = st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from(["", "", "one", "two"])), min_size=1, max_size=7)


async def _made(changes: Sequence[tuple[int, Change]], memory: EvolvingMemory) -> list[int]:
    """Make changes, each by its own run; return the numbers of those that were any."""
    made: list[int] = []
    for number, (name, words) in changes:
        run = f"run {number}"
        if words:
            await memory.write([note(name, words)], run)
        elif not await retire(memory, name, run=run):
            continue
        made.append(number)
    return made


@pytest.mark.slow
@given(CHANGES, st.data())
@settings(max_examples=examples(20), deadline=None)
def test_the_memory_is_what_the_runs_that_are_left_make_of_it(changes: list[Change], data: st.DataObject) -> None:
    """Notes come, change, go and come back, and the runs are undone in any order."""

    async def work() -> None:
        with tempfile.TemporaryDirectory() as folder:
            async with open_store(Path(folder)) as store:
                memory = EvolvingMemory(store, None, BundledEmbedder())
                await memory.start()
                made = await _made(list(enumerate(changes)), memory)
                for run in data.draw(st.permutations(made)):
                    made.remove(run)
                    plan = await memory.plan_undo(f"run {run}")
                    await memory.undo_runs(f"run {run}", token=plan.token)
                    assert await contents(memory) == await _expected([(number, changes[number]) for number in made])
                assert {result.severity for result in await memory.check()} <= {"ok"}

    anyio.run(work)


async def _expected(changes: Sequence[tuple[int, Change]]) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        async with open_store(Path(folder)) as store:
            memory = EvolvingMemory(store, None, BundledEmbedder())
            await memory.start()
            await _made(changes, memory)
            return await contents(memory)


async def test_a_redacted_note_comes_back_redacted(tmp_path: Path) -> None:
    """Nothing brings the words of a forgotten person back: not its retirement's undoing, and not its file."""
    words = "we are going to the zeppelin harbour on Friday evening at seven"
    quoting = TextDocument(id="notes:q", content=f"Bob wrote: {words}, I think.", metadata={"source": "notes"})
    async with open_store(tmp_path) as store:
        memory = EvolvingMemory(store, None, BundledEmbedder())
        await memory.start()
        await memory.write([note("a", words), quoting], "r1")
        await store.refresh_indexes()
        await memory.forget(await memory.forget_planner.plan(ForgetSelection(documents=("notes:a",)), "redact"))
        (redacted,) = await contents(memory)
        assert "zeppelin" not in redacted
        assert await memory.retirement.retire([key_of(quoting)], "r2", nothing_lasts) == 1
        assert (await memory.undo_runs("r2")).restored == 1
        assert await contents(memory) == [redacted]
        await memory.retirement.retire([key_of(quoting)], "r3", nothing_lasts)
        await memory.write([quoting], "r4")
        assert await contents(memory) == []
        assert {result.severity for result in await memory.check()} <= {"ok"}
