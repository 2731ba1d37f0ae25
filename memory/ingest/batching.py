"""Types and sizes of incoming documents, and the batches that are written in one transaction. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import NamedTuple
from uuid import UUID

from ...schemas import UNKNOWN_TYPE, ConversationDocument, Document, TextDocument
from ...schemas.errors import InvalidError
from ..merge.plan import key_of

GROUP_MESSAGES = 500
"""Messages per transaction: more is hardly faster, less is slower (43,000 messages/s were measured with 500)."""


def size_of(document: Document) -> int:
    """Return the size of a document in messages; a text counts as one."""
    conversation = document.as_conversation()
    return 1 if conversation is None else len(conversation.messages)


def concrete_document(document: Document) -> ConversationDocument | TextDocument:
    """Return the document as a conversation or a text.

    Raises:
        InvalidError: it is neither.
    """
    concrete_document = document.as_conversation() or document.as_text()
    if concrete_document is None:
        raise InvalidError(UNKNOWN_TYPE)
    return concrete_document


def digest_of(document: Document) -> bytes:
    """Return the SHA-256 of the JSON form."""
    return sha256(document.to_json()).digest()


class DayDigest(NamedTuple):
    """A day of a chat, for the question whether the store has it as it is."""

    key: UUID
    chat: str
    """The title of the chat, or its id."""
    digest: bytes


def day_digest(document: Document, digest: bytes) -> DayDigest | None:
    """Return the digest with the names of the day and its chat; None if the document is no day of a chat."""
    day = document.as_conversation()
    return DayDigest(key_of(day), chat_title(day), digest) if day is not None and "chat" in day.metadata else None


def chat_title(day: ConversationDocument) -> str:
    """Return the title of a chat, from one of its days; without a title its id."""
    return day.metadata.get("title", day.metadata["chat"])


def write_batches_of(documents: Iterable[Document], messages: int = GROUP_MESSAGES) -> Iterable[list[Document]]:
    """Yield the documents in batches of about `messages` messages."""
    group: list[Document] = []
    size = 0
    for document in documents:
        group.append(document)
        size += size_of(document)
        if size >= messages:
            yield group
            group, size = [], 0
    if group:
        yield group


def split_by_distinct_key(documents: Sequence[Document]) -> Iterable[list[Document]]:
    """Yield batches of `GROUP_MESSAGES` without repeated keys: a second document of a key is merged into the result of
    the first.
    """
    group: dict[UUID, Document] = {}
    size = 0
    for document in documents:
        key = key_of(concrete_document(document))
        if group and (key in group or size >= GROUP_MESSAGES):
            yield list(group.values())
            group, size = {}, 0
        group[key] = document
        size += size_of(document)
    if group:
        yield list(group.values())
