"""Chats in JSON by tools of many hands: fields of the chat, and the list of its messages. Streaming."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from typing import Any, BinaryIO, TypeVar

import orjson

from ...schemas.errors import SourceError
from ..connector import Member
from ..text.chat_lines import FileState
from ..text.json_fields import object_of
from ..text.json_stream import Broken, Element, Ended, Field, JSONStream, Path, Started
from ..text.unicode import as_utf8
from .json_messages import MESSAGES, parsed_message
from .text_chats import Unread, item_at

T = TypeVar("T")


def json_items(
    stream: BinaryIO,
    state: FileState,
    read: Callable[[dict[str, Any], str, FileState], T],
    genuine: Callable[[dict[str, Any]], bool],
    paths: tuple[Path, ...] = MESSAGES,
) -> Iterator[T | Unread]:
    """Yield every message of a file.

    Args:
        stream: of the file.
        state: grows with what is met.
        read: makes an item of a message and its pointer.
        genuine: says of an object behind a broken message whether it may be one.
        paths: where the list is.
    """
    text = as_utf8(stream)
    started = False
    events = JSONStream(text.stream.read1, paths, parsed_message, genuine=lambda value: genuine(object_of(value)))
    for event in events.events():
        if isinstance(event, Element):
            yield item_at(event.pointer, read, object_of(event.value), event.pointer, state)
        elif isinstance(event, Broken):
            yield Unread(event.pointer, event.reason)
        elif isinstance(event, Started):
            started = True
    if not started:
        yield Unread("", "the file has no list of messages")
    if text.replaced and not state.undecodable:
        state.undecodable = 1


def field_of(member: Member, key: str) -> dict[str, Any]:
    """Return the object under a key beside the messages; empty if there is none, or the file cannot be read."""
    return object_of(value_of(member, key))


def value_of(member: Member, key: str) -> Any:  # noqa: ANN401 - JSON may be anything
    """Return the value under a key beside the messages; None if there is none, or the file cannot be read."""
    return values_of(member, (key,)).get(key)


def values_of(member: Member, keys: Collection[str]) -> dict[str, Any]:
    """Return the values under keys beside the messages, without those that are not there or cannot be read."""
    inside = False
    values: dict[str, Any] = {}

    def outside(raw: bytes) -> Any:  # noqa: ANN401 - JSON may be anything
        return {} if inside and raw.startswith(b"{") else orjson.loads(raw)

    with suppress(SourceError), member.open() as stream:
        for event in JSONStream(as_utf8(stream).stream.read1, MESSAGES, outside).events():
            if isinstance(event, Field) and not event.holder and event.key in keys:
                values.setdefault(event.key, event.value)
                if len(values) == len(keys):
                    break
            if isinstance(event, Started | Ended):
                inside = isinstance(event, Started)
    return values
