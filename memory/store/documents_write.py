"""Writes the documents, messages, conversations and renames of a batch, in the caller's transaction."""

# ruff: noqa: S608 - statements are put together of names and conditions of ours; every value is bound

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import orjson

from ...schemas import Conversation
from ...schemas.errors import StoreError
from ...schemas.times import utc_microseconds
from ..records import Rename, StoredDocument, StoredMessage
from ..text.fields import WIDE_AFTER, WIDE_BEFORE
from ..text.names import folded
from ..write_batches import WriteBatch
from .change_log import record_changes
from .chunks_write import drop_chunks, put_chunks
from .codec import embed_text, json_of, message_row, metadata_text, offset_minutes, uuid_of
from .identity_rows import IdentityCounts, apply_counts
from .inputs import put_inputs
from .invariants import IN_PLACE, IN_TIME, is_valid_time, require_before_write
from .sql import rows_for, spans
from .written_entries import count_written


@dataclass(slots=True)
class TouchedRows:
    """The rows whose chunks the word index must update: positions in documents, whole documents, and single chunks."""

    messages: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    """The positions of added, removed or changed messages, by document."""
    pieces: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    """The ordinals of added, removed or changed chunks, by text document."""
    documents: set[int] = field(default_factory=set)
    chunks: list[int] = field(default_factory=list)


def apply_changes(connection: sqlite3.Connection, changes: WriteBatch, *, read: bool = False) -> None:
    """Write one batch. Rows that are unchanged are not written and get no number of the change sequence.

    ``read``: do not queue the documents for extraction.
    """
    touched, counts = TouchedRows(), IdentityCounts()
    _put_documents(connection, changes.documents, touched, counts)
    owners = {chunk.document for chunk in changes.chunks} | {message.document for message in changes.messages}
    documents = identifiers(connection, "documents", owners)
    _put_messages(connection, changes.messages, documents, touched, counts)
    _move(connection, changes.moved, touched)
    drop_chunks(connection, changes.dropped_chunks, touched.pieces)
    touched.chunks += put_chunks(connection, changes.chunks, documents, touched.pieces)
    for key, conversation in changes.conversations:
        _put_conversation(connection, key, conversation)
    _put_renames(connection, changes.renames)
    put_inputs(connection, changes.inputs)
    if changes.written:
        count_written(connection, changes.written, changes.outstanding)
    apply_counts(connection, counts)
    if not read:
        _to_read(connection, touched, changes.renames)
    record_changes(connection, "word_changes", _touched_chunks(connection, touched))


def _to_read(connection: sqlite3.Connection, touched: TouchedRows, renames: Sequence[Rename]) -> None:
    """Queue the documents whose words or people changed for extraction, and all documents of chats with a new rename."""
    documents = {*touched.documents, *(d for d, places in touched.messages.items() if places), *touched.pieces}
    connection.executemany("INSERT OR IGNORE INTO unread VALUES (?)", [(document,) for document in documents])
    connection.executemany(
        "INSERT OR IGNORE INTO unread SELECT id FROM documents WHERE chat = ?",
        [(chat,) for chat in {rename.chat.bytes for rename in renames}],
    )


def identifiers(connection: sqlite3.Connection, table: str, keys: Iterable[UUID]) -> dict[UUID, int]:
    """Return row ids by key.

    Raises:
        StoreError: a key has no row, in the store or in this batch.
    """
    wanted = set(keys)
    statement = f"SELECT key, id FROM {table} WHERE key IN ({{}})"
    rows_by_key = {uuid_of(key): row for key, row in rows_for(connection, statement, (key.bytes for key in wanted))}
    if len(rows_by_key) < len(wanted):
        raise StoreError(f"a row refers to {table} that are not there", hint="a group must hold or follow its owners")
    return rows_by_key


