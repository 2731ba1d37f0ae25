"""The store with its derived indexes: SQLite is the source of truth, the indexes only find rows."""

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
from ..index.ports import Indexes, TextIndex, VectorIndex
from ..indexing.fact_sync import FactIndexSync
from ..indexing.filling import Filling, Tell, fill_indexes
from ..indexing.vector_sync import VectorIndexSync
from ..indexing.word_sync import TextIndexSync
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
from ..search_types import Comparison, CompiledFilter, FactFilter, Filter, Vector, without_kinds_only
from ..supervision import Worker, Workers
from ..text.phrases import Phrase
from ..write_batches import DocumentInput, EntryName, KnowledgeUpdate, Removal, WriteBatch
from . import documents_read, fact_log, fact_rows, forget_rows, inputs, integrity
from .change_log import sequence
from .database import Database
from .documents_write import apply_changes
from .errors import database_errors
from .export import exported
from .filters import compile_filter
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
"""Seconds for which the word index collects changes before it commits them."""
RETRY_AFTER = 5.0
"""Seconds before a failed index is tried again."""


class SQLiteStore:
    """The store of one memory in one directory: ``memory.db``, ``words/`` and ``vectors.codes``. Created by ``open``.

    All writes are idempotent upserts by key. Every method may be cancelled: a batch that was not applied completely
    leaves no trace. Methods raise ``StoreError`` when the store cannot be read or written, and nothing else unless they
    say so. Reads see every batch whose ``apply`` has returned; searches see it after ``refresh_indexes`` has returned.
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
        """The value of `forget_rows.unclean` for which the indexes are already purged, while the database is not."""
        self._compacted = 0
        """The value of `forget_rows.unclean` for which the database is already purged, while an index server is not."""

    @property
    def read_only(self) -> bool:
        """True if the store refuses every change."""
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
        """Open the store of a directory, creating it if necessary; no background task outlives the block.

        Args:
            directory: the data directory.
            read_only: write nothing, not even beside the files; no other process may write meanwhile.
            workers: the supervisor of the tasks that update the indexes.
            indexes: the index engine; by default files of the directory.

        Raises:
            StoreError: the store has a newer format, is damaged, missing (``read_only``) or not accessible.
        """
        failure: Exception | None = None
        supervisor = workers or Workers()
        async with AsyncExitStack() as stack:
            engine = indexes or EmbeddedIndexes(directory, read_only=read_only)
            stack.push_async_callback(engine.close)
            backend = await anyio.to_thread.run_sync(lambda: cls._in_directory(directory, engine, read_only=read_only))
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
                except Exception as error:  # noqa: BLE001 - re-raised outside the task group, which would wrap it
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
        """Mark the files as not purged if an index was not in use or not reached when something was forgotten: it may
        hold that.

        Args:
            logs: the change logs that the index follows.
            number: the last change that the index has applied, before it follows further.
        """

        def stale(connection: sqlite3.Connection) -> bool:
            if not forget_rows.forgotten_after(connection, logs, number):
                return False
            return forget_rows.unclean(connection) == self._rewritten  # else they will be rebuilt anyway

        if not self._read_only and await self._database.read(stale):
            await self._database.write(forget_rows.mark_unclean)
            self._purge_wake.set()

    async def _close(self) -> None:
        """Save the vector index and close every file; not interrupted by cancellation."""
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
        """Retry an index server that did not answer, for a read-only store, which has no followers."""
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
        """Run the vector index's maintenance in a task of its own, so that new changes are indexed without delay."""
        while True:
            await self._maintenance_wake.wait()
            self._maintenance_wake = Event()
            try:
                await self._vectors.maintain()
                worker.progressed()
            except BaseException as error:
                self._maintenance_wake.set()  # a restarted task finds the work still to be done
                if not isinstance(error, StoreError):
                    raise
                worker.failed(error)
                await anyio.sleep(RETRY_AFTER)

    async def refresh_indexes(self) -> None:
        """Return when searches see everything applied before this call, or when an index server fails: it catches up
        later and is not waited for.
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
        """Apply one batch, which is durable through ``kill -9`` and power loss on return. ``read``: do not queue its
        documents for extraction.
        """
        await self._database.write(lambda connection: apply_changes(connection, changes, read=read))
        self._words_wake.set()
        self._vectors_wake.set()

    async def put_vectors(self, vectors: Mapping[bytes, Vector]) -> None:
        """Store vectors by the hash of their text for the current generation; all chunks with that text get them.

        Raises:
            EmbeddingError: a vector has the wrong dimension, is zero or is not finite; none of them is stored.
        """
        await self._database.write(lambda connection: keep_vectors(connection, vectors))
        self._vectors_wake.set()

    async def forget(self, removal: Removal) -> None:
        """Remove content and apply the accompanying changes; no search finds the content after the return.

        Chats and names without any reference left are deleted too; texts without any chunk left lose their vectors.
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
        """Rewrite every file that may hold removed content: the indexes, the database, copies of older formats.

        Raises:
            StoreError: a file could not be rewritten; this is retried in the background.
        """
        try:
            await self._purge_files()
        except BaseException:  # includes cancellation: the caller may leave, the purge still happens
            self._purge_wake.set()
            raise

    async def _purge_files(self) -> None:
        async with self._purging:
            while number := await self._database.read(forget_rows.unclean):
                failure: IndexServerError | None = None
                if self._rewritten != number:
                    try:
                        await self._purge_indexes()
                        self._rewritten = (
                            number  # a reader that blocks the log does not cause the indexes to be rewritten again
                        )
                    except IndexServerError as error:  # the files on this machine are purged nevertheless
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
        if self._indexes.name != EmbeddedIndexes.name:  # embedded files from before may hold content forgotten since
            await EmbeddedIndexes(self._directory, read_only=False).remove(str(self._database.store))
        await self._words.purge()
        await self._vectors.purge()
        await self._facts.rebuild()

    def _remove_copies(self) -> None:
        with database_errors():
            for path in copies(self._database.path):
                path.unlink(missing_ok=True)

    async def _purge(self, worker: Worker) -> None:
        """Finish purges that an earlier process left or that failed; a successful call of `purge` also clears a
        failure.
        """
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
        """Return the documents to which a run contributed."""
        return await self._database.read(lambda connection: inputs.documents_of(connection, run))

    async def inputs(self, documents: Collection[UUID], *, repeated: bool = True) -> dict[UUID, list[DocumentInput]]:
        """Return the inputs of documents in order; repeats of a known version only if ``repeated``."""
        return await self._database.read(lambda connection: inputs.inputs_of(connection, documents, repeated=repeated))

    async def note_inputs(self, given: Sequence[DocumentInput]) -> None:
        """Record the inputs of a run that were known already."""
        await self._database.write(lambda connection: inputs.put_inputs(connection, given))

    async def written_entries(self) -> dict[EntryName, tuple[int, int]]:
        """Return how many messages were added and updated by each queue entry that may be delivered again."""
        return await self._database.read(written_entries)

    async def tombstones(self, documents: Collection[UUID]) -> dict[UUID, frozenset[UUID]]:
        """Return the keys that may not come back, for these documents (they need not exist).

        The key of a tombstone (see `text_tombstone_key`) that is passed like a document is returned for itself.
        """
        return await self._database.read(lambda connection: forget_rows.tombstones(connection, documents))

    async def has_tombstones(self) -> bool:
        """Return whether anything was forgotten that may not come back."""
        return await self._database.read(forget_rows.has_tombstones)

    async def allow_reingest(self, documents: Collection[UUID]) -> int:
        """Delete the tombstones of these documents and their digests, so that the same input is processed again; single
        tombstones by their own keys.

        Returns the number of deleted tombstones.
        """
        return await self._database.write(lambda connection: forget_rows.allow_reingest(connection, documents))

    async def set_generation(self, generation: Generation) -> None:
        """Record the generation. Vectors of other models are kept but not searched."""
        with CancelScope(
            shield=True
        ):  # interrupted between the two, the index would belong to another model than the store
            await self._vectors.renew(
                lambda: self._database.write(lambda connection: record_generation(connection, generation))
            )
        self._vectors_wake.set()

    # --- reading --------------------------------------------------------------------------------------------------

    async def pending(self, limit: int) -> list[PendingText]:
        """Return distinct texts without a vector in the current generation, oldest first."""
        return await self._database.read(lambda connection: pending_texts(connection, limit))

    async def generation(self) -> Generation | None:
        """Return the generation of the store's vectors; None in a new store."""
        return await self._database.read(generation_of)

    async def last_change(self) -> int:
        """Return the number of the last change. It only grows, so an older copy of the store has a smaller one."""
        return await self._database.read(sequence)

    async def documents(self, keys: Collection[UUID]) -> dict[UUID, StoredDocument]:
        """Return the existing documents among these keys."""
        return await self._database.read(lambda connection: documents_read.documents(connection, keys))

    async def unchanged(self, digests: Mapping[UUID, bytes]) -> set[UUID]:
        """Return the documents that already contain the input with this digest."""
        return await self._database.read(lambda connection: documents_read.unchanged(connection, digests))

    async def messages(self, documents: Collection[UUID]) -> dict[UUID, list[StoredMessage]]:
        """Return all messages of these documents, in order."""
        return await self._database.read(lambda connection: documents_read.messages(connection, documents))

    async def homes(self, names: Collection[tuple[str, int]]) -> list[MessageHome]:
        """Return the documents with messages of these ids and times (microseconds), in the order of their rows."""
        return await self._database.read(lambda connection: documents_read.homes(connection, names))

    async def holders(self, identifiers: Collection[str]) -> dict[str, list[UUID]]:
        """Return the documents that hold a message of each of these source ids, in the order of their rows."""
        return await self._database.read(lambda connection: documents_read.holders(connection, identifiers))

    async def find(self, identifier: str) -> list[StoredMessage | StoredDocument]:
        """Return the messages and documents with this id: a key, a source's message id, or a document's id."""
        return await self._database.read(lambda connection: documents_read.find(connection, identifier))

    async def facts_beginning(self, prefix: str, limit: int) -> list[UUID]:
        """Return ids of facts that begin with these hexadecimal digits, at most ``limit``."""
        return await self._database.read(lambda connection: documents_read.facts_beginning(connection, prefix, limit))

    async def keys_beginning(self, prefix: str, limit: int) -> list[UUID]:
        """Return keys of messages, documents and text chunks that begin with these hexadecimal digits, at most
        ``limit`` of each.
        """
        return await self._database.read(lambda connection: documents_read.keys_beginning(connection, prefix, limit))

    async def piece(self, key: UUID) -> tuple[UUID, int, int] | None:
        """Return the document and the start and end offsets of a text chunk; None if there is no such chunk."""
        return await self._database.read(lambda connection: documents_read.piece(connection, key))

    async def listing(self, where: Filter, after: UUID | None, limit: int) -> list[DocumentLine]:
        """Return a page of documents, newest first and undated ones last; ``after`` is the last key of the previous
        page.
        """
        return await self._database.read(lambda connection: documents_read.listing(connection, where, after, limit))

    async def export(
        self, where: Filter, after: ExportCursor | None, limit: int, among: Collection[UUID] | None = None
    ) -> list[WholeDocument]:
        """Return the next documents with passing content, by source, id and key, behind ``after``; all from one
        snapshot.

        Returns at least one document and stops at about ``limit`` messages; returns none at the end. ``among``
        restricts the result to these keys. Digests are left out.
        """
        return await self._database.read(lambda connection: exported(connection, where, after, limit, among))

    async def names(self) -> dict[str, int]:
        """Return the number of messages by speaker, without reserved speakers."""
        return await self._database.read(documents_read.names)

    async def distinct(self, what: Literal["sources", "tags", "subjects"]) -> list[str]:
        """Return each source of documents, each tag, or each subject of facts, once."""
        return await self._database.read(lambda connection: documents_read.distinct(connection, what))

    async def mentioned(self) -> set[str]:
        """Return the folded names of all people in documents, whether they wrote or not, with former names."""
        return await self._database.read(documents_read.mentioned)

    async def former_names(self) -> set[str]:
        """Return the folded names of all people who were renamed in a chat."""
        return await self._database.read(documents_read.former_names)

    async def conversations(self, keys: Collection[UUID] | None = None) -> list[tuple[UUID, Conversation]]:
        """Return all chats; with ``keys`` only those."""
        return await self._database.read(lambda connection: documents_read.conversations(connection, keys))

    async def renames(self, chats: Collection[UUID]) -> list[Rename]:
        """Return the renames in these chats."""
        return await self._database.read(lambda connection: documents_read.renames(connection, chats))

    @property
    def index_name(self) -> str:
        """The name of the index engine: ``embedded``, or that of the server."""
        return self._indexes.name

    @property
    def store_id(self) -> str:
        """The id given to memory.db when it was created; a backup keeps it."""
        return self._database.store

    @property
    def file_failure(self) -> StoreError | None:
        """The error if memory.db was deleted or replaced, so that nothing can be written any more; otherwise None."""
        return self._database.in_place.failure()

    @property
    def index_failure(self) -> StoreError | None:
        """The error that keeps the index server from answering; None if it answers or there is none."""
        return self.text.failure or (None if self.vectors is None else self.vectors.failure)

    @property
    def index_filling(self) -> bool:
        """True while an index does not yet hold what was stored when it was opened."""
        return self._words.filling or self._vectors.filling

    def index_rebuilds(self) -> dict[str, int]:
        """Return how often each index was rebuilt since the start."""
        return {"words": self._words.rebuilds, "vectors": self._vectors.rebuilds}

    async def stats(self) -> StoreStats:
        """Return counts and sizes from the store itself."""
        followed = {"words": self.text.sequence, "vectors": 0 if self.vectors is None else self.vectors.sequence}
        if self._facts.index is not None:
            followed["facts"] = self._facts.index.sequence
        return await self._database.read(lambda connection: statistics(connection, self._directory, followed))

    async def outdated(self, versions: Collection[str]) -> list[UUID]:
        """Return the documents with a chunk of another version than these, in the order of their rows."""
        return await self._database.read(lambda connection: documents_read.outdated(connection, versions))

    async def chunk_keys(self, documents: Collection[UUID]) -> dict[UUID, set[UUID]]:
        """Return the keys of the chunks of these documents."""
        return await self._database.read(lambda connection: documents_read.chunk_keys(connection, documents))

    # --- facts ----------------------------------------------------------------------------------------------------

    async def pending_extraction(self, after: int, limit: int) -> list[tuple[int, UUID]]:
        """Return documents that changed since their last extraction, oldest first, each with its row id to continue
        `after`.
        """
        return await self._database.read(lambda connection: fact_rows.pending_extraction(connection, after, limit))

    async def pending_extraction_among(self, documents: Collection[UUID]) -> set[UUID]:
        """Return the subset of these documents that await extraction."""
        return await self._database.read(lambda connection: fact_rows.pending_extraction_among(connection, documents))

    async def pending_extraction_count(self) -> int:
        """Return the number of documents that await extraction."""
        return await self._database.read(fact_rows.pending_extraction_count)

    async def rejections(self) -> dict[str, int]:
        """Return the number of refused proposals by reason, most first."""
        return await self._database.read(fact_rows.rejections)

    async def record_extractor(self, extractor: str) -> None:
        """Record the extractor in use; after a change all documents await extraction again."""
        if await self._database.read(fact_rows.recorded_extractor) != extractor:
            await self._database.write(lambda connection: fact_rows.record_extractor(connection, extractor))

    async def extractions(self, documents: Collection[UUID]) -> dict[UUID, DocumentExtraction]:
        """Return the extraction results of these documents."""
        return await self._database.read(lambda connection: fact_rows.extractions(connection, documents))

    async def clusters(self, names: Collection[str]) -> dict[str, list[StoredStatement]]:
        """Return the statements of these clusters that are not excluded, in no particular order."""
        return await self._database.read(lambda connection: fact_rows.clusters(connection, names))

    async def excluded(self) -> dict[UUID, str]:
        """Return the excluded statements with the run that excluded each."""
        return await self._database.read(fact_rows.excluded)

    async def excluded_statements(self) -> list[StoredStatement]:
        """Return the excluded statements that are stored, in no particular order."""
        return await self._database.read(fact_rows.excluded_statements)

    async def apply_knowledge(self, update: KnowledgeUpdate) -> None:
        """Apply an update of facts; its documents no longer await extraction."""
        await self._database.write(lambda connection: fact_rows.apply_knowledge(connection, update))
        self._words_wake.set()
        self._vectors_wake.set()
        self._facts_wake.set()

    async def facts(self, where: FactFilter, after: int, limit: int) -> list[tuple[int, StoredFact]]:
        """Return facts, each with its row id to continue `after`: the current versions, or those of ``known_at``."""
        return await self._database.read(lambda connection: fact_rows.facts(connection, where, after, limit))

    async def facts_of_clusters(self, names: Collection[str]) -> dict[UUID, StoredFact]:
        """Return the current facts of these clusters."""
        return await self._database.read(lambda connection: fact_rows.facts_of_clusters(connection, names))

    async def history(self, fact: UUID) -> list[StoredFact]:
        """Return all versions of a fact, oldest first."""
        return await self._database.read(lambda connection: fact_rows.history(connection, fact))

    async def chat_stats(self) -> list[ChatStats]:
        """Return the statistics of every chat with a message, latest message first."""
        return await self._database.read(chat_stats)

    async def part_stats(self, where: Filter) -> PartStats:
        """Return the counts of some chats or sources."""
        return await self._database.read(lambda connection: part_stats(connection, where))

    async def person_stats(self, name: str) -> PersonStats | None:
        """Return the message statistics of a person; None if nobody of that name wrote."""
        return await self._database.read(lambda connection: person_stats(connection, name))

    async def documents_of(self, messages: Collection[UUID]) -> dict[UUID, UUID]:
        """Return the document of each existing message; a text's key is its own document."""
        return await self._database.read(lambda connection: fact_rows.documents_of(connection, messages))

    async def facts_of_run(self, run: str) -> list[StoredFact]:
        """Return the versions of facts that a run created."""
        return await self._database.read(lambda connection: fact_rows.facts_of_run(connection, run))

    # --- upkeep ---------------------------------------------------------------------------------------------------

    async def check(self) -> list[CheckResult]:
        """Check SQLite, and the indexes against it, after bringing the indexes up to date."""
        if (failure := self.file_failure) is not None:
            return [CheckResult("database", "error", failure.message, failure.hint)]
        await self.refresh_indexes()
        await self._vectors.save()
        results = await self._database.read(
            lambda connection: integrity.check_database(connection, self._database.path)
        )
        results += await self._words.check()
        results += await self._vectors.check()
        if await self.other_index_kept():
            detail = (
                "a Weaviate server that is not in use may hold messages of this store: `memd forget` does not reach it"
            )
            hint = "memd migrate --index embedded --remove-other removes them there"
            results.append(CheckResult("other_index", "warning", detail, hint))
        return results + await self._facts.check()

    async def check_indexes(self) -> list[CheckResult]:
        """Check the indexes against SQLite, including the content of each row."""
        await self.refresh_indexes()
        if (failure := self.index_failure) is not None:
            raise type(failure)(failure.message, hint=failure.hint)
        await self._vectors.save()
        results = await self._words.check(contents=True)
        results += await self._vectors.check(contents=True)
        return results + await self._facts.check(contents=True)

    async def other_index_kept(self) -> bool:
        """Return whether a server was filled that is no longer in use and has not been emptied since."""
        return self._indexes.name == EmbeddedIndexes.name and await self._database.read(fact_log.is_kept)

    async def repair(self) -> None:
        """Rebuild derived data that was found wrong; the content of sources is not changed."""
        await self._database.write(integrity.repair)
        await self._words.rebuild()
        await self._vectors.rebuild()
        await self._facts.rebuild()
        self._vectors_wake.set()

    async def fill(self, filling: Filling, tell: Tell) -> list[CheckResult] | None:
        """Fill another index engine than the one in use, and compare it with the store when it is full; embeds nothing.
        See `fill_indexes`.
        """
        async with self._purging:  # purging removes the files of indexes that are not in use
            return await fill_indexes(self._database, filling, tell)

    async def remove_index(self, indexes: Indexes) -> None:
        """Remove the content of this store from an index engine that is not in use."""
        await indexes.remove(str(self._database.store))
        if indexes.facts(str(self._database.store), lambda: None) is not None:
            await self._database.write(fact_log.remove)

    async def prune(self) -> int:
        """Delete the vectors of models other than the generation's; return their number."""
        return await self._database.write(drop_others)

    # --- searching ------------------------------------------------------------------------------------------------

    @property
    def text(self) -> TextIndex:
        """The word index."""
        index = self._words.index
        assert index is not None  # `open` makes it
        return index

    @property
    def vectors(self) -> VectorIndex | None:
        """The vector index of the current generation; None before the first generation."""
        return self._vectors.index

    async def compare(self, vector: Vector, rows: Sequence[int]) -> Comparison:
        """Compare the stored vectors of these chunks with the vector of a query."""
        return await self._database.read(lambda connection: compared_chunks(connection, vector, rows))

    async def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run ``work`` on one snapshot of the store, in a worker thread."""
        return await self._database.read(work)

    async def write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run ``work`` in one transaction, in a worker thread; it must not change anything that an index holds."""
        return await self._database.write(work)

    async def compiled(self, where: Filter) -> CompiledFilter | None:
        """Return the filter with resolved names and with the rows that contain its phrases; None if everything passes."""
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
        rows_with_phrases = await self._database.read(lambda connection: rows_holding(connection, rows, phrases))
        return replace(compiled, rows=tuple(rows_with_phrases))
