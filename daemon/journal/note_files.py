"""The journal's tables of the notes in the files of a mirrored folder, written along with the states of the files.

When a file is gone, or no longer holds a note, a *check* is recorded: once all documents journaled before it are stored,
the store retires the note, unless another file holds it at that time. The tables contain hashes only.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from uuid import UUID

import orjson

TABLES = """
CREATE TABLE IF NOT EXISTS note_files (
    job TEXT NOT NULL, file BLOB NOT NULL, document BLOB NOT NULL, PRIMARY KEY (job, file, document)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS note_files_by_document ON note_files (document);
CREATE TABLE IF NOT EXISTS note_checks (
    id INTEGER PRIMARY KEY AUTOINCREMENT, document BLOB NOT NULL UNIQUE, run TEXT NOT NULL, after INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS note_counts (
    run TEXT PRIMARY KEY, removed INTEGER NOT NULL, returned INTEGER NOT NULL, renamed INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS note_renames (
    run TEXT NOT NULL, file BLOB NOT NULL, document BLOB NOT NULL, former INTEGER NOT NULL,
    PRIMARY KEY (run, file, document)
) WITHOUT ROWID;
CREATE TRIGGER IF NOT EXISTS note_counts_of_runs AFTER DELETE ON runs BEGIN
    DELETE FROM note_counts WHERE run = old.run;
    DELETE FROM note_renames WHERE run = old.run;
END;
CREATE TRIGGER IF NOT EXISTS note_files_of_jobs AFTER DELETE ON jobs BEGIN
    DELETE FROM note_files WHERE job = old.job;
    DELETE FROM note_checks WHERE run IN (SELECT run FROM runs WHERE job = old.job);
END;
"""
"""Tables that an older memd ignores. ``file``: the key of the file's state. ``after``: the number of the last entry that
was journaled before the check. When a source is removed, its rows are deleted and the notes stay. Forgetting a note keeps
its row: a file that is known to hold it is not told as gone. ``note_counts``: the number of notes that a run removed, that
came back with it, and whose files it found under another name. ``note_renames``: by the key of a file that a run found under
another name, the notes that it holds and those that it held under the ``former`` one.
"""
SALVAGED = {
    "note_files": ("job", "file", "document"),
    "note_checks": ("id", "document", "run", "after"),
    "note_counts": ("run", "removed", "returned", "renamed"),
    "note_renames": ("run", "file", "document", "former"),
}
_AT_ONCE = 500
"""The maximum number of checks taken at a time, and of notes that are retired in one transaction."""
_LARGEST = 2**62


@dataclass(frozen=True, slots=True)
class NoteCheck:
    """A note that a file held, and whether another file holds it now."""

    id: int
    """The number of the check; a later check of the same note has another one."""
    document: UUID
    run: str
    """The run that found the change."""
    held: bool


@dataclass(slots=True)
class NoteChanges:
    """The changes of the files of a mirrored folder, for the transaction that stores the states of the files.

    Args:
        job: the job that reads the folder.
        held: by file, the notes that it holds now.
        gone: the files that are gone.
        removed: the number of notes that will be retired for them.
        returned: the number of retired notes that come back with the files that are held.
        renames: the key of the file among the gone ones whose note a file holds under another name, by the key of that.
    """

    job: str
    held: Mapping[bytes, Collection[UUID]] = field(default_factory=dict[bytes, Collection[UUID]])
    gone: Collection[bytes] = ()
    removed: int = 0
    returned: int = 0
    renames: Mapping[bytes, bytes] = field(default_factory=dict[bytes, bytes])
    noted: bool = False
    """True if `save` recorded any checks."""

    def save(self, connection: sqlite3.Connection, run: str, _stored: Collection[UUID] = ()) -> None:
        """Write the changes; do nothing if the source has been removed.

        Args:
            connection: the connection of the transaction.
            run: the run that read the folder.
        """
        if connection.execute("SELECT 1 FROM jobs WHERE job = ?", (self.job,)).fetchone() is None:
            return
        (after,) = connection.execute("SELECT coalesce(max(seq), 0) FROM entries").fetchone()
        self._save_counts(connection, run)
        lost: set[bytes] = set()
        for file in (*self.gone, *self.held):
            rows = connection.execute("SELECT document FROM note_files WHERE job = ? AND file = ?", (self.job, file))
            before = {document for (document,) in rows}
            now = {key.bytes for key in self.held.get(file, ())}
            lost |= before - now
            connection.executemany(
                "DELETE FROM note_files WHERE job = ? AND file = ? AND document = ?",
                [(self.job, file, document) for document in before - now],
            )
            connection.executemany(
                "INSERT OR IGNORE INTO note_files VALUES (?, ?, ?)", [(self.job, file, document) for document in now]
            )
        connection.executemany(
            "INSERT OR REPLACE INTO note_checks (document, run, after) VALUES (?, ?, ?)",
            [(document, run, after) for document in sorted(lost)],
        )
        self.noted |= bool(lost)

    def _save_counts(self, connection: sqlite3.Connection, run: str) -> None:
        """Count the notes that go, come back and get another name, before the notes of the files change."""
        for file, former in self.renames.items():
            connection.executemany(
                "INSERT OR IGNORE INTO note_renames VALUES (?, ?, ?, 0)",
                [(run, file, key.bytes) for key in self.held.get(file, ())],
            )
            connection.execute(
                "INSERT OR IGNORE INTO note_renames SELECT ?, ?, document, file = ? FROM note_files WHERE job = ? AND file IN (?, ?)",
                (run, file, former, self.job, file, former),
            )
        if self.removed or self.returned or self.renames:
            connection.execute(
                "INSERT INTO note_counts VALUES (?, ?, ?, ?) ON CONFLICT (run) DO UPDATE SET"
                " removed = removed + excluded.removed, returned = returned + excluded.returned,"
                " renamed = renamed + excluded.renamed",
                (run, self.removed, self.returned, len(self.renames)),
            )

    def part(self, _documents: Collection[str], *, last: bool) -> NoteChanges:
        """Return the changes to write with some documents of the batch: all of them with the last documents."""
        return self if last else NoteChanges(self.job)


def of_job(connection: sqlite3.Connection, job: str) -> dict[bytes, frozenset[UUID]]:
    """Return the notes that the files of a folder held when they were read last, by file."""
    notes: dict[bytes, set[UUID]] = {}
    for file, document in connection.execute("SELECT file, document FROM note_files WHERE job = ?", (job,)):
        notes.setdefault(file, set()).add(UUID(bytes=document))
    return {file: frozenset(documents) for file, documents in notes.items()}


def counts_of_runs(connection: sqlite3.Connection, runs: Collection[str]) -> dict[str, dict[str, int]]:
    """Return the numbers of notes that runs removed, brought back and found under another name; runs without any are
    omitted.
    """
    rows = connection.execute(
        "SELECT run, removed, returned, renamed FROM note_counts WHERE run IN (SELECT value FROM json_each(?))",
        (orjson.dumps(sorted(runs)).decode(),),
    )
    return {
        run: {"removed": removed, "returned": returned, "renamed": renamed} for run, removed, returned, renamed in rows
    }


def renames_of_runs(connection: sqlite3.Connection, runs: Collection[str]) -> list[tuple[set[UUID], set[UUID]]]:
    """Return, for each file that these runs found under another name, its notes under the former one and under this."""
    rows = connection.execute(
        "SELECT run, file, document, former FROM note_renames WHERE run IN (SELECT value FROM json_each(?))",
        (orjson.dumps(sorted(runs)).decode(),),
    )
    notes: dict[tuple[str, bytes], tuple[set[UUID], set[UUID]]] = {}
    for run, file, document, former in rows:
        notes.setdefault((run, file), (set(), set()))[0 if former else 1].add(UUID(bytes=document))
    return list(notes.values())


def held_elsewhere(connection: sqlite3.Connection, documents: Collection[UUID], job: str) -> set[UUID]:
    """Return those of some notes that a file of another mirrored folder holds."""
    sql = "SELECT 1 FROM note_files WHERE document = ? AND job != ? LIMIT 1"
    return {each for each in documents if connection.execute(sql, (each.bytes, job)).fetchone() is not None}


def due_checks(connection: sqlite3.Connection) -> list[NoteCheck]:
    """Return the checks that precede every queued entry."""
    rows = connection.execute(
        "SELECT id, document, run, EXISTS (SELECT 1 FROM note_files n WHERE n.document = c.document) FROM note_checks c"
        " WHERE after < coalesce((SELECT min(seq) FROM entries WHERE state = 'queued' AND buffer = ''), ?)"
        " ORDER BY id LIMIT ?",
        (_LARGEST, _AT_ONCE),
    )
    return [NoteCheck(number, UUID(bytes=document), run, bool(held)) for number, document, run, held in rows]


def lasting_runs(connection: sqlite3.Connection, runs: Collection[str], job: str) -> set[str]:
    """Return those of ``runs`` whose notes stay whatever becomes of the files of a mirrored folder: imports, and runs of
    other sources that are no mirrors. Omits runs that are no longer in the history, and those of removed sources.

    Args:
        connection: of the journal.
        runs: the candidates.
        job: the job that reads the folder.
    """
    rows = connection.execute(
        "SELECT run FROM runs WHERE run IN (SELECT value FROM json_each(?)) AND job != ? AND (job = '' OR"
        " (job IN (SELECT job FROM jobs) AND job NOT IN (SELECT job FROM note_files)))",
        (orjson.dumps(sorted(runs)).decode(), job),
    )
    return {name for (name,) in rows}


def job_of(connection: sqlite3.Connection, run: str) -> str:
    """Return the job of a run; empty if it is no longer in the history."""
    row = connection.execute("SELECT job FROM runs WHERE run = ?", (run,)).fetchone()
    return "" if row is None else str(row[0])


def end_checks(connection: sqlite3.Connection, checks: Iterable[NoteCheck]) -> None:
    """Delete finished checks, except those recorded anew meanwhile."""
    connection.executemany("DELETE FROM note_checks WHERE id = ?", [(each.id,) for each in checks])


def runs_with_checks(connection: sqlite3.Connection) -> set[str]:
    """Return the runs that have pending checks."""
    return {run for (run,) in connection.execute("SELECT DISTINCT run FROM note_checks")}
