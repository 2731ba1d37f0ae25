"""Converts messages, documents and chunks to table columns and back."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache
from typing import Any
from uuid import UUID

import msgspec
import orjson

from ...schemas import ConversationMessage
from ...schemas.times import from_microseconds, in_utc, utc_microseconds
from ..records import StoredDocument, StoredMessage
from .errors import decoding
from .invariants import IN_PLACE, IN_TIME, is_valid_time, require_after_read

_COLUMNS = frozenset({"speaker", "content", "time", "id", "kind"})

MESSAGE = """m.id, m.key, m.position, s.name, m.kind, m.micros, m.offset, m.source_id, m.content, m.rest"""
DOCUMENT = """d.id, d.key, d.name, d.source, d.account, d.kind, d.user, d.micros, d.offset, d.chat, d.metadata"""


@lru_cache(maxsize=1 << 15)
@decoding
def uuid_of(data: bytes) -> UUID:
    """Return the UUID of 16 bytes. Cached: each arm of a ranking decodes the same hundreds of rows."""
    return UUID(bytes=data)


def offset_minutes(time: datetime) -> int:
    """Return the UTC offset of a time in minutes; 0 for a naive time."""
    offset = time.utcoffset()
    return 0 if offset is None else int(offset.total_seconds()) // 60


def rest_of(message: ConversationMessage) -> str | None:
    """Return the message fields that have no column of their own as JSON; None if there are none."""
    rest = {name: value for name, value in message.to_wire().items() if name not in _COLUMNS}
    return orjson.dumps(rest, option=orjson.OPT_SORT_KEYS).decode() if rest else None


def message_row(message: ConversationMessage) -> tuple[str, int, int, str | None, str, str | None]:
    """Return the columns kind, micros, offset, source_id, content and rest of a message."""
    time = message.time
    return message.kind, utc_microseconds(time), offset_minutes(time), message.id, message.content, rest_of(message)


@decoding
def message_of(row: tuple[Any, ...], document: UUID) -> StoredMessage:
    """Return the message of a row with the columns of ``MESSAGE``."""
    _, key, position, speaker, kind, micros, offset, source_id, content, rest = row
    require_after_read(position >= 0, IN_PLACE)
    require_after_read(is_valid_time(micros), IN_TIME)
    fields: dict[str, Any] = orjson.loads(rest) if rest else {}
    fields |= {
        "speaker": speaker,
        "content": content,
        "time": from_microseconds(micros, offset),
        "id": source_id,
        "kind": kind,
    }
    message = msgspec.convert(fields, ConversationMessage)
    return StoredMessage(uuid_of(key), document, position, message)


def metadata_text(document: StoredDocument) -> str | None:
    """Return the metadata as JSON; None if it is empty."""
    return orjson.dumps(dict(document.metadata)).decode() if document.metadata else None


@decoding
def document_of(
    row: tuple[Any, ...], content: str | None, people: tuple[str, ...], tags: tuple[str, ...], digests: frozenset[bytes]
) -> StoredDocument:
    """Return the document of a row with the columns of ``DOCUMENT`` and of values from other tables."""
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
    """Return the contents of an edited message before its edits, from its column ``rest``."""
    return [edit["content"] for edit in orjson.loads(rest).get("edits", ())] if rest and '"edits"' in rest else []


@decoding
def time_of(micros: int, offset: int = 0) -> datetime:
    """Return the time of microseconds since 1970 and a UTC offset in minutes."""
    return from_microseconds(micros, offset)


@decoding
def utc_of(micros: int) -> datetime:
    """Return the UTC time of microseconds since 1970."""
    return in_utc(micros)


@decoding
def json_of(text: str) -> Any:  # noqa: ANN401 - JSON is anything
    """Return the value of a JSON column."""
    return orjson.loads(text)


def embed_text(speaker: str | None, text: str) -> str:
    """Return the text that is embedded for a chunk unless its row stores another one."""
    return text if speaker is None else f"{speaker}: {text}"
