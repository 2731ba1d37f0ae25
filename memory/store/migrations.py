"""Upgrades memory.db from older formats: first a copy of the file, then all steps in one transaction."""

from __future__ import annotations

import os
import re
import sqlite3
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path

import orjson

from ...schemas import SYSTEM_SPEAKER, UNKNOWN_USER
from ...schemas.errors import StoreError
from ...schemas.keys import uuid5
from ..private_files import create_anew, sync_folder
from .change_log import record_changes
from .facts_schema import KNOWLEDGE, REFUSED
from .identity_rows import recount_identities
from .inputs import TABLES as INPUTS
from .people_schema import PEOPLE
from .repeats import TABLES as REPEATS
from .row_counts import make_counts
from .version_messages import rebuild_version_messages

COPY = "{name}.format-{version}"
"""The name of the copy that a migration leaves beside the database; forgetting deletes it, and the user may."""


def migrate(connection: sqlite3.Connection, path: Path, version: int, target: int) -> None:
    """Upgrade the database at ``path`` from ``version`` to ``target``; a failure leaves it unchanged.

    Raises:
        StoreError: the format is unknown, or there is no room for the copy.
        sqlite3.Error: a step failed.
    """
    unknown = [step for step in range(version, target) if step not in STEPS]
    if unknown:
        raise StoreError(f"the store has format {version}, which this memd does not know", hint="was it damaged?")
    _copy(connection, path.with_name(COPY.format(name=path.name, version=version)))
    with connection:  # commits, or rolls back
        connection.execute("BEGIN IMMEDIATE")
        for step in range(version, target):
            STEPS[step](connection)
        connection.execute(f"PRAGMA user_version = {target}")


def copies(path: Path) -> list[Path]:
    """Return the copies that migrations left beside a database."""
    return sorted(path.parent.glob(COPY.format(name=path.name, version="*")))


def _copy(connection: sqlite3.Connection, target: Path) -> None:
    """Write a complete copy to `target`; a copy that a crash interrupted has another name and is made again."""
    if target.exists():
        return
    temporary = target.with_name(f"{target.name}.new")
    os.close(create_anew(temporary))
    copy = sqlite3.connect(temporary)
    try:
        connection.backup(copy)
    finally:
        copy.close()
    with temporary.open("rb") as file:
        os.fsync(file.fileno())
    temporary.replace(target)
    sync_folder(target.parent)


def _to_2(connection: sqlite3.Connection) -> None:
    """Add tombstones, checksums of vectors, and an index of a document's chunks."""
    connection.execute("CREATE TABLE tombstones (key BLOB PRIMARY KEY, document BLOB NOT NULL) WITHOUT ROWID")
    connection.execute("CREATE INDEX tombstones_by_document ON tombstones (document)")
    connection.execute("ALTER TABLE vectors ADD COLUMN crc INTEGER NOT NULL DEFAULT 0")
    connection.create_function("crc32", 1, zlib.crc32, deterministic=True)
    connection.execute("UPDATE vectors SET crc = crc32(vector)")
    connection.execute("CREATE INDEX vectors_by_text ON vectors (text)")
    connection.execute("DROP INDEX chunks_of_texts")
    connection.execute("CREATE INDEX chunks_by_document ON chunks (document, ordinal)")


def _to_3(connection: sqlite3.Connection) -> None:
    """Add statements and facts; every document is queued for extraction."""
    for statement in KNOWLEDGE.split(";\n"):
        if statement.strip():
            connection.execute(statement)
    connection.execute("INSERT INTO unread SELECT id FROM documents")


_LISTS = """
DROP INDEX documents_by_source;
DROP INDEX documents_by_time;
DROP INDEX messages_by_speaker;
CREATE INDEX documents_by_source ON documents (source, micros DESC);
CREATE INDEX documents_by_time ON documents (micros DESC);
CREATE INDEX documents_of_text ON documents (micros) WHERE kind = 'text';
CREATE INDEX people_of_crowds ON people (document) WHERE ordinal = 256;
CREATE INDEX messages_by_speaker ON messages (speaker, document);
CREATE INDEX messages_by_kind ON messages (kind, document) WHERE kind <> 'text';
CREATE INDEX chunks_by_make ON chunks (make, document);
DROP INDEX facts_by_cluster;
DROP INDEX facts_by_subject;
"""


