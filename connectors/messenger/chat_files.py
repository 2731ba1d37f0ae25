"""The messages of one chat out of its files, one at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import orjson

from ...schemas import Rejected
from ...schemas.errors import SourceError
from ...schemas.wire import replaced_text
from ..connector import Member, Record
from ..errors import refusal
from ..json_fields import object_of
from ..json_stream import Broken, Element, JSONStream, Started
from ..jsondocs.parse import parse_json
from ..ordered_days import OrderedDays
from ..unicode import as_utf8
from .message import MessageReader
from .thread import MESSAGES

_PREVIEWED = 500
"""Messages of each chat that a first look reads."""


def file_records(
    members: Sequence[Member],
    reader: MessageReader,
    chat: tuple[str, str, str],
    metadata: dict[str, str],
    *,
    alone: bool,
) -> Iterator[Record]:
    """The days of a chat, and what of it cannot be read.

    Args:
        members: its files, the newest messages first.
        reader: of its messages.
        chat: the source, the chat's key and the user.
        metadata: of its documents.
        alone: whether nothing else is read, so that a file that cannot be opened is an error.

    Raises:
        SourceError: the file is ``alone`` and cannot be opened.
    """
    source, key, user = chat
    days = OrderedDays(source, key, user, metadata, newest_first=True)
    for member in members:
        try:
            stream = member.open()
        except SourceError as error:
            if alone:
                raise
            yield refusal(member.locator, error)
            continue
        with stream:
            try:
                text = as_utf8(stream)
                yield from _messages(text.stream.read1, reader, days, member.locator)
                if text.replaced:
                    yield replaced_text(member.locator)
            except SourceError as error:  # damaged or over a cap, in the middle: what came before stays
                yield refusal(member.locator, error)
    yield from days.close()


def first_speakers(member: Member, reader: MessageReader) -> Counter[str]:
    """Who wrote the first messages of a file, and how often."""
    with suppress(SourceError), member.open() as stream:
        left = _PREVIEWED
        for event in JSONStream(as_utf8(stream).stream.read1, MESSAGES, _parsed, genuine=_is_message).events():
            if isinstance(event, Element):
                reader.read(object_of(event.value))
                left -= 1
            if left <= 0:
                break
    return reader.speakers


def _messages(read: Any, reader: MessageReader, days: OrderedDays, locator: str) -> Iterator[Record]:  # noqa: ANN401
    started = False
    for event in JSONStream(read, MESSAGES, _parsed, genuine=_is_message).events():
        if isinstance(event, Element):
            found = reader.read(object_of(event.value))
            if isinstance(found, str):
                yield Rejected(locator=f"{locator}#{event.pointer}", reason=found)
            else:
                yield from days.add(found, f"{locator}#{event.pointer}")
        elif isinstance(event, Broken):
            yield Rejected(locator=f"{locator}#{event.pointer}", reason=event.reason)
        elif isinstance(event, Started):
            started = True
    if not started:
        yield Rejected(locator=locator, reason="the file has no list of messages")


def _parsed(raw: bytes) -> Any:  # noqa: ANN401 - JSON may be anything
    """As `parse_json`, but a long number is no reason to look twice: none is an id."""
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError:
        return parse_json(raw).value


def _is_message(value: Any) -> bool:  # noqa: ANN401 - JSON may be anything
    message = object_of(value)
    return ("timestamp_ms" in message or "timestamp" in message) and bool(
        message.keys() & {"sender_name", "senderName"}
    )
