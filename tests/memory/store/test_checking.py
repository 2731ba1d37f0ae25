"""What the store finds wrong with itself, and what it makes whole again; and how older formats come along."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

import anyio
import numpy as np
import pytest
from numpy.typing import NDArray

from memd.memory.embedding.bundled import BundledEmbedder
from memd.memory.index.exact_vectors import FILE, ExactVectors
from memd.memory.index.vector_codes import VectorCodes, read_head
from memd.memory.indexing import index_sync
from memd.memory.indexing.indexed_store import IndexedStore, open_store
from memd.memory.memory import EvolvingMemory
from memd.memory.merge.plan import key_of
from memd.memory.records import CheckResult, Generation
from memd.memory.search_types import Vector
from memd.memory.store import documents_read, fact_rows
from memd.memory.store.documents_write import apply_changes
from memd.memory.store.schema import FORMAT_VERSION
from memd.memory.store.vectors import keep_vectors
from memd.memory.write_batches import Removal
from memd.schemas import ConversationDocument, Query
from memd.schemas.errors import StoreError
from memd.tests.cases import check_all
from memd.tests.memory.store.older_formats import FORMAT_1, FORMAT_3, FORMAT_8, made_older
from memd.tests.memory.store.samples import GENERATION, LINES, conversation, group, vector_of, vectors_for

DAMAGE: dict[str, tuple[str, str, bool]] = {
    "a count of messages": ("UPDATE counts SET value = 99 WHERE name = 'messages'", "counts", True),
    "a count that is gone": ("DELETE FROM counts", "counts", True),
    "a count of nothing": ("INSERT INTO counts VALUES ('rejected/ghost', 3)", "counts", True),
    "a message's words": ("UPDATE messages SET content = 'forged' WHERE id = 1", "texts", False),
    "a vector's bytes": ("UPDATE vectors SET vector = zeroblob(64) WHERE text = 1", "vectors", True),
    "a vector too short": ("UPDATE vectors SET vector = x'00', crc = 0xd202ef8d WHERE text = 1", "vectors", True),
    "a vector that is gone": ("DELETE FROM vectors WHERE text = 1", "pending", True),
    "a speaker's count": ("UPDATE speakers SET messages = 99 WHERE id = 1", "counts", True),
    "a chunk's number": ("UPDATE meta SET value = 1 WHERE name = 'chunk'", "counts", True),
    "a change that was not noted": ("DELETE FROM word_changes WHERE chunk = 2", "changes", True),
    "a chunk that is gone": ("DELETE FROM chunks WHERE id = 3", "chunks", False),
    "a reference to nothing": ("PRAGMA foreign_keys = OFF; DELETE FROM documents", "database", False),
    "a message that came back": (
        "INSERT INTO tombstones SELECT key, (SELECT key FROM documents) FROM messages WHERE id = 1",
        "tombstones",
        False,
    ),
}


async def _filled(directory: Path) -> None:
    async with open_store(directory) as store:
        changes = group(conversation("a"), LINES)
        await store.set_generation(GENERATION)
        await store.database.write(apply_changes, changes)
        await store.database.write(keep_vectors, vectors_for(changes))
        await store.refresh_indexes()


def _wrong(found: list[CheckResult]) -> set[str]:
    return {each.check for each in found if each.severity == "error"}


@pytest.mark.slow
def test_damage_is_found_and_what_is_derived_is_mended(tmp_path: Path) -> None:
    """Each has its finding with a hint; after a repair only what nobody can make anew is left."""
    filled, data = tmp_path / "filled", tmp_path / "data"
    anyio.run(_filled, filled)

    def check(harm: str) -> None:
        shutil.rmtree(data, ignore_errors=True)
        shutil.copytree(filled, data)
        anyio.run(_check_damage, data, harm)

    check_all(sorted(DAMAGE), check)


async def _check_damage(data: Path, harm: str) -> None:
    """Do that harm to a store, and repair it."""
    statements, check, repairable = DAMAGE[harm]
    with sqlite3.connect(data / "memory.db") as connection:
        connection.executescript(statements)
    connection.close()
    async with open_store(data) as store:
        found = await store.check()
        assert check in _wrong(found)
        assert all(each.hint for each in found if each.severity == "error")
        assert all(each.repairable for each in found if each.check == check and each.severity == "error") == repairable
        if check == "database":
            with pytest.raises(StoreError, match="refer to rows"):
                await store.repair()
            return
        await store.repair()
        assert (check in _wrong(await store.check())) == (not repairable)


@pytest.mark.anyio
async def test_indexes_that_hold_something_else_are_found_and_made_anew(tmp_path: Path) -> None:
    """Rows that SQLite does not know, and rows of which an index knows nothing."""
    await _filled(tmp_path)
    async with open_store(tmp_path) as store:
        with sqlite3.connect(tmp_path / "memory.db") as connection:
            connection.execute("DELETE FROM chunks WHERE id = 3")
            connection.execute("DELETE FROM vectors WHERE text = 3")
        connection.close()
        found = await store.check()
        assert {"words", "vector_index"} <= _wrong(found)
        await store.repair()
        assert _wrong(await store.check()) == {"chunks"}


def _coded(directory: Path, change: Callable[[VectorCodes, NDArray[np.float32]], None]) -> None:
    """Change the codes of a store behind its back; with them the vectors of the first two texts."""
    head = read_head(directory / FILE)
    assert head
    codes = VectorCodes(directory / FILE, head["identity"], GENERATION.dimension, read_only=False)
    codes.open(head["sequence"])
    change(codes, codes.get(np.array([1, 2])))
    codes.save()
    codes.close()


CODES: dict[str, Callable[[VectorCodes, NDArray[np.float32]], None]] = {
    "a missing one": lambda codes, _: codes.clear(np.array([2])),
    "one of another text": lambda codes, vectors: codes.write(np.array([2]), vectors[:1]),
    "one of no text": lambda codes, vectors: codes.write(np.array([999]), vectors[:1]),
}


@pytest.mark.anyio
@pytest.mark.parametrize("harm", CODES)
async def test_codes_that_are_not_the_stores_are_found_and_made_anew(tmp_path: Path, harm: str) -> None:
    """By a check, not when the store is opened: the head of the file is right."""
    await _filled(tmp_path)
    _coded(tmp_path, CODES[harm])
    async with open_store(tmp_path) as store:
        assert _wrong(await store.check()) == {"vector_index"}
        await store.repair()
        assert _wrong(await store.check()) == set()


@pytest.mark.anyio
async def test_codes_of_what_was_just_forgotten_are_no_damage(tmp_path: Path) -> None:
    """They are overwritten by the purge, which comes later."""
    await _filled(tmp_path)
    changes = group(conversation("a"), LINES)
    async with open_store(tmp_path) as store:
        await store.forget(Removal(messages=[changes.messages[2].key]))
        assert _wrong(await store.check()) == set()
        await store.purge()
        assert _wrong(await store.check()) == set()


@pytest.mark.anyio
async def test_a_component_far_beyond_the_others_is_no_damage(tmp_path: Path) -> None:
    """Some models give one to all vectors, which leaves fewer steps to the rest of a code."""
    dimension = 1_536
    changes = group(conversation("a"), [("Ann", f"line {number}") for number in range(40)])
    vectors = {digest: vector_of(digest.hex(), dimension) for digest in vectors_for(changes)}
    for vector in vectors.values():
        vector[7] = -3.0
    async with open_store(tmp_path) as store:
        await store.set_generation(Generation("far", dimension, ("message-1",)))
        await store.database.write(apply_changes, changes)
        await store.database.write(keep_vectors, vectors)
        assert _wrong(await store.check()) == set()


def _schema(path: Path) -> set[tuple[str, str]]:
    with sqlite3.connect(path) as connection:
        found = {
            (name, " ".join(sql.replace(",", " , ").replace(")", " ) ").split()))
            for name, sql in connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")
            if name != "vectors"
        }
        columns = {("vectors." + row[1], row[2]) for row in connection.execute("PRAGMA table_info(vectors)")}
    connection.close()
    return found | columns


@pytest.mark.anyio
@pytest.mark.slow
async def test_an_older_format_comes_along_after_a_copy(tmp_path: Path) -> None:
    """The same tables as a new store has, nothing lost, the old file beside it; doctor names it; forgetting removes it."""
    old, new = tmp_path / "old", tmp_path / "new"
    await _filled(old)
    await _filled(new)
    made_older(old / "memory.db", FORMAT_1)
    with pytest.raises(StoreError, match="format 1"):
        async with open_store(old, read_only=True):
            pass
    async with open_store(old) as store:
        found = await store.check()
        assert _wrong(found) == set()
        assert [each.severity for each in found if each.check == "copies"] == ["warning"]
        assert (await store.stats()).messages == len(LINES)
        assert await store.database.read(fact_rows.pending_extraction_count) == 1
    assert _schema(old / "memory.db") == _schema(new / "memory.db")
    copy = old / "memory.db.format-1"
    assert copy.stat().st_mode & 0o777 == 0o600
    with sqlite3.connect(copy) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)
        assert connection.execute("SELECT count(*) FROM messages").fetchone() == (len(LINES),)
    connection.close()


@pytest.mark.anyio
@pytest.mark.slow
async def test_format_3_comes_along_with_its_counts(tmp_path: Path) -> None:
    """The same tables, indexes and triggers as a new store has, and counts of what was there; the copy is of format 3."""
    old, new = tmp_path / "old", tmp_path / "new"
    await _filled(old)
    await _filled(new)
    async with open_store(old) as store:
        before = await store.stats()
    made_older(old / "memory.db", FORMAT_3)
    async with open_store(old) as store:
        await store.refresh_indexes()
        after = await store.stats()
        assert (after.documents, after.messages, after.chunks, after.vectors_done, after.vectors_pending) == (
            before.documents,
            before.messages,
            before.chunks,
            before.vectors_done,
            before.vectors_pending,
        )
        assert after.messages == len(LINES)
        assert _wrong(await store.check()) == set()
    assert _schema(old / "memory.db") == _schema(new / "memory.db")
    assert (old / "memory.db.format-3").exists()


@pytest.mark.anyio
@pytest.mark.slow
async def test_format_8_comes_along_with_chats_of_titles(tmp_path: Path) -> None:
    """A conversation with a title and no chat is a chat of its own, as it is when it comes in now, and is found by it."""
    lines = {"source": "mail", "people": ["Ann", "Zed"], "user": "Ann"}
    spoken = {"speaker": "Ann", "content": "it is sold", "time": "2025-04-07T14:31:00Z"}
    thread = ConversationDocument.model_validate(
        {"id": "t", "conversation": lines | {"conversation": [spoken]}, "metadata": {"title": "The boat"}}
    )
    untitled = thread.model_copy(update={"id": "u", "metadata": {}})

    async def chats(store: IndexedStore) -> object:
        await store.refresh_indexes()
        hits = (
            await EvolvingMemory(store, None, BundledEmbedder()).query(Query(text="sold", chats=("the boat",)))
        ).hits
        rows = (await store.database.read(documents_read.documents, [key_of(thread), key_of(untitled)])).values()
        return (
            [hit.document_id for hit in hits],
            sorted(str(row.chat) for row in rows),
            await store.database.read(documents_read.conversations),
        )

    async with open_store(tmp_path) as store:
        memory = EvolvingMemory(store, None, BundledEmbedder())
        await memory.start()
        await memory.write([thread, untitled])
        before = await chats(store)
    made_older(tmp_path / "memory.db", f"{FORMAT_8} UPDATE documents SET chat = NULL; DELETE FROM conversations;")
    async with open_store(tmp_path) as store:
        assert await chats(store) == before
        assert _wrong(await store.check()) == set()


@pytest.mark.anyio
@pytest.mark.slow
async def test_a_migration_that_fails_changes_nothing(tmp_path: Path) -> None:
    """A step that cannot be taken leaves the old format, whole."""
    await _filled(tmp_path)
    made_older(tmp_path / "memory.db", FORMAT_1)
    with sqlite3.connect(tmp_path / "memory.db") as connection:
        connection.execute("CREATE TABLE tombstones (something)")
    connection.close()
    with pytest.raises(StoreError):
        async with open_store(tmp_path):
            pass
    with sqlite3.connect(tmp_path / "memory.db") as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)
        assert "crc" not in {row[1] for row in connection.execute("PRAGMA table_info(vectors)")}
        connection.execute("DROP TABLE tombstones")
    connection.close()
    async with open_store(tmp_path) as store:
        assert _wrong(await store.check()) == set()


@pytest.mark.anyio
@pytest.mark.parametrize("version", [0, FORMAT_VERSION + 1, 99])
@pytest.mark.slow
async def test_an_unknown_format_is_refused(tmp_path: Path, version: int) -> None:
    """A newer one, and one that never was; the file is not touched."""
    await _filled(tmp_path)
    with sqlite3.connect(tmp_path / "memory.db") as connection:
        connection.execute(f"PRAGMA user_version = {version}")
    connection.close()
    before = (tmp_path / "memory.db").read_bytes()
    with pytest.raises(StoreError, match="format"):
        async with open_store(tmp_path):
            pass
    assert (tmp_path / "memory.db").read_bytes() == before


@pytest.mark.anyio
async def test_vectors_that_come_during_a_check_are_no_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The embedder goes on while doctor compares index and store."""
    monkeypatch.setattr(index_sync, "CHECKED_AT_ONCE", 5)
    get, added = ExactVectors.get, False
    async with open_store(tmp_path) as store:
        changes = group(conversation("a"), [("Anna", f"line {number}") for number in range(40)])
        await store.set_generation(GENERATION)
        await store.database.write(apply_changes, changes)
        vectors = list(vectors_for(changes).items())
        await store.database.write(keep_vectors, dict(vectors[:20]))
        await store.refresh_indexes()

        async def while_more_come(index: ExactVectors, rows: Sequence[int]) -> list[Vector | None]:
            nonlocal added
            if not added:
                added = True
                await store.database.write(keep_vectors, dict(vectors[20:]))
            return await get(index, rows)

        monkeypatch.setattr(ExactVectors, "get", while_more_come)
        assert [each for each in await store.check() if each.severity == "error"] == []
        assert added


@pytest.mark.anyio
async def test_messages_that_come_during_a_check_are_no_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts that are stored already come once more between the two looks at store and index."""
    rows, added = ExactVectors.rows, False
    lines = [("Anna", f"line {number}") for number in range(40)]
    async with open_store(tmp_path) as store:
        changes = group(conversation("a"), lines)
        await store.set_generation(GENERATION)
        await store.database.write(apply_changes, changes)
        await store.database.write(keep_vectors, vectors_for(changes))
        await store.refresh_indexes()

        async def while_more_come(index: ExactVectors) -> set[int]:
            nonlocal added
            if not added:
                added = True
                await store.database.write(apply_changes, group(conversation("b"), lines))
            return await rows(index)

        monkeypatch.setattr(ExactVectors, "rows", while_more_come)
        assert [each for each in await store.check() if each.severity == "error"] == []
        assert added
