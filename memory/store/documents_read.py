"""Reads documents, messages, ids, listings, names and chats from their tables."""

# ruff: noqa: S608 - statements are put together of names and conditions of ours; every value is bound

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal
from uuid import UUID

import orjson

from ...schemas import SYSTEM_SPEAKER, UNKNOWN_USER, Conversation
from ..records import MAIL_SOURCES, READERS_STRATEGIES, DocumentLine, MessageHome, Rename, StoredDocument, StoredMessage
from ..search_types import Filter
from .codec import DOCUMENT, MESSAGE, document_of, former_wordings, json_of, message_of, time_of, uuid_of
from .errors import decoding
from .filters import PRESENT, compile_filter, document_conditions, rare_documents
from .sql import rows_for

_MESSAGES = "FROM messages m JOIN speakers s ON s.id = m.speaker"


def documents(connection: sqlite3.Connection, keys: Iterable[UUID]) -> dict[UUID, StoredDocument]:
    """Return documents by key, with their content and digests."""
    statement = f"SELECT {DOCUMENT}, d.content FROM documents d WHERE d.key IN ({{}})"
    rows = list(rows_for(connection, statement, {key.bytes for key in keys}))
    return {document.key: document for document in complete(connection, rows, digests=True)}


def keys_of_rows(connection: sqlite3.Connection, rows: Iterable[int]) -> dict[int, UUID]:
    """Return the keys of documents by their row ids; missing rows are omitted."""
    return {
        row: uuid_of(key) for row, key in rows_for(connection, "SELECT id, key FROM documents WHERE id IN ({})", rows)
    }


def complete(connection: sqlite3.Connection, rows: Sequence[tuple[Any, ...]], *, digests: bool) -> list[StoredDocument]:
    """Return the documents of rows of ``DOCUMENT`` plus content, with people, tags and, if `digests`, their digests."""
    identifiers = [row[0] for row in rows]
    people = _lists(
        connection, "SELECT document, name FROM people WHERE document IN ({}) ORDER BY 1, ordinal", identifiers
    )
    tags = _lists(connection, "SELECT document, tag FROM tags WHERE document IN ({}) ORDER BY 1, ordinal", identifiers)
    digest_lists: Mapping[int, list[Any]] = {}
    if digests:
        digest_lists = _lists(connection, "SELECT document, digest FROM digests WHERE document IN ({})", identifiers)
    return [
        document_of(
            row[:-1],
            row[-1],
            tuple(people.get(row[0], ())),
            tuple(tags.get(row[0], ())),
            frozenset(digest_lists.get(row[0], ())),
        )
        for row in rows
    ]


def _lists(connection: sqlite3.Connection, statement: str, identifiers: Sequence[int]) -> dict[int, list[Any]]:
    values: dict[int, list[Any]] = defaultdict(list)
    for identifier, value in rows_for(connection, statement, identifiers):
        values[identifier].append(value)
    return values


def unchanged(connection: sqlite3.Connection, digests: Mapping[UUID, bytes]) -> set[UUID]:
    """Return the keys of the documents that this input, by its digest, would not change: conversations that have it, and
    texts of which it was the last one. A retired text has none; of a text with several, which an older memd left, it is
    unknown which was the last.
    """
    statement = (
        "SELECT d.key, g.digest FROM documents d JOIN digests g ON g.document = d.id"
        f" WHERE d.key IN ({{}}) AND {PRESENT} AND (d.kind <> 'text' OR NOT EXISTS"
        " (SELECT 1 FROM digests o WHERE o.document = d.id AND o.digest <> g.digest))"
    )
    rows = rows_for(connection, statement, (key.bytes for key in digests))
    return {key for key, digest in ((uuid_of(raw), digest) for raw, digest in rows) if digests[key] == digest}


