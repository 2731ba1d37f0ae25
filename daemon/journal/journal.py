"""The journal: what was acknowledged and is not in the store yet. One SQLite file, one commit for each acknowledgement.

Every method runs in a thread, one at a time; a cancelled caller leaves a whole commit or none.
"""

from __future__ import annotations

import sqlite3
import time
import zlib
from collections.abc import AsyncGenerator, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import anyio
import anyio.to_thread
import orjson
from anyio import CancelScope, CapacityLimiter

from ...memory import sqlite_wal
from ...memory.ingest.batching import size_of
from ...schemas import Document, StoreReport
from .database import close_file, damage_in, open_copy, open_file, read_document, remove_set_aside, unusable
from .receipts import PlaceCounts
from .schema import BROUGHT_SOMETHING

_RUNS_KEPT = 10_000
"""Ended runs of commands and clients that are remembered at most; those of jobs go by their age, see `prune_runs`."""
_NOTICES_KEPT = 20
HINT_CAP = 500
"""Letters of a hint that are remembered with a run."""
_ENDED_RUN = (
    "run, source, begun, ended, coalesce(outcome, ''), job, trigger, due, detail,"
    " (SELECT at FROM undone WHERE undone.run = runs.run), counts"
)
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
class EndedRun:
    """A run that is over; times in seconds since 1970, counts of messages by the names of a progress update."""

    run: str
    source: str
    begun: float
    ended: float
    outcome: str
    job: str
    """``source:NAME`` or ``maintenance:NAME``; empty: a command or a client sent it."""
    trigger: str
    """What started it: ``schedule``, ``watch``, ``sync``, ``resume``; empty as above."""
    due: float | None
    """The scheduled time that it was for."""
    detail: str
    """What went wrong, without private text."""
    undone: float | None
    """When what it brought was taken back."""
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class RunOrigin:
    """What a run is done for; the fields of `EndedRun`."""

    job: str = ""
    trigger: str = ""
    due: float | None = None


COMMAND = RunOrigin()
"""A run that a command or a client sent."""


@dataclass(frozen=True, slots=True)
class QueuedRun:
    """What a run of an earlier owner left in the queue."""

    run: str
    source: str
    documents: int
    messages: int
    done: StoreReport = field(default_factory=StoreReport)
    """What became of the rest of it."""


@dataclass(frozen=True, slots=True)
class RemovedEntry:
    """What a rewriting took out of one entry: of a queued one, or of a dead letter."""

    run: str
    queued: bool
    messages: int
    whole: bool


@dataclass(frozen=True, slots=True)
class JobHistory:
    """What the runs of a job tell of its health; times are seconds since 1970."""

    last: tuple[EndedRun, ...] = ()
    """The run that ended last; empty where none did."""
    news: tuple[float, ...] = ()
    """When the last runs began that brought something new, the newest first."""
    whole: float | None = None
    """When the last run began that read everything: what came later is not in the memory."""


