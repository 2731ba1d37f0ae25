"""The records of one file of Rocket.Chat, whether BSON, a list in JSON, an answer of a server, or JSON lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from ...chats.json_messages import MESSAGES, parsed_message
from ...connector import Member
from ...text.json_fields import object_of, words_of
from ...text.json_lines import json_lines
from ...text.json_stream import Broken, Element, JSONStream
from ...text.unicode import as_utf8
from .bson import BSONReader

_HEAD = 512
_ANSWER = re.compile(rb'\s*+\{(?:\s*+"\w{1,40}"\s*+:\s*+[\w.]{1,20}\s*+,){0,8}\s*+"messages"\s*+:\s*+\[')
"""How an answer of a server begins that lists messages, as tools keep it that have but its programming interface."""


@dataclass(slots=True)
class Row:
    """A record, or the reason why there is none."""

    place: str
    value: dict[str, Any] | None
    reason: str = ""


def rows(
    member: Member,
    stream: BinaryIO,
    *,
    binary: bool,
    mark: bytes = b"",
    wanted: Callable[[bytes], bool] = lambda _raw: True,
) -> Iterator[Row]:
    """Every record.

    Args:
        member: the file.
        stream: of its bytes.
        binary: whether it is BSON.
        mark: what a document of BSON must hold to be one of its own, and no part of a broken one.
        wanted: whether a document of these bytes is read; asked of BSON alone, others are passed over there.

    Raises:
        SourceError: the stream raises it.
    """
    if binary:
        for document in BSONReader(stream, mark, wanted).documents():
            yield Row(f"{member.locator}#{document.index}", document.value, document.reason)
        return
    text = as_utf8(stream)
    head = text.stream.peek(_HEAD)[:_HEAD]
    answer = _ANSWER.match(head) is not None
    if answer or head.lstrip().startswith(b"["):
        paths = MESSAGES if answer else ((),)
        for event in JSONStream(text.stream.read1, paths, parsed_message, genuine=_genuine).events():
            if isinstance(event, Element):
                yield Row(f"{member.locator}#{event.pointer}", object_of(event.value))
            elif isinstance(event, Broken):
                yield Row(f"{member.locator}#{event.pointer}", None, event.reason)
        return
    for line in json_lines(text.stream):
        yield Row(f"{member.locator}:{line.number}", line.value, line.reason)


def _genuine(value: object) -> bool:
    return "ts" in object_of(value)


def key_of(value: object) -> str:
    """An id: text, or an object's id as JSON has it."""
    return words_of(value) or words_of(object_of(value).get("$oid"))


def moment_of(value: object) -> object:
    """A time as `milliseconds_of` or `instant_of` read it."""
    held = object_of(value)
    if "$date" in held:
        value = held["$date"]
        return words_of(object_of(value).get("$numberLong")) or value
    return value
