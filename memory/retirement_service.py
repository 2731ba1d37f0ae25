"""Retires the texts of one store whose files are gone."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from dataclasses import replace
from uuid import UUID

import anyio
from anyio import to_thread

from ..schemas.keys import redacted_tombstone_key
from .chunking.document_chunker import DocumentChunker
from .ingest.planner import changes_of
from .merge.plan import Stored
from .retirement import plan_retirement
from .store import documents_read, forget_rows
from .store import inputs as input_rows
from .store import retired as retired_rows
from .store.database import Database
from .undo import retired_input

LastingRuns = Callable[[Collection[str]], Awaitable[Collection[str]]]
"""Returns those of some runs that brought their documents for good."""


class RetirementService:
    """Retires texts.

    Args:
        database: the store.
        chunker: the chunker of the memory.
        writing: held while the store is written to.
        forget_names: called after a change.
    """

    def __init__(
        self, database: Database, chunker: DocumentChunker, writing: anyio.Lock, forget_names: Callable[[], None]
    ) -> None:
        self._database = database
        self._chunker = chunker
        self._writing = writing
        self._forget_names = forget_names

    async def retire(self, documents: Collection[UUID], run: str, lasting: LastingRuns) -> int:
        """Retire texts in one transaction; return their number. They are found and listed no more, facts that were read
        of them go as with a changed text, and undoing the run brings them back. A text that is stored again is there
        again.

        Args:
            documents: their keys; conversations, and what is not stored, are left out.
            run: that found that their files are gone.
            lasting: tells which runs brought their documents for good: none of these is retired.

        Raises:
            StoreError: nothing was changed.
        """
        async with self._writing:
            keys, _ = await self.divided(documents, lasting)
            if not keys:
                return 0
            rows = await self._database.read(documents_read.documents, keys)
            stored = {key: Stored(row) for key, row in rows.items()}
            recorded = await self._database.read(input_rows.inputs_of, keys, repeated=False)
            plans = [plan_retirement(each) for each in stored.values()]
            changes = await to_thread.run_sync(changes_of, plans, self._chunker)
            inputs = [retired_input(run, each, recorded.get(key, ())) for key, each in stored.items()]
            try:
                await self._database.write(retired_rows.retire, replace(changes, inputs=inputs))
            finally:
                self._forget_names()
        return len(keys)

    async def divided(self, documents: Collection[UUID], lasting: LastingRuns) -> tuple[set[UUID], set[UUID]]:
        """Return the texts among these documents that `retire` would retire, and those that stay."""
        rows = await self._database.read(documents_read.documents, documents)
        texts = [key for key, row in rows.items() if row.kind == "text"]
        inputs = await self._database.read(input_rows.inputs_of, texts)
        runs = await lasting({each.run for some in inputs.values() for each in some})
        gone = {key for key in texts if all(each.run not in runs for each in inputs.get(key, ()))}
        return gone, {*texts} - gone

    async def retired(self, documents: Collection[UUID]) -> set[UUID]:
        """Return the retired texts among these documents."""
        return await self._database.read(retired_rows.retired_among, documents)

    async def forgotten(self, documents: Collection[UUID]) -> set[UUID]:
        """Return those of some texts that were forgotten or redacted."""
        tombstones = await self._database.read(forget_rows.tombstones, documents)
        return {
            key
            for key in documents
            if not tombstones.get(key, frozenset()).isdisjoint({key, redacted_tombstone_key(key)})
        }
