"""The journal's tables, and the migrations from older versions."""

from __future__ import annotations

import sqlite3
import zlib

from ...schemas.errors import StoreError
from . import memberships, note_files

VERSION = 5
"""The version of the schema. 1: the first. 2: a checksum beside each document, since SQLite has none and a changed
letter is still JSON. 3: sources with their files, cursors and schedules; the trigger and due time of a run; buffered
documents. 4: notices of runs; the format of each file of a source, and a note on its unread parts. 5: the place in the
receipt of each document.
"""

_ENTRIES = """
CREATE TABLE entries (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    run TEXT NOT NULL,
    key TEXT NOT NULL,
    body BLOB NOT NULL,
    messages INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    error TEXT NOT NULL DEFAULT '',
    state TEXT NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'dead')),
    added REAL NOT NULL,
    crc INTEGER NOT NULL,
    buffer TEXT NOT NULL DEFAULT '',
    place TEXT NOT NULL DEFAULT ''
);
CREATE TABLE runs (
    run TEXT PRIMARY KEY,
    source TEXT NOT NULL,
    begun REAL NOT NULL,
    ended REAL,
    outcome TEXT,
    counts TEXT NOT NULL DEFAULT '{}',
    job TEXT NOT NULL DEFAULT '',
    trigger TEXT NOT NULL DEFAULT '',
    due REAL,
    detail TEXT NOT NULL DEFAULT '',
    notices TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;
"""
_SINCE_3 = """
CREATE INDEX entries_by_state ON entries (state, buffer, seq, messages, bytes, added);
CREATE INDEX runs_by_job ON runs (job, begun);
CREATE TABLE sources (
    name TEXT PRIMARY KEY,
    settings TEXT NOT NULL,
    added REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE jobs (
    job TEXT PRIMARY KEY,
    due REAL,
    paused INTEGER NOT NULL DEFAULT 0,
    interrupted INTEGER NOT NULL DEFAULT 0,
    cursor TEXT
) WITHOUT ROWID;
CREATE TABLE source_files (
    source TEXT NOT NULL,
    key BLOB NOT NULL,
    path TEXT NOT NULL DEFAULT '',
    size INTEGER NOT NULL,
    modified INTEGER NOT NULL,
    digest BLOB NOT NULL,
    reason TEXT NOT NULL DEFAULT '',
    attempts INTEGER NOT NULL DEFAULT 0,
    rejected INTEGER NOT NULL DEFAULT 0,
    seen REAL NOT NULL,
    format TEXT,
    note TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (source, key)
) WITHOUT ROWID;
"""
BROUGHT_SOMETHING = "json_extract(counts, '$.added') > 0 OR json_extract(counts, '$.updated') > 0"
"""An SQL condition: the run brought something new."""
_INDEXES = f"""
CREATE INDEX IF NOT EXISTS runs_by_end ON runs (ended, run) WHERE ended IS NOT NULL;
CREATE INDEX IF NOT EXISTS runs_of_job_by_end ON runs (job, ended, run) WHERE ended IS NOT NULL;
CREATE INDEX IF NOT EXISTS runs_of_job_with_news ON runs (job, begun) WHERE {BROUGHT_SOMETHING};
"""
"""The derived indexes; a journal of the same format may lack them."""
_RECEIPTS = """
CREATE TABLE IF NOT EXISTS receipts (
    run TEXT NOT NULL,
    number INTEGER NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (run, number)
) WITHOUT ROWID;
CREATE TRIGGER IF NOT EXISTS receipts_of_runs AFTER DELETE ON runs BEGIN DELETE FROM receipts WHERE run = old.run; END;
CREATE TABLE IF NOT EXISTS place_counts (
    run TEXT NOT NULL,
    place TEXT NOT NULL,
    added INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    PRIMARY KEY (run, place)
) WITHOUT ROWID;
CREATE TRIGGER IF NOT EXISTS place_counts_of_runs AFTER DELETE ON runs BEGIN
    DELETE FROM place_counts WHERE run = old.run;
END;
DELETE FROM place_counts WHERE run NOT IN (SELECT run FROM runs);
CREATE TABLE IF NOT EXISTS undone (run TEXT PRIMARY KEY, at REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS undoing (run TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TRIGGER IF NOT EXISTS undone_of_runs AFTER DELETE ON runs BEGIN DELETE FROM undone WHERE run = old.run; END;
CREATE TABLE IF NOT EXISTS open_runs (run TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TRIGGER IF NOT EXISTS open_runs_of_runs AFTER DELETE ON runs BEGIN DELETE FROM open_runs WHERE run = old.run; END;
CREATE TRIGGER IF NOT EXISTS end_of_open_runs AFTER UPDATE OF ended ON runs WHEN new.ended IS NOT NULL BEGIN
    DELETE FROM open_runs WHERE run = new.run;
END;
CREATE TABLE IF NOT EXISTS fed_stores (store TEXT PRIMARY KEY, since REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS store_changes (store TEXT PRIMARY KEY, change INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS job_notes (job TEXT PRIMARY KEY, asked REAL, wait_until REAL, wait_why TEXT) WITHOUT ROWID;
CREATE TRIGGER IF NOT EXISTS notes_of_jobs AFTER DELETE ON jobs BEGIN DELETE FROM job_notes WHERE job = old.job; END;
"""
"""Tables that an older memd ignores, so that a journal of the same format may lack them. ``place_counts``: the store's
counts of the documents that were read at one place of the receipt, see `receipts.PlaceCounts`. ``undoing``: runs that
are being undone, until it is known whether the store did it. ``open_runs``: runs to which more may be added.
``fed_stores``: the id of the store that receives the documents, and one more for each store that replaced another.
``store_changes``: the number of the store's last change when memd began and ended. ``job_notes``: the time when a
source last had nothing new, and the time until which it told memd to wait.
"""
_FROM_1 = """
ALTER TABLE entries ADD COLUMN crc INTEGER NOT NULL DEFAULT 0;
UPDATE entries SET crc = crc32(body);
"""
_FROM_2 = """
DROP INDEX entries_by_state;
ALTER TABLE entries ADD COLUMN buffer TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN job TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN trigger TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN due REAL;
ALTER TABLE runs ADD COLUMN detail TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN notices TEXT NOT NULL DEFAULT '';
"""
_FROM_3 = """
ALTER TABLE runs ADD COLUMN notices TEXT NOT NULL DEFAULT '';
ALTER TABLE source_files ADD COLUMN format TEXT;
ALTER TABLE source_files ADD COLUMN note TEXT NOT NULL DEFAULT '';
"""
_FROM_4 = """
ALTER TABLE entries ADD COLUMN place TEXT NOT NULL DEFAULT '';
"""
_STEPS = {
    0: _ENTRIES + _SINCE_3,
    1: _FROM_1 + _FROM_2 + _FROM_4 + _SINCE_3,
    2: _FROM_2 + _FROM_4 + _SINCE_3,
    3: _FROM_3 + _FROM_4,
    4: _FROM_4,
}
"""The SQL that migrates each older version to the present one."""
SALVAGED = {
    "sources": ("name", "settings", "added"),
    "jobs": ("job", "due", "paused", "interrupted", "cursor"),
    "source_files": (
        "source",
        "key",
        "path",
        "size",
        "modified",
        "digest",
        "reason",
        "attempts",
        "rejected",
        "seen",
        "format",
        "note",
    ),
    **memberships.SALVAGED,
    **note_files.SALVAGED,
}
"""The tables beside the entries whose readable rows are copied out of a damaged journal."""


def prepare_tables(connection: sqlite3.Connection) -> None:
    """Make the tables of a new journal, or migrate those of an older one, in one transaction.

    Raises:
        StoreError: a newer memd wrote it.
        sqlite3.Error: it cannot be read or written.
    """
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version == VERSION:
        has_open_runs = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'open_runs'").fetchone()
        # It is unknown whether runs of a memd without this table were complete.
        left = "" if has_open_runs else "INSERT OR IGNORE INTO open_runs SELECT run FROM runs WHERE ended IS NULL;"
        connection.executescript(_INDEXES + _RECEIPTS + memberships.TABLES + note_files.TABLES + left)
        return
    if version not in _STEPS:
        raise StoreError(
            f"the journal has format {version}, and this memd knows {VERSION}", hint="use the newer memd that wrote it"
        )
    connection.create_function("crc32", 1, zlib.crc32, deterministic=True)
    connection.executescript(
        f"BEGIN IMMEDIATE; {_STEPS[version]} {_INDEXES} {_RECEIPTS} {memberships.TABLES} {note_files.TABLES}"
        f" PRAGMA user_version = {VERSION}; COMMIT;"
    )
