"""The journal's tables of sources: settings, schedules, cursors and files. Reads and writes rows only."""

from __future__ import annotations

import logging
import os
import shlex
import sqlite3
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from operator import attrgetter
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import orjson
from pydantic import ValidationError

from ...schemas.errors import InvalidError, NotFoundError
from ..config.source_settings import SourceSettings, source_settings
from ..journal.journal import Journal
from ..scheduler.clock import Clock, system_clock

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RegisteredSource:
    """A source, and whether the configuration declares it."""

    settings: SourceSettings
    declared: bool
    """True if the configuration declares it; such a source cannot be changed elsewhere."""
    added: datetime
    """The time from which it is scheduled; for a declared source the time when memd first saw it."""


@dataclass(frozen=True, slots=True)
class JobState:
    """The stored state of a job."""

    due: datetime | None = None
    """The scheduled time of its last run."""
    paused: bool = False
    """True if scheduling is off: paused by a person, or stopped."""
    stopped: bool = False
    """True if it stopped by itself, on an error that only a person can fix."""
    interrupted: int = 0
    """The number of its latest runs in a row that began and did not end, because memd ended first."""
    cursor: str | None = None
    """The cursor, as `saving_cursor` writes it."""
    asked: datetime | None = None
    """The time of the last run that found nothing new and has no row in the history."""
    wait_until: datetime | None = None
    """The time until which its server told memd to wait."""
    wait_why: str = ""

    def cursor_of(self, settings: SourceSettings) -> str | None:
        """Return the cursor, if it was saved under the same settings."""
        identity, _, cursor = (self.cursor or "").partition(" ")
        return cursor or None if identity == settings.identity else None

    def reads_otherwise(self, settings: SourceSettings) -> bool:
        """Return whether the stored documents were read under other settings."""
        return self.cursor is not None and not self.cursor.startswith(f"{settings.identity} ")


@dataclass(frozen=True, slots=True)
class FileCounts:
    """The number of known files of a source, and of those that are not, or not fully, stored."""

    known: int = 0
    """The number of files that were seen."""
    unreadable: int = 0
    """The number of files of which nothing could be read."""
    incomplete: int = 0
    """The number of files of which some records could not be read."""
    left_out: int = 0
    """The number of files that are part of a multi-file export and contain no messages."""


@dataclass(frozen=True, slots=True)
class FileState:
    """The stored state of a file that was read, or could not be."""

    key: bytes
    """A hash of its path: names of exports may name people."""
    path: str
    """The path relative to the folder, with ``/``; empty in the journal for a file that was read completely."""
    size: int
    modified_ns: int
    digest: bytes
    """A hash of its content; empty when it could not be read at all."""
    reason: str = ""
    """The reason why it cannot be read; empty when it was read."""
    attempts: int = 0
    """The number of failed attempts to read it."""
    rejected: int = 0
    """The number of its records that could not be read."""
    format: str | None = None
    """Its format, as `claimant` returns it; None if it was not detected."""
    note: str = ""
    """A note on the parts that were not read and the reasons, for a file that was read or belongs to an export that
    was.
    """


SAME = "this folder"
"""The words for a source that reads the same folder as another."""
_STOPPED = 2
"""The value of the column ``paused`` for a stopped job; a person's pause is 1. An older memd treats it as a pause."""
_FILE_COLUMNS = "key, path, size, modified, digest, reason, attempts, rejected, format, note"
_REST_OF_FILE = attrgetter("size", "modified_ns", "digest", "reason", "attempts", "rejected", "format", "note")
FILE_CONDITIONS = {
    "unreadable": "reason != ''",
    "incomplete": "(reason = '' AND rejected > 0)",
    "left_out": "(reason = '' AND rejected = 0 AND note != '')",
}
"""The SQL conditions of the files that each field of `FileCounts` counts."""


