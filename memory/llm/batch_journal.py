"""The journal of batches under way. A batch is recorded in llm.db before anything is sent, so that none is lost in a
crash.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from .audit import SentRequest, write_entries
from .cache import CachedAnswer, keep
from .store import LLMStore

Outcome = tuple[bytes, CachedAnswer, tuple[UUID, ...]]
"""A tuple (key, answer, documents)."""


@dataclass(frozen=True, slots=True)
class BatchRecord:
    """A batch under way."""

    id: str
    """The local id, which the endpoint stores as metadata."""
    remote: str
    """The endpoint's id; empty until it is known."""
    file: str
    """The endpoint's id of the uploaded file."""
    place: str
    model: str
    run: str
    state: str
    """Either ``new`` or ``sent``."""


@dataclass(frozen=True, slots=True)
class Item:
    """A question in a batch."""

    key: bytes
    documents: tuple[UUID, ...]
    source: str
    purpose: str


class BatchJournal:
    """The batches under way, stored in llm.db."""

    def __init__(self, store: LLMStore) -> None:
        self._store = store

    async def begin(self, batch: BatchRecord, items: Sequence[Item], sent: Sequence[SentRequest]) -> None:
        """Record a batch that is about to be sent, with its audit entries."""

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(
                "INSERT INTO batches (id, place, model, at, run, state) VALUES (?, ?, ?, ?, ?, 'new')",
                (batch.id, batch.place, batch.model, time.time(), batch.run),
            )
            connection.executemany(
                "INSERT INTO batch_items (batch, key, document, source, purpose) VALUES (?, ?, ?, ?, ?)",
                [
                    (batch.id, item.key, document.bytes, item.source, item.purpose)
                    for item in items
                    for document in item.documents or (UUID(int=0),)
                ],
            )
            write_entries(connection, sent)

        await self._store.run(work)

    async def sent(self, batch: str, remote: str, file: str) -> None:
        """Record that the endpoint has accepted the batch."""

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(
                "UPDATE batches SET remote = ?, file = ?, state = 'sent' WHERE id = ?", (remote, file, batch)
            )

        await self._store.run(work)

    async def open(self, place: str, model: str) -> list[BatchRecord]:
        """Return the batches of this endpoint and model that have not ended, oldest first."""

        def work(connection: sqlite3.Connection) -> list[BatchRecord]:
            rows = connection.execute(
                "SELECT id, coalesce(remote, ''), coalesce(file, ''), place, model, run, state FROM batches"
                " WHERE place = ? AND model = ? ORDER BY at, id",
                (place, model),
            )
            return [BatchRecord(*row) for row in rows]

        return await self._store.run(work)

    async def waiting(self, keys: Collection[bytes]) -> set[bytes]:
        """Return the keys that a batch under way will answer."""

        def work(connection: sqlite3.Connection) -> set[bytes]:
            query = "SELECT 1 FROM batch_items WHERE key = ? LIMIT 1"
            return {key for key in keys if connection.execute(query, (key,)).fetchone()}

        return await self._store.run(work)

    async def items(self, batch: str) -> list[Item]:
        """Return the questions of a batch, without those about documents that were forgotten since."""

        def work(connection: sqlite3.Connection) -> list[Item]:
            rows = connection.execute(
                "SELECT key, document, source, purpose FROM batch_items WHERE batch = ? ORDER BY key, document",
                (batch,),
            )
            items: dict[bytes, Item] = {}
            for key, document, source, purpose in rows:
                before = items[key].documents if key in items else ()
                items[key] = Item(key, (*before, UUID(bytes=document)), source, purpose)
            return list(items.values())

        return await self._store.run(work)

    async def end(self, batch: str, outcomes: Sequence[Outcome]) -> None:
        """Cache the answers that are still wanted and delete the record of the batch, in one transaction."""

        def work(connection: sqlite3.Connection) -> None:
            still = {
                key for (key,) in connection.execute("SELECT DISTINCT key FROM batch_items WHERE batch = ?", (batch,))
            }
            keep(connection, [outcome for outcome in outcomes if outcome[0] in still])
            connection.execute("DELETE FROM batches WHERE id = ?", (batch,))

        await self._store.run(work)
