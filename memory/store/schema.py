"""The tables of memory.db, and how the file is opened. Integer row ids are internal, 16-byte keys are public."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from uuid import uuid4

from ...schemas.errors import StoreError
from ..private_files import open_private, require_regular_database, sync_folder
from ..sqlite_wal import SQLITE_ERRORS, reading_uri
from .errors import database_errors
from .facts_schema import KNOWLEDGE, REFUSED
from .inputs import TABLES as INPUTS
from .migrations import migrate
from .people_schema import PEOPLE
from .repeats import TABLES as REPEATS
from .row_counts import make_counts

APPLICATION_ID = 0x6D656D64
"""The ASCII codes of ``memd``."""
FORMAT_VERSION = 9
"""1: the first format. 2: tombstones, checksums of vectors. 3: statements and facts. 4: indexes for every listing, row
counts. 5: computed links of facts. 6: people. 7: inputs of each run. 8: failed windows and refused proposals. 9:
repeated inputs recorded once for many documents; see `migrations`.
"""
DATABASE = "memory.db"

TABLES = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE documents (
    id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, name TEXT NOT NULL, source TEXT NOT NULL, account TEXT NOT NULL,
    kind TEXT NOT NULL, user TEXT NOT NULL, micros INTEGER, offset INTEGER, chat BLOB, metadata TEXT, content TEXT
);
CREATE INDEX documents_by_name ON documents (name);
CREATE INDEX documents_by_source ON documents (source, micros DESC);
CREATE INDEX documents_by_time ON documents (micros DESC);
CREATE INDEX documents_of_text ON documents (micros) WHERE kind = 'text';
CREATE INDEX documents_by_chat ON documents (chat) WHERE chat IS NOT NULL;
CREATE TABLE digests (
    document INTEGER NOT NULL REFERENCES documents, digest BLOB NOT NULL, PRIMARY KEY (document, digest)
) WITHOUT ROWID;
CREATE TABLE people (
    document INTEGER NOT NULL REFERENCES documents, ordinal INTEGER NOT NULL, name TEXT NOT NULL, folded TEXT NOT NULL,
    PRIMARY KEY (document, ordinal)
) WITHOUT ROWID;
CREATE INDEX people_by_name ON people (folded);
CREATE INDEX people_of_crowds ON people (document) WHERE ordinal = 256;
CREATE TABLE tags (
    document INTEGER NOT NULL REFERENCES documents, ordinal INTEGER NOT NULL, tag TEXT NOT NULL,
    PRIMARY KEY (document, ordinal)
) WITHOUT ROWID;
CREATE INDEX tags_by_tag ON tags (tag);
CREATE TABLE speakers (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, folded TEXT NOT NULL, messages INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX speakers_by_name ON speakers (folded);
CREATE TABLE messages (
    id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, document INTEGER NOT NULL REFERENCES documents,
    position INTEGER NOT NULL, speaker INTEGER NOT NULL REFERENCES speakers, kind TEXT NOT NULL,
    micros INTEGER NOT NULL, offset INTEGER NOT NULL, source_id TEXT, content TEXT NOT NULL, rest TEXT
);
CREATE INDEX messages_in_order ON messages (document, position);
CREATE INDEX messages_by_speaker ON messages (speaker, document);
CREATE INDEX messages_by_kind ON messages (kind, document) WHERE kind <> 'text';
CREATE INDEX messages_by_time ON messages (micros);
CREATE INDEX messages_by_source_id ON messages (source_id) WHERE source_id IS NOT NULL;
CREATE TABLE texts (id INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE);
CREATE TABLE makes (id INTEGER PRIMARY KEY, strategy TEXT NOT NULL, version TEXT NOT NULL, UNIQUE (strategy, version));
CREATE TABLE chunks (
    id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, document INTEGER NOT NULL REFERENCES documents,
    message INTEGER REFERENCES messages, ordinal INTEGER NOT NULL, start INTEGER NOT NULL, "end" INTEGER NOT NULL,
    tokens INTEGER NOT NULL, make INTEGER NOT NULL REFERENCES makes, section TEXT NOT NULL,
    text INTEGER NOT NULL REFERENCES texts, embed TEXT
);
CREATE INDEX chunks_by_message ON chunks (message, ordinal) WHERE message IS NOT NULL;
CREATE INDEX chunks_by_document ON chunks (document, ordinal);
CREATE INDEX chunks_by_text ON chunks (text);
CREATE INDEX chunks_by_make ON chunks (make, document);
CREATE TABLE models (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE vectors (
    model INTEGER NOT NULL REFERENCES models, text INTEGER NOT NULL REFERENCES texts, vector BLOB NOT NULL,
    crc INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (model, text)
);
CREATE INDEX vectors_by_text ON vectors (text);
CREATE TABLE tombstones (key BLOB PRIMARY KEY, document BLOB NOT NULL) WITHOUT ROWID;
CREATE INDEX tombstones_by_document ON tombstones (document);
CREATE TABLE pending (id INTEGER PRIMARY KEY AUTOINCREMENT, text INTEGER NOT NULL UNIQUE REFERENCES texts);
CREATE TABLE conversations (
    key BLOB PRIMARY KEY, id TEXT NOT NULL, source TEXT NOT NULL, account TEXT NOT NULL, title TEXT NOT NULL,
    kind TEXT NOT NULL, people TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE renames (
    chat BLOB NOT NULL, source TEXT NOT NULL, old TEXT NOT NULL, new TEXT NOT NULL, old_folded TEXT NOT NULL,
    new_folded TEXT NOT NULL, PRIMARY KEY (chat, old, new)
) WITHOUT ROWID;
CREATE INDEX renames_by_old ON renames (old_folded);
CREATE INDEX renames_by_new ON renames (new_folded);
{KNOWLEDGE}{REFUSED}{PEOPLE}{INPUTS}{REPEATS}CREATE TABLE word_changes (sequence INTEGER PRIMARY KEY, chunk INTEGER NOT NULL UNIQUE);
CREATE TABLE vector_changes (sequence INTEGER PRIMARY KEY, chunk INTEGER NOT NULL UNIQUE);
"""
"""``chunks.embed`` is NULL where the embedded text equals ``Speaker: slice`` (or the slice, in a text document), so
that no text is stored twice. ``word_changes`` and ``vector_changes`` hold each chunk once, under the number of its
latest change; both draw from one counter in ``meta``.
"""