class SourceRepository:
    """The sources of one memory. Methods raise ``StoreError`` when the journal cannot be used.

    Args:
        journal: holds the tables.
        declared: sources of the configuration; they win over registered ones of the same name or folder.
        clock: the time now, by which schedules begin.
    """

    def __init__(self, journal: Journal, declared: Sequence[SourceSettings] = (), clock: Clock = system_clock) -> None:
        self._journal = journal
        self._clock = clock
        self._declared = {each.name: each for each in declared}
        self._adding = anyio.Lock()
        self._reported: set[str] = set()
        """The registered sources for which the log already reports that a declared source reads their folder."""

    async def _rows(self, sql: str, *values: object) -> list[Any]:
        """Run one statement, and return its rows."""
        return await self._journal.run(lambda connection: connection.execute(sql, values).fetchall())

    async def all(self) -> list[RegisteredSource]:
        """Return all sources, by name. Omits rows of a newer memd that cannot be read."""

        def work(connection: sqlite3.Connection) -> list[tuple[str, str, float]]:
            now = self._clock().timestamp()
            for name in self._declared:
                connection.execute("INSERT OR IGNORE INTO jobs (job, due) VALUES (?, ?)", (f"source:{name}", now))
            rows = connection.execute("SELECT name, settings, added FROM sources").fetchall()
            declared = [
                (name, "", connection.execute("SELECT due FROM jobs WHERE job = ?", (f"source:{name}",)).fetchone()[0])
                for name in self._declared
            ]
            return [row for row in rows if row[0] not in self._declared] + declared

        sources: list[RegisteredSource] = []
        for name, settings, added in sorted(await self._journal.run(work)):
            declared = self._declared.get(name)
            read = declared or _read(settings)
            if read is not None:
                since = datetime.fromtimestamp(added or 0.0, UTC)
                sources.append(RegisteredSource(read, declared is not None, since))
        return await self._without_doubles(sources)

    async def _without_doubles(self, sources: Sequence[RegisteredSource]) -> list[RegisteredSource]:
        """Omit the registered sources whose folder a declared source reads: no file may be read twice."""
        declared = {each.settings.name: each.settings.path for each in sources if each.declared and each.settings.path}
        if not declared:
            return list(sources)
        kept: list[RegisteredSource] = []
        for each in sources:
            path = None if each.declared else each.settings.path
            same = None if path is None else await anyio.to_thread.run_sync(_name_of_same, path, declared)
            if same is None:
                kept.append(each)
            elif each.settings.name not in self._reported:
                self._reported.add(each.settings.name)
                log.warning(
                    "the source %r is left out: the declared source %r reads its folder; `memd sources remove` ends this",
                    each.settings.name,
                    same,
                )
        return kept

    async def names(self) -> set[str]:
        """Return the names of all sources, also of those that `all` omits."""
        return {name for (name,) in await self._rows("SELECT name FROM sources")} | {*self._declared}

    async def get(self, name: str) -> RegisteredSource:
        """Return the source of this name.

        Raises:
            NotFoundError: there is none.
        """
        sources = await self.all()
        for each in sources:
            if each.settings.name == name:
                return each
        names = ", ".join(each.settings.name for each in sources)
        hint = f"known: {names}" if names else "`memd sources add folder PATH` adds one"
        raise NotFoundError(f"there is no source {name!r}", hint=hint)

    async def add(self, settings: SourceSettings) -> None:
        """Store a source.

        Raises:
            InvalidError: one of this name, or one that reads the same folder, one around it or one in it, by whatever
                links, is there.
        """
        async with self._adding:
            sources = await self.all()
            for each in sources:
                if each.settings.name == settings.name:
                    hint = "choose another --name" if each.declared else _change_hint(settings.name, "--name")
                    raise InvalidError(f"there is a source {settings.name!r} already", hint=hint)
            await _refuse_same_folder(settings, sources)
            if not await self._insert(settings):
                hint = f"it is left out; `memd sources remove {shlex.quote(settings.name)}` ends it, or choose another --name"
                raise InvalidError(f"there is a source {settings.name!r} already", hint=hint)

    async def change(self, settings: SourceSettings) -> None:
        """Replace the settings of the source of this name. If its schedule changes, the new one applies from now on;
        missed times are not made up.

        Raises:
            NotFoundError: there is none.
            InvalidError: it is declared in the configuration, or another reads the folder, one around it or one in it.
        """
        async with self._adding:
            before = await self.get(settings.name)
            if before.declared:
                hint = "change it there, and restart memd"
                raise InvalidError(f"the source {settings.name!r} is declared in the configuration", hint=hint)
            if (
                settings.path != before.settings.path
            ):  # a source whose folder came to lie in another's can still be changed
                others = [each for each in await self.all() if each.settings.name != settings.name]
                await _refuse_same_folder(settings, others)
            body, now = orjson.dumps(settings.to_wire()).decode(), self._clock().timestamp()

            def work(connection: sqlite3.Connection) -> None:
                connection.execute("UPDATE sources SET settings = ? WHERE name = ?", (body, settings.name))
                if settings.schedule != before.settings.schedule:
                    connection.execute("UPDATE jobs SET due = ? WHERE job = ?", (now, settings.job))
                if (
                    settings.account != before.settings.account
                ):  # waits that the old server asked for do not apply to the new one
                    connection.execute("DELETE FROM job_notes WHERE job = ?", (settings.job,))

            await self._journal.run(work)

    async def _insert(self, settings: SourceSettings) -> bool:
        """Insert a source; return False if the name is taken, also by a row that `all` omits."""
        body = orjson.dumps(settings.to_wire()).decode()

        def work(connection: sqlite3.Connection) -> bool:
            if connection.execute("SELECT 1 FROM sources WHERE name = ?", (settings.name,)).fetchone():
                return False
            now = self._clock().timestamp()
            connection.execute("DELETE FROM source_files WHERE source = ?", (settings.name,))
            connection.execute(
                "INSERT INTO sources (name, settings, added) VALUES (?, ?, ?)", (settings.name, body, now)
            )
            connection.execute("DELETE FROM jobs WHERE job = ?", (settings.job,))  # with its notes
            connection.execute("INSERT INTO jobs (job, due) VALUES (?, ?)", (settings.job, now))
            return True

        return await self._journal.run(work)

    async def remove(self, name: str) -> None:
        """Delete a source and the states of its files; its documents stay stored.

        Raises:
            NotFoundError: there is none.
            InvalidError: it is declared in the configuration.
        """
        if name in self._declared:
            raise InvalidError(f"the source {name!r} is declared in the configuration", hint="remove it there")

        def work(connection: sqlite3.Connection) -> bool:
            removed = connection.execute("DELETE FROM sources WHERE name = ?", (name,)).rowcount > 0
            connection.execute("DELETE FROM source_files WHERE source = ?", (name,))
            connection.execute("DELETE FROM jobs WHERE job = ?", (f"source:{name}",))
            return removed

        if not await self._journal.run(work):
            await self.get(name)

    async def set_paused(self, job: str, *, paused: bool) -> None:
        """Turn scheduling of a job off or on. Once on, it is scheduled from now; missed times are not made up."""
        await self._rows(
            "INSERT INTO jobs (job, due, paused) VALUES (?1, ?2, ?3) ON CONFLICT (job) DO UPDATE SET due = ?2, paused = ?3",
            job,
            self._clock().timestamp(),
            paused,
        )

    async def stop(self, job: str) -> None:
        """Stop scheduling a job until a person acts; a job that a person paused stays paused."""
        await self._rows("UPDATE jobs SET paused = ? WHERE job = ? AND paused = 0", _STOPPED, job)

    async def states(self) -> dict[str, JobState]:
        """Return the stored state of each job."""
        rows = await self._rows(
            "SELECT job, due, paused, interrupted, cursor, asked, wait_until, wait_why FROM jobs LEFT JOIN job_notes USING (job)"
        )
        return {
            job: JobState(
                *(_moment(due), bool(paused), paused == _STOPPED, interrupted, cursor),
                *(_moment(request_time), _moment(until), why or ""),
            )
            for job, due, paused, interrupted, cursor, request_time, until, why in rows
        }

    async def note_asked(self, job: str) -> None:
        """Record that a run of this job just found nothing new."""
        await self._note(job, "asked", self._clock().timestamp())

    async def note_wait_for(self, job: str, seconds: float | None, why: str = "") -> None:
        """Record that the server told memd to wait this many seconds from now; None clears the wait."""
        until = None if seconds is None else self._clock().timestamp() + seconds
        await self._note(job, "wait_until", until, wait_why=why)

    async def _note(self, job: str, name: str, value: float | None, **more: str) -> None:
        """Write columns of ``job_notes``, if the job exists."""
        columns = {name: value, **more}
        names, marks = ", ".join(columns), ", ".join("?" * len(columns))
        put = ", ".join(f"{each} = excluded.{each}" for each in columns)
        await self._rows(
            f"INSERT INTO job_notes (job, {names}) SELECT job, {marks} FROM jobs WHERE job = ?"  # noqa: S608 - ours
            f" ON CONFLICT (job) DO UPDATE SET {put}",
            *columns.values(),
            job,
        )

    async def note_end(self, job: str) -> None:
        """Record that a run of this job ended, with any outcome: it was not interrupted."""
        await self._rows("UPDATE jobs SET interrupted = 0 WHERE job = ?", job)

    async def note_due(self, job: str, due: datetime) -> None:
        """Record a due time of this job as handled, even if nothing ran for it; also sets the first due time."""
        sql = "INSERT INTO jobs (job, due) VALUES (?1, ?2) ON CONFLICT (job) DO UPDATE SET due = ?2"
        await self._rows(sql, job, due.timestamp())

    async def files(self, source: str) -> dict[bytes, FileState]:
        """Return the states of the files of a source, by key."""
        rows = await self._rows(f"SELECT {_FILE_COLUMNS} FROM source_files WHERE source = ?", source)  # noqa: S608 - ours
        return {row[0]: FileState(*row) for row in rows}

    async def file_counts(self) -> dict[str, FileCounts]:
        """Return the numbers of files, by source."""
        sums = ", ".join(f"sum({condition})" for condition in FILE_CONDITIONS.values())
        rows = await self._rows(f"SELECT source, count(*), {sums} FROM source_files GROUP BY source")  # noqa: S608 - ours
        return {source: FileCounts(*counts) for source, *counts in rows}

    async def files_not_read(self, source: str, limit: int) -> dict[str, list[FileState]]:
        """Return the first files of a source that are not, or not fully, stored, by the field names of `FileCounts`."""
        sql = f"SELECT {_FILE_COLUMNS} FROM source_files WHERE source = ? AND {{}} ORDER BY path LIMIT ?"  # noqa: S608 - ours

        def work(connection: sqlite3.Connection) -> dict[str, list[FileState]]:
            return {
                name: [FileState(*row) for row in connection.execute(sql.format(condition), (source, limit))]
                for name, condition in FILE_CONDITIONS.items()
            }

        return await self._journal.run(work)


