"""Deletes rows from memory.db for good: the forgotten ones and those only they referred to. Tombstones prevent a
return.
"""

# ruff: noqa: S608 - statements are put together of names and conditions of ours; every value is bound

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Literal
from uuid import UUID

import orjson

from ...schemas import SYSTEM_SPEAKER, UNKNOWN_USER
from ..text.fields import WIDE_AFTER, WIDE_BEFORE
from ..text.names import folded
from ..write_batches import Removal
from . import annotation_rows, expansions, fact_log, refused_rows, repeats
from .change_log import record_changes, sequence
from .codec import uuid_of
from .documents_write import apply_changes, count_messages
from .fact_names import of_source
from .fact_rows import apply_knowledge, changed, reset_knowledge
from .identity_rows import IdentityCounts, apply_counts
from .inputs import apply_undo, seal
from .people_rows import forget_keys, forget_own_names, keys_of_people
from .sql import rows_for, spans

FollowedLog = Literal["word_changes", "vector_changes", "fact_changes"]
PURGE = "purge"
"""The entry in ``meta`` that files may still hold removed content."""
FORGOTTEN: dict[FollowedLog, str] = {
    "word_changes": "forgotten_words",
    "vector_changes": "forgotten_vectors",
    "fact_changes": "forgotten_facts",
}
"""The entry in ``meta`` for each log, with the number of the last change before the latest forgetting that affected it.
An index that has not passed this number may still hold removed content in its files.
"""
_OF_WHOLE = "SELECT id FROM messages WHERE document IN ({})"


def forget(connection: sqlite3.Connection, removal: Removal) -> None:
    """Apply a removal with its accompanying changes, and mark the files as not yet purged."""
    before = sequence(connection)
    whole = [
        row[0]
        for row in rows_for(
            connection, "SELECT id FROM documents WHERE key IN ({})", [k.bytes for k in removal.documents]
        )
    ]
    messages = {
        row[0]: (row[1], row[2])
        for row in rows_for(
            connection,
            "SELECT id, document, position FROM messages WHERE key IN ({})",
            [k.bytes for k in removal.messages],
        )
    }
    gone = {*messages, *(row[0] for row in rows_for(connection, _OF_WHOLE, whole))}
    touched = {*whole, *(document for document, _ in messages.values())}
    chats = _chats(connection, touched)
    neighbours = _neighbours(connection, messages.values())
    rested_on = _keys(connection, touched, gone)
    people = keys_of_people(connection, removal.subjects, removal.merged)
    annotated = annotation_rows.forget(connection, gone)
    reset_knowledge(connection, touched)
    expansions.refresh(connection, annotated - touched)
    counts = IdentityCounts()
    _remove_messages(connection, gone, counts)
    _remove_documents(connection, whole, counts)
    apply_counts(connection, counts)
    apply_changes(connection, removal.changes)
    if removal.undone is None:
        seal(connection, touched.difference(whole))
    else:
        apply_undo(connection, removal.undone)
    if removal.update is not None:
        apply_knowledge(connection, removal.update)
        _remove_statements(connection, removal.update.excluded)
    if removal.subjects or removal.merged or (removal.update is not None and removal.update.excluded):
        refused_rows.forget_all(connection)
        annotation_rows.forget_all(connection)
        expansions.drop_all(connection)
    _remove_versions(connection, rested_on, removal)
    changed(connection, {document for document, _ in messages.values()})
    record_changes(connection, "word_changes", _existing(connection, neighbours))
    _tidy(connection, chats)
    forget_own_names(connection)
    forget_keys(connection, people)
    _remove_unused_texts(connection)
    connection.executemany(
        "INSERT OR IGNORE INTO tombstones (key, document) VALUES (?, ?)",
        [(key.bytes, document.bytes) for document, keys in removal.tombstones.items() for key in keys],
    )
    _mark_forgotten(connection, before)
    # A counter, not a flag: a purge that began before this transaction must not clear the mark.
    mark_unclean(connection)