def _to_4(connection: sqlite3.Connection) -> None:
    """Add an index for every listing, row counts, and the messages of former versions of facts."""
    for statement in filter(str.strip, _LISTS.split(";\n")):
        connection.execute(statement)
    # A store upgraded from format 2 got these tables and indexes together with its facts.
    there = {row[0] for row in connection.execute("SELECT name FROM sqlite_master")}
    for statement in filter(str.strip, KNOWLEDGE.split(";\n")):
        if _NAME.match(statement.strip())[1] not in there:  # type: ignore[index] - each of them creates something
            connection.execute(statement)
    rebuild_version_messages(connection)
    make_counts(connection)


def _to_5(connection: sqlite3.Connection) -> None:
    """Drop the stored links of facts, which are now computed for display, and the context in their bodies."""
    connection.execute("DROP TABLE IF EXISTS fact_links")
    connection.execute(
        "UPDATE facts SET body = json_remove(body, '$.fact.context')"
        " WHERE CASE WHEN json_valid(body) THEN json_type(body, '$.fact.context') END IS NOT NULL"
    )


def _to_6(connection: sqlite3.Connection) -> None:
    """Add the tables of people, with no decisions yet, and count the names per source."""
    for statement in filter(str.strip, PEOPLE.split(";\n")):
        connection.execute(statement)
    recount_identities(connection)


_NAME = re.compile(r"CREATE (?:UNIQUE )?(?:TABLE|INDEX|TRIGGER) (\w+)")


def _to_7(connection: sqlite3.Connection) -> None:
    """Add the table of inputs per run."""
    for statement in filter(str.strip, INPUTS.split(";\n")):
        connection.execute(statement)


def _to_8(connection: sqlite3.Connection) -> None:
    """Add the tables of failed windows and of refused proposals."""
    for statement in filter(str.strip, REFUSED.split(";\n")):
        connection.execute(statement)


def _to_9(connection: sqlite3.Connection) -> None:
    """Add the table of repeated inputs; make each conversation that has a title and no chat a chat of its own."""
    for statement in filter(str.strip, REPEATS.split(";\n")):
        connection.execute(statement)
    connection.create_function("chat_key", 3, lambda *names: uuid5("chat", *map(str, names)).bytes, deterministic=True)
    connection.execute("CREATE TEMP TABLE titled AS" + _TITLED)
    connection.execute("UPDATE documents SET chat = titled.chat FROM titled WHERE titled.id = documents.id")
    connection.execute(_CHATS_OF_TITLED, (orjson.dumps([SYSTEM_SPEAKER, UNKNOWN_USER]).decode(),))
    chunks = connection.execute("SELECT c.id FROM titled t JOIN chunks c ON c.document = t.id ORDER BY c.id").fetchall()
    record_changes(connection, "word_changes", [chunk for (chunk,) in chunks])
    connection.execute("DROP TABLE titled")


_TITLED = """
SELECT id, chat_key(source, account, name) AS chat, json_extract(metadata, '$.title') AS title FROM documents
WHERE kind = 'conversation' AND chat IS NULL
AND CASE WHEN json_valid(metadata) THEN json_extract(metadata, '$.title') <> '' END
"""
_CHATS_OF_TITLED = """
INSERT OR IGNORE INTO conversations SELECT t.chat, d.name, d.source, d.account, t.title, 'unknown',
    (SELECT json_group_array(name) FROM (SELECT name FROM people p WHERE p.document = d.id
        AND name NOT IN (SELECT value FROM json_each(?)) ORDER BY p.ordinal))
FROM titled t JOIN documents d ON d.id = t.id
"""


STEPS: Mapping[int, Callable[[sqlite3.Connection], None]] = {
    1: _to_2,
    2: _to_3,
    3: _to_4,
    4: _to_5,
    5: _to_6,
    6: _to_7,
    7: _to_8,
    8: _to_9,
}
"""The migration steps by the format that each starts from."""