def saving_cursor(settings: SourceSettings, cursor: str) -> Callable[[sqlite3.Connection], None]:
    """Return a function that writes a source's cursor and the identity of its settings, for the transaction that stores
    its documents. It does nothing if the source has been removed.
    """
    values = (f"{settings.identity} {cursor}", settings.job)

    def work(connection: sqlite3.Connection) -> None:
        connection.execute("UPDATE jobs SET cursor = ? WHERE job = ?", values)

    return work


def saving_files(
    settings: SourceSettings, files: Iterable[FileState], gone: Collection[bytes] = ()
) -> Callable[[sqlite3.Connection], None]:
    """Return a function that writes the states of files and deletes those of files that are gone, for the same
    transaction. It does nothing if the source has been removed, even if another took its name: a run begins with
    `saving_cursor`, so the other source has no cursor, or one of other settings.
    """
    source, states = settings.name, list(files)

    def work(connection: sqlite3.Connection) -> None:
        row = connection.execute("SELECT cursor FROM jobs WHERE job = ?", (settings.job,)).fetchone()
        if row is None or not str(row[0]).startswith(f"{settings.identity} "):
            return
        now = time.time()
        connection.executemany(
            f"INSERT OR REPLACE INTO source_files (source, seen, {_FILE_COLUMNS})"  # noqa: S608 - ours
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [(source, now, f.key, f.path if f.reason or f.note else "", *_REST_OF_FILE(f)) for f in states],
        )
        connection.executemany("DELETE FROM source_files WHERE source = ? AND key = ?", [(source, key) for key in gone])

    return work