def _mark_forgotten(connection: sqlite3.Connection, before: int) -> None:
    """Record that a forgetting followed change `before`, for each log that it affected."""
    for log, mark in FORGOTTEN.items():
        # Without a log of facts it is unknown whether a server once received facts that are now deleted.
        if (log == "fact_changes" and not fact_log.is_kept(connection)) or connection.execute(
            f"SELECT 1 FROM {log} WHERE sequence > ? LIMIT 1", (before,)
        ).fetchone():
            connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (mark, before))


def _keys(connection: sqlite3.Connection, whole: Collection[int], messages: Collection[int]) -> set[str]:
    """Return the keys by which evidence cites these messages and, for text documents, the documents."""
    message_keys = rows_for(connection, "SELECT key FROM messages WHERE id IN ({})", messages)
    texts = rows_for(connection, "SELECT key FROM documents WHERE kind <> 'conversation' AND id IN ({})", whole)
    return {str(uuid_of(key)) for rows in (message_keys, texts) for (key,) in rows}


def _remove_statements(connection: sqlite3.Connection, statements: Collection[UUID]) -> None:
    """Delete statements that were excluded (they hold an extractor's words) and the summaries of their windows."""
    keys = [key.bytes for key in statements]
    rows = list(rows_for(connection, "SELECT id, document, window FROM statements WHERE key IN ({})", keys))
    connection.executemany("DELETE FROM statements WHERE id = ?", [(row[0],) for row in rows])
    connection.executemany(
        "UPDATE windows SET summary = NULL WHERE document = ? AND hash = ?", [(row[1], row[2]) for row in rows]
    )


def _remove_versions(connection: sqlite3.Connection, messages: set[str], removal: Removal) -> None:
    """Delete former versions of facts that cite these messages, in any cluster, and those about the removed subjects."""
    keys = [UUID(message).bytes for message in messages]
    rested = {
        row[0] for row in rows_for(connection, "SELECT version FROM version_messages WHERE message IN ({})", keys)
    }
    connection.executemany(
        "DELETE FROM facts WHERE id = ? AND replaced IS NOT NULL", [(version,) for version in sorted(rested)]
    )
    statement = "DELETE FROM facts WHERE replaced IS NOT NULL AND subject = ?"
    connection.executemany(statement, [(name,) for name in removal.subjects])
    connection.executemany(
        f"{statement} AND {of_source('facts.id')}", [(name, source) for source, name in removal.merged]
    )


def tombstones(connection: sqlite3.Connection, documents: Collection[UUID]) -> dict[UUID, frozenset[UUID]]:
    """Return the keys that may not come back, by document. A requested key that is itself a tombstone is returned for
    itself.
    """
    by_document: defaultdict[UUID, set[UUID]] = defaultdict(set)
    keys = {key.bytes for key in documents}
    for document, key in rows_for(connection, "SELECT document, key FROM tombstones WHERE document IN ({})", keys):
        by_document[uuid_of(document)].add(uuid_of(key))
    for (key,) in rows_for(connection, "SELECT key FROM tombstones WHERE key IN ({})", keys):
        by_document[uuid_of(key)].add(uuid_of(key))
    return {document: frozenset(keys) for document, keys in by_document.items()}


def has_tombstones(connection: sqlite3.Connection) -> bool:
    """Return whether the store has any tombstone."""
    return connection.execute("SELECT min(key) FROM tombstones").fetchone()[0] is not None


def allow_reingest(connection: sqlite3.Connection, documents: Collection[UUID]) -> int:
    """Delete the tombstones of documents, or single tombstones by their own keys, and the digests of those documents.

    Returns the number of deleted tombstones.
    """
    keys = {key.bytes for key in documents}
    held = [row[0] for row in rows_for(connection, "SELECT document FROM tombstones WHERE document IN ({})", keys)]
    connection.executemany("DELETE FROM tombstones WHERE document = ?", [(key,) for key in set(held)])
    single = list(rows_for(connection, "SELECT key FROM tombstones WHERE key IN ({})", keys))
    if held or single:
        rows = list(rows_for(connection, "SELECT id FROM documents WHERE key IN ({})", keys))
        connection.executemany("DELETE FROM digests WHERE document = ?", rows)
    connection.executemany("DELETE FROM tombstones WHERE key = ?", single)
    return len(held) + len(single)