class Journal:
    """One journal file. Made by `open_journal`; every method raises ``StoreError`` when the file cannot be used."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path
        self._limiter = CapacityLimiter(1)

    async def begin(self, run: str, source: str, origin: RunOrigin = COMMAND) -> None:
        """Remember a run; of a job also that it has begun and, with a ``due`` time, that it has run for that time, in the
        same transaction. `SourceRepository.note_end` notes that it was not interrupted.
        """

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(
                "INSERT OR IGNORE INTO runs (run, source, begun, job, trigger, due) VALUES (?, ?, ?, ?, ?, ?)",
                (run, source, time.time(), origin.job, origin.trigger, origin.due),
            )
            if origin.job:
                connection.execute(
                    "INSERT INTO jobs (job, due, interrupted) VALUES (?1, ?2, 1) ON CONFLICT (job) DO UPDATE SET"
                    " due = coalesce(?2, due), interrupted = interrupted + 1",
                    (origin.job, origin.due),
                )
            connection.execute(
                "DELETE FROM runs WHERE run IN (SELECT run FROM runs WHERE job = '' AND ended IS NOT NULL"
                " ORDER BY begun DESC LIMIT -1 OFFSET ?)",
                (_RUNS_KEPT,),
            )

        await self._run(work)

    async def end(self, run: str, outcome: str, counts: Mapping[str, int], detail: str = "") -> None:
        """Remember how a run ended, its counts of messages, and what went wrong, without private text."""
        values = (time.time(), outcome, orjson.dumps(counts).decode(), detail, run)
        await self._run(
            lambda connection: connection.execute(
                "UPDATE runs SET ended = ?, outcome = ?, counts = ?, detail = ? WHERE run = ?", values
            )
        )

    async def note_notices(self, run: str, notices: Sequence[Mapping[str, Any]]) -> None:
        """Remember what a reader should know of what a run read, the first `_NOTICES_KEPT` codes; without the places, which
        are names of files: they name people.
        """
        kept = [
            {"code": each["code"], "count": each["count"], "hint": str(each["hint"])[:HINT_CAP]}
            for each in notices[:_NOTICES_KEPT]
        ]
        body = orjson.dumps(kept).decode()
        await self._run(lambda connection: connection.execute("UPDATE runs SET notices = ? WHERE run = ?", (body, run)))

    async def begin_undo(self, runs: Sequence[str]) -> None:
        """Note that the store is about to take back what these runs brought. Two files cannot change at once: killed in
        between, the next owner asks the store whether it did, see `undoing`.
        """
        rows = [(run,) for run in runs]
        await self._run(lambda connection: connection.executemany("INSERT OR IGNORE INTO undoing VALUES (?)", rows))

    async def undoing(self) -> list[str]:
        """Runs of which it is not noted whether the store took them back."""
        rows = await self._run(lambda connection: connection.execute("SELECT run FROM undoing ORDER BY run").fetchall())
        return [run for (run,) in rows]

    async def end_undo(self, done: Sequence[str], not_done: Sequence[str] = ()) -> None:
        """Remember that what some runs brought was taken back, now, and that what others brought was not."""

        def work(connection: sqlite3.Connection) -> None:
            connection.executemany("INSERT OR REPLACE INTO undone VALUES (?, ?)", [(run, time.time()) for run in done])
            connection.executemany("DELETE FROM undoing WHERE run = ?", [(run,) for run in (*done, *not_done)])

        await self._run(work)

    async def run_notices(self, run: str) -> list[dict[str, Any]]:
        """What `note_notices` kept of a run."""
        row = await self._run(
            lambda connection: connection.execute("SELECT notices FROM runs WHERE run = ?", (run,)).fetchone()
        )
        return [each | {"places": []} for each in orjson.loads(row[0])] if row is not None and row[0] else []

    async def withdraw(self, run: str) -> None:
        """Forget a run of which nothing was kept."""
        await self._run(lambda connection: connection.execute("DELETE FROM runs WHERE run = ?", (run,)))

    async def end_abandoned(self) -> None:
        """Runs of an earlier owner that it did not end and that left nothing to do: what was kept is stored."""
        await self._run(
            lambda connection: connection.execute(
                "UPDATE runs SET ended = ?, outcome = 'partial', detail = 'memd ended' WHERE ended IS NULL AND run NOT IN"
                " (SELECT run FROM entries WHERE state = 'queued')",
                (time.time(),),
            )
        )

    async def last_runs(self, limit: int, *, job: str | None = None, before: str | None = None) -> list[EndedRun]:
        """The runs that ended last, the newest first; of one ``job``, and that ended ``before`` a run, where given."""
        return await self._run(lambda connection: _ended_runs(connection, limit, job, before))

    async def run_like(self, prefix: str) -> EndedRun | None:
        """The run whose id begins so, ended or not (``ended`` is 0 then); None where there is none, or more than one."""
        if not prefix:
            return None

        def work(connection: sqlite3.Connection) -> EndedRun | None:
            columns = _ENDED_RUN.replace("ended,", "coalesce(ended, 0),", 1)
            statement = f"SELECT {columns} FROM runs WHERE substr(run, 1, ?) = ? LIMIT 2"  # noqa: S608 - ours
            rows = connection.execute(statement, (len(prefix), prefix)).fetchall()
            return EndedRun(*rows[0][:-1], counts=orjson.loads(rows[0][-1])) if len(rows) == 1 else None

        return await self._run(work)

    async def in_order(self, runs: Collection[str]) -> list[str]:
        """Those of these runs that are remembered, the oldest first."""
        wanted = orjson.dumps(sorted(runs)).decode()
        statement = "SELECT run FROM runs WHERE run IN (SELECT value FROM json_each(?)) ORDER BY begun, run"
        rows = await self._run(lambda connection: connection.execute(statement, (wanted,)).fetchall())
        return [run for (run,) in rows]

    async def job_history(self, job: str, limit: int) -> JobHistory:
        """The last run of a job, and when the last ones began that brought something, ``limit`` at most."""

        def work(connection: sqlite3.Connection) -> JobHistory:
            whole = connection.execute(
                "SELECT begun FROM runs WHERE job = ? AND outcome = 'ok' ORDER BY ended DESC LIMIT 1", (job,)
            ).fetchone()
            news = connection.execute(
                f"SELECT begun FROM runs WHERE job = ? AND ({BROUGHT_SOMETHING}) ORDER BY begun DESC LIMIT ?",  # noqa: S608 - ours
                (job, limit),
            )
            return JobHistory(
                tuple(_ended_runs(connection, 1, job, None)),
                tuple(row[0] for row in news),
                None if whole is None else whole[0],
            )

        return await self._run(work)

    async def prune_runs(self, before: float) -> int:
        """Forget the runs that ended before this time, but the last one of each job; returns how many."""

        def work(connection: sqlite3.Connection) -> int:
            return connection.execute(
                "DELETE FROM runs WHERE ended < ? AND run NOT IN (SELECT run FROM (SELECT run, max(ended) FROM runs"
                " WHERE job != '' AND ended IS NOT NULL GROUP BY job))",
                (before,),
            ).rowcount

        return await self._run(work)

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

    async def waiting(self) -> list[QueuedRun]:
        """The runs that have something in the queue."""

        def work(connection: sqlite3.Connection) -> list[QueuedRun]:
            rows = connection.execute(
                "SELECT e.run, coalesce(max(r.source), ''), count(*), sum(e.messages), max(r.counts) FROM entries e"
                " LEFT JOIN runs r ON r.run = e.run WHERE e.state = 'queued' GROUP BY e.run ORDER BY min(e.seq)"
            ).fetchall()
            return [QueuedRun(*row, done=_counted(counts)) for *row, counts in rows]

        return await self._run(work)

    async def run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run ``work`` on the tables in one transaction, as every method here does."""
        return await self._run(work)

    async def _run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        def whole() -> T:
            try:
                with self._connection:  # commits, or rolls back
                    self._connection.execute("BEGIN IMMEDIATE")
                    return work(self._connection)
            except sqlite_wal.SQLITE_ERRORS as error:
                raise unusable(error) from error

        return await anyio.to_thread.run_sync(whole, limiter=self._limiter)


