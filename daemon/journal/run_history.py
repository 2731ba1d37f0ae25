"""The history of runs in the journal: begin, completeness, outcome and undoing of each."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

import orjson

from ...schemas import StoreReport
from ...schemas.id_prefixes import MOST_LISTED, only_id
from .schema import BROUGHT_SOMETHING

_RUNS_KEPT = 10_000
"""The maximum number of ended runs of commands and clients that are kept; runs of jobs are deleted by age, see
`RunHistory.prune`.
"""
INTERRUPTED = "memd ended before everything was read; read it again: what is there stays as it is"
"""The detail of a run that an earlier owner did not complete."""
STOPPED = "memd ended"
"""The detail of a run without counts: its only request got no answer, or it was maintenance."""
_NOTHING_CAME = orjson.dumps({**StoreReport().model_dump(), "processed": 0}).decode()
"""The counts of a run that ended with none; a run whose only request was never stored has no counts instead."""
_DETAIL = "CASE WHEN runs.run IN (SELECT run FROM open_runs) THEN :interrupted ELSE runs.detail END"
"""The SQL expression of the error of a run that has not ended."""
_NOTICES_KEPT = 20
HINT_CAP = 500
"""The maximum number of characters of a hint that is stored with a run."""
_ENDED_RUN = (
    "run, source, begun, ended, coalesce(outcome, ''), job, trigger, due, detail,"
    " (SELECT at FROM undone WHERE undone.run = runs.run), counts"
)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class EndedRun:
    """A run that is over; times in seconds since 1970, counts of messages by the field names of a progress update."""

    run: str
    source: str
    begun: float
    ended: float
    outcome: str
    job: str
    """The job, ``source:NAME`` or ``maintenance:NAME``; empty if a command or a client sent it."""
    trigger: str
    """The trigger: ``schedule``, ``watch``, ``sync`` or ``resume``; empty if a command or a client sent it."""
    due: float | None
    """The scheduled time that it ran for."""
    detail: str
    """The error, without private text."""
    undone: float | None
    """The time when its changes were undone."""
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class RunOrigin:
    """The job, trigger and scheduled time of a run; the fields of `EndedRun`."""

    job: str = ""
    trigger: str = ""
    due: float | None = None


COMMAND = RunOrigin()
"""The origin of a run that a command or a client sent."""


@dataclass(frozen=True, slots=True)
class QueuedRun:
    """The queued remainder of a run of an earlier owner."""

    run: str
    source: str
    documents: int
    messages: int
    done: StoreReport = field(default_factory=StoreReport)
    """The counts of the rest of it."""
    detail: str = ""
    """The reason why it is incomplete, without private text."""


@dataclass(frozen=True, slots=True)
class JobHistory:
    """The runs of a job that decide its health; times are seconds since 1970."""

    last: tuple[EndedRun, ...] = ()
    """The run that ended last; empty if none did."""
    news: tuple[float, ...] = ()
    """The begin of the last runs that brought something new, the newest first."""
    whole: float | None = None
    """The begin of the last run that read everything: later messages may be missing from the memory."""


class Transact(Protocol):
    """A function that runs another on the journal's tables in one transaction."""

    def __call__(self, work: Callable[[sqlite3.Connection], T]) -> Awaitable[T]:
        """Return the result of ``work``."""
        ...


