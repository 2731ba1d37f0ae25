"""Takes removed words out of the messages and texts of others that quote them. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal
from uuid import UUID

from msgspec import structs

from ...schemas import ConversationMessage
from ...schemas.keys import redacted_message_key
from ..records import StoredDocument, StoredMessage
from .passages import QuotedParts
from .words import REDACTED, Span

QuoteTreatment = Literal["keep", "redact", "remove"]
"""The treatment of others' messages that quote forgotten words: they stay, lose these words, or are removed."""


@dataclass(frozen=True, slots=True)
class QuoteChanges:
    """The messages and texts of others that change with a forgetting, by their keys."""

    removed: frozenset[UUID] = frozenset()
    redacted: Mapping[UUID, QuotedParts] = field(default_factory=dict[UUID, QuotedParts])


def redacted_message(stored: StoredMessage, parts: QuotedParts, position: int) -> StoredMessage:
    """Return a message without these parts, under a key of its own: the tombstones of its former key keep the words
    out.
    """
    message = stored.message
    segments = tuple(
        structs.replace(each, start=_moved(each.start, parts.content), end=_moved(each.end, parts.content, end=True))
        for each in message.segments
    )
    edits = tuple(
        structs.replace(edit, content=without(edit.content, parts.edits.get(number, ())))
        for number, edit in enumerate(message.edits)
    )
    metadata = {name: without(value, parts.metadata.get(name, ())) for name, value in message.metadata.items()}
    changed: ConversationMessage = structs.replace(
        message, content=without(message.content, parts.content), segments=segments, edits=edits, metadata=metadata
    )
    return replace(stored, key=redacted_message_key(stored.key), position=position, message=changed)


def redacted_text(row: StoredDocument, parts: QuotedParts) -> StoredDocument:
    """Return a text without these parts."""
    metadata = {name: without(value, parts.metadata.get(name, ())) for name, value in row.metadata.items()}
    return replace(row, content=without(row.content, parts.content), metadata=metadata, digests=frozenset())


def without(text: str, spans: Sequence[Span]) -> str:
    """Return a text with `REDACTED` in the place of each span; spans are in order and do not overlap."""
    pieces: list[str] = []
    at = 0
    for start, end in spans:
        pieces += (text[at:start], REDACTED)
        at = end
    return "".join([*pieces, text[at:]])


def _moved(offset: int, spans: Sequence[Span], *, end: bool = False) -> int:
    """Return where an offset is after `without`: within a span the begin of its marker, or the end of it."""
    behind = bisect_right(spans, offset, key=lambda span: span[1])
    moved = offset + sum(len(REDACTED) - (stop - start) for start, stop in spans[:behind])
    if behind < len(spans) and spans[behind][0] < offset:
        moved += spans[behind][0] - offset + (len(REDACTED) if end else 0)
    return moved
