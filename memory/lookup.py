"""Looks up documents, messages, parts of texts and facts by their ids, or by the beginning of an id."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from ..schemas import Document, TextRange
from ..schemas.errors import NotFoundError
from ..schemas.id_prefixes import MOST_LISTED, key_prefix, only_id
from ..schemas.keys import SHORTEST_KEY
from .export import rebuilt
from .records import StoredDocument, StoredMessage
from .store import documents_read, fact_rows
from .store.database import Database


@dataclass(frozen=True, slots=True)
class LookupResult:
    """The result of looking up an id: a document, with the message if the id was a message's, or a part if it was a
    chunk's.
    """

    key: UUID
    """The document's key."""
    document: Document
    message: StoredMessage | None = None
    passage: TextRange | None = None
    """The part of a text's content."""


async def find(database: Database, identifier: str) -> LookupResult:
    """Return the document for an id, or for the beginning of a single key: with a message, by itself, or with a piece
    of a text. The id of a fact leads to the last message that it cites.

    Raises:
        NotFoundError: nothing has that id, or several keys begin so, which the hint tells.
    """
    rows = await database.read(documents_read.find, identifier)
    if not rows and (key := await _whole_key(database, identifier)) != identifier:
        identifier = key
        rows = await database.read(documents_read.find, identifier)
    rows = rows or await _message_of_fact(database, identifier)
    if not rows:
        return await _find_piece(database, identifier)
    row = min(rows, key=lambda row: isinstance(row, StoredMessage))
    if isinstance(row, StoredDocument):
        return LookupResult(row.key, await _rebuild(database, row))
    owner = (await database.read(documents_read.documents, [row.document]))[row.document]
    return LookupResult(owner.key, await _rebuild(database, owner), row)


async def _message_of_fact(database: Database, identifier: str) -> Sequence[StoredDocument | StoredMessage]:
    try:
        fact = UUID(await _whole_key(database, identifier, facts=True))
    except ValueError:  # no key
        return []
    versions = await database.read(fact_rows.history, fact)
    return await database.read(documents_read.find, str(versions[-1].messages[-1])) if versions else []


async def whole_fact_id(database: Database, beginning: str) -> str:
    """Return the id of the only fact that begins so; text that begins no id is returned unchanged.

    Raises:
        NotFoundError: several begin so, or it is too short to tell.
    """
    if len(beginning) < SHORTEST_KEY:
        raise NotFoundError(f"an id needs {SHORTEST_KEY} characters at least", hint="`memd facts --ids` shows them")
    return await _whole_key(database, beginning, facts=True)


async def _whole_key(database: Database, beginning: str, *, facts: bool = False) -> str:
    """Return the only key that begins so; text that begins no key is returned unchanged."""
    if not (digits := key_prefix(beginning)):
        return beginning
    keys_beginning = documents_read.facts_beginning if facts else documents_read.keys_beginning
    keys = await database.read(keys_beginning, digits, MOST_LISTED)
    return only_id([*map(str, keys)]) or beginning


async def whole_document_key(database: Database, beginning: str) -> str:
    """Return the only key of a document that begins so; text that begins none is returned unchanged.

    Raises:
        NotFoundError: the keys of several documents begin so.
    """
    if not (digits := key_prefix(beginning)):
        return beginning
    keys = await database.read(documents_read.document_keys_beginning, digits, MOST_LISTED)
    return only_id([*map(str, keys)]) or beginning


async def whole_message_key(database: Database, identifier: str) -> str:
    """Return the only key of a message that begins so; the id that a message came with, and text that begins no key, are
    returned unchanged.

    Raises:
        NotFoundError: the keys of several messages begin so.
    """
    if not (digits := key_prefix(identifier)) or await database.read(documents_read.find, identifier):
        return identifier
    keys = await database.read(documents_read.message_keys_beginning, digits, MOST_LISTED)
    return only_id([*map(str, keys)]) or identifier


async def _find_piece(database: Database, identifier: str) -> LookupResult:
    try:
        piece = await database.read(documents_read.piece, UUID(identifier))
    except ValueError:  # no key
        piece = None
    rows = {} if piece is None else await database.read(documents_read.documents, [piece[0]])
    if piece is None or piece[0] not in rows:
        raise NotFoundError("nothing is stored under that id", hint="`memd query` and `memd documents` show ids")
    key, start, end = piece
    return LookupResult(key, await _rebuild(database, rows[key]), passage=TextRange(start=start, end=end))


async def _rebuild(database: Database, row: StoredDocument) -> Document:
    messages = {} if row.kind == "text" else await database.read(documents_read.messages, [row.key])
    return rebuilt(row, messages.get(row.key, []))


async def messages_of_facts(database: Database, facts: Collection[UUID]) -> dict[UUID, tuple[UUID, ...]]:
    """Return the keys of the messages that the latest version of each fact cites; missing facts are omitted."""
    versions = [(fact, await database.read(fact_rows.history, fact)) for fact in facts]
    return {fact: history[-1].messages for fact, history in versions if history}
