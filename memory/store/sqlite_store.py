"""The store and its derived indexes put together: SQLite is the truth, the indexes find."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import AsyncGenerator, Callable, Collection, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Literal, TypeVar
from uuid import UUID

import anyio
import anyio.to_thread
from anyio import CancelScope, Event, Lock

from ...schemas import Conversation
from ...schemas.errors import StoreError
from ..index.embedded import EmbeddedIndexes
from ..index.errors import IndexServerError
from ..index.fact_sync import FactIndexSync
from ..index.filling import Filling, Tell, fill_indexes
from ..index.index_sync import TextIndexSync, VectorIndexSync
from ..index.ports import Indexes, TextIndex, VectorIndex
from ..private_files import make_folders
from ..records import (
    ChatStats,
    CheckResult,
    DocumentExtraction,
    DocumentLine,
    ExportCursor,
    Generation,
    MessageHome,
    PartStats,
    PendingText,
    PersonStats,
    Rename,
    StoredDocument,
    StoredFact,
    StoredMessage,
    StoredStatement,
    StoreStats,
    WholeDocument,
)
from ..search_types import Comparison, FactFilter, Filter, Vector
from ..supervision import Worker, Workers
from ..text.phrases import Phrase
from ..write_batches import DocumentInput, EntryName, KnowledgeUpdate, Removal, WriteBatch
from . import documents_read, fact_log, fact_rows, forget_rows, inputs, integrity
from .change_log import sequence
from .database import Database
from .documents_write import apply_changes
from .errors import database_errors
from .export import exported
from .filters import CompiledFilter, compile_filter, without_kinds_only
from .invariants import check_forgotten
from .migrations import copies
from .part_stats import part_stats
from .person_stats import chat_stats, person_stats
from .phrase_rows import MOST_ROWS, rows_holding
from .scan import rows_to_scan
from .stats import statistics
from .vectors import compared_chunks, drop_others, generation_of, keep_vectors, pending_texts, record_generation
from .written_entries import written_entries

_LOG = logging.getLogger(__name__)
T = TypeVar("T")
WORDS_PAUSE = 0.25
"""Seconds that the words index gathers changes before it commits them."""
RETRY_AFTER = 5.0
"""Seconds after a failure before an index is tried again."""


class SQLiteStore:
    """One memory's store, in one directory: ``memory.db``, ``words/`` and ``vectors.codes``. Made by ``open``.

    All writes are idempotent upserts by key. Every method may be cancelled: a group that was not applied whole
    leaves nothing behind. Methods raise ``StoreError`` when the store cannot be read or written, and nothing else
    unless they say so. Reads see every group whose ``apply`` returned (search: once ``refresh_indexes`` returned).
    """

    def __init__(self, directory: Path, indexes: Indexes, *, read_only: bool) -> None:
        self._directory = directory
        self._indexes = indexes
        self._read_only = read_only
        self._words_wake, self._vectors_wake, self._purge_wake = Event(), Event(), Event()
        self._facts_wake, self._maintenance_wake = Event(), Event()
        self._database = Database.in_directory(directory, read_only=read_only)
        try:
            self._vectors = VectorIndexSync(self._database, indexes, self._mend_vectors, self._note_stale)
            self._words = TextIndexSync(self._database, indexes, self._mend_words, self._note_stale)
            self._facts = FactIndexSync(
                self._database, indexes, self._mend_facts, self._note_stale, read_only=read_only
            )
        except BaseException:
            self._database.close()
            raise
        self._purging = Lock()
        self._purger = Worker("purging")
        self._rewritten = 0
        """The number of `forgetting.unclean` that the indexes are purged for, while the database is not yet."""
        self._compacted = 0
        """The number that the database is purged for, while the server of an index is not yet."""

    @property
    def read_only(self) -> bool:
        """Whether every change is refused."""
        return self._read_only

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        directory: Path,
        *,
        read_only: bool = False,
        workers: Workers | None = None,
        indexes: Indexes | None = None,
    ) -> AsyncGenerator[SQLiteStore]:
        """The backend of a directory, which is made where it is missing; nothing runs after the block. ``workers``
        supervises what brings the indexes up to date. ``read_only``: nothing is written, also not beside the files, and
        nobody else may write meanwhile. Without ``indexes`` these are files of the directory.

        Raises:
            StoreError: the store is of a newer format, damaged, not there (``read_only``) or not accessible.
        """
        failure: Exception | None = None
        supervisor = workers or Workers()
        async with AsyncExitStack() as stack:
            found = indexes or EmbeddedIndexes(directory, read_only=read_only)
            stack.push_async_callback(found.close)
            backend = await anyio.to_thread.run_sync(lambda: cls._in_directory(directory, found, read_only=read_only))
            stack.push_async_callback(backend._close)  # noqa: SLF001 - its own
            await backend._words.open()  # noqa: SLF001 - its own
            await backend._vectors.open(ask=backend.text.failure is None)  # noqa: SLF001 - its own
            await backend._facts.open(ask=backend.text.failure is None)  # noqa: SLF001 - its own
            async with anyio.create_task_group() as group:
                if not read_only:
                    supervisor.start(group, "words index", backend._follow_words)  # noqa: SLF001 - its own
                    supervisor.start(group, "vector index", backend._follow_vectors)  # noqa: SLF001 - its own
                    supervisor.start(group, "vector maintenance", backend._maintain_vectors)  # noqa: SLF001 - its own
                    supervisor.start(group, "purging", backend._purge)  # noqa: SLF001 - its own
                    if backend._facts.index is not None:  # noqa: SLF001 - its own
                        supervisor.start(group, "facts index", backend._follow_facts)  # noqa: SLF001 - its own
                else:
                    supervisor.start(group, "index server", backend._reconnect)  # noqa: SLF001 - its own
                try:
                    yield backend
                except Exception as error:  # noqa: BLE001 - handed on bare: the task group would wrap the caller's own
                    failure = error
                finally:
                    group.cancel_scope.cancel()
        if failure is not None:
            raise failure

    @classmethod
    def _in_directory(cls, directory: Path, indexes: Indexes, *, read_only: bool) -> SQLiteStore:
        if not read_only:
            try:
                make_folders(directory)
            except OSError as error:
                raise StoreError("the data directory cannot be made", hint="check --data-dir") from error
        return cls(directory, indexes, read_only=read_only)

    async def _note_stale(self, logs: Collection[forget_rows.FollowedLog], number: int) -> None:
        """Let indexes be made anew that were not in use, or not reached, when something was forgotten: their files may hold it.

        Args:
            logs: that an index follows.
            number: of the last change in it, before it follows further.
        """

        def stale(connection: sqlite3.Connection) -> bool:
            if not forget_rows.forgotten_after(connection, logs, number):
                return False
            return forget_rows.unclean(connection) == self._rewritten  # else they will be made anew

        if not self._read_only and await self._database.read(stale):
            await self._database.write(forget_rows.mark_unclean)
            self._purge_wake.set()

    async def _close(self) -> None:
        """The vector index is saved, then every file is let go. Runs to its end."""
        with CancelScope(shield=True):
            try:
                await self._vectors.save()
            except StoreError as error:
                _LOG.warning("the vector index was not saved: %s; the next start takes the changes again", error)
            finally:
                try:
                    await self._vectors.close()
                    await self._words.close()
                except IndexServerError as error:
                    _LOG.warning("%s", error)
                finally:
                    await anyio.to_thread.run_sync(self._database.close)

    # --- followers ------------------------------------------------------------------------------------------------

    async def _follow_words(self, worker: Worker) -> None:
        while True:
            try:
                await self._words.catch_up(await self._database.read(sequence))
                worker.progressed()
                pause = WORDS_PAUSE
            except StoreError as error:
                worker.failed(error)
                pause = RETRY_AFTER
                self._words_wake.set()
            await anyio.sleep(pause)
            await self._words_wake.wait()
            self._words_wake = Event()

    async def _reconnect(self, worker: Worker) -> None:
        """Where nothing follows the store, ask a server again that did not answer."""
        while self.index_failure is not None or self._indexes.name != EmbeddedIndexes.name:
            if self.index_failure is not None:
                await self._words.open()
                if self.text.failure is None:
                    await self._vectors.open()
            if (failure := self.index_failure) is None:
                worker.progressed()
            else:
                worker.failed(failure)
            await anyio.sleep(RETRY_AFTER)

    def _mend_words(self) -> None:
        self._words_wake.set()
        self._doubt_facts()

    def _mend_vectors(self) -> None:
        self._vectors_wake.set()
        self._doubt_facts()

    def _doubt_facts(self) -> None:
        self._facts.doubt()
        self._facts_wake.set()

    async def _follow_vectors(self, worker: Worker) -> None:
        while True:
            try:
                await self._vectors.catch_up(await self._database.read(sequence))
                worker.progressed()
            except StoreError as error:
                worker.failed(error)
                self._vectors_wake.set()
                await anyio.sleep(RETRY_AFTER)
            else:
                self._maintenance_wake.set()
            await self._vectors_wake.wait()
            self._vectors_wake = Event()

    def _mend_facts(self) -> None:
        self._facts_wake.set()

    async def _follow_facts(self, worker: Worker) -> None:
        while True:
            try:
                await self._facts.catch_up(await self._database.read(sequence))
                worker.progressed()
            except StoreError as error:
                worker.failed(error)
                self._facts_wake.set()
                await anyio.sleep(RETRY_AFTER)
            await self._facts_wake.wait()
            self._facts_wake = Event()

    async def _maintain_vectors(self, worker: Worker) -> None:
        """Beside the following, for what comes meanwhile is to be found soon."""
        while True:
            await self._maintenance_wake.wait()
            self._maintenance_wake = Event()
            try:
                await self._vectors.maintain()
                worker.progressed()
            except BaseException as error:
                self._maintenance_wake.set()  # whoever starts this again finds the work still to be done
                if not isinstance(error, StoreError):
                    raise
                worker.failed(error)
                await anyio.sleep(RETRY_AFTER)

    async def refresh_indexes(self) -> None:
        """Return when the search sees everything that was applied before this call, or when the server of an index fails: that
        catches up by itself, and is not waited for.
        """
        target = await self._database.read(sequence)
        for follower in (self._words, self._vectors, self._facts):
            try:
                await follower.catch_up(target)
            except IndexServerError as error:
                _LOG.warning("the index in a server is behind: %s", error.message)
                return

    # --- writing --------------------------------------------------------------------------------------------------

    async def apply(self, changes: WriteBatch, *, read: bool = False) -> None:
        """Apply one group; acknowledged (durable through ``kill -9`` and power loss) when it returns. ``read``: nothing of it
        asks for documents to be read again.
        """
        await self._database.write(lambda connection: apply_changes(connection, changes, read=read))
        self._words_wake.set()
        self._vectors_wake.set()

    async def put_vectors(self, vectors: Mapping[bytes, Vector]) -> None:
        """Keep vectors by the hash of their text, for the current generation; all chunks with that text get them.

        Raises:
            EmbeddingError: a vector has the wrong dimension, is zero or is not finite; none of the group is kept.
        """
        await self._database.write(lambda connection: keep_vectors(connection, vectors))
        self._vectors_wake.set()

    async def forget(self, removal: Removal) -> None:
        """Remove, and apply what goes with it. Nothing of it is found any more when it returns.

        Chats and names that nothing refers to any more go too; texts that no other chunk has lose their vectors.
        """

        def work(connection: sqlite3.Connection) -> None:
            forget_rows.forget(connection, removal)
            check_forgotten(connection, removal)

        await self._database.write(work)
        self._words_wake.set()
        self._vectors_wake.set()
        self._facts_wake.set()
        try:
            await self.refresh_indexes()
        except BaseException:
            self._purge_wake.set()
            raise

    async def purge(self) -> None:
        """Make every file anew that may hold what was removed: both indexes, the database, copies of older formats.

        Raises:
            StoreError: some file could not be made anew; it is tried again by itself.
        """
        try:
            await self._purge_files()
        except BaseException:  # a cancellation, too: whoever asked may leave, and the promise stays
            self._purge_wake.set()
            raise

    async def _purge_files(self) -> None:
        async with self._purging:
            while number := await self._database.read(forget_rows.unclean):
                failure: IndexServerError | None = None
                if self._rewritten != number:
                    try:
                        await self._purge_indexes()
                        self._rewritten = number  # a reader that keeps the log makes nobody write all of this again
                    except IndexServerError as error:  # what is on this machine goes all the same
                        failure = error
                if self._compacted != number:
                    await anyio.to_thread.run_sync(self._remove_copies)
                    await self._database.compact(number)
                    self._compacted = number
                if failure is not None:
                    raise failure
                await self._database.write(lambda connection, upto=number: forget_rows.clean(connection, upto))
                self._rewritten = self._compacted = 0
        self._purger.progressed()

    async def _purge_indexes(self) -> None:
        if self._indexes.name != EmbeddedIndexes.name:  # files of before hold what was forgotten since
            await EmbeddedIndexes(self._directory, read_only=False).remove(str(self._database.store))
        await self._words.purge()
        await self._vectors.purge()
        await self._facts.rebuild()

    def _remove_copies(self) -> None:
        with database_errors():
            for path in copies(self._database.path):
                path.unlink(missing_ok=True)

    async def _purge(self, worker: Worker) -> None:
        """Take up what an earlier owner did not end, and what failed; a purge by `purge` ends a failure, too."""
        self._purger = worker
        while True:
            try:
                await self._purge_files()
            except StoreError as error:
                worker.failed(error)
                await anyio.sleep(RETRY_AFTER)
                continue
            await self._purge_wake.wait()
            self._purge_wake = Event()

    async def documents_of_run(self, run: str) -> list[UUID]:
        """The documents that a run brought something of."""
        return await self._database.read(lambda connection: inputs.documents_of(connection, run))

    async def inputs(self, documents: Collection[UUID], *, repeated: bool = True) -> dict[UUID, list[DocumentInput]]:
        """What runs brought of documents, each in its order; in a form that was known already only if ``repeated``."""
        return await self._database.read(lambda connection: inputs.inputs_of(connection, documents, repeated=repeated))

    async def note_inputs(self, given: Sequence[DocumentInput]) -> None:
        """Note what a run brought that was known already."""
        await self._database.write(lambda connection: inputs.put_inputs(connection, given))

    async def written_entries(self) -> dict[EntryName, tuple[int, int]]:
        """By entry of a queue that may be given again, how many messages of it were added, and how many updated."""
        return await self._database.read(written_entries)

    async def tombstones(self, documents: Collection[UUID]) -> dict[UUID, frozenset[UUID]]:
        """Of these documents (they need not exist) the keys that may not come back.

        The key of a tombstone (see `text_tombstone_key`) that is asked for like a document stands for itself.
        """
        return await self._database.read(lambda connection: forget_rows.tombstones(connection, documents))

    async def has_tombstones(self) -> bool:
        """Whether anything was ever forgotten that may not come back."""
        return await self._database.read(forget_rows.has_tombstones)

    async def allow_reingest(self, documents: Collection[UUID]) -> int:
        """Drop the tombstones of these documents, and their digests, so that the same input is looked at again; single
        tombstones by their own keys.

        Returns how many tombstones there were.
        """
        return await self._database.write(lambda connection: forget_rows.allow_reingest(connection, documents))

    async def set_generation(self, generation: Generation) -> None:
        """Record it. Vectors of another model stay as they are, but are not searched."""
        with CancelScope(shield=True):  # cut off between the two, the index would be another model's than the store's
            await self._vectors.renew(
                lambda: self._database.write(lambda connection: record_generation(connection, generation))
            )
        self._vectors_wake.set()

    # --- reading --------------------------------------------------------------------------------------------------

    async def pending(self, limit: int) -> list[PendingText]:
        """Distinct texts without a vector in the current generation, the oldest first."""
        return await self._database.read(lambda connection: pending_texts(connection, limit))

    async def generation(self) -> Generation | None:
        """What the store's vectors were made with; None in a new store."""
        return await self._database.read(generation_of)

    async def last_change(self) -> int:
        """The number of the last change, which only grows: an older copy of the store has a smaller one."""
        return await self._database.read(sequence)

    async def documents(self, keys: Collection[UUID]) -> dict[UUID, StoredDocument]:
        """The documents among these keys that exist."""
        return await self._database.read(lambda connection: documents_read.documents(connection, keys))

    async def unchanged(self, digests: Mapping[UUID, bytes]) -> set[UUID]:
        """Of documents by key with the digest of an input, those that already contain that very input."""
        return await self._database.read(lambda connection: documents_read.unchanged(connection, digests))

    async def messages(self, documents: Collection[UUID]) -> dict[UUID, list[StoredMessage]]:
        """All messages of these documents, in order."""
        return await self._database.read(lambda connection: documents_read.messages(connection, documents))

    async def homes(self, names: Collection[tuple[str, int]]) -> list[MessageHome]:
        """The documents that hold messages of these ids and instants (microseconds), the first stored first."""
        return await self._database.read(lambda connection: documents_read.homes(connection, names))

    async def holders(self, identifiers: Collection[str]) -> dict[str, list[UUID]]:
        """By the id of a message the documents that hold such a one, the first stored first."""
        return await self._database.read(lambda connection: documents_read.holders(connection, identifiers))

    async def find(self, identifier: str) -> list[StoredMessage | StoredDocument]:
        """What carries this id: a key, a source's own message id, or a document's id."""
        return await self._database.read(lambda connection: documents_read.find(connection, identifier))

    async def facts_beginning(self, prefix: str, limit: int) -> list[UUID]:
        """As `keys_beginning`, of facts."""
        return await self._database.read(lambda connection: documents_read.facts_beginning(connection, prefix, limit))

    async def keys_beginning(self, prefix: str, limit: int) -> list[UUID]:
        """Keys of messages, documents and pieces of texts that begin with these hexadecimal digits, ``limit`` of each at most."""
        return await self._database.read(lambda connection: documents_read.keys_beginning(connection, prefix, limit))

    async def piece(self, key: UUID) -> tuple[UUID, int, int] | None:
        """The document, start and end of a piece of a text; None where there is no such piece."""
        return await self._database.read(lambda connection: documents_read.piece(connection, key))

    async def listing(self, where: Filter, after: UUID | None, limit: int) -> list[DocumentLine]:
        """Documents by time, the newest first (undated last); ``after`` is the last key of the page before."""
        return await self._database.read(lambda connection: documents_read.listing(connection, where, after, limit))

    async def export(
        self, where: Filter, after: ExportCursor | None, limit: int, among: Collection[UUID] | None = None
    ) -> list[WholeDocument]:
        """Documents that hold something which passes, by source, id and key, behind ``after``; all from one state.

        So many that they hold about ``limit`` messages, at least one; none at the end. ``among`` restricts to these.
        Digests are left out.
        """
        return await self._database.read(lambda connection: exported(connection, where, after, limit, among))

    async def names(self) -> dict[str, int]:
        """Everybody who wrote, with their number of messages; without reserved speakers."""
        return await self._database.read(documents_read.names)

    async def distinct(self, what: Literal["sources", "tags", "subjects"]) -> list[str]:
        """Each source of documents, each tag, or each subject of facts, once."""
        return await self._database.read(lambda connection: documents_read.distinct(connection, what))

    async def mentioned(self) -> set[str]:
        """The names, in folded case, of everybody whom a document names, whether they wrote or not, with former names."""
        return await self._database.read(documents_read.mentioned)

    async def former_names(self) -> set[str]:
        """The names, in folded case, of everybody who was renamed in a chat."""
        return await self._database.read(documents_read.former_names)

    async def conversations(self, keys: Collection[UUID] | None = None) -> list[tuple[UUID, Conversation]]:
        """All chats; with ``keys`` only these."""
        return await self._database.read(lambda connection: documents_read.conversations(connection, keys))

    async def renames(self, chats: Collection[UUID]) -> list[Rename]:
        """Who was renamed in these chats."""
        return await self._database.read(lambda connection: documents_read.renames(connection, chats))

    @property
    def index_name(self) -> str:
        """What finds: ``embedded``, or the server's."""
        return self._indexes.name

    @property
    def store_id(self) -> str:
        """The id that memory.db was made with, and keeps in a backup."""
        return self._database.store

    @property
    def file_failure(self) -> StoreError | None:
        """The error to tell where somebody deleted or replaced memory.db, which nothing can be written to any more."""
        return self._database.in_place.failure()

    @property
    def index_failure(self) -> StoreError | None:
        """Why nothing is found by the server of an index at present; None where it answers, or where there is none."""
        return self.text.failure or (None if self.vectors is None else self.vectors.failure)

    @property
    def index_filling(self) -> bool:
        """True while an index does not hold yet what was stored when it was opened."""
        return self._words.filling or self._vectors.filling

    def index_rebuilds(self) -> dict[str, int]:
        """By index, how often it was made anew since the start."""
        return {"words": self._words.rebuilds, "vectors": self._vectors.rebuilds}

    async def stats(self) -> StoreStats:
        """Counts and sizes, from the store itself."""
        followed = {"words": self.text.sequence, "vectors": 0 if self.vectors is None else self.vectors.sequence}
        if self._facts.index is not None:
            followed["facts"] = self._facts.index.sequence
        return await self._database.read(lambda connection: statistics(connection, self._directory, followed))

    async def outdated(self, versions: Collection[str]) -> list[UUID]:
        """The documents with a chunk of another version than these, in the order they came."""
        return await self._database.read(lambda connection: documents_read.outdated(connection, versions))

    async def chunk_keys(self, documents: Collection[UUID]) -> dict[UUID, set[UUID]]:
        """The keys of the chunks of these documents."""
        return await self._database.read(lambda connection: documents_read.chunk_keys(connection, documents))

    # --- facts ----------------------------------------------------------------------------------------------------

    async def pending_extraction(self, after: int, limit: int) -> list[tuple[int, UUID]]:
        """Documents that changed since they were last read, the oldest first, with a number that grows, to go on
        ``after``.
        """
        return await self._database.read(lambda connection: fact_rows.pending_extraction(connection, after, limit))

    async def pending_extraction_among(self, documents: Collection[UUID]) -> set[UUID]:
        """Those of these documents that await extraction."""
        return await self._database.read(lambda connection: fact_rows.pending_extraction_among(connection, documents))

    async def pending_extraction_count(self) -> int:
        """Number of documents that await extraction."""
        return await self._database.read(fact_rows.pending_extraction_count)

    async def rejections(self) -> dict[str, int]:
        """How many proposals of extractors became no statement, by reason; the most first."""
        return await self._database.read(fact_rows.rejections)

    async def record_extractor(self, extractor: str) -> None:
        """Record the extractor in use; after a change all documents await extraction again."""
        if await self._database.read(fact_rows.recorded_extractor) != extractor:
            await self._database.write(lambda connection: fact_rows.record_extractor(connection, extractor))

    async def extractions(self, documents: Collection[UUID]) -> dict[UUID, DocumentExtraction]:
        """What was extracted from these documents."""
        return await self._database.read(lambda connection: fact_rows.extractions(connection, documents))

    async def clusters(self, names: Collection[str]) -> dict[str, list[StoredStatement]]:
        """The statements of these clusters that are not excluded, in no particular order."""
        return await self._database.read(lambda connection: fact_rows.clusters(connection, names))

    async def excluded(self) -> dict[UUID, str]:
        """Statements that are not believed, and the run that said so."""
        return await self._database.read(fact_rows.excluded)

    async def excluded_statements(self) -> list[StoredStatement]:
        """The statements that are stored and not believed, in no particular order."""
        return await self._database.read(fact_rows.excluded_statements)

    async def apply_knowledge(self, update: KnowledgeUpdate) -> None:
        """Apply an update of facts; its documents no longer await extraction."""
        await self._database.write(lambda connection: fact_rows.apply_knowledge(connection, update))
        self._words_wake.set()
        self._vectors_wake.set()
        self._facts_wake.set()

    async def facts(self, where: FactFilter, after: int, limit: int) -> list[tuple[int, StoredFact]]:
        """Facts with a number that grows, to go on ``after``; the present versions, or those of ``known_at``."""
        return await self._database.read(lambda connection: fact_rows.facts(connection, where, after, limit))

    async def facts_of_clusters(self, names: Collection[str]) -> dict[UUID, StoredFact]:
        """The present facts of these clusters."""
        return await self._database.read(lambda connection: fact_rows.facts_of_clusters(connection, names))

    async def history(self, fact: UUID) -> list[StoredFact]:
        """All versions of a fact, the oldest first."""
        return await self._database.read(lambda connection: fact_rows.history(connection, fact))

    async def chat_stats(self) -> list[ChatStats]:
        """Every chat with a message, those with the latest message first."""
        return await self._database.read(chat_stats)

    async def part_stats(self, where: Filter) -> PartStats:
        """Counts of the documents of some chats or sources."""
        return await self._database.read(lambda connection: part_stats(connection, where))

    async def person_stats(self, name: str) -> PersonStats | None:
        """What the messages of a person tell by their numbers; None when nobody of that name wrote."""
        return await self._database.read(lambda connection: person_stats(connection, name))

    async def documents_of(self, messages: Collection[UUID]) -> dict[UUID, UUID]:
        """The document of each message that exists; of a text's key that key itself."""
        return await self._database.read(lambda connection: fact_rows.documents_of(connection, messages))

    async def facts_of_run(self, run: str) -> list[StoredFact]:
        """The versions that a run made."""
        return await self._database.read(lambda connection: fact_rows.facts_of_run(connection, run))

    # --- upkeep ---------------------------------------------------------------------------------------------------

    async def check(self) -> list[CheckResult]:
        """Everything on disk against SQLite, and SQLite against itself; the indexes are brought up to date before."""
        if (failure := self.file_failure) is not None:
            return [CheckResult("database", "error", failure.message, failure.hint)]
        await self.refresh_indexes()
        await self._vectors.save()
        found = await self._database.read(lambda connection: integrity.check_database(connection, self._database.path))
        found += await self._words.check()
        found += await self._vectors.check()
        if await self.other_index_kept():
            detail = (
                "a Weaviate server that is not in use may hold messages of this store: `memd forget` does not reach it"
            )
            hint = "memd migrate --index embedded --remove-other removes them there"
            found.append(CheckResult("other_index", "warning", detail, hint))
        return found + await self._facts.check()

    async def check_indexes(self) -> list[CheckResult]:
        """The indexes against SQLite, with all that they hold of each row."""
        await self.refresh_indexes()
        if (failure := self.index_failure) is not None:
            raise type(failure)(failure.message, hint=failure.hint)
        await self._vectors.save()
        found = await self._words.check(contents=True)
        found += await self._vectors.check(contents=True)
        return found + await self._facts.check(contents=True)

    async def other_index_kept(self) -> bool:
        """Whether a server was filled that is not in use, and was not emptied since."""
        return self._indexes.name == EmbeddedIndexes.name and await self._database.read(fact_log.is_kept)

    async def repair(self) -> None:
        """Make anew whatever is derived and was found wrong; what sources said is not touched."""
        await self._database.write(integrity.repair)
        await self._words.rebuild()
        await self._vectors.rebuild()
        await self._facts.rebuild()
        self._vectors_wake.set()

    async def fill(self, filling: Filling, tell: Tell) -> list[CheckResult] | None:
        """Fill other indexes than those in use for a while, and compare them with the store when they are full; nothing is
        embedded. See `fill_indexes`.
        """
        async with self._purging:  # which removes the files of indexes that are not in use
            return await fill_indexes(self._database, filling, tell)

    async def remove_index(self, indexes: Indexes) -> None:
        """Remove what indexes that are not in use hold of this store."""
        await indexes.remove(str(self._database.store))
        if indexes.facts(str(self._database.store), lambda: None) is not None:
            await self._database.write(fact_log.remove)

    async def prune(self) -> int:
        """Drop the vectors of other models than the generation's; returns how many. Raises nothing of its own."""
        return await self._database.write(drop_others)

    # --- searching ------------------------------------------------------------------------------------------------

    @property
    def text(self) -> TextIndex:
        """The words index."""
        return self._words.index

    @property
    def vectors(self) -> VectorIndex | None:
        """The vector index of the current generation; None before the first generation."""
        return self._vectors.index

    async def compare(self, vector: Vector, rows: Sequence[int]) -> Comparison:
        """Compare the stored vectors of these chunks with that of a question."""
        return await self._database.read(lambda connection: compared_chunks(connection, vector, rows))

    async def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run ``work`` on one snapshot of the store, in a worker thread."""
        return await self._database.read(work)

    async def write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run ``work`` in one transaction, in a worker thread; it changes nothing that an index holds."""
        return await self._database.write(work)

    async def compiled(self, where: Filter) -> CompiledFilter | None:
        """The filter with the names that the store knows, and the rows that hold its phrases; None when it lets
        everything pass.
        """
        if where.empty:
            return None
        if where.by_kind_only:
            return without_kinds_only(where.without_kinds)
        compiled = await self._database.read(lambda connection: compile_filter(connection, where))
        if compiled is None or not where.phrases:
            return compiled
        phrases = [Phrase(text) for text in where.phrases]
        words = [group for phrase in phrases for group in phrase.terms]
        try:
            rows = await self.text.holding(words, compiled, MOST_ROWS)
        except IndexServerError:
            rows = await self._database.read(lambda connection: rows_to_scan(connection, compiled))
        held = await self._database.read(lambda connection: rows_holding(connection, rows, phrases))
        return replace(compiled, rows=tuple(held))