def together(*works: Callable[[sqlite3.Connection], None] | None) -> Callable[[sqlite3.Connection], None]:
    """Return a function that runs all of these in order."""
    parts: Iterable[Callable[[sqlite3.Connection], None]] = [work for work in works if work is not None]

    def work(connection: sqlite3.Connection) -> None:
        for each in parts:
            each(connection)

    return work


async def _refuse_same_folder(settings: SourceSettings, others: Sequence[RegisteredSource]) -> None:
    if settings.path is None:
        return
    declared = {each.settings.name: each.declared for each in others}
    paths = {each.settings.name: each.settings.path for each in others if each.settings.path is not None}
    for name, relation in await anyio.to_thread.run_sync(_overlaps, settings.path, paths):
        hint = "change it in the configuration" if declared[name] else _change_hint(name, "folder")
        raise InvalidError(f"the source {name!r} reads {relation} already", hint=hint)


def _change_hint(name: str, other: str) -> str:
    return f"`memd sources set {shlex.quote(name)}` changes it; or choose another {other}"


def _name_of_same(path: Path, others: Mapping[str, Path]) -> str | None:
    """Return the name of another source whose path leads to the same folder; None if there is none."""
    return next((name for name, relation in _overlaps(path, others) if relation == SAME), None)


def _overlaps(path: Path, others: Mapping[str, Path]) -> list[tuple[str, str]]:
    """Return the names of other sources that read the same folder, one around it or one in it, by whatever links, each with
    the words for that. Their files would be read twice.
    """
    folder = Path(os.path.realpath(path))  # accepts a link to itself, unlike `Path.resolve` on some systems
    overlaps: list[tuple[str, str]] = []
    for name, other in others.items():
        real = Path(os.path.realpath(other))
        if real == folder:
            overlaps.append((name, SAME))
        elif folder.is_relative_to(real):
            overlaps.append((name, f"{other}, in which this folder lies,"))
        elif real.is_relative_to(folder):
            overlaps.append((name, f"{other}, which lies in this folder,"))
    return overlaps


def _read(settings: str) -> SourceSettings | None:
    try:
        return source_settings(orjson.loads(settings))
    except (ValidationError, orjson.JSONDecodeError):
        return None


def _moment(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
