"""Reads the records of one Rocket.Chat file: BSON, a list in JSON, an answer of the REST API, or JSON lines."""

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
"""Matches the beginning of a REST API answer that lists messages; tools that use only the API save these."""


@dataclass(slots=True)
class Row:
    """A record, or the reason why none can be read at this place."""

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
    """Yield every record of the file.

    Args:
        member: the file.
        stream: its bytes.
        binary: whether it is BSON.
        mark: bytes that a BSON document after a broken one must contain, so that no nested document is taken for one.
        wanted: returns whether a document of these bytes is parsed; others are skipped. Applies to BSON only.

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
    """Return an id: a string, or an object id in JSON."""
    return words_of(value) or words_of(object_of(value).get("$oid"))


def moment_of(value: object) -> object:
    """Return a time in a form that `milliseconds_of` or `instant_of` accepts."""
    held = object_of(value)
    if "$date" in held:
        value = held["$date"]
        return words_of(object_of(value).get("$numberLong")) or value
    return value
