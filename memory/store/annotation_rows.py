"""Stores annotations: the keywords and typed links that a language model gave to messages, after A-MEM.

The tables exist only while `[evolution] notes` is on. Nothing is overwritten: each request to the model is a row with its
run, model and prompt, each set of keywords a further version of its message, and a run is undone by a mark. The current
keywords are a further search key of their message, see `expansions`. Everything that a request gave rests on all messages
that it showed: when one of these is forgotten, it goes, and the others are annotated anew.
"""

# ruff: noqa: S608 - statements are put together of names and conditions of ours; every value is bound

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

import orjson

from .codec import uuid_of
from .errors import row_errors
from .sql import rows_for

LEAST_CHARACTERS = 12
"""The length of a message from which on it is annotated: "ok" and "see you" have no keywords."""
_TABLES = (
    "annotation_queue (message INTEGER PRIMARY KEY)",
    """annotation_requests (id INTEGER PRIMARY KEY, run TEXT NOT NULL, model TEXT NOT NULL, version TEXT NOT NULL,
    at INTEGER NOT NULL, undone INTEGER NOT NULL DEFAULT 0)""",
    "annotation_shown (message INTEGER NOT NULL, request INTEGER NOT NULL, PRIMARY KEY (message, request)) WITHOUT ROWID",
    "annotations (id INTEGER PRIMARY KEY, message INTEGER NOT NULL, request INTEGER NOT NULL, keywords TEXT NOT NULL)",
    """annotation_links (message INTEGER NOT NULL, other INTEGER NOT NULL, request INTEGER NOT NULL, kind TEXT NOT NULL,
    PRIMARY KEY (message, other, request)) WITHOUT ROWID""",
)
_NAMES = tuple(table.split(" ", 1)[0] for table in _TABLES)
_INDEXES = ("annotations (message)", "annotations (request)", "annotation_links (other)", "annotation_links (request)")
_IS_DUE = f"new.kind = 'text' AND length(new.content) >= {LEAST_CHARACTERS}"
_TRIGGERS = {
    "annotation_came": f"INSERT ON messages WHEN {_IS_DUE} BEGIN INSERT OR IGNORE INTO annotation_queue VALUES (new.id)",
    "annotation_edited": f"UPDATE OF content ON messages WHEN old.content <> new.content AND {_IS_DUE} BEGIN"
    " INSERT OR IGNORE INTO annotation_queue VALUES (new.id)",
    "annotation_went": "DELETE ON messages BEGIN DELETE FROM annotation_queue WHERE message = old.id;"
    " DELETE FROM annotations WHERE message = old.id; DELETE FROM annotation_shown WHERE message = old.id;"
    " DELETE FROM annotation_links WHERE message = old.id OR other = old.id",
}
_CURRENT = """
SELECT a.message, m.key, m.document, a.keywords, r.run, r.model, r.version, max(a.id) FROM annotations a
JOIN annotation_requests r ON r.id = a.request AND r.undone = 0 JOIN messages m ON m.id = a.message WHERE {} GROUP BY 1
"""
_MESSAGE = "SELECT m.id, m.key, m.document, d.key, s.name, m.content FROM {} JOIN documents d ON d.id = m.document"
_FROM_SPEAKERS = "messages m JOIN speakers s ON s.id = m.speaker"


@dataclass(frozen=True, slots=True)
class NotedMessage:
    """A message that is annotated, or shown as a neighbour of one."""

    row: int
    key: UUID
    document: UUID
    speaker: str
    content: str


@dataclass(frozen=True, slots=True)
class Annotation:
    """The results of one request to the model."""

    run: str
    model: str
    version: str
    """The version of the prompt."""
    at: datetime
    shown: Sequence[NotedMessage]
    """All messages that the request showed."""
    keywords: Mapping[UUID, Sequence[str]] = field(default_factory=dict[UUID, Sequence[str]])
    """The new keywords by message."""
    links: Sequence[tuple[UUID, UUID, str]] = ()
    """(message, other message, kind)."""


@dataclass(frozen=True, slots=True)
class RunState:
    """The state of a run of annotating."""

    undone: bool
    requests: int
    """The number of its requests to the model."""


