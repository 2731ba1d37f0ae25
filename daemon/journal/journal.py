"""The journal: acknowledged documents that are not in the store yet. One SQLite file, one commit per acknowledgement.

Every method runs in a thread, one at a time; a cancelled caller leaves a whole commit or none.
"""

from __future__ import annotations

import sqlite3
import time
import zlib
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import anyio
import anyio.to_thread
from anyio import CancelScope, CapacityLimiter

from ...memory import sqlite_wal
from ...memory.file_in_place import FileInPlace
from ...memory.ingest.batching import size_of
from ...schemas import Document, StoreReport
from ...schemas.errors import StoreError
from .database import close_file, damage_in, open_copy, open_file, read_document, remove_set_aside, unusable
from .receipts import PlaceCounts
from .run_history import RunHistory, count_in_run

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """A document that waits to be stored."""

    seq: int
    run: str
    key: str
    """The source and id of the document: versions of one document are stored in order."""
    messages: int
    attempts: int
    place: str
    """The place where it was read, see `receipts.PlaceCounts`; empty if not known."""
    document: Document | None
    """The document; None when the journal's text is damaged."""


@dataclass(frozen=True, slots=True)
class QueueDepth:
    """The size of the queue."""

    documents: int
    messages: int
    oldest_s: float
    """The age in seconds of the oldest queued document; 0 when the queue is empty."""
    dead: int
    """The number of dead letters: documents whose storing was given up."""
    buffered: int = 0
    """The number of queued messages that a buffer holds back."""


@dataclass(frozen=True, slots=True)
class HeldEntry:
    """A document that a buffer holds back, without its text."""

    seq: int
    buffer: str
    messages: int
    bytes: int
    added: float
    """The time when it arrived, in seconds since 1970."""


@dataclass(frozen=True, slots=True)
class RemovedEntry:
    """The part that `Journal.replace` removed from one entry, queued or dead."""

    run: str
    queued: bool
    messages: int
    whole: bool


