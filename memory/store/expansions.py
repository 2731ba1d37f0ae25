"""Document expansion: refused proposals of a language model are indexed, so a query can find the messages they cite.

The proposal's words are an extra search key of the message, like those of a fact. They are never shown and never
presented as known, so a false proposal leads at worst to a message about something else. On LoCoMo's development half,
with its observations as proposals, recall at 10 is 86.4 with expansions, 85.4 without, and 86.3 if all are taken as
unchecked facts.

The number of expansions per message is limited, and a proposal that cites many messages expands none: each expansion is
a candidate for an answer, and fifty of one message, or one of every message, would leave no room for others.
"""

# ruff: noqa: S608 - statements are put together of names and conditions of ours; every value is bound

from __future__ import annotations

import re
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from uuid import UUID

from ...schemas.errors import StoreError
from ...schemas.keys import chunk_key
from ..extraction.refusal import Refusal, refusal_from_json
from ..records import EXPANSION_STRATEGY, READERS_ORDINAL, StoredChunk
from ..write_batches import WriteBatch
from . import annotation_rows
from .codec import uuid_of
from .documents_write import apply_changes
from .errors import row_errors
from .sql import rows_for

VERSION = "expansion-1"
MOST_OF_A_MESSAGE = 8
MOST_MESSAGES = 8
"""The most messages that one proposal may cite and still be indexed."""
# As a BLOB: text that is not UTF-8 would fail before the row could be identified.
_REFUSED = """
SELECT r.id, d.key, r.reason, CAST(r.body AS BLOB) FROM refused r JOIN documents d ON d.id = r.document
WHERE r.document IN ({}) ORDER BY r.id
"""
_OF_EXPANSIONS = "make IN (SELECT id FROM makes WHERE strategy = ?)"
_MESSAGES = "SELECT m.key, d.key FROM messages m JOIN documents d ON d.id = m.document WHERE m.key IN ({})"
_WORD = re.compile(r"[^\W_]")


def refresh(connection: sqlite3.Connection, documents: Collection[int]) -> None:
    """Update the expansions of these documents (row ids) to match their refused proposals."""
    wanted = {chunk.key: chunk for chunk in _wanted(connection, documents)}
    existing = _there(connection, documents)
    new = [chunk for key, chunk in wanted.items() if key not in existing]
    _write(connection, new, existing - wanted.keys())


def drop_all(connection: sqlite3.Connection) -> None:
    """Delete all expansions."""
    rows = connection.execute(f"SELECT key FROM chunks WHERE {_OF_EXPANSIONS}", (EXPANSION_STRATEGY,))
    _write(connection, [], [uuid_of(key) for (key,) in rows])


def count_wrong(connection: sqlite3.Connection) -> int:
    """Return the number of expansions without a refused proposal, proposals without an expansion, and unreadable
    proposals.
    """
    documents = _all_documents(connection)
    wrong = {chunk.key for chunk in _wanted(connection, documents)} ^ _there(connection, documents)
    return len(wrong) + len(_unreadable(connection, documents))


def repair(connection: sqlite3.Connection) -> None:
    """Rebuild all wrong expansions; the windows of unreadable proposals are queued for extraction again."""
    documents = _all_documents(connection)
    for row in _unreadable(connection, documents):
        window = connection.execute("SELECT document, window FROM refused WHERE id = ?", (row,)).fetchone()
        connection.execute("DELETE FROM windows WHERE document = ? AND hash = ?", window)
        connection.execute("INSERT OR IGNORE INTO unread VALUES (?)", window[:1])
        connection.execute("DELETE FROM refused WHERE id = ?", (row,))
    refresh(connection, documents)


def _all_documents(connection: sqlite3.Connection) -> list[int]:
    return [row for (row,) in connection.execute("SELECT id FROM documents")]


def _unreadable(connection: sqlite3.Connection, documents: Collection[int]) -> list[int]:
    return [row for row, _, refusal in _refused(connection, documents) if refusal is None]


def _refused(connection: sqlite3.Connection, documents: Collection[int]) -> Iterator[tuple[int, UUID, Refusal | None]]:
    """Yield (row, document, proposal) of the refused proposals; the proposal is None if it cannot be read, so that one
    bad row does not keep documents from being read or forgotten.
    """
    for row, key, reason, body in rows_for(connection, _REFUSED, documents):
        try:
            with row_errors():
                refusal = refusal_from_json(reason, body)
                for message in refusal.expands:
                    UUID(message)
        except StoreError:
            refusal = None
        yield row, uuid_of(key), refusal


def _there(connection: sqlite3.Connection, documents: Collection[int]) -> set[UUID]:
    statement = f"SELECT key FROM chunks WHERE document IN ({{}}) AND {_OF_EXPANSIONS}"
    return {uuid_of(key) for (key,) in rows_for(connection, statement, documents, EXPANSION_STRATEGY)}


def _wanted(connection: sqlite3.Connection, documents: Collection[int]) -> Iterator[StoredChunk]:
    """Yield the chunks for the refused proposals of these documents, without those that cite deleted messages, and those
    for the keywords of their messages.
    """
    for message, document, keywords in annotation_rows.keywords_of(connection, documents):
        if content := _one_line(", ".join(keywords)):
            yield _chunk(_key_of(connection, document), message, content)
    words: defaultdict[UUID, dict[UUID, dict[str, None]]] = defaultdict(lambda: defaultdict(dict))
    for _, document, refusal in _refused(connection, documents):
        content = "" if refusal is None else _one_line(refusal.content)
        if refusal is None or len(refusal.expands) > MOST_MESSAGES or not _WORD.search(content):
            continue
        for message in refusal.expands:
            of_message = words[document][UUID(message)]
            if len(of_message) < MOST_OF_A_MESSAGE:
                of_message[content] = None
    cited = {message.bytes for messages in words.values() for message in messages}
    homes = dict(rows_for(connection, _MESSAGES, cited))
    for document, messages in words.items():
        for message, contents in messages.items():
            if homes.get(message.bytes) == document.bytes:
                yield from (_chunk(document, message, content) for content in contents)


def _key_of(connection: sqlite3.Connection, document: int) -> UUID:
    return uuid_of(connection.execute("SELECT key FROM documents WHERE id = ?", (document,)).fetchone()[0])


def _one_line(text: str) -> str:
    """Return the proposal's words in one line without unprintable characters, as embedders expect them."""
    return " ".join("".join(each if each.isprintable() else " " for each in text).split())


def _chunk(document: UUID, message: UUID, content: str) -> StoredChunk:
    key = chunk_key(message, EXPANSION_STRATEGY, VERSION, 0, 0, content)
    tokens = max(1, len(content.split()))
    return StoredChunk(
        key, document, message, READERS_ORDINAL, 0, 0, tokens, EXPANSION_STRATEGY, VERSION, "", embed_text=content
    )


def _write(connection: sqlite3.Connection, new: Sequence[StoredChunk], dropped: Collection[UUID]) -> None:
    if new or dropped:
        apply_changes(connection, WriteBatch(chunks=new, dropped_chunks=sorted(dropped)), read=True)
