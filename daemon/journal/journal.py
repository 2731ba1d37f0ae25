"""The journal: what was acknowledged and is not in the store yet. One SQLite file, one commit for each acknowledgement.

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
    """Source and id of the document: versions of one document are stored in their order."""
    messages: int
    attempts: int
    place: str
    """Where it was read, see `receipts.PlaceCounts`; empty: not known."""
    document: Document | None
    """None when the journal's text is no document any more."""


@dataclass(frozen=True, slots=True)
class QueueDepth:
    """How much waits."""

    documents: int
    messages: int
    oldest_s: float
    """Age of the oldest that waits, in seconds; 0 when nothing does."""
    dead: int
    """Documents that were given up."""
    buffered: int = 0
    """Of the messages, those that a buffer holds back."""


@dataclass(frozen=True, slots=True)
class HeldEntry:
    """A document that a buffer holds back, without its words."""

    seq: int
    buffer: str
    messages: int
    bytes: int
    added: float
    """When it arrived, in seconds since 1970."""


@dataclass(frozen=True, slots=True)
class RemovedEntry:
    """What a rewriting took out of one entry: of a queued one, or of a dead letter."""

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
        """Of the file; None of a copy in memory."""
        self._failure = ""
        self._limiter = CapacityLimiter(1)
        self.runs = RunHistory(self._run)
        """What is remembered of runs."""

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
        """Keep documents, all or none; they survive ``kill -9`` and a power cut when this returns.

        Args:
            run: that they belong to.
            documents: at least one, or something ``along``, or something ``counted``.
            buffer: the buffer that holds them back until `release`, one for all or one for each; empty: they may be
                stored at once.
            places: of each document where it was read, if that is known; see `receipts.PlaceCounts`.
            along: what else is written in the same transaction, such as the cursor of the source.
            counted: what became of other documents of the run, which need not be kept here.
        """

        def work(connection: sqlite3.Connection) -> None:
            now = time.time()
            buffers = [buffer] * len(documents) if isinstance(buffer, str) else buffer
            rows = (
                (run, _key(document), body, size_of(document), now, zlib.crc32(body), held, place)
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
        """The oldest entries, up to so many messages and bytes, but at least one. They stay until `done`."""

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
            found = connection.execute(
                "SELECT seq, run, key, messages, attempts, place, body, crc FROM entries WHERE state = 'queued' AND buffer = ''"
                " AND seq <= ? ORDER BY seq",
                (last,),
            ).fetchall()
            return [JournalEntry(*row[:6], document=read_document(*row[6:])) for row in found]

        return await self._run(work)

    async def held(self) -> list[HeldEntry]:
        """What buffers hold back, in the order of its arrival."""

        def work(connection: sqlite3.Connection) -> list[HeldEntry]:
            rows = connection.execute(
                "SELECT seq, buffer, messages, bytes, added FROM entries WHERE state = 'queued' AND buffer > ''"
            )
            return sorted((HeldEntry(*row) for row in rows), key=lambda entry: entry.seq)

        return await self._run(work)

    async def release(self, numbers: Sequence[int]) -> None:
        """Hold these entries back no longer, all or none; those that are gone stay so."""
        await self._run(
            lambda connection: connection.executemany(
                "UPDATE entries SET buffer = '' WHERE seq = ?", [(number,) for number in numbers]
            )
        )

    async def done(
        self, entries: Sequence[JournalEntry], reports: Sequence[StoreReport] = (), *, purge: bool = False
    ) -> None:
        """These are in the store: remove them. With ``purge`` the file needs one, for it held what was forgotten.

        Args:
            entries: that were stored.
            reports: what the store made of each; it is counted by where they were read, and with their runs.
            purge: the file holds what is not to stay on the disk.
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
        """Count an attempt that failed, with a reason free of private text.

        Returns whether it is a dead letter now, which it becomes with so many ``attempts``.
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

    async def scan(self, choose: Callable[[Document], T | None]) -> list[tuple[int, T]]:
        """What ``choose`` says of each document that waits or was given up, by number and in order, where it says
        something. Entries whose text is no document any more are left out.
        """

        def work(connection: sqlite3.Connection) -> list[tuple[int, T]]:
            found: list[tuple[int, T]] = []
            numbers = [row[0] for row in connection.execute("SELECT seq FROM entries ORDER BY seq")]
            for number in numbers:  # one at a time: together they may be larger than the memory
                document = _document(connection, number)
                said = None if document is None else choose(document)
                if said is not None:
                    found.append((number, said))
            return found

        return await self._run(work)

    async def numbers(self) -> list[int]:
        """The numbers of all entries, in order, also of those whose text is no document any more."""
        return await self._run(
            lambda connection: [row[0] for row in connection.execute("SELECT seq FROM entries ORDER BY seq")]
        )

    async def documents(self, numbers: Sequence[int]) -> dict[int, Document]:
        """The documents of entries that are still there, by number, in the order of ``numbers``."""

        def work(connection: sqlite3.Connection) -> dict[int, Document]:
            found = {number: _document(connection, number) for number in numbers}
            return {number: document for number, document in found.items() if document is not None}

        return await self._run(work)

    async def replace(self, left: Mapping[int, Document | None]) -> list[RemovedEntry]:
        """Put smaller documents, or none, in the place of entries, in one transaction; entries that are gone stay so.

        The disk holds what was removed until `purge`, which is noted.
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
        """What SQLite finds wrong, if anything, and how many entries hold no document."""

        def work(connection: sqlite3.Connection) -> tuple[str, int]:
            if problem := damage_in(connection):
                return problem, 0
            bodies = connection.execute("SELECT body, crc FROM entries")
            return "", sum(read_document(body, checksum) is None for body, checksum in bodies)

        return await self._run(work)

    async def owe_removal(self) -> None:
        """Note that this file, and those beside it, may hold what is about to be forgotten; the note stays until
        `note_removed`, whatever is purged meanwhile.
        """
        await self._run(sqlite_wal.owe_removal)

    async def note_removed(self) -> None:
        """Note that no entry holds any more what was forgotten: a `purge` is due instead, until it succeeds."""
        await self._run(sqlite_wal.note_removed)

    async def purge_owed(self) -> bool:
        """Whether a `purge` is due, also one of an earlier owner."""
        return await self._run(sqlite_wal.purge_owed)

    async def purge(self, *, stays_due: bool = False) -> bool:
        """Where it is due, write the file anew without what was deleted, empty its write-ahead log, and remove damaged
        journals that were put aside. Returns False when a reader of an older state held the log: the purge stays due,
        as it does with ``stays_due``.
        """
        try:
            if await self.purge_owed():
                await anyio.to_thread.run_sync(remove_set_aside, self._path, limiter=self._limiter)
            return await sqlite_wal.purge(self._connection, self._limiter, stays_due=stays_due)
        except sqlite_wal.SQLITE_ERRORS as error:
            raise unusable(error) from error

    async def depth(self) -> QueueDepth:
        """How much waits, and for how long."""

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
            if self._connection.total_changes > before:  # what only read says nothing about writing
                self._failure = ""
            return result

        return await anyio.to_thread.run_sync(whole, limiter=self._limiter)

    def failure(self) -> str:
        """Why the file could not be used at the last try, or cannot be used now; empty while it works."""
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
    """The journal at ``path``, made 0600 where it is missing.

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
    """What stands in the journal at ``path``, which is not written: changes are made in memory, and are gone afterwards.

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


def _key(document: Document) -> str:
    return f"{document.source}\n{document.id}"