def messages(connection: sqlite3.Connection, keys: Iterable[UUID]) -> dict[UUID, list[StoredMessage]]:
    """Return all messages of the given documents in order; missing documents are omitted."""
    by_document: dict[UUID, list[StoredMessage]] = {}
    statement = "SELECT id, key FROM documents WHERE key IN ({})"
    for identifier, raw in rows_for(connection, statement, {key.bytes for key in keys}):
        key = uuid_of(raw)
        rows = connection.execute(
            f"SELECT {MESSAGE} {_MESSAGES} WHERE m.document = ? ORDER BY m.position, m.id",
            (identifier,),
        )
        by_document[key] = [message_of(row, key) for row in rows]
    return by_document


def homes(connection: sqlite3.Connection, names: Collection[tuple[str, int]]) -> list[MessageHome]:
    """Return the documents of the messages with these (source id, microseconds), in the order of their rows."""
    # Uses the index of times: few messages share an instant, while hundreds of chats may all number their messages from
    # 1.
    statement = (
        "SELECT m.source_id, m.micros, m.id, d.key, s.name, m.content, m.rest FROM messages m"
        " JOIN documents d ON d.id = m.document JOIN speakers s ON s.id = m.speaker"
        " WHERE m.micros IN ({}) AND +m.source_id IN (SELECT value FROM json_each(?))"
    )
    ids = orjson.dumps(sorted({name for name, _ in names})).decode()
    rows = rows_for(connection, statement, sorted({micros for _, micros in names}), ids)
    matches = sorted((row for row in rows if (row[0], row[1]) in names), key=lambda row: row[2])
    return [
        MessageHome(identifier, micros, uuid_of(key), speaker, frozenset([content, *former_wordings(rest)]))
        for identifier, micros, _, key, speaker, content, rest in matches
    ]


def holders(connection: sqlite3.Connection, identifiers: Collection[str]) -> dict[str, list[UUID]]:
    """Return the documents that hold a message of each of these source ids, in the order of their rows."""
    statement = "SELECT m.source_id, d.key, m.id FROM messages m JOIN documents d ON d.id = m.document WHERE m.source_id IN ({})"
    by_id: dict[str, list[UUID]] = {}
    for identifier, key, _ in sorted(rows_for(connection, statement, sorted(identifiers)), key=lambda row: row[2]):
        by_id.setdefault(identifier, []).append(uuid_of(key))
    return by_id


def find(
    connection: sqlite3.Connection, identifier: str, *, retired: bool = False
) -> list[StoredMessage | StoredDocument]:
    """Return the messages and documents with this key or id; messages first. ``retired``: also retired texts."""
    key: bytes | None = None
    try:
        key = UUID(identifier).bytes
    except ValueError:
        key = None
    rows = connection.execute(
        f"SELECT d.key, {MESSAGE} {_MESSAGES} JOIN documents d ON d.id = m.document"
        " WHERE m.source_id = ?1 OR m.key = ?2 ORDER BY m.id",
        (identifier, key),
    ).fetchall()
    matches: list[StoredMessage | StoredDocument] = [message_of(row[1:], uuid_of(row[0])) for row in rows]
    rows = connection.execute(
        f"SELECT {DOCUMENT}, d.content FROM documents d WHERE (d.name = ?1 OR d.key = ?2)"
        f"{'' if retired else f' AND {PRESENT}'} ORDER BY d.id",
        (identifier, key),
    ).fetchall()
    return matches + complete(connection, rows, digests=True)


def keys_beginning(connection: sqlite3.Connection, prefix: str, limit: int) -> list[UUID]:
    """Return the keys of messages, documents and text chunks that begin with these hexadecimal digits; up to `limit` of
    each.
    """
    low, high = _between(prefix)
    keys: list[UUID] = []
    for table, more in (("messages", ""), ("documents", ""), ("chunks", " AND message IS NULL")):
        rows = connection.execute(
            f"SELECT key FROM {table} WHERE key BETWEEN ? AND ?{more} ORDER BY key LIMIT ?", (low, high, limit)
        )
        keys += [uuid_of(key) for (key,) in rows]
    return keys


