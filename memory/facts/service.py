"""Extracts facts from the stored documents: windows go to an extractor, statements become facts, in one transaction for
each document.

Facts are a function of the stored documents and their extractions, in any order of arrival: a changed document is read
again, an unchanged window costs nothing, and all statements of a cluster are resolved anew.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from uuid import UUID

import anyio
from anyio import to_thread

from ...schemas.errors import MemdError
from ..extraction.extractor import Extraction, Extractor, versioned_name
from ..extraction.statement import Statement
from ..extraction.window import Window
from ..records import (
    DocumentExtraction,
    StoredDocument,
    StoredStatement,
    UnreadWindow,
    UnreadWindowLine,
    WindowRecord,
)
from ..store import documents_read, fact_rows, unread_windows
from ..store.database import Database
from ..supervision import is_recoverable
from ..write_batches import KnowledgeUpdate
from .clusters import Judge
from .document_windows import DocumentWindows, document_windows
from .fact_reader import FORGOTTEN, statements_behind
from .fact_update_plan import (
    changed_facts,
    cluster_name,
    merge_clusters,
    parse_cluster_name,
    plan_fact_update,
    resolve_clusters,
)

if TYPE_CHECKING:
    from .llm_judge import LLMJudge


DOCUMENTS_AT_ONCE = 20
"""The documents that are read in one step, and stored in one transaction."""
PAGE = 500


@dataclass(slots=True)
class _Fresh:
    """New results of an extractor, by the hashes of the windows."""

    read: dict[bytes, tuple[WindowRecord, list[StoredStatement]]] = field(
        default_factory=dict[bytes, tuple[WindowRecord, list[StoredStatement]]]
    )
    failed: dict[bytes, str] = field(default_factory=dict[bytes, str])
    """Windows that could not be read, with the reason."""


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
        self._judge = judge
        self._substitute: Extractor | None = None
        self._looked_at: dict[UUID, int] = {}
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
        self._extractor, self._judge, self._substitute = extractor, judge, substitute
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
            found = unread_windows.listing(connection, limit)
            return found, unread_windows.total(connection) - len(found)

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
        seen, known = (
            await document_windows(self._database, keys, self._count),
            await self._database.read(fact_rows.extractions, keys),
        )
        return {key: self._new_windows(each, known.get(key), reader) for key, each in seen.items()}

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

    async def _due_provisionally(self, limit: int, held: Collection[UUID]) -> dict[UUID, int]:
        """Return the next documents for the substitute, with their versions; none at the end of a round through all
        documents. A round continues where the last step ended, so that its cost is linear in the number of documents.
        """
        due: dict[UUID, int] = {}
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

    async def regroup(self, run: str, documents: Sequence[UUID]) -> None:
        """Resolve the statements of these documents anew, because a participant is another person now; no extractor is
        called. A document with a window that was never read is left unchanged; one with a window by another extractor
        stays unread.

        Raises:
            StoreError: nothing of these documents was changed.
        """
        async with self._writing:
            seen = await document_windows(self._database, documents, self._count)
            known = await self._database.read(fact_rows.extractions, documents)
            extractor = await self._database.read(fact_rows.recorded_extractor)
            whole = [
                DocumentExtraction(
                    key,
                    known[key].windows,
                    [
                        replace(each, cluster=cluster_name(each.statement, seen[key].who))
                        for each in known[key].statements
                    ],
                    provisional=any(note.extractor != extractor for note in known[key].windows),
                )
                for key in documents
                if key in seen
                and key in known
                and {window.hash for window in seen[key].windows} == {note.hash for note in known[key].windows}
            ]
            if whole:
                await self._database.write(fact_rows.apply_knowledge, await self._update_from(run, whole))

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
        known = await self._database.read(fact_rows.extractions, keys)
        fresh = await self._extract_new(seen, known, run, reader)
        if not provisional:
            await self._ask_judge(keys, fresh, run)
        async with self._writing:
            # A document may have changed while it was read. It stays unread, and its results are not lost: its windows
            # are extracted again, and most of them are the same.
            now = await document_windows(self._database, keys, self._count)
            # A document that was forgotten in the meantime is in neither, and has nothing left to read.
            still = [key for key in keys if key in now and key in seen and now[key].windows == seen[key].windows]
            extractions = [self._document_extraction(now[key], known.get(key), fresh, reader) for key in still]
            if provisional:  # without the documents that gave nothing new
                extractions = [each for each in extractions if _content(each) != _content(known.get(each.document))]
            if not extractions:
                return ExtractionReport(changed=len(keys))
            update = await self._update_from(run, extractions)
            await self._database.write(fact_rows.apply_knowledge, update)
        return ExtractionReport(
            documents=len(extractions),
            windows=len(fresh.read.keys() - fresh.failed.keys()),
            statements=sum(len(reading.statements) for reading in extractions),
            facts=len(update.facts),
            changed=len(keys) - len(extractions),
            failed=len(fresh.failed),
        )

    async def _ask_judge(self, read: Sequence[UUID], fresh: _Fresh, run: str) -> None:
        """Have the judge decide the pairs that the rules cannot, before the lock is taken: writers must not wait for a
        model.
        """
        judge = self._judge
        if judge is None:
            return
        added = [each for _, statements in fresh.read.values() for each in statements]
        clusters = merge_clusters(
            await self._database.read(fact_rows.clusters, {each.cluster for each in added}), set(read), added
        )
        while True:
            pairs = await to_thread.run_sync(_undecided_pairs, clusters, judge.verdict)
            if not pairs or not (await judge.decide(pairs, run)).decided:
                return

    def _read_before(
        self, seen: DocumentWindows, known: DocumentExtraction | None, reader: Extractor
    ) -> dict[bytes, WindowRecord]:
        """Return the records of the windows that this reader has read; for the substitute, also of those that a model
        has read.
        """
        if known is None:
            return {}
        name = versioned_name(reader)
        of_models = reader is self._substitute
        notes = {
            note.hash: note
            for note in known.windows
            if note.extractor == name or (of_models and not note.extractor.startswith(f"{reader.name}/"))
        }
        return {window.hash: notes[window.hash] for window in seen.windows if window.hash in notes}

    def _new_windows(self, seen: DocumentWindows, known: DocumentExtraction | None, reader: Extractor) -> list[Window]:
        """Return the windows that this reader has to read."""
        done = self._read_before(seen, known, reader)
        return [window for window in seen.windows if window.hash not in done]

    async def _extract_new(
        self,
        seen: Mapping[UUID, DocumentWindows],
        known: Mapping[UUID, DocumentExtraction],
        run: str,
        reader: Extractor,
    ) -> _Fresh:
        """Return the reader's results for windows that it has not read yet, and the substitute's for those at which it
        fails.
        """
        wanted = [window for key, each in seen.items() for window in self._new_windows(each, known.get(key), reader)]
        found = _Fresh()
        if not wanted:
            return found
        read = list(zip(wanted, await reader.extract(wanted, run), strict=True))
        found.failed |= {window.hash: extraction.failure for window, extraction in read if extraction.failure}
        self._add_extractions(found, [each for each in read if not each[1].failure], seen, run, reader)
        failed = [window for window, extraction in read if extraction.failure]
        if failed and self._substitute is not None:
            instead = list(zip(failed, await self._substitute.extract(failed, run), strict=True))
            self._add_extractions(found, instead, seen, run, self._substitute)
        return found

    @staticmethod
    def _add_extractions(
        found: _Fresh,
        read: Sequence[tuple[Window, Extraction]],
        seen: Mapping[UUID, DocumentWindows],
        run: str,
        reader: Extractor,
    ) -> None:
        for window, extraction in read:
            digest = window.hash
            note = WindowRecord(
                digest, versioned_name(reader), dict(extraction.rejected), extraction.summary, extraction.refusals
            )
            who = seen[window.document].who
            statements = [
                StoredStatement(statement, digest, cluster_name(statement, who), run)
                for statement in extraction.statements
            ]
            found.read[digest] = (note, statements)

    def _document_extraction(
        self,
        seen: DocumentWindows,
        known: DocumentExtraction | None,
        fresh: _Fresh,
        reader: Extractor,
    ) -> DocumentExtraction:
        notes: list[WindowRecord] = []
        statements: list[StoredStatement] = []
        unread: list[UnreadWindow] = []
        old = self._read_before(seen, known, reader)
        for window in seen.windows:
            digest = window.hash
            if digest in fresh.failed:
                unread.append(UnreadWindow(digest, fresh.failed[digest]))
            if digest in fresh.read:
                note, found = fresh.read[digest]
                notes.append(note)
                # A participant may have been renamed while the extractor read: the current names apply.
                statements += [replace(each, cluster=cluster_name(each.statement, seen.who)) for each in found]
            elif digest in old and known is not None:
                notes.append(old[digest])
                statements += [
                    StoredStatement(each.statement, each.window, cluster_name(each.statement, seen.who), each.run)
                    for each in known.statements
                    if each.window == digest
                ]
        return DocumentExtraction(seen.row.key, notes, statements, unread, provisional=reader is self._substitute)

    async def _update_from(self, run: str, extractions: Sequence[DocumentExtraction]) -> KnowledgeUpdate:
        """Return the update by these extractions, including all other statements of the same clusters."""
        read = [reading.document for reading in extractions]
        before = await self._database.read(fact_rows.extractions, read)
        excluded = await self._database.read(fact_rows.excluded)
        forgotten = {key for key, run in excluded.items() if run == FORGOTTEN}
        extractions = [_without(reading, forgotten) for reading in extractions]
        added = [each for reading in extractions for each in reading.statements]
        names = {each.cluster for each in added}
        names |= {each.cluster for reading in before.values() for each in reading.statements}
        believed = [each for each in added if each.statement.key not in excluded]
        clusters = merge_clusters(await self._database.read(fact_rows.clusters, names), set(read), believed)
        return await self._update_of_clusters(run, clusters, names, extractions)

    async def _update_of_clusters(
        self,
        run: str,
        clusters: Mapping[str, Sequence[StoredStatement]],
        names: set[str],
        extractions: Sequence[DocumentExtraction] = (),
        *,
        anew: bool = False,
    ) -> KnowledgeUpdate:
        """Return the update that makes these clusters known; with ``anew`` it contains all of their facts, also
        unchanged ones.
        """
        at = datetime.now(UTC)
        before = await self._database.read(fact_rows.facts_of_clusters, names)
        after = await to_thread.run_sync(resolve_clusters, clusters, run, at, self._verdict)
        different = before.keys() | after.keys() if anew else changed_facts(before, after)
        moved = {key: before[key] for key in before if key in different}
        moving = {key: after[key] for key in after if key in different}
        documents = {
            cited.message: each.statement.document
            for statements in clusters.values()
            for each in statements
            for cited in each.statement.evidence
        }
        documents = {message: document for message, document in documents.items() if message != document}
        staying = before.keys() - different
        shared = {chunk for key in staying for chunk in before[key].chunks}
        return await to_thread.run_sync(plan_fact_update, run, at, moved, moving, documents, extractions, shared)

    async def update_without(
        self, run: str, documents: Sequence[UUID], about: Sequence[StoredStatement] = ()
    ) -> KnowledgeUpdate:
        """Return the update for the removal of these documents: clusters with statements from them lose their history,
        and the other statements in them are resolved anew. It must be applied together with the removal; the remaining
        parts are read again. Statements ``about`` forgotten people are excluded, wherever they were made.

        Statements ``about`` those who are forgotten are not believed any more, wherever they were made.
        """
        extractions = await self._database.read(fact_rows.extractions, documents)
        names = {each.cluster for reading in extractions.values() for each in reading.statements}
        names |= {each.cluster for each in about}
        disbelieved = {each.statement.key for each in about}
        clusters = {
            name: [each for each in found if each.statement.key not in disbelieved]
            for name, found in merge_clusters(
                await self._database.read(fact_rows.clusters, names), set(documents), ()
            ).items()
        }
        update = await self._update_of_clusters(run, clusters, names, anew=True)
        return replace(update, erased=sorted(names), gone=(), excluded=sorted(disbelieved))

    async def recompute(self, names: Collection[str], *, anew: bool = False) -> KnowledgeUpdate:
        """Return the changes by resolving these clusters again: none if they are consistent. ``anew``: include all of
        their facts.
        """
        return await self._update_of_clusters(
            "repair", await self._database.read(fact_rows.clusters, names), set(names), anew=anew
        )

    async def needs_unknown_verdict(self, names: Collection[str]) -> bool:
        """Return whether these clusters depend on verdicts that this process does not know, about statements by a
        model.
        """
        found = await self._database.read(fact_rows.clusters, names)
        clusters = {
            name: statements
            for name, statements in found.items()
            if any(each.statement.extractor.model for each in statements)
        }
        return bool(await to_thread.run_sync(_undecided_pairs, clusters, self._verdict or _no_verdict))

    @property
    def _verdict(self) -> Judge | None:
        return None if self._judge is None else self._judge.verdict

    async def undo(
        self, identifier: str, run: str, *, believe: bool | None = None, dry_run: bool = False
    ) -> KnowledgeUpdate:
        """Exclude or include again the statements behind a fact or a run; facts that they had replaced hold again after
        an exclusion.

        Args:
            identifier: the id of a fact or a run.
            run: the id of this change.
            believe: the wanted state; if it holds already, nothing is written. None: the opposite of the present state.
            dry_run: plan the change, and write nothing.

        Raises:
            NotFoundError: neither a fact nor a run has this id.
        """
        async with self._writing:
            statements = await statements_behind(self._database, identifier)
            keys = {each.statement.key for each in statements}
            excluded = keys & set(await self._database.read(fact_rows.excluded))
            again = keys == excluded if believe is None else believe
            if excluded == (set[UUID]() if again else keys):
                update = KnowledgeUpdate(run, datetime.now(UTC))
            else:
                update = await self._update_with_beliefs(statements, run, again=again)
                if not dry_run:
                    await self._database.write(fact_rows.apply_knowledge, update)
            told = tuple(sorted(keys))
            return replace(update, excluded=() if again else told, included=told if again else ())

    async def _update_with_beliefs(
        self, statements: Sequence[StoredStatement], run: str, *, again: bool
    ) -> KnowledgeUpdate:
        """Return the update that includes these statements ``again``, or excludes them."""
        keys = {each.statement.key for each in statements}
        names = {each.cluster for each in statements}
        clusters = {
            name: [each for each in found if each.statement.key not in keys]
            for name, found in (await self._database.read(fact_rows.clusters, names)).items()
        }
        if again:
            for each in statements:
                clusters[each.cluster].append(each)
        update = await self._update_of_clusters(run, clusters, names)
        return replace(update, excluded=() if again else sorted(keys), included=sorted(keys) if again else ())


def _content(reading: DocumentExtraction | None) -> set[tuple[bytes, str]]:
    """Return the windows of an extraction, each with its extractor, and its statements, each with its cluster."""
    if reading is None:
        return set()
    windows = {(note.hash, note.extractor) for note in reading.windows}
    return windows | {(each.statement.key.bytes, each.cluster) for each in reading.statements}


def _without(reading: DocumentExtraction, statements: Collection[UUID]) -> DocumentExtraction:
    """Return an extraction without these statements, and without the summaries of the windows that made them."""
    windows = {each.window for each in reading.statements if each.statement.key in statements}
    if not windows:
        return reading
    return replace(
        reading,
        windows=[replace(note, summary="", refusals=()) if note.hash in windows else note for note in reading.windows],
        statements=[each for each in reading.statements if each.statement.key not in statements],
    )


def _undecided_pairs(
    clusters: Mapping[str, Sequence[StoredStatement]], judge: Judge
) -> list[tuple[Statement, Statement]]:
    from .supersession import undecided  # see `resolve_clusters`

    return [
        pair
        for cluster, statements in clusters.items()
        for pair in undecided(parse_cluster_name(cluster), [each.statement for each in statements], judge)
    ]


def _no_verdict(_: Statement, __: Statement) -> bool | None:
    """Return None: no pair is decided."""