def connect(path: Path, *, read_only: bool, unwritten: bool = False) -> sqlite3.Connection:
    """Open a connection that any single thread may use at a time.

    Args:
        path: of the database.
        read_only: open it without write access.
        unwritten: no process writes while it is open, and its folder may not be writable; see `sqlite_wal.reading_uri`.
    """
    mode = "ro" if read_only else "rw"
    with database_errors():
        require_regular_database(path)
        connection = sqlite3.connect(
            reading_uri(path) if unwritten else f"{path.absolute().as_uri()}?mode={mode}",
            uri=True,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=256,
            timeout=5.0,
        )
        try:
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("PRAGMA cache_size = -8000")
            # Overwrite deleted content, not only unlink it: an edited message's old words, a forgotten chat.
            connection.execute("PRAGMA secure_delete = ON")
            if not read_only:
                connection.execute("PRAGMA synchronous = FULL")
        except SQLITE_ERRORS:
            connection.close()
            raise
    return connection


def store_id(path: Path) -> str:
    """Return the id of the store whose database is at `path`.

    Raises:
        StoreError: the database cannot be opened or is damaged.
    """
    connection = connect(path, read_only=True)
    try:
        with database_errors():
            row = connection.execute("SELECT value FROM meta WHERE name = 'store'").fetchone()
            return "" if row is None else str(row[0])
    finally:
        connection.close()


def create_or_check(path: Path, *, read_only: bool) -> str:
    """Create the database if it is missing, otherwise check and upgrade it; return the store's id.

    Raises:
        StoreError: it has a newer format, belongs to another program, is damaged, or (``read_only``) does not exist.
    """
    if path.exists():
        _refuse_emptied(path)
    else:
        if read_only:
            raise StoreError("there is no store here", hint="ingest something first, or check --data-dir")
        with database_errors():
            os.close(open_private(path))
            sync_folder(path.parent)  # the file's name must survive a power loss as well as its content
    connection = connect(path, read_only=read_only, unwritten=read_only)
    try:
        with database_errors():
            return _checked(connection, path, read_only=read_only)
    finally:
        connection.close()


def _refuse_emptied(path: Path) -> None:
    """Refuse an empty file if there is an index beside it: the store had content. An empty file alone is left by a
    crash during creation, before any index exists.
    """
    with database_errors():
        emptied = not path.stat().st_size and not path.with_name(f"{path.name}-wal").exists()
        if emptied and any(path.with_name(name).exists() for name in ("words", "vectors.codes", "vectors.usearch")):
            raise StoreError(
                "memory.db is empty, and was not", hint="restore a backup, or move it away and ingest the sources again"
            )


def _checked(connection: sqlite3.Connection, path: Path, *, read_only: bool) -> str:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if not tables and not version and not read_only:
        return _create(connection)
    if application != APPLICATION_ID:
        raise StoreError(
            "memory.db belongs to another program", hint="choose another data directory, or move the file away"
        )
    if version > FORMAT_VERSION:
        raise StoreError(
            f"the store has format {version}, this memd reads up to {FORMAT_VERSION}",
            hint="use the newer memd that made it",
        )
    if version < FORMAT_VERSION:
        if read_only:
            raise StoreError(
                f"the store has format {version}, this memd works with {FORMAT_VERSION}",
                hint="any command that may write brings it up to date, after a copy: memd status",
            )
        migrate(connection, path, version, FORMAT_VERSION)
    (store,) = connection.execute("SELECT value FROM meta WHERE name = 'store'").fetchone()
    return str(store)


def _create(connection: sqlite3.Connection) -> str:
    store = uuid4().hex
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("BEGIN IMMEDIATE")
    tables = (
        TABLES.replace("{KNOWLEDGE}", KNOWLEDGE)
        .replace("{REFUSED}", REFUSED.lstrip())
        .replace("{PEOPLE}", PEOPLE)
        .replace("{INPUTS}", INPUTS.lstrip())
        .replace("{REPEATS}", REPEATS.lstrip())
    )
    for statement in tables.split(";\n"):
        if statement.strip():
            connection.execute(statement)
    make_counts(connection)
    connection.executemany("INSERT INTO meta VALUES (?, ?)", [("store", store), ("sequence", 0), ("chunk", 0)])
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {FORMAT_VERSION}")
    connection.execute("COMMIT")
    return store