def unclean(connection: sqlite3.Connection) -> int:
    """Return the number of forgettings since the files were last purged; 0 if they hold no removed content."""
    row = connection.execute("SELECT value FROM meta WHERE name = ?", (PURGE,)).fetchone()
    return 0 if row is None else int(row[0])


def clean(connection: sqlite3.Connection, number: int) -> None:
    """Record that the files are purged, unless something was forgotten since ``unclean`` returned `number`."""
    connection.execute("DELETE FROM meta WHERE name = ? AND value = ?", (PURGE, number))


def last_before_forgetting(connection: sqlite3.Connection, logs: Collection[FollowedLog]) -> int:
    """Return the number of the last change before the latest forgetting that affected one of these logs; 0 if there was
    none.
    """
    names = [FORGOTTEN[log] for log in logs]
    return max(
        (number for (number,) in rows_for(connection, "SELECT value FROM meta WHERE name IN ({})", names)), default=0
    )


def forgotten_after(connection: sqlite3.Connection, logs: Collection[FollowedLog], number: int) -> bool:
    """Return whether an index that has reached change `number` of its logs may hold forgotten content; an empty index
    (0) does not.
    """
    return 0 < number <= last_before_forgetting(connection, logs)


def mark_unclean(connection: sqlite3.Connection) -> None:
    """Mark the files as not purged, so that the indexes are rebuilt: one of them may hold removed content."""
    connection.execute("INSERT INTO meta VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET value = value + 1", (PURGE,))


def _chats(connection: sqlite3.Connection, documents: Iterable[int]) -> set[bytes]:
    statement = "SELECT DISTINCT chat FROM documents WHERE chat IS NOT NULL AND id IN ({})"
    return {row[0] for row in rows_for(connection, statement, documents)}


def _neighbours(connection: sqlite3.Connection, places: Iterable[tuple[int, int]]) -> list[int]:
    """Return the chunks whose neighbourhood fields contain words of the messages at these (document, position) places."""
    by_document: defaultdict[int, list[int]] = defaultdict(list)
    for document, position in places:
        by_document[document].append(position)
    chunks: list[int] = []
    for document, positions in by_document.items():
        for low, high in spans(positions, WIDE_AFTER, WIDE_BEFORE):
            rows = connection.execute(
                "SELECT c.id FROM messages m JOIN chunks c ON c.message = m.id"
                " WHERE m.document = ? AND m.position BETWEEN ? AND ?",
                (document, low, high),
            )
            chunks += [row[0] for row in rows]
    return chunks


def _existing(connection: sqlite3.Connection, chunks: Sequence[int]) -> list[int]:
    return [row[0] for row in rows_for(connection, "SELECT id FROM chunks WHERE id IN ({})", chunks)]


def _remove_messages(connection: sqlite3.Connection, messages: Collection[int], counts: IdentityCounts) -> None:
    _remove_chunks(connection, rows_for(connection, "SELECT id FROM chunks WHERE message IN ({})", messages))
    speakers: defaultdict[tuple[int, int], int] = defaultdict(int)
    for each in rows_for(connection, "SELECT document, speaker FROM messages WHERE id IN ({})", messages):
        speakers[each] -= 1
    connection.executemany("DELETE FROM messages WHERE id = ?", [(message,) for message in messages])
    count_messages(connection, speakers, counts)


_OF_DOCUMENT = (
    ("people", "document"),
    ("tags", "document"),
    ("digests", "document"),
    ("inputs", "document"),
    ("documents", "id"),
)


def _remove_documents(connection: sqlite3.Connection, documents: Sequence[int], counts: IdentityCounts) -> None:
    rows = rows_for(connection, "SELECT source, user, metadata FROM documents WHERE id IN ({})", documents)
    for source, user, metadata in rows:
        counts.count_document(source, user, metadata, -1)
    people = "SELECT d.source, p.name FROM documents d JOIN people p ON p.document = d.id WHERE d.id IN ({})"
    for source, name in rows_for(connection, people, documents):
        counts.count_people(source, [name], -1)
    _remove_chunks(connection, rows_for(connection, "SELECT id FROM chunks WHERE document IN ({})", documents))
    repeats.drop(connection, documents)
    for table, column in _OF_DOCUMENT:
        connection.executemany(f"DELETE FROM {table} WHERE {column} = ?", [(document,) for document in documents])