def document_keys_beginning(connection: sqlite3.Connection, prefix: str, limit: int) -> list[UUID]:
    """Return up to `limit` keys of documents that begin with these hexadecimal digits."""
    rows = connection.execute(
        "SELECT key FROM documents WHERE key BETWEEN ? AND ? ORDER BY key LIMIT ?", (*_between(prefix), limit)
    )
    return [uuid_of(key) for (key,) in rows]


def message_keys_beginning(connection: sqlite3.Connection, prefix: str, limit: int) -> list[UUID]:
    """Return up to `limit` keys of messages that begin with these hexadecimal digits."""
    rows = connection.execute(
        "SELECT key FROM messages WHERE key BETWEEN ? AND ? ORDER BY key LIMIT ?", (*_between(prefix), limit)
    )
    return [uuid_of(key) for (key,) in rows]


def facts_beginning(connection: sqlite3.Connection, prefix: str, limit: int) -> list[UUID]:
    """Return up to `limit` ids of facts, of any version, that begin with these hexadecimal digits."""
    rows = connection.execute(
        "SELECT DISTINCT key FROM facts WHERE key BETWEEN ? AND ? ORDER BY key LIMIT ?", (*_between(prefix), limit)
    )
    return [uuid_of(key) for (key,) in rows]


def _between(prefix: str) -> tuple[bytes, bytes]:
    low, high = (bytes.fromhex(prefix.ljust(32, filler)) for filler in "0f")
    return low, high


def piece(connection: sqlite3.Connection, key: UUID) -> tuple[UUID, int, int] | None:
    """Return the document key and the start and end offsets in its content of the text chunk with this key."""
    row = connection.execute(
        'SELECT d.key, c.start, c."end" FROM chunks c JOIN documents d ON d.id = c.document'
        " WHERE c.key = ? AND c.message IS NULL",
        (key.bytes,),
    ).fetchone()
    return None if row is None else (uuid_of(row[0]), row[1], row[2])


def pieces(connection: sqlite3.Connection) -> list[tuple[str, str, int, int, int]]:
    """Return all chunks of texts: id of the document, section, position, start and end offsets. Scans the whole table:
    for measurements of small stores.
    """
    return connection.execute(
        'SELECT d.name, c.section, c.ordinal, c.start, c."end" FROM chunks c JOIN documents d ON d.id = c.document'
        " WHERE c.message IS NULL ORDER BY c.document, c.ordinal"
    ).fetchall()


_LINE = """
SELECT d.key, d.name, d.source, d.kind, json_extract(d.metadata, '$.title'), d.micros, d.offset,
    (SELECT count(*) FROM messages m WHERE m.document = d.id), v.title, d.id
FROM documents d LEFT JOIN conversations v ON v.key = d.chat
"""
_ORDER = " ORDER BY d.micros DESC, d.id LIMIT ?"
"""Newest first. SQLite sorts NULL lowest, so undated documents come last; the index by time has the same order."""


def listing(
    connection: sqlite3.Connection, where: Filter, after: UUID | None, limit: int, *, retired: bool = False
) -> list[DocumentLine]:
    """Return one page of documents, newest first and undated ones last. An unknown `after` gives an empty page.
    ``retired``: also retired texts.
    """
    ranges = _behind(connection, after)
    resolved = compile_filter(connection, where)
    sources: tuple[str, ...] = ()
    condition = "1"
    bound: list[Any] = []
    if resolved is not None:
        sources, resolved = resolved.sources, replace(resolved, sources=())
        condition, bound = document_conditions(resolved)
        rare = rare_documents(connection, resolved)
        if rare is not None:
            condition += " AND d.id IN (SELECT value FROM json_each(?))"
            bound = [*bound, orjson.dumps(rare).decode()]
    condition += "" if retired else f" AND {PRESENT}"
    lines: list[Sequence[Any]] = []
    for range_condition, values in ranges:
        # Query each source separately: the index then yields rows in page order, and nothing needs to be sorted.
        by_source = [("d.source = ? AND ", [source]) for source in sources] or [("", list[str]())]
        rows: list[Sequence[Any]] = []
        for source_condition, source in by_source:
            statement = f"{_LINE} WHERE {source_condition}{range_condition} AND {condition}{_ORDER}"
            rows += connection.execute(statement, [*source, *values, *bound, limit - len(lines)])
        rows.sort(
            key=lambda row: (0 if row[5] is None else -row[5], row[9])
        )  # within a range either all documents have a time or none
        lines += rows[: limit - len(lines)]
        if len(lines) >= limit:
            break
    return [_line_of(row[:9]) for row in lines]