class Journal:
    """One journal file. Made by `open_journal`; every method raises ``StoreError`` when the file cannot be used."""

    def __init__(self, connection: sqlite3.Connection, path: Path, in_place: FileInPlace | None = None) -> None:
        self._connection = connection
        self._path = path
        self._in_place = in_place
        """The check that the file is still in place; None for a copy in memory."""
        self._failure = ""
        self._limiter = CapacityLimiter(1)
        self.runs = RunHistory(self._run)
        """The history of runs."""

    async def add(
        self,
        run: str,
        documents: Sequence[Document],
        *,
        buffer: str | Sequence[str] = "",
        places: Sequence[str] = (),
        along: Callable[[sqlite3.Connection], None] | None = None,
        counted: StoreReport | None = None,
    ) -> None:
        """Store documents, all or none; they survive ``kill -9`` and a power cut when this returns.

        Args:
            run: the run that they belong to.
            documents: at least one, or something ``along``, or something ``counted``.
            buffer: the buffer that holds them back until `release`, one for all or one for each; empty: they may be
                stored at once.
            places: the place where each document was read, if known; see `receipts.PlaceCounts`.
            along: a function that writes more in the same transaction, such as the cursor of the source.
            counted: the counts of other documents of the run, which need not be kept here.
        """

        def work(connection: sqlite3.Connection) -> None:
            now = time.time()
            buffers = [buffer] * len(documents) if isinstance(buffer, str) else buffer
            rows = (
                (run, entry_key(document), body, size_of(document), now, zlib.crc32(body), held, place)
                for document, held, place in zip(documents, buffers, places or [""] * len(documents), strict=True)
                for body in (document.to_json(),)
            )
            connection.executemany(
                "INSERT INTO entries (run, key, body, messages, bytes, added, crc, buffer, place)"
                " VALUES (?1, ?2, ?3, ?4, length(?3), ?5, ?6, ?7, ?8)",
                rows,
            )
            if along is not None:
                along(connection)
            count_in_run(connection, run, counted)

        await self._run(work)

    async def take(self, messages: int, size: int) -> list[JournalEntry]:
        """Return the oldest entries, at least one, up to a number of messages and a size in bytes. They stay until
        `done`.
        """

        def work(connection: sqlite3.Connection) -> list[JournalEntry]:
            last, count, total = 0, 0, 0
            rows = connection.execute(
                "SELECT seq, messages, bytes FROM entries WHERE state = 'queued' AND buffer = '' ORDER BY seq"
            )
            for seq, many, large in rows:
                count, total = count + many, total + large
                if last and (count > messages or total > size):
                    break
                last = seq
            rows.close()
            entries = connection.execute(
                "SELECT seq, run, key, messages, attempts, place, body, crc FROM entries WHERE state = 'queued' AND buffer = ''"
                " AND seq <= ? ORDER BY seq",
                (last,),
            ).fetchall()
            return [JournalEntry(*row[:6], document=read_document(*row[6:])) for row in entries]

        return await self._run(work)

    async def held(self) -> list[HeldEntry]:
        """Return the entries that buffers hold back, in the order of their arrival."""

        def work(connection: sqlite3.Connection) -> list[HeldEntry]:
            rows = connection.execute(
                "SELECT seq, buffer, messages, bytes, added FROM entries WHERE state = 'queued' AND buffer > ''"
            )
            return sorted((HeldEntry(*row) for row in rows), key=lambda entry: entry.seq)

        return await self._run(work)

    async def release(self, numbers: Sequence[int]) -> None:
        """Release these entries from their buffers, all or none; numbers of removed entries are ignored."""
        await self._run(
            lambda connection: connection.executemany(
                "UPDATE entries SET buffer = '' WHERE seq = ?", [(number,) for number in numbers]
            )
        )

    @property
    def changes(self) -> int:
        """A number that grows with each change of the file; only compared."""
        return self._connection.total_changes

    async def newest(self, messages: int) -> tuple[list[Document], bool]:
        """Return the newest documents that wait, up to a number of messages, in order; and whether these are all that
        wait.
        """

        def work(connection: sqlite3.Connection) -> tuple[list[Document], bool]:
            rows = connection.execute("SELECT seq, messages FROM entries WHERE state = 'queued' ORDER BY seq DESC")
            chosen: list[int] = []
            left, whole = messages, True
            for number, size in rows:
                if size > left:
                    whole = False
                    break
                left -= size
                chosen.append(number)
            rows.close()
            documents = [_document(connection, number) for number in reversed(chosen)]
            kept = [document for document in documents if document is not None]
            return kept, whole and len(kept) == len(documents)

        return await self._run(work)

    async def done(
        self, entries: Sequence[JournalEntry], reports: Sequence[StoreReport] = (), *, purge: bool = False
    ) -> None:
        """Remove entries that are stored. With ``purge`` the file held forgotten text, and needs a purge.

        Args:
            entries: the stored entries.
            reports: the store's report on each; counted by place and by run.
            purge: the file holds text that must not stay on the disk.
        """
        counts = PlaceCounts()
        runs: dict[str, StoreReport] = {}
        for entry, report in zip(entries, reports, strict=False):
            counts.add(entry.run, entry.place, report)
            runs[entry.run] = runs.get(entry.run, StoreReport()) + report.model_copy(update={"documents": 1})

        def work(connection: sqlite3.Connection) -> None:
            connection.executemany("DELETE FROM entries WHERE seq = ?", [(entry.seq,) for entry in entries])
            counts.save(connection)
            for run, report in runs.items():
                count_in_run(connection, run, report)
            if purge:
                sqlite_wal.owe_purge(connection)

        await self._run(work)

    async def failed(self, entry: JournalEntry, reason: str, attempts: int) -> bool:
        """Count a failed attempt, with a reason free of private text.

        Returns whether it is a dead letter now, which it becomes after ``attempts`` failures.
        """

        def work(connection: sqlite3.Connection) -> bool:
            connection.execute(
                "UPDATE entries SET attempts = attempts + 1, error = ?2,"
                " state = CASE WHEN attempts + 1 >= ?3 THEN 'dead' ELSE 'queued' END WHERE seq = ?1",
                (entry.seq, reason, attempts),
            )
            row = connection.execute("SELECT state FROM entries WHERE seq = ?", (entry.seq,)).fetchone()
            is_dead = row is not None and row[0] == "dead"
            if is_dead:
                count_in_run(connection, entry.run, StoreReport(documents=1, failed=entry.messages))
            return is_dead

        return await self._run(work)

    async def waiting_keys(self) -> set[str]:
        """Return the keys of the queued documents, see `entry_key`."""
        return await self._run(
            lambda connection: {key for (key,) in connection.execute("SELECT key FROM entries WHERE state = 'queued'")}
        )

    async def scan(self, choose: Callable[[Document], T | None]) -> list[tuple[int, T]]:
        """Return the result of ``choose`` for each queued or dead document, by number and in order; omits results of
        None and damaged entries.
        """

        def work(connection: sqlite3.Connection) -> list[tuple[int, T]]:
            chosen: list[tuple[int, T]] = []
            numbers = [row[0] for row in connection.execute("SELECT seq FROM entries ORDER BY seq")]
            for number in numbers:  # one at a time: together they may exceed the memory
                document = _document(connection, number)
                result = None if document is None else choose(document)
                if result is not None:
                    chosen.append((number, result))
            return chosen

        return await self._run(work)

    async def numbers(self) -> list[int]:
        """Return the numbers of all entries, in order, damaged ones included."""
        return await self._run(
            lambda connection: [row[0] for row in connection.execute("SELECT seq FROM entries ORDER BY seq")]
        )

    async def documents(self, numbers: Sequence[int]) -> dict[int, Document]:
        """Return the documents of the entries that still exist, by number, in the order of ``numbers``."""

        def work(connection: sqlite3.Connection) -> dict[int, Document]:
            by_number = {number: _document(connection, number) for number in numbers}
            return {number: document for number, document in by_number.items() if document is not None}

        return await self._run(work)

    async def replace(self, left: Mapping[int, Document | None]) -> list[RemovedEntry]:
        """Replace entries with smaller documents, or with none, in one transaction; numbers of removed entries are
        ignored.

        The disk holds the removed text until `purge`, which this records as due.
        """

        def work(connection: sqlite3.Connection) -> list[RemovedEntry]:
            removed: list[RemovedEntry] = []
            for number, document in left.items():
                row = connection.execute("SELECT run, state, messages FROM entries WHERE seq = ?", (number,)).fetchone()
                if row is None:
                    continue
                run, state, messages = row
                size = 0 if document is None else size_of(document)
                removed.append(RemovedEntry(run, state == "queued", messages - size, document is None))
                if state == "queued":
                    report = StoreReport(documents=int(document is None), forgotten=messages - size)
                    count_in_run(connection, run, report)
                if document is None:
                    connection.execute("DELETE FROM entries WHERE seq = ?", (number,))
                else:
                    body = document.to_json()
                    connection.execute(
                        "UPDATE entries SET body = ?1, messages = ?2, bytes = length(?1), crc = ?4 WHERE seq = ?3",
                        (body, size, number, zlib.crc32(body)),
                    )
            if removed:
                sqlite_wal.owe_purge(connection)
            return removed

        return await self._run(work)

    async def check(self) -> tuple[str, int]:
        """Return SQLite's integrity problem, if any, and the number of entries without a valid document."""

        def work(connection: sqlite3.Connection) -> tuple[str, int]:
            if problem := damage_in(connection):
                return problem, 0
            bodies = connection.execute("SELECT body, crc FROM entries")
            return "", sum(read_document(body, checksum) is None for body, checksum in bodies)

        return await self._run(work)

    async def owe_removal(self) -> None:
        """Record that this file, and those beside it, may hold text that is about to be forgotten; the mark stays until
        `note_removed`, whatever is purged meanwhile.
        """
        await self._run(sqlite_wal.owe_removal)

    async def note_removed(self) -> None:
        """Record that no entry holds forgotten text any more; a `purge` is due instead, until it succeeds."""
        await self._run(sqlite_wal.note_removed)

    async def purge_owed(self) -> bool:
        """Return whether a `purge` is due, also one of an earlier owner."""
        return await self._run(sqlite_wal.purge_owed)

    async def purge(self, *, stays_due: bool = False) -> bool:
        """If a purge is due, rewrite the file without deleted text, empty its write-ahead log, and remove damaged
        journals that were set aside. Returns False when a reader of an older state held the log: the purge stays due,
        as it does with ``stays_due``.
        """
        try:
            if await self.purge_owed():
                await anyio.to_thread.run_sync(remove_set_aside, self._path, limiter=self._limiter)
            return await sqlite_wal.purge(self._connection, self._limiter, stays_due=stays_due)
        except sqlite_wal.SQLITE_ERRORS as error:
            raise unusable(error) from error

    async def depth(self) -> QueueDepth:
        """Return the size of the queue and the age of its oldest document."""

        def work(connection: sqlite3.Connection) -> QueueDepth:
            documents, messages, oldest, buffered = connection.execute(
                "SELECT count(*), coalesce(sum(messages), 0), min(added),"
                " coalesce(sum(CASE WHEN buffer = '' THEN 0 ELSE messages END), 0) FROM entries WHERE state = 'queued'"
            ).fetchone()
            (dead,) = connection.execute("SELECT count(*) FROM entries WHERE state = 'dead'").fetchone()
            age = max(0.0, time.time() - oldest) if oldest is not None else 0.0
            return QueueDepth(documents, messages, age, dead, buffered)

        return await self._run(work)

    async def run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run ``work`` on the tables in one transaction, as every method here does."""
        return await self._run(work)

    async def _run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        def whole() -> T:
            before = self._connection.total_changes
            self._require_in_place()
            try:
                with self._connection:  # commits, or rolls back
                    self._connection.execute("BEGIN IMMEDIATE")
                    result = work(self._connection)
            except sqlite_wal.SQLITE_ERRORS as error:
                failure = unusable(error)
                self._failure = failure.message
                raise failure from error
            self._require_in_place()
            if self._connection.total_changes > before:  # a transaction that only read says nothing about writing
                self._failure = ""
            return result

        return await anyio.to_thread.run_sync(whole, limiter=self._limiter)

    def failure(self) -> str:
        """Return the reason why the file could not be used at the last attempt, or cannot be used now; empty while it
        works.
        """
        gone = self._in_place.failure() if self._in_place is not None else None
        return gone.message if gone is not None else self._failure

    async def try_again(self) -> None:
        """After a failure, find out whether the file can be written again, by a write that changes nothing."""
        if self._failure:
            with suppress(StoreError):
                await self._run(_write_something)

    def _require_in_place(self) -> None:
        if self._in_place is not None:
            self._in_place.require()


@asynccontextmanager
async def open_journal(path: Path) -> AsyncGenerator[Journal]:
    """Open the journal at ``path``; a missing file is created with mode 0600.

    Raises:
        StoreError: the file is damaged, of a newer memd, or cannot be opened.
    """
    connection = await anyio.to_thread.run_sync(open_file, path)
    try:
        yield Journal(connection, path, FileInPlace(path))
    finally:
        with CancelScope(shield=True):
            await anyio.to_thread.run_sync(close_file, connection)


@asynccontextmanager
async def read_journal(path: Path) -> AsyncGenerator[Journal]:
    """Open a copy of the journal at ``path`` in memory: the file is not written, and changes are lost at the end.

    Raises:
        StoreError: as `open_journal`.
    """
    connection = await anyio.to_thread.run_sync(open_copy, path)
    try:
        yield Journal(connection, path)
    finally:
        connection.close()


def _write_something(connection: sqlite3.Connection) -> None:
    connection.execute("INSERT INTO open_runs VALUES ('')")
    connection.execute("DELETE FROM open_runs WHERE run = ''")


def _document(connection: sqlite3.Connection, number: int) -> Document | None:
    row = connection.execute("SELECT body, crc FROM entries WHERE seq = ?", (number,)).fetchone()
    return None if row is None else read_document(*row)


def entry_key(document: Document) -> str:
    """Return the key of a document's entries: those of one key are versions of one document."""
    return f"{document.source}\n{document.id}"