class RunHistory:
    """The journal's history of runs; every method raises ``StoreError`` when its file cannot be used.

    Args:
        transact: runs a function on the journal's tables.
    """

    def __init__(self, transact: Transact) -> None:
        self._transact = transact

    async def begin(self, run: str, source: str, origin: RunOrigin = COMMAND, *, whole: bool = False) -> None:
        """Record the begin of a run. For a run of a job the same transaction also counts it as begun and, with a
        ``due`` time, as having run for that time; `SourceRepository.note_end` records that it was not interrupted.
        Unless the run is ``whole``, that is, one `add` stores everything, it counts as interrupted until
        `note_complete`.
        """

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(
                "INSERT OR IGNORE INTO runs (run, source, begun, job, trigger, due) VALUES (?, ?, ?, ?, ?, ?)",
                (run, source, time.time(), origin.job, origin.trigger, origin.due),
            )
            if not whole:
                connection.execute("INSERT OR IGNORE INTO open_runs VALUES (?)", (run,))
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

        await self._transact(work)

    async def note_complete(self, run: str, detail: str = "") -> None:
        """Record that nothing more will be added to a run, and the reason if it is incomplete, without private text."""

        def work(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM open_runs WHERE run = ?", (run,))
            connection.execute("UPDATE runs SET detail = ? WHERE run = ? AND ended IS NULL", (detail, run))
            connection.execute("UPDATE runs SET counts = ? WHERE run = ? AND counts = '{}'", (_NOTHING_CAME, run))

        await self._transact(work)

    async def end(self, run: str, outcome: str, counts: Mapping[str, int], detail: str = "") -> None:
        """Record the end of a run: its outcome, its counts of messages, and the error, without private text."""
        values = (time.time(), outcome, orjson.dumps(counts).decode(), detail, run)
        await self._transact(
            lambda connection: connection.execute(
                "UPDATE runs SET ended = ?, outcome = ?, counts = ?, detail = ? WHERE run = ?", values
            )
        )

    async def note_notices(self, run: str, notices: Sequence[Mapping[str, Any]]) -> None:
        """Store the notices of a run, the first `_NOTICES_KEPT` codes; without the places, which are file names and may
        name people.
        """
        kept = [
            {"code": each["code"], "count": each["count"], "hint": str(each["hint"])[:HINT_CAP]}
            for each in notices[:_NOTICES_KEPT]
        ]
        body = orjson.dumps(kept).decode()
        await self._transact(
            lambda connection: connection.execute("UPDATE runs SET notices = ? WHERE run = ?", (body, run))
        )

    async def begin_undo(self, runs: Sequence[str]) -> None:
        """Record that the store is about to undo these runs. Two files cannot change atomically: after a kill in
        between, the next owner asks the store whether it did, see `undoing`.
        """
        rows = [(run,) for run in runs]
        await self._transact(
            lambda connection: connection.executemany("INSERT OR IGNORE INTO undoing VALUES (?)", rows)
        )

    async def undoing(self) -> list[str]:
        """Return the runs whose undoing was begun and not recorded as done or not done."""
        rows = await self._transact(
            lambda connection: connection.execute("SELECT run FROM undoing ORDER BY run").fetchall()
        )
        return [run for (run,) in rows]

    async def end_undo(self, done: Sequence[str], not_done: Sequence[str] = ()) -> None:
        """Record that the ``done`` runs were undone now, and that the others were not."""

        def work(connection: sqlite3.Connection) -> None:
            connection.executemany("INSERT OR REPLACE INTO undone VALUES (?, ?)", [(run, time.time()) for run in done])
            connection.executemany("DELETE FROM undoing WHERE run = ?", [(run,) for run in (*done, *not_done)])

        await self._transact(work)

    async def notices(self, run: str) -> list[dict[str, Any]]:
        """Return the notices that `note_notices` stored for a run."""
        row = await self._transact(
            lambda connection: connection.execute("SELECT notices FROM runs WHERE run = ?", (run,)).fetchone()
        )
        return [each | {"places": []} for each in orjson.loads(row[0])] if row is not None and row[0] else []

    async def withdraw(self, run: str) -> None:
        """Delete a run of which nothing was stored."""
        await self._transact(lambda connection: connection.execute("DELETE FROM runs WHERE run = ?", (run,)))

    async def end_abandoned(self) -> None:
        """End the runs of an earlier owner that have nothing left in the queue. Runs to which more was to be added are
        partial, the others end as their counts say.
        """

        def work(connection: sqlite3.Connection) -> None:
            rows = connection.execute(
                f"SELECT run, counts, {_DETAIL} FROM runs WHERE ended IS NULL"  # noqa: S608 - ours
                " AND run NOT IN (SELECT run FROM entries WHERE state = 'queued')",
                {"interrupted": INTERRUPTED},
            ).fetchall()
            for run, counts, detail in rows:
                done = _counted(counts)
                # Complete and without counts: its only request was not stored, or it was maintenance.
                why = detail or (STOPPED if counts == "{}" else "")
                outcome = "partial" if why or done.failed or done.rejected else "ok"
                if done.failed and done.failed >= processed_of(done):
                    outcome = "failed"
                connection.execute(
                    "UPDATE runs SET ended = ?, outcome = ?, detail = ? WHERE run = ?",
                    (time.time(), outcome, why, run),
                )

        await self._transact(work)

    async def last(self, limit: int, *, job: str | None = None, before: str | None = None) -> list[EndedRun]:
        """Return the runs that ended last, the newest first; optionally only of one ``job``, or those that ended
        ``before`` a run.
        """
        return await self._transact(lambda connection: _ended_runs(connection, limit, job, before))

    async def with_prefix(self, prefix: str) -> EndedRun | None:
        """Return the run whose id has this prefix, ended or not (``ended`` is 0 then); None if there is none.

        Raises:
            NotFoundError: there are several, and it is the whole id of none.
        """
        prefix = prefix.rstrip("….")
        if not prefix:
            return None

        def work(connection: sqlite3.Connection) -> list[EndedRun]:
            columns = _ENDED_RUN.replace("ended,", "coalesce(ended, 0),", 1)
            statement = f"SELECT {columns} FROM runs WHERE substr(run, 1, ?) = ? ORDER BY run LIMIT ?"  # noqa: S608 - ours
            rows = connection.execute(statement, (len(prefix), prefix, MOST_LISTED)).fetchall()
            return [EndedRun(*row[:-1], counts=orjson.loads(row[-1])) for row in rows]

        runs = await self._transact(work)
        whole = only_id([each.run for each in runs if each.run == prefix] or [each.run for each in runs])
        return next((each for each in runs if each.run == whole), None)

    async def in_order(self, runs: Collection[str]) -> list[str]:
        """Return those of these runs that are in the history, the oldest first."""
        wanted = orjson.dumps(sorted(runs)).decode()
        statement = "SELECT run FROM runs WHERE run IN (SELECT value FROM json_each(?)) ORDER BY begun, run"
        rows = await self._transact(lambda connection: connection.execute(statement, (wanted,)).fetchall())
        return [run for (run,) in rows]

    async def of_job(self, job: str, limit: int) -> JobHistory:
        """Return the last run of a job, and the begin of up to ``limit`` runs that brought something new."""

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

        return await self._transact(work)

    async def brought_between(self, after: float, before: float) -> bool:
        """Return whether a run that ended between these times, in seconds since 1970, brought something."""
        statement = f"SELECT 1 FROM runs WHERE ended > ? AND ended < ? AND ({BROUGHT_SOMETHING}) LIMIT 1"  # noqa: S608 - ours
        row = await self._transact(lambda connection: connection.execute(statement, (after, before)).fetchone())
        return row is not None

    async def prune(self, before: float) -> int:
        """Delete the runs that ended before this time, except the last one of each job; return their number."""

        def work(connection: sqlite3.Connection) -> int:
            return connection.execute(
                "DELETE FROM runs WHERE ended < ? AND run NOT IN (SELECT run FROM (SELECT run, max(ended) FROM runs"
                " WHERE job != '' AND ended IS NOT NULL GROUP BY job))",
                (before,),
            ).rowcount

        return await self._transact(work)

    async def queued(self) -> list[QueuedRun]:
        """Return the runs that have entries in the queue."""
        statement = (
            f"SELECT entries.run, coalesce(max(runs.source), ''), count(*), sum(messages), coalesce(max({_DETAIL}), ''),"  # noqa: S608 - ours
            " max(runs.counts) FROM entries LEFT JOIN runs ON runs.run = entries.run WHERE state = 'queued'"
            " GROUP BY entries.run ORDER BY min(seq)"
        )
        rows = await self._transact(
            lambda connection: connection.execute(statement, {"interrupted": INTERRUPTED}).fetchall()
        )
        return [QueuedRun(*row, detail=detail, done=_counted(counts)) for *row, detail, counts in rows]


def count_in_run(connection: sqlite3.Connection, run: str, report: StoreReport | None) -> None:
    """Add the counts of documents to a run that has not ended, so that they survive a kill."""
    if report is None or not any(report.model_dump().values()):
        return
    row = connection.execute("SELECT counts FROM runs WHERE run = ? AND ended IS NULL", (run,)).fetchone()
    if row is not None:
        total = _counted(row[0]) + report
        counts = {**total.model_dump(), "processed": processed_of(total)}
        connection.execute("UPDATE runs SET counts = ? WHERE run = ?", (orjson.dumps(counts).decode(), run))


def processed_of(report: StoreReport) -> int:
    """Return the number of messages in a report; rejected records are not messages."""
    return report.added + report.updated + report.unchanged + report.failed + report.forgotten


def _counted(counts: str | None) -> StoreReport:
    stored = orjson.loads(counts or "{}")
    return StoreReport(**{name: stored.get(name, 0) for name in StoreReport.model_fields})


def _ended_runs(connection: sqlite3.Connection, limit: int, job: str | None, before: str | None) -> list[EndedRun]:
    # One condition per given argument, so that SQLite uses the index for exactly those columns.
    conditions: list[tuple[str, str]] = [] if job is None else [("job = ?", job)]
    if before is not None:
        conditions.append(("(ended, run) < (SELECT ended, run FROM runs WHERE run = ?)", before))
    condition = "".join(f" AND {text}" for text, _ in conditions)
    rows = connection.execute(
        f"SELECT {_ENDED_RUN} FROM runs WHERE ended IS NOT NULL{condition} ORDER BY ended DESC, run DESC LIMIT ?",  # noqa: S608 - ours
        (*(value for _, value in conditions), limit),
    )
    return [EndedRun(*row[:-1], counts=orjson.loads(row[-1])) for row in rows]