def _put_documents(
    connection: sqlite3.Connection, documents: Sequence[StoredDocument], touched: TouchedRows, counts: IdentityCounts
) -> None:
    for document in {document.key: document for document in documents}.values():
        time = document.timestamp
        row = (
            document.id,
            document.source,
            document.account,
            document.kind,
            document.user,
            None if time is None else utc_microseconds(time),
            None if time is None else offset_minutes(time),
            None if document.chat is None else document.chat.bytes,
            metadata_text(document),
            document.content or None,
        )
        columns = "name, source, account, kind, user, micros, offset, chat, metadata, content"
        old = connection.execute(
            f"SELECT id, {columns} FROM documents WHERE key = ?",
            (document.key.bytes,),
        ).fetchone()
        if old is None:
            cursor = connection.execute(
                f"INSERT INTO documents (key, {columns}) VALUES (?,?,?,?,?,?,?,?,?,?,?)",
                (document.key.bytes, *row),
            )
            identifier = int(cursor.lastrowid or 0)
            counts.count_document(document.source, document.user, row[8], 1)
        else:
            identifier = int(old[0])
            if old[1:] != row:
                counts.count_document(old[2], old[5], old[9], -1)
                counts.count_document(document.source, document.user, row[8], 1)
                if old[-1] != row[-1]:
                    _keep_embedded(connection, "document", [(identifier, None, old[-1] or "")])
                assignments = ", ".join(f"{name} = ?" for name in columns.split(", "))
                connection.execute(f"UPDATE documents SET {assignments} WHERE id = ?", (*row, identifier))
                touched.documents.add(identifier)
        if _put_names(connection, identifier, document, counts, fresh=old is None):
            touched.documents.add(identifier)
        if document.kind == "text" and document.digests:  # earlier inputs are no longer what it is
            connection.execute("DELETE FROM digests WHERE document = ?", (identifier,))
        connection.executemany(
            "INSERT OR IGNORE INTO digests VALUES (?, ?)", [(identifier, digest) for digest in document.digests]
        )


def _put_names(
    connection: sqlite3.Connection, identifier: int, document: StoredDocument, counts: IdentityCounts, *, fresh: bool
) -> bool:
    """Write the people and tags of a document; return whether those of an existing document changed."""
    changed = False
    for table, column, names in (("people", "name", document.people), ("tags", "tag", document.tags)):
        if not fresh:
            statement = f"SELECT {column} FROM {table} WHERE document = ? ORDER BY ordinal"
            before = tuple(name for (name,) in connection.execute(statement, (identifier,)))
            if before == tuple(names):
                continue
            if table == "people":
                counts.count_people(document.source, before, -1)
            connection.execute(f"DELETE FROM {table} WHERE document = ?", (identifier,))
            changed = True
        if table == "people":
            rows = [(identifier, n, name, folded(name)) for n, name in enumerate(names)]
            connection.executemany("INSERT INTO people VALUES (?, ?, ?, ?)", rows)
            counts.count_people(document.source, names, 1)
        else:
            connection.executemany(
                "INSERT INTO tags VALUES (?, ?, ?)", [(identifier, n, t) for n, t in enumerate(names)]
            )
    return changed


def _speakers(connection: sqlite3.Connection, names: Iterable[str]) -> dict[str, int]:
    wanted = dict.fromkeys(names)
    connection.executemany(
        "INSERT OR IGNORE INTO speakers (name, folded) VALUES (?, ?)", [(name, folded(name)) for name in wanted]
    )
    return dict(rows_for(connection, "SELECT name, id FROM speakers WHERE name IN ({})", wanted))


_OLD_MESSAGES = """
SELECT key, id, document, position, speaker, kind, micros, offset, source_id, content, rest FROM messages WHERE key IN ({})
"""


def _put_messages(
    connection: sqlite3.Connection,
    messages: Sequence[StoredMessage],
    documents: Mapping[UUID, int],
    touched: TouchedRows,
    identities: IdentityCounts,
) -> None:
    by_key = {message.key: message for message in messages}
    if not by_key:
        return
    speakers = _speakers(connection, (message.message.speaker for message in messages))
    stored_rows = {uuid_of(row[0]): row[1:] for row in rows_for(connection, _OLD_MESSAGES, (k.bytes for k in by_key))}
    new: list[tuple[Any, ...]] = []
    changed: list[tuple[Any, ...]] = []
    reworded: list[tuple[int, int, str]] = []
    counts: dict[tuple[int, int], int] = defaultdict(int)
    for key, stored in by_key.items():
        speaker = speakers[stored.message.speaker]
        row = (documents[stored.document], stored.position, speaker, *message_row(stored.message))
        require_before_write(stored.position >= 0, IN_PLACE)
        require_before_write(is_valid_time(row[4]), IN_TIME)
        old = stored_rows.get(key)
        if old is None:
            new.append((key.bytes, *row))
        elif old[1:] != row:
            changed.append((*row, old[0]))
            counts[old[1], old[3]] -= 1
            touched.messages[old[1]].add(old[2])
            if (old[3], old[8]) != (speaker, row[7]):
                reworded.append((old[0], old[3], old[8]))
        else:
            continue
        counts[row[0], speaker] += 1
        touched.messages[row[0]].add(stored.position)
    _keep_embedded(connection, "message", _with_names(connection, reworded))
    columns = "document, position, speaker, kind, micros, offset, source_id, content, rest"
    connection.executemany(
        f"INSERT INTO messages (key, {columns}) VALUES (?,?,?,?,?,?,?,?,?,?)",
        new,
    )
    assignments = ", ".join(f"{name} = ?" for name in columns.split(", "))
    connection.executemany(f"UPDATE messages SET {assignments} WHERE id = ?", changed)
    count_messages(connection, counts, identities)