def _behind(connection: sqlite3.Connection, after: UUID | None) -> list[tuple[str, list[Any]]]:
    """Return the conditions for documents after `after` in page order; each is one range of the index by time."""
    if after is None:
        return [("d.micros IS NOT NULL", []), ("d.micros IS NULL", [])]
    row = connection.execute("SELECT micros, id FROM documents WHERE key = ?", (after.bytes,)).fetchone()
    if row is None:
        return []
    micros, identifier = row
    if micros is None:
        return [("d.micros IS NULL AND d.id > ?", [identifier])]
    same = ("d.micros = ? AND d.id > ?", [micros, identifier])
    return [same, ("d.micros < ?", [micros]), ("d.micros IS NULL", [])]


@decoding
def _line_of(row: Sequence[Any]) -> DocumentLine:
    key, name, source, kind, title, micros, offset, count, chat_title = row
    return DocumentLine(
        key=uuid_of(key),
        id=name,
        source=source,
        kind=kind,
        title=title or chat_title or "",
        timestamp=None if micros is None else time_of(micros, offset),
        messages=count,
    )


def names(connection: sqlite3.Connection) -> dict[str, int]:
    """Return the number of messages by speaker, most first; without the reserved names."""
    rows = connection.execute("SELECT name, messages FROM speakers WHERE messages > 0 ORDER BY messages DESC, name")
    return {name: count for name, count in rows if name not in RESERVED}


def mentioned(connection: sqlite3.Connection) -> set[str]:
    """Return all names of people in documents, speakers and renames, in folded case."""
    # Skips from one name to the next in the index: a name may occur there once for each of many documents.
    rows = connection.execute(
        "WITH RECURSIVE each (name) AS (SELECT min(folded) FROM people UNION ALL"
        " SELECT (SELECT min(folded) FROM people WHERE folded > each.name) FROM each WHERE each.name IS NOT NULL)"
        " SELECT name FROM each WHERE name IS NOT NULL UNION SELECT folded FROM speakers WHERE messages > 0"
        " UNION SELECT old_folded FROM renames UNION SELECT new_folded FROM renames"
    )
    return {row[0] for row in rows}


def former_names(connection: sqlite3.Connection) -> set[str]:
    """Return all old and new names of renames, in folded case."""
    return {row[0] for row in connection.execute("SELECT old_folded FROM renames UNION SELECT new_folded FROM renames")}


_NAMED = {"sources": ("documents", "source"), "tags": ("tags", "tag"), "subjects": ("facts", "subject")}


def distinct(connection: sqlite3.Connection, what: Literal["sources", "tags", "subjects"]) -> list[str]:
    """Return each source of documents, tag, or subject of facts (in folded case) once, skipping from value to value in
    the index.
    """
    table, column = _NAMED[what]
    rows = connection.execute(
        f"WITH RECURSIVE each (name) AS (SELECT min({column}) FROM {table} UNION ALL"
        f" SELECT (SELECT min({column}) FROM {table} WHERE {column} > each.name) FROM each WHERE each.name IS NOT NULL)"
        " SELECT name FROM each WHERE name IS NOT NULL"
    )
    return [row[0] for row in rows]


RESERVED = (SYSTEM_SPEAKER, UNKNOWN_USER)


def chat_titles(connection: sqlite3.Connection) -> list[str]:
    """Return the distinct titles of all chats; the subjects of mails are none."""
    statement = "SELECT DISTINCT title FROM conversations WHERE title <> '' AND source NOT IN (?, ?, ?) ORDER BY title"
    return [title for (title,) in connection.execute(statement, MAIL_SOURCES)]


