"""Extracts facts from the stored documents: windows go to an extractor, statements become facts, in one transaction for
each document.

Facts are a function of the stored documents and their extractions, in any order of arrival: a changed document is read
again, an unchanged window costs nothing, and all statements of a cluster are resolved anew.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from uuid import UUID

import anyio

from ...schemas.errors import MemdError
from ..extraction.extractor import Extraction, Extractor, versioned_name
from ..extraction.records import DocumentExtraction, UnreadWindowLine
from ..extraction.window import Window
from ..records import StoredDocument
from ..store import documents_read, fact_rows, unread_windows
from ..store.database import Database
from ..supervision import is_recoverable
from .document_windows import DocumentWindows, document_windows
from .updates import FactUpdates
from .window_results import WindowResults, content_of, document_extraction, records_of

if TYPE_CHECKING:
    from .llm_judge import LLMJudge


DOCUMENTS_AT_ONCE = 20
"""The documents that are read in one step, and stored in one transaction."""
PAGE = 500


@dataclass(frozen=True, slots=True)
class ExtractionReport:
    """The counts of an extraction from some documents."""

    documents: int = 0
    windows: int = 0
    """Windows that the extractor was shown; windows with known results are not counted."""
    statements: int = 0
    facts: int = 0
    """New versions of facts."""
    changed: int = 0
    """Documents that changed while they were read, and stay unread."""
    failed: int = 0
    """Windows that the extractor could not read; they stay unread, and are tried again."""
    seen: int = 0
    """Documents that the substitute looked at; see `FactService.extract_provisionally`."""
    unreadable: Mapping[UUID, BaseException] = field(default_factory=dict[UUID, BaseException])
    """Documents that stay unread because of an unexpected error in them alone."""

    def __add__(self, other: ExtractionReport) -> ExtractionReport:
        return ExtractionReport(
            self.documents + other.documents,
            self.windows + other.windows,
            self.statements + other.statements,
            self.facts + other.facts,
            self.changed + other.changed,
            self.failed + other.failed,
            self.seen + other.seen,
            {**self.unreadable, **other.unreadable},
        )


class FactService:
    """The knowledge of one store.

    Args:
        database: the store.
        extractor: the extractor.
        count: counts the tokens of a text, for cutting windows.
        writing: held while the store is written to.
        judge: decides pairs that the rules cannot.
    """

    def __init__(
        self,
        database: Database,
        extractor: Extractor | None,
        count: Callable[[str], int],
        writing: anyio.Lock,
        judge: LLMJudge | None = None,
    ) -> None:
        self._database = database
        self._extractor = extractor
        self._count = count
        self._writing = writing
        self.updates = FactUpdates(database, count, writing, judge)
        self._substitute: Extractor | None = None
        self._looked_at: dict[UUID, str] = {}
        """Documents that the substitute has read and the extractor has not, with their version at that time."""
        self._looked_up_to = 0
        """The row up to which the substitute's present round through the documents has come."""

    async def start(self) -> None:
        """Record the extractor in the store: after a change of extractor all documents are read again."""
        if self._extractor is not None:
            name = versioned_name(self._extractor)
            if await self._database.read(fact_rows.recorded_extractor) != name:
                await self._database.write(fact_rows.record_extractor, name)

    async def set_extractor(
        self, extractor: Extractor, judge: LLMJudge | None = None, substitute: Extractor | None = None
    ) -> None:
        """Use this extractor from now on.

        Args:
            extractor: the extractor.
            judge: see the class.
            substitute: an extractor without a model, for documents that the extractor cannot read at present; the
                extractor reads them later.
        """
        self._extractor, self._substitute = extractor, substitute
        self.updates.judge = judge
        self._looked_at.clear()
        await self.start()

    async def pending_extraction_count(self) -> int:
        """Return the number of documents that await extraction."""
        return await self._database.read(fact_rows.pending_extraction_count)

    async def queue_due_windows(self) -> float | None:
        """Queue the documents of unreadable windows whose next attempt is due; return the seconds until the next one
        is.
        """
        if not await self._database.read(unread_windows.waits):
            return None
        return await self._database.write(unread_windows.queue_due)

    async def queue_unread_windows(self) -> int:
        """Queue the documents of all windows that could not be read, except those that were tried too often."""
        return await self._database.write(unread_windows.queue_all)

    async def retry_windows(self, windows: Collection[bytes]) -> int:
        """Queue the documents of these windows as if they had never been tried; return their number."""
        return await self._database.write(unread_windows.queue_again, windows)

    async def give_up_windows(self, windows: Collection[bytes]) -> int:
        """Mark these windows as read, without any statements; return their number."""

        def work(connection: sqlite3.Connection) -> int:
            return unread_windows.give_up(connection, windows, fact_rows.recorded_extractor(connection))

        return await self._database.write(work)

    async def close_given_up(self, documents: Collection[UUID]) -> int:
        """Mark the given-up windows of these documents as read, so that no later import reads them; return their
        number.
        """

        def work(connection: sqlite3.Connection) -> int:
            extractor = fact_rows.recorded_extractor(connection)
            return unread_windows.close_given_up(connection, documents, extractor)

        return await self._database.write(work)

    async def unfinished_among(self, documents: Collection[UUID]) -> set[UUID]:
        """Return the documents among these that await extraction, or have windows that will be tried again
        automatically.
        """
        return await self._database.read(unread_windows.unfinished_among, documents)

    async def unread_windows(self) -> list[UnreadWindowLine]:
        """Return all windows that could not be read."""
        return await self._database.read(unread_windows.listing)

    async def first_unread_windows(self, limit: int) -> tuple[list[UnreadWindowLine], int]:
        """Return the first windows that could not be read, and the number of the others."""

        def work(connection: sqlite3.Connection) -> tuple[list[UnreadWindowLine], int]:
            windows = unread_windows.listing(connection, limit)
            return windows, unread_windows.total(connection) - len(windows)

        return await self._database.read(work)

    async def unread_window_counts(self) -> tuple[int, int]:
        """Return the numbers (windows that are given up, documents that wait for another attempt)."""
        return await self._database.read(unread_windows.count)

    async def documents(self, keys: Collection[UUID]) -> Mapping[UUID, StoredDocument]:
        """Return these documents, without their messages."""
        return await self._database.read(documents_read.documents, list(keys))

    async def pending_extraction(self, after: int = 0, limit: int = PAGE) -> list[tuple[int, UUID]]:
        """Return a page of the documents that await extraction, oldest first, each with an increasing number to
        continue ``after``.
        """
        return await self._database.read(fact_rows.pending_extraction, after, limit)

    async def pending_extraction_among(self, documents: Collection[UUID]) -> set[UUID]:
        """Return the documents among these that await extraction."""
        return await self._database.read(fact_rows.pending_extraction_among, documents)

    async def new_windows(self, keys: Sequence[UUID]) -> dict[UUID, list[Window]]:
        """Return the windows of these documents that the extractor has not read."""
        reader = self._extractor
        if reader is None:
            return {}
        seen, extractions = (
            await document_windows(self._database, keys, self._count),
            await self._database.read(fact_rows.extractions, keys),
        )
        return {key: self._new_windows(each, extractions.get(key), reader) for key, each in seen.items()}

    async def windows(self, keys: Sequence[UUID]) -> list[Window]:
        """Return all windows of these documents, in this order."""
        seen = await document_windows(self._database, keys, self._count)
        return [window for key in keys if key in seen for window in seen[key].windows]

    async def extract_pending(
        self, run: str, limit: int = DOCUMENTS_AT_ONCE, held: Collection[UUID] = ()
    ) -> ExtractionReport:
        """Extract from some of the documents that await it, oldest first, except those ``held`` back.

        Returns:
            Equal to ``ExtractionReport()`` if nothing is left to read.

        Raises:
            ExtractionError: the extractor failed; these documents stay unread.
            StoreError: nothing of these documents was stored.
        """
        keys: list[UUID] = []
        after = 0
        while len(keys) < limit and (page := await self._database.read(fact_rows.pending_extraction, after, limit)):
            keys += [key for _, key in page if key not in held]
            after = page[-1][0]
        return await self.extract_documents(run, keys[:limit])

    async def extract_documents(self, run: str, documents: Sequence[UUID]) -> ExtractionReport:
        """Extract from the documents among these that await it. A document with an unexpected error is reported
        separately, and the others are completed.

        Raises:
            ExtractionError: the extractor failed; these documents stay unread.
            StoreError: nothing of these documents was stored.
        """
        unread = await self._database.read(fact_rows.pending_extraction_among, documents)
        keys = [key for key in documents if key in unread]
        if self._extractor is None or not keys:
            return ExtractionReport()
        report = await self._extract_singly_if_needed(keys, run, self._extractor)
        for key in keys:
            self._looked_at.pop(key, None)
        return report

    def look_again(self) -> None:
        """Make the substitute read every document that awaits extraction again."""
        self._looked_at.clear()

    async def extract_provisionally(
        self, run: str, limit: int = DOCUMENTS_AT_ONCE, held: Collection[UUID] = ()
    ) -> ExtractionReport:
        """Let the substitute read some of the documents that await extraction, while the extractor fails. They stay in
        the queue, and their windows are recorded as read by the substitute; results of another model for them are kept.

        Returns:
            ``seen`` is 0 if the substitute has read everything.

        Raises:
            StoreError: nothing of these documents was stored.
        """
        if self._substitute is None:
            return ExtractionReport()
        due = await self._due_provisionally(limit, held)
        if not due:
            return ExtractionReport()
        try:
            report = await self._extract_singly_if_needed(list(due), run, self._substitute)
        except BaseException:
            self._looked_up_to = 0
            raise
        self._looked_at |= due
        return replace(report, seen=len(due))

    async def _due_provisionally(self, limit: int, held: Collection[UUID]) -> dict[UUID, str]:
        """Return the next documents for the substitute, with their versions; none at the end of a round through all
        documents. A round continues where the last step ended, so that its cost is linear in the number of documents.
        """
        due: dict[UUID, str] = {}
        while page := await self._database.read(fact_rows.pending_versions, self._looked_up_to, PAGE):
            for row, key, version in page:
                self._looked_up_to = row
                if key not in held and self._looked_at.get(key) != version:
                    due[key] = version
                    if len(due) == limit:
                        return due
        self._looked_up_to = 0
        return due

    async def provisional_count(self) -> int:
        """Return the number of documents that the substitute has read and the extractor has yet to read."""
        return await self._database.read(fact_rows.provisional_count)

    async def _extract_singly_if_needed(self, keys: Sequence[UUID], run: str, reader: Extractor) -> ExtractionReport:
        """Extract from these documents at once, or from each separately after an unexpected error."""
        try:
            return await self._extract_and_learn(keys, run, reader)
        except BaseException as error:
            if isinstance(error, MemdError) or not is_recoverable(error):
                raise
            return await self._extract_each(keys, run, reader)

    async def _extract_each(self, keys: Sequence[UUID], run: str, reader: Extractor) -> ExtractionReport:
        """Extract from each of these documents separately."""
        total = ExtractionReport()
        for key in keys:
            try:
                each = await self._extract_and_learn([key], run, reader)
            except BaseException as error:
                if isinstance(error, MemdError) or not is_recoverable(error):
                    raise
                each = ExtractionReport(unreadable={key: error})
            total += each
        return total

    async def _extract_and_learn(self, keys: Sequence[UUID], run: str, reader: Extractor) -> ExtractionReport:
        provisional = reader is self._substitute
        seen = await document_windows(self._database, keys, self._count)
        before = await self._database.read(fact_rows.extractions, keys)
        fresh = await self._new_results(seen, before, run, reader)
        if not provisional:
            await self.updates.ask_judge(set(keys), fresh.statements, run)
        async with self._writing:
            # A document may have changed while it was read. It stays unread, and its results are not lost: its windows
            # are extracted again, and most of them are the same.
            now = await document_windows(self._database, keys, self._count)
            # A document that was forgotten in the meantime is in neither, and has nothing left to read.
            still = [key for key in keys if key in now and key in seen and now[key].windows == seen[key].windows]
            extractions = [
                document_extraction(
                    now[key],
                    before.get(key),
                    fresh,
                    records_of(now[key], before.get(key), reader, substitute=provisional),
                    provisional=provisional,
                )
                for key in still
            ]
            if provisional:  # without the documents that gave nothing new
                extractions = [
                    each for each in extractions if content_of(each) != content_of(before.get(each.document))
                ]
            if not extractions:
                return ExtractionReport(changed=len(keys))
            update = await self.updates.update_from(run, extractions)
            await self._database.write(fact_rows.apply_knowledge, update)
        return ExtractionReport(
            documents=len(extractions),
            windows=len(fresh.read.keys() - fresh.failed.keys()),
            statements=sum(len(reading.statements) for reading in extractions),
            facts=len(update.facts),
            changed=len(keys) - len(extractions),
            failed=len(fresh.failed),
        )

    def _new_windows(self, seen: DocumentWindows, before: DocumentExtraction | None, reader: Extractor) -> list[Window]:
        """Return the windows that this reader has to read."""
        done = records_of(seen, before, reader, substitute=reader is self._substitute)
        return [window for window in seen.windows if window.hash not in done]

    async def _new_results(
        self,
        seen: Mapping[UUID, DocumentWindows],
        before: Mapping[UUID, DocumentExtraction],
        run: str,
        reader: Extractor,
    ) -> WindowResults:
        """Return the reader's results for windows that it has not read yet, and the substitute's for those at which it
        fails.
        """
        windows = [window for key, each in seen.items() for window in self._new_windows(each, before.get(key), reader)]
        results = WindowResults()
        if not windows:
            return results
        failed = results.add(await _read(reader, windows, run), seen, run, reader)
        if failed and self._substitute is not None:
            results.add(await _read(self._substitute, failed, run), seen, run, self._substitute)
        return results


async def _read(reader: Extractor, windows: Sequence[Window], run: str) -> list[tuple[Window, Extraction]]:
    """Return what a reader extracts from these windows, with the facts that programs stated in them."""
    extractions = await reader.extract(windows, run)
    if not any(line.fact for window in windows for line in window.lines):
        return list(zip(windows, extractions, strict=True))
    from ..extraction.stated import with_stated_facts  # its patterns take a while to compile

    return [(window, with_stated_facts(each, window)) for window, each in zip(windows, extractions, strict=True)]
