"""What the memory knows of itself when a write fails half-way, or is cancelled when it is committed."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import numpy as np
import pytest

from memd.memory import memory as memory_module
from memd.memory.embedding.bundled import BundledEmbedder
from memd.memory.indexing.indexed_store import open_store
from memd.memory.memory import EvolvingMemory
from memd.memory.records import Generation
from memd.memory.store.database import Database
from memd.memory.store.documents_write import apply_changes
from memd.memory.store.vectors import keep_vectors, pending_texts
from memd.memory.write_batches import WriteBatch
from memd.schemas import Query
from memd.schemas.errors import StoreError
from memd.tests.contracts.knowledge import day
from memd.tests.daemon.house import Letters

pytestmark = pytest.mark.anyio


async def test_names_of_what_was_written_before_a_failure_are_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first transaction is committed, the second fails: a question names a speaker of the first."""
    async with open_store(tmp_path) as store:
        memory = EvolvingMemory(store, None, BundledEmbedder())
        await memory.start()
        await memory.write([day(0, ("Bob", "tea one"))])
        await memory.query(Query(text="what tea does Bob like"))
        calls = 0

        def second_fails(connection: sqlite3.Connection, changes: WriteBatch) -> None:
            nonlocal calls
            calls += 1
            if calls == 2:
                raise StoreError("the disk is full")
            apply_changes(connection, changes)

        monkeypatch.setattr(memory_module, "apply_changes", second_fails)
        with pytest.raises(StoreError):
            await memory.write([day(1, *(("Zoe", f"tea {number}") for number in range(600))), day(2, ("Max", "tea"))])
        monkeypatch.undo()
        await store.refresh_indexes()
        asked = await memory.query(Query(text="which tea does Zoe like", explain=True))
        assert "Zoe" in {hit.speaker for hit in asked.hits[:1]}
        assert (await memory.retriever._names.read()).matcher.mention("Zoe").speakers  # pyright: ignore[reportPrivateUsage]


async def test_what_waits_after_a_cancelled_write_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The commit is done when the cancellation comes: its text waits for a vector, and an answer says so."""
    async with open_store(tmp_path) as store:
        memory = EvolvingMemory(store, Letters(), BundledEmbedder())
        await memory.start()
        write = store.database.write
        with anyio.CancelScope() as scope:

            async def cancelled(work: Callable[..., object], *arguments: object, **options: object) -> object:
                result = await write(work, *arguments, **options)
                scope.cancel()
                return result

            monkeypatch.setattr(store.database, "write", cancelled)
            await memory.write([day(1, ("Zoe", "coffee two"))])
        assert (await memory.vector_counts())[1] == 1
        assert memory.degraded() == ("pending",) or "pending" in memory.degraded()
        assert await memory.embed_pending() == 1


async def test_the_vector_index_is_never_of_another_model_than_the_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A change of the generation is cancelled when it is committed: store and index agree, and writing goes on."""
    async with open_store(tmp_path) as store:
        memory = EvolvingMemory(store, Letters(), BundledEmbedder())
        await memory.start()
        await memory.write([day(1, ("Zoe", "coffee one"))])
        await memory.embed_pending()
        await store.refresh_indexes()
        with anyio.CancelScope() as scope, monkeypatch.context() as patched:
            write = Database.write

            async def cancelled(self: Database, work: Callable[..., Any], *arguments: Any) -> Any:
                result = await write(self, work, *arguments)
                scope.cancel()
                return result

            patched.setattr(Database, "write", cancelled)
            await store.set_generation(Generation("another", 4, ()))
        await memory.write([day(2, ("Zoe", "coffee two"))])
        await store.database.write(
            keep_vectors,
            {text.hash: np.ones(4, dtype=np.float32) for text in await store.database.read(pending_texts, 9)},
        )
        await store.refresh_indexes()
        assert all(each.severity == "ok" for each in await store.check() if each.check == "vector_index")