def conversations(
    connection: sqlite3.Connection, keys: Collection[UUID] | None = None
) -> list[tuple[UUID, Conversation]]:
    """Return all chats, ordered by source, account and id; with `keys` only those, in no order."""
    statement = "SELECT key, id, source, account, title, kind, people FROM conversations"
    if keys is None:
        rows: Iterable[Sequence[Any]] = connection.execute(f"{statement} ORDER BY source, account, id")
    else:
        rows = rows_for(connection, f"{statement} WHERE key IN ({{}})", {key.bytes for key in keys})
    return [_conversation_of(row) for row in rows]


@decoding
def _conversation_of(row: Sequence[Any]) -> tuple[UUID, Conversation]:
    key, identifier, source, account, title, kind, people = row
    named = tuple(json_of(people))
    return uuid_of(key), Conversation(
        id=identifier, source=source, account=account, title=title, kind=kind, people=named
    )


def renames(connection: sqlite3.Connection, chats: Collection[UUID]) -> list[Rename]:
    """Return the renames of these chats."""
    statement = "SELECT chat, source, old, new FROM renames WHERE chat IN ({}) ORDER BY chat, old, new"
    rows = rows_for(connection, statement, {chat.bytes for chat in chats})
    return [Rename(chat=uuid_of(chat), source=source, old=old, new=new) for chat, source, old, new in rows]


def chunk_versions(connection: sqlite3.Connection, documents: Collection[UUID]) -> dict[UUID, set[str]]:
    """Return the versions of the strategies that made the chunks of each document; documents without chunks are
    omitted.
    """
    statement = (
        "SELECT d.key, k.version FROM documents d CROSS JOIN makes k WHERE d.key IN ({}) AND k.strategy NOT IN (?, ?)"
        " AND EXISTS (SELECT 1 FROM chunks c WHERE c.make = k.id AND c.document = d.id)"
    )
    versions: defaultdict[UUID, set[str]] = defaultdict(set)
    for key, version in rows_for(connection, statement, {key.bytes for key in documents}, *READERS_STRATEGIES):
        versions[uuid_of(key)].add(version)
    return versions


def outdated(connection: sqlite3.Connection, version_of: Callable[[StoredDocument], str]) -> list[UUID]:
    """Return the documents with a chunk of any other chunker version than theirs, in the order of their rows.

    Args:
        connection: of the store.
        version_of: returns the version that cuts a document, which is given without its content, people and tags.
    """
    makes = connection.execute("SELECT id, version FROM makes WHERE strategy NOT IN (?, ?)", READERS_STRATEGIES)
    versions: defaultdict[int, set[str]] = defaultdict(set)
    for make, version in makes.fetchall():
        for (document,) in connection.execute("SELECT DISTINCT document FROM chunks WHERE make = ?", (make,)):
            versions[document].add(version)
    keys: list[UUID] = []
    for row in connection.execute(f"SELECT {DOCUMENT} FROM documents d ORDER BY d.id"):
        document = document_of(row, None, (), (), frozenset())
        if versions.get(row[0], set()) - {version_of(document)}:
            keys.append(document.key)
    return keys


def every_key(connection: sqlite3.Connection) -> list[UUID]:
    """Return the keys of all documents, in the order of their rows."""
    return [uuid_of(key) for (key,) in connection.execute("SELECT key FROM documents ORDER BY id")]


def chunk_keys(connection: sqlite3.Connection, documents: Collection[UUID]) -> dict[UUID, set[UUID]]:
    """Return the keys of the chunks of each document, without chunks in an extractor's words."""
    by_document: dict[UUID, set[UUID]] = {key: set() for key in documents}
    statement = (
        "SELECT d.key, c.key FROM documents d JOIN chunks c ON c.document = d.id JOIN makes k ON k.id = c.make"
        " WHERE d.key IN ({}) AND k.strategy NOT IN (?, ?)"
    )
    for document, chunk in rows_for(connection, statement, {key.bytes for key in documents}, *READERS_STRATEGIES):
        by_document[uuid_of(document)].add(uuid_of(chunk))
    return by_document