def count_messages(
    connection: sqlite3.Connection, changed: Mapping[tuple[int, int], int], identities: IdentityCounts
) -> None:
    """Add to the message counts by (document, speaker) row; numbers are negative for removed messages."""
    total: dict[int, int] = defaultdict(int)
    sources = dict(rows_for(connection, "SELECT id, source FROM documents WHERE id IN ({})", {d for d, _ in changed}))
    names = dict(rows_for(connection, "SELECT id, name FROM speakers WHERE id IN ({})", {s for _, s in changed}))
    for (document, speaker), number in changed.items():
        total[speaker] += number
        identities.messages[sources[document], names[speaker]] += number
    connection.executemany(
        "UPDATE speakers SET messages = messages + ? WHERE id = ?",
        [(number, speaker) for speaker, number in total.items() if number],
    )


def _with_names(
    connection: sqlite3.Connection, reworded: Sequence[tuple[int, int, str]]
) -> list[tuple[int, str | None, str]]:
    wanted = {speaker for _, speaker, _ in reworded}
    names = dict(rows_for(connection, "SELECT id, name FROM speakers WHERE id IN ({})", wanted))
    return [(identifier, names[speaker], content) for identifier, speaker, content in reworded]


def _keep_embedded(connection: sqlite3.Connection, owner: str, reworded: Iterable[tuple[int, str | None, str]]) -> None:
    """Store the embedded text of the owners' chunks before their words change: the text hashes belong to the old words."""
    for identifier, speaker, content in reworded:
        condition = "message = ?" if owner == "message" else "document = ? AND message IS NULL"
        chunks = connection.execute(
            f'SELECT id, start, "end" FROM chunks WHERE {condition} AND embed IS NULL',
            (identifier,),
        ).fetchall()
        connection.executemany(
            "UPDATE chunks SET embed = ? WHERE id = ?",
            [(embed_text(speaker, content[start:end]), chunk) for chunk, start, end in chunks],
        )


def _move(connection: sqlite3.Connection, moved: Mapping[UUID, int], touched: TouchedRows) -> None:
    statement = "SELECT key, id, document, position FROM messages WHERE key IN ({})"
    rows: list[tuple[int, int]] = []
    for key, identifier, document, position in rows_for(connection, statement, (key.bytes for key in moved)):
        new = moved[uuid_of(key)]
        if new != position:
            rows.append((new, identifier))
            touched.messages[document] |= {position, new}
    connection.executemany("UPDATE messages SET position = ? WHERE id = ?", rows)


def _put_conversation(connection: sqlite3.Connection, key: UUID, conversation: Conversation) -> None:
    row = connection.execute("SELECT title, people FROM conversations WHERE key = ?", (key.bytes,)).fetchone()
    title = str(row[0]) if row else ""
    people: list[str] = json_of(row[1]) if row else []
    merged = list(dict.fromkeys([*people, *conversation.people]))
    connection.execute(
        "INSERT OR REPLACE INTO conversations VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            key.bytes,
            conversation.id,
            conversation.source,
            conversation.account,
            conversation.title or title,
            conversation.kind,
            orjson.dumps(merged).decode(),
        ),
    )


def _put_renames(connection: sqlite3.Connection, renames: Sequence[Rename]) -> None:
    connection.executemany(
        "INSERT OR IGNORE INTO renames VALUES (?, ?, ?, ?, ?, ?)",
        [(r.chat.bytes, r.source, r.old, r.new, folded(r.old), folded(r.new)) for r in renames],
    )


def _touched_chunks(connection: sqlite3.Connection, touched: TouchedRows) -> Iterable[int]:
    """Yield the chunks whose text or filter fields may have changed, including the neighbours of changed chunks."""
    yield from touched.chunks
    for document in touched.documents:
        yield from (row[0] for row in connection.execute("SELECT id FROM chunks WHERE document = ?", (document,)))
    for document, positions in touched.messages.items():
        for low, high in spans(list(positions), WIDE_AFTER, WIDE_BEFORE):
            rows = connection.execute(
                "SELECT c.id FROM messages m JOIN chunks c ON c.message = m.id"
                " WHERE m.document = ? AND m.position BETWEEN ? AND ? ORDER BY m.position, c.ordinal",
                (document, low, high),
            )
            yield from (row[0] for row in rows)
    for document, ordinals in touched.pieces.items():
        for low, high in spans(list(ordinals), WIDE_AFTER, WIDE_BEFORE):
            rows = connection.execute(
                "SELECT id FROM chunks WHERE document = ? AND message IS NULL AND ordinal BETWEEN ? AND ?"
                " ORDER BY ordinal",
                (document, low, high),
            )
            yield from (row[0] for row in rows)