def prepare(connection: sqlite3.Connection) -> None:
    """Create the tables if they are missing, and queue every message."""
    if exist(connection):
        return
    for table in _TABLES:
        connection.execute(f"CREATE TABLE {table}")
    for number, index in enumerate(_INDEXES):
        connection.execute(f"CREATE INDEX annotation_index_{number} ON {index}")
    for name, body in _TRIGGERS.items():
        connection.execute(f"CREATE TRIGGER {name} AFTER {body}; END")
    _queue_all(connection)


def remove(connection: sqlite3.Connection) -> list[int]:
    """Delete the tables; return the row ids of the documents whose expansions are no longer current."""
    if not exist(connection):
        return []
    documents = [
        row
        for (row,) in connection.execute(
            "SELECT DISTINCT m.document FROM annotations a JOIN messages m ON m.id = a.message"
        )
    ]
    for name in _TRIGGERS:
        connection.execute(f"DROP TRIGGER {name}")
    for name in _NAMES:
        connection.execute(f"DROP TABLE {name}")
    return documents


def exist(connection: sqlite3.Connection) -> bool:
    """Return whether there are annotations, or may be some."""
    return connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'annotations'").fetchone() is not None


def due(connection: sqlite3.Connection, limit: int) -> list[NotedMessage]:
    """Return the first messages that await annotation, all of the same document."""
    first = "SELECT m.document FROM annotation_queue q JOIN messages m ON m.id = q.message ORDER BY q.message LIMIT 1"
    statement = f"{_MESSAGE.format('annotation_queue q JOIN messages m ON m.id = q.message JOIN speakers s ON s.id = m.speaker')}"
    rows = connection.execute(f"{statement} WHERE m.document = ({first}) ORDER BY m.id LIMIT ?", (limit,))
    return [_message(row) for row in rows]


def messages(connection: sqlite3.Connection, keys: Collection[UUID]) -> list[NotedMessage]:
    """Return the messages with these keys; missing ones are omitted."""
    statement = f"{_MESSAGE.format(_FROM_SPEAKERS)} WHERE m.key IN ({{}})"
    return [_message(row) for row in rows_for(connection, statement, [key.bytes for key in keys])]


def keywords_of(connection: sqlite3.Connection, documents: Collection[int]) -> Iterator[tuple[UUID, int, list[str]]]:
    """Yield (message, row id of its document, current keywords) of the annotated messages of these documents."""
    if exist(connection):
        for _, key, document, body, *_ in rows_for(connection, _CURRENT.format("m.document IN ({})"), documents):
            with row_errors():
                yield uuid_of(key), document, [str(word) for word in orjson.loads(body)]


def current(connection: sqlite3.Connection, message: UUID) -> dict[str, Any] | None:
    """Return the keywords and links of a message as JSON; each link names the other message, from either end."""
    if not exist(connection):
        return None
    words = connection.execute(_CURRENT.format("m.key = ?"), (message.bytes,)).fetchone()
    statement = """
        SELECT l.kind, m.key, o.key, r.run, r.model, max(r.id) FROM annotation_links l
        JOIN annotation_requests r ON r.id = l.request AND r.undone = 0
        JOIN messages m ON m.id = l.message JOIN messages o ON o.id = l.other
        WHERE m.key = ? OR o.key = ? GROUP BY 2, 3 ORDER BY 6
    """
    links = [
        {"kind": kind, "id": str(uuid_of(other if one == message.bytes else one)), "run": run, "model": model}
        for kind, one, other, run, model, _ in connection.execute(statement, (message.bytes, message.bytes))
    ]
    if words is None and not links:
        return None
    keywords, run, model, version = ("[]", "", "", "") if words is None else words[3:7]
    made = {"run": run, "model": model, "version": version}
    return {"keywords": orjson.loads(keywords), **made, "links": links}


