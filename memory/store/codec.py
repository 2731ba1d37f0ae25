"""Between rows and nouns: what a message, a document and a chunk look like in columns, both ways."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache
from typing import Any
from uuid import UUID

import orjson
from pydantic import BaseModel

from ...schemas import ConversationMessage
from ...schemas.times import from_microseconds, in_utc, utc_microseconds
from ..records import StoredDocument, StoredMessage
from .errors import decoding
from .invariants import IN_PLACE, IN_TIME, is_valid_time, require_after_read

_COLUMNS = frozenset({"speaker", "content", "time", "id", "kind"})
_DEFAULTS = {
    name: field.get_default(call_default_factory=True) for name, field in ConversationMessage.model_fields.items()
}

MESSAGE = """m.id, m.key, m.position, s.name, m.kind, m.micros, m.offset, m.source_id, m.content, m.rest"""
DOCUMENT = """d.id, d.key, d.name, d.source, d.account, d.kind, d.user, d.micros, d.offset, d.chat, d.metadata"""


@lru_cache(maxsize=1 << 15)
@decoding
def uuid_of(data: bytes) -> UUID:
    """The key of 16 bytes. A ranking turns the same hundreds of rows into keys in every arm."""
    return UUID(bytes=data)


def offset_minutes(time: datetime) -> int:
    """The fixed offset of a time, in minutes."""
    offset = time.utcoffset()
    return 0 if offset is None else int(offset.total_seconds()) // 60


def rest_of(message: ConversationMessage) -> str | None:
    """What has no column of its own, as JSON; None when there is nothing."""
    rest: dict[str, Any] = {}
    for name in message.model_fields_set - _COLUMNS:
        value = getattr(message, name)
        if value == _DEFAULTS[name]:
            continue
        if isinstance(value, datetime | tuple | BaseModel):
            value = message.model_dump(mode="json", include={name}, exclude_defaults=True)[name]
        rest[name] = value
    return orjson.dumps(rest, option=orjson.OPT_SORT_KEYS).decode() if rest else None


def message_row(message: ConversationMessage) -> tuple[str, int, int, str | None, str, str | None]:
    """Kind, micros, offset, source_id, content, rest."""
    time = message.time
    return message.kind, utc_microseconds(time), offset_minutes(time), message.id, message.content, rest_of(message)


@decoding
def message_of(row: tuple[Any, ...], document: UUID) -> StoredMessage:
    """The inverse, of the columns of ``MESSAGE``."""
    _, key, position, speaker, kind, micros, offset, source_id, content, rest = row
    fields: dict[str, Any] = orjson.loads(rest) if rest else {}
    if source_id is not None:
        fields["id"] = source_id
    if kind != "text":
        fields["kind"] = kind
    require_after_read(position >= 0, IN_PLACE)
    require_after_read(is_valid_time(micros), IN_TIME)
    time = from_microseconds(micros, offset)
    message = ConversationMessage(speaker=speaker, content=content, time=time, **fields)
    return StoredMessage(uuid_of(key), document, position, message)


def metadata_text(document: StoredDocument) -> str | None:
    """The metadata as JSON; None when there is none."""
    return orjson.dumps(dict(document.metadata)).decode() if document.metadata else None


@decoding
def document_of(
    row: tuple[Any, ...], content: str | None, people: tuple[str, ...], tags: tuple[str, ...], digests: frozenset[bytes]
) -> StoredDocument:
    """A document of the columns of ``DOCUMENT`` and what stands in other tables."""
    _, key, name, source, account, kind, user, micros, offset, chat, metadata = row
    return StoredDocument(
        key=uuid_of(key),
        id=name,
        source=source,
        account=account,
        kind=kind,
        user=user,
        people=people,
        tags=tags,
        metadata=orjson.loads(metadata) if metadata else {},
        timestamp=None if micros is None else from_microseconds(micros, offset),
        content=content or "",
        chat=None if chat is None else uuid_of(chat),
        digests=digests,
    )


@decoding
def former_wordings(rest: str | None) -> list[str]:
    """What an edited message was before, of its column ``rest``."""
    return [edit["content"] for edit in orjson.loads(rest).get("edits", ())] if rest and '"edits"' in rest else []


@decoding
def time_of(micros: int, offset: int = 0) -> datetime:
    """The time of two columns."""
    return from_microseconds(micros, offset)


@decoding
def utc_of(micros: int) -> datetime:
    """The time of a column without an offset beside it."""
    return in_utc(micros)


@decoding
def json_of(text: str) -> Any:  # noqa: ANN401 - JSON is anything
    """The value of a column of JSON."""
    return orjson.loads(text)


def embed_text(speaker: str | None, text: str) -> str:
    """What a chunk's embedder reads unless its row says otherwise."""
    return text if speaker is None else f"{speaker}: {text}"