def _remove_chunks(connection: sqlite3.Connection, rows: Iterable[tuple[int]]) -> None:
    """Delete chunks; `_remove_unused_texts` deletes their texts. Row ids are never reused."""
    gone = [row[0] for row in rows]
    connection.executemany("DELETE FROM chunks WHERE id = ?", [(chunk,) for chunk in gone])
    record_changes(connection, "word_changes", gone)
    record_changes(connection, "vector_changes", gone)


def _remove_unused_texts(connection: sqlite3.Connection) -> None:
    """Delete the texts without a chunk, with their hashes and vectors: texts of removed chunks, and former wordings
    that editing kept so that rechunking finds their vectors. A short text can be guessed from its hash.
    """
    unused = connection.execute(
        "SELECT id FROM texts WHERE NOT EXISTS (SELECT 1 FROM chunks WHERE chunks.text = texts.id)"
    ).fetchall()
    for table, column in (("pending", "text"), ("vectors", "text"), ("texts", "id")):
        connection.executemany(f"DELETE FROM {table} WHERE {column} = ?", unused)


def _tidy(connection: sqlite3.Connection, chats: Iterable[bytes]) -> None:
    """Delete chats without documents and unused speakers; reduce the people, titles and renames of other chats to those
    of their remaining documents.
    """
    for chat in chats:
        rows = connection.execute(
            "SELECT p.name FROM documents d JOIN people p ON p.document = d.id WHERE d.chat = ?"
            " ORDER BY d.micros, d.id, p.ordinal",
            (chat,),
        )
        people = [name for name in dict.fromkeys(row[0] for row in rows) if name not in _RESERVED]
        if connection.execute("SELECT 1 FROM documents WHERE chat = ? LIMIT 1", (chat,)).fetchone():
            value = orjson.dumps(people).decode()
            connection.execute("UPDATE conversations SET people = ? WHERE key = ?", (value, chat))
            _tidy_title(connection, chat)
            _tidy_renames(connection, chat, set(map(folded, people)))
        else:
            connection.execute("DELETE FROM conversations WHERE key = ?", (chat,))
            connection.execute("DELETE FROM renames WHERE chat = ?", (chat,))
    connection.execute(
        "DELETE FROM speakers WHERE messages <= 0 AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.speaker = speakers.id)"
    )


def _tidy_title(connection: sqlite3.Connection, chat: bytes) -> None:
    """Replace a chat title that no remaining document has by the title of the latest document, or by the chat's id."""
    titles = connection.execute(
        "SELECT json_extract(metadata, '$.title') AS title FROM documents WHERE chat = ? AND title IS NOT NULL"
        " ORDER BY micros DESC, id DESC",
        (chat,),
    )
    names = [row[0] for row in titles]
    connection.execute(
        "UPDATE conversations SET title = coalesce(?, id) WHERE key = ? AND title NOT IN (SELECT value FROM json_each(?))",
        (names[0] if names else None, chat, orjson.dumps(names).decode()),
    )


def _tidy_renames(connection: sqlite3.Connection, chat: bytes, present: set[str]) -> None:
    """Delete the renames of people who have nothing left in a chat; everyone else keeps all their names."""
    speakers = connection.execute(
        "SELECT DISTINCT s.name FROM documents d JOIN messages m ON m.document = d.id JOIN speakers s"
        " ON s.id = m.speaker WHERE d.chat = ?",
        (chat,),
    )
    left = present | {folded(row[0]) for row in speakers}
    renames = connection.execute("SELECT old, new FROM renames WHERE chat = ?", (chat,)).fetchall()
    pairs = [(old, new, folded(old), folded(new)) for old, new in renames]
    grown = True
    while grown:
        more = {name for _, _, *both in pairs if not left.isdisjoint(both) for name in both}
        grown = not more <= left
        left |= more
    gone = [(chat, old, new) for old, new, one, _ in pairs if one not in left]
    connection.executemany("DELETE FROM renames WHERE chat = ? AND old = ? AND new = ?", gone)


_RESERVED = frozenset({SYSTEM_SPEAKER, UNKNOWN_USER})