def count_in_run(connection: sqlite3.Connection, run: str, report: StoreReport | None) -> None:
    """Add what became of documents to the counts of a run that has not ended: killed before its end, they are known."""
    if report is None or not any(report.model_dump().values()):
        return
    row = connection.execute("SELECT counts FROM runs WHERE run = ? AND ended IS NULL", (run,)).fetchone()
    if row is not None:
        total = _counted(row[0]) + report
        counts = {**total.model_dump(), "processed": processed_of(total)}
        connection.execute("UPDATE runs SET counts = ? WHERE run = ?", (orjson.dumps(counts).decode(), run))


def processed_of(report: StoreReport) -> int:
    """Messages of which a report tells; what was rejected was none."""
    return report.added + report.updated + report.unchanged + report.failed + report.forgotten


def _counted(counts: str | None) -> StoreReport:
    known = orjson.loads(counts or "{}")
    return StoreReport(**{name: known.get(name, 0) for name in StoreReport.model_fields})


def _ended_runs(connection: sqlite3.Connection, limit: int, job: str | None, before: str | None) -> list[EndedRun]:
    # A condition for each thing that is asked for, so that the index of just that is used.
    asked: list[tuple[str, str]] = [] if job is None else [("job = ?", job)]
    if before is not None:
        asked.append(("(ended, run) < (SELECT ended, run FROM runs WHERE run = ?)", before))
    condition = "".join(f" AND {text}" for text, _ in asked)
    rows = connection.execute(
        f"SELECT {_ENDED_RUN} FROM runs WHERE ended IS NOT NULL{condition} ORDER BY ended DESC, run DESC LIMIT ?",  # noqa: S608 - ours
        (*(value for _, value in asked), limit),
    )
    return [EndedRun(*row[:-1], counts=orjson.loads(row[-1])) for row in rows]


@asynccontextmanager
async def open_journal(path: Path) -> AsyncGenerator[Journal]:
    """The journal at ``path``, made 0600 where it is missing.

    Raises:
        StoreError: the file is damaged, of a newer memd, or cannot be opened.
    """
    connection = await anyio.to_thread.run_sync(open_file, path)
    try:
        yield Journal(connection, path)
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


def _document(connection: sqlite3.Connection, number: int) -> Document | None:
    row = connection.execute("SELECT body, crc FROM entries WHERE seq = ?", (number,)).fetchone()
    return None if row is None else read_document(*row)


def _key(document: Document) -> str:
    return f"{document.source}\n{document.id}"