def done(connection: sqlite3.Connection, taken: Collection[int], annotation: Annotation | None) -> set[int]:
    """Take messages from the queue and store what the model gave; return the documents whose expansions are no longer
    current. If a shown message was changed or removed meanwhile, nothing is stored, and they stay in the queue.
    """
    if annotation is None:
        connection.executemany("DELETE FROM annotation_queue WHERE message = ?", [(row,) for row in taken])
        return set()
    there = {each.key: each for each in messages(connection, [each.key for each in annotation.shown])}
    if any(there.get(each.key) != each for each in annotation.shown):
        return set()
    connection.executemany("DELETE FROM annotation_queue WHERE message = ?", [(row,) for row in taken])
    request = connection.execute(
        "INSERT INTO annotation_requests (run, model, version, at) VALUES (?, ?, ?, ?)",
        (annotation.run, annotation.model, annotation.version, int(annotation.at.timestamp())),
    ).lastrowid
    connection.executemany(
        "INSERT OR IGNORE INTO annotation_shown VALUES (?, ?)", [(each.row, request) for each in annotation.shown]
    )
    rows = [(there[key].row, request, orjson.dumps(list(words)).decode()) for key, words in annotation.keywords.items()]
    connection.executemany("INSERT INTO annotations (message, request, keywords) VALUES (?, ?, ?)", rows)
    links = [(there[one].row, there[other].row, request, kind) for one, other, kind in annotation.links]
    connection.executemany("INSERT OR REPLACE INTO annotation_links VALUES (?, ?, ?, ?)", links)
    return _documents(connection, [row for row, _, _ in rows])


def set_undone(connection: sqlite3.Connection, run: str, *, undone: bool) -> set[int]:
    """Withdraw what a run gave, or let it hold again; return the documents whose expansions are no longer current."""
    connection.execute("UPDATE annotation_requests SET undone = ? WHERE run = ?", (undone, run))
    of_run = "SELECT a.message FROM annotations a JOIN annotation_requests r ON r.id = a.request WHERE r.run = ?"
    return _documents(connection, [row for (row,) in connection.execute(of_run, (run,))])


def state_of(connection: sqlite3.Connection, run: str) -> RunState | None:
    """Return the state of a run; None if it gave nothing."""
    if not exist(connection):
        return None
    statement = "SELECT min(undone), count(*) FROM annotation_requests WHERE run = ?"
    undone, count = connection.execute(statement, (run,)).fetchone()
    return RunState(undone=bool(undone), requests=count) if count else None


def forget(connection: sqlite3.Connection, gone: Collection[int]) -> set[int]:
    """Delete everything that requests gave which showed one of these messages, and queue the other messages; return the
    documents whose expansions are no longer current. Call it before the messages are removed.
    """
    if not exist(connection):
        return set()
    requests = {
        row for (row,) in rows_for(connection, "SELECT request FROM annotation_shown WHERE message IN ({})", gone)
    }
    annotated = {
        row for (row,) in rows_for(connection, "SELECT message FROM annotations WHERE request IN ({})", requests)
    }
    documents = _documents(connection, annotated)
    for table in ("annotations", "annotation_links", "annotation_shown"):
        connection.executemany(f"DELETE FROM {table} WHERE request = ?", [(request,) for request in requests])
    connection.executemany("DELETE FROM annotation_requests WHERE id = ?", [(request,) for request in requests])
    again = [(row,) for row in annotated.difference(gone)]
    connection.executemany("INSERT OR IGNORE INTO annotation_queue VALUES (?)", again)
    return documents


def forget_all(connection: sqlite3.Connection) -> None:
    """Delete all annotations, since any may mention a forgotten person in whatever words, and queue every message."""
    if exist(connection):
        for name in _NAMES:
            connection.execute(f"DELETE FROM {name}")
        _queue_all(connection)


def _queue_all(connection: sqlite3.Connection) -> None:
    long_enough = f"kind = 'text' AND length(content) >= {LEAST_CHARACTERS}"
    connection.execute(f"INSERT OR IGNORE INTO annotation_queue SELECT id FROM messages WHERE {long_enough}")


def _documents(connection: sqlite3.Connection, rows: Collection[int]) -> set[int]:
    return {document for (document,) in rows_for(connection, "SELECT document FROM messages WHERE id IN ({})", rows)}


def _message(row: tuple[Any, ...]) -> NotedMessage:
    identifier, key, _, document, speaker, content = row
    return NotedMessage(identifier, uuid_of(key), uuid_of(document), speaker, content)
