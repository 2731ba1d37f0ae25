"""Document expansion, in SQLite: a message is found also by what a model proposed of it and no check let pass.

Such words are an extra key of the message that they cite, like those of a fact, and nothing else: they are never shown and never
told as known, so that a proposal that is false leads at worst to a message that speaks of something else. On LoCoMo's
development half with its observations as proposals recall at 10 is 86.4 with them, 85.4 without, and 86.3 where all of these
are taken as facts, unchecked.
"""

# ruff: noqa: S608 - statements are put together of names and conditions of ours; every value is bound

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from uuid import UUID

from ...schemas.keys import chunk_key
from ..extraction.refusal import refusal_from_json
from ..records import EXPANSION_STRATEGY, READERS_ORDINAL, StoredChunk
from ..write_batches import WriteBatch
from .codec import uuid_of
from .documents_write import apply_changes
from .errors import row_errors
from .sql import rows_for

VERSION = "expansion-1"
_REFUSED = (
    "SELECT d.key, r.reason, r.body FROM refused r JOIN documents d ON d.id = r.document WHERE r.document IN ({})"
)
_OF_EXPANSIONS = "make IN (SELECT id FROM makes WHERE strategy = ?)"
_MESSAGES = "SELECT m.key, d.key FROM messages m JOIN documents d ON d.id = m.document WHERE m.key IN ({})"


def refresh(connection: sqlite3.Connection, documents: Collection[int]) -> None:
    """Make the expansions of these documents (rows) what their refused proposals say."""
    wanted = {chunk.key: chunk for chunk in _wanted(connection, documents)}
    there = _there(connection, documents)
    new = [chunk for key, chunk in wanted.items() if key not in there]
    _write(connection, new, there - wanted.keys())


def drop_all(connection: sqlite3.Connection) -> None:
    """No message is found by such words any more."""
    rows = connection.execute(f"SELECT key FROM chunks WHERE {_OF_EXPANSIONS}", (EXPANSION_STRATEGY,))
    _write(connection, [], [uuid_of(key) for (key,) in rows])


def count_wrong(connection: sqlite3.Connection) -> int:
    """Expansions of what was not refused, and such proposals that lead nowhere."""
    documents = [row for (row,) in connection.execute("SELECT id FROM documents")]
    return len({chunk.key for chunk in _wanted(connection, documents)} ^ _there(connection, documents))


def refresh_all(connection: sqlite3.Connection) -> None:
    """Make all expansions anew that are wrong."""
    refresh(connection, [row for (row,) in connection.execute("SELECT id FROM documents")])


def _there(connection: sqlite3.Connection, documents: Collection[int]) -> set[UUID]:
    statement = f"SELECT key FROM chunks WHERE document IN ({{}}) AND {_OF_EXPANSIONS}"
    return {uuid_of(key) for (key,) in rows_for(connection, statement, documents, EXPANSION_STRATEGY)}


def _wanted(connection: sqlite3.Connection, documents: Collection[int]) -> Iterator[StoredChunk]:
    """The chunks that the refused proposals of these documents stand for; none of messages that are gone."""
    words: defaultdict[UUID, dict[UUID, set[str]]] = defaultdict(lambda: defaultdict(set))
    for key, reason, body in rows_for(connection, _REFUSED, documents):
        with row_errors():
            refusal = refusal_from_json(reason, body)
            for message in refusal.expands:
                words[uuid_of(key)][UUID(message)].add(refusal.content)
    cited = {message.bytes for messages in words.values() for message in messages}
    homes = dict(rows_for(connection, _MESSAGES, cited))
    for document, messages in words.items():
        for message, contents in messages.items():
            if homes.get(message.bytes) == document.bytes:
                yield from (_chunk(document, message, content) for content in sorted(contents))


def _chunk(document: UUID, message: UUID, content: str) -> StoredChunk:
    key = chunk_key(message, EXPANSION_STRATEGY, VERSION, 0, 0, content)
    tokens = max(1, len(content.split()))
    return StoredChunk(
        key, document, message, READERS_ORDINAL, 0, 0, tokens, EXPANSION_STRATEGY, VERSION, "", embed_text=content
    )


def _write(connection: sqlite3.Connection, new: Sequence[StoredChunk], dropped: Collection[UUID]) -> None:
    if new or dropped:
        apply_changes(connection, WriteBatch(chunks=new, dropped_chunks=sorted(dropped)), read=True)
