"""Files of one chat whose JSON has a list of messages: each message is parsed alone and added to its day."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from io import BufferedReader
from typing import Any

import orjson

from ...schemas import Rejected
from ...schemas.errors import SourceError
from ..connector import Member, Record
from ..opening.tracked_member import count_read
from ..text.json_fields import object_of
from ..text.json_parsing import parse_json
from ..text.json_stream import Element, Elements, JSONStream
from ..text.unicode import as_utf8
from .day_documents import Message
from .export_files import read_text, with_list
from .ordered_days import OrderedDays

MESSAGES = (("messages",),)
"""The key paths at which the list may be."""
Read = Callable[[list[Any]], Iterable[Message | str]]
"""A function from elements of the list to messages of documents: for each its message or the reason why there is none."""


@dataclass(frozen=True, slots=True)
class MessageFiles:
    """The files of one chat.

    ``genuine`` says of an object found behind a broken message whether it may be a message.
    """

    members: Sequence[Member]
    genuine: Callable[[dict[str, Any]], bool]

    def records(self, read: Read, days: OrderedDays, *, alone: bool) -> Iterator[Record]:
        """Yield the days of the chat, and the rejections of unreadable parts.

        Args:
            read: reads messages.
            days: takes the messages.
            alone: whether nothing else is read, so that a file that cannot be opened is an error.

        Raises:
            SourceError: the file is ``alone`` and cannot be opened.
        """
        for member in self.members:
            yield from read_text(member, partial(self._messages, read, days, member), alone=alone)
        yield from days.close()

    def first(self, most: int) -> Iterator[dict[str, Any]]:
        """Yield the first messages of each file, unchanged; none of an unreadable file."""
        for member in self.members:
            left = most
            with suppress(SourceError), member.open() as stream:
                for event in self._stream(as_utf8(stream).stream).events():
                    if left <= 0:
                        break
                    if isinstance(event, Element):
                        left -= 1
                        yield object_of(event.value)

    def _messages(self, read: Read, days: OrderedDays, member: Member, stream: BufferedReader) -> Iterator[Record]:
        for event in with_list(self._stream(stream).batches(), member.locator):
            if isinstance(event, Rejected):
                yield event
            elif isinstance(event, Elements):
                count_read(member, len(event.values))
                for record in days.add_all(read(event.values), f"{member.locator}#{event.array}/", event.index):
                    if isinstance(record, Rejected):
                        count_read(member, -1)
                    yield record

    def _stream(self, stream: BufferedReader) -> JSONStream:
        return JSONStream(stream.read1, MESSAGES, parsed_message, genuine=lambda value: self.genuine(object_of(value)))


def small_object(member: Member, cap: int) -> dict[str, Any]:
    """Return the JSON object of a file; empty if it has none, is larger than the cap, or cannot be read."""
    with suppress(SourceError, ValueError), member.open() as stream:
        data = as_utf8(stream).stream.read(cap + 1)
        return object_of(parse_json(data).value) if len(data) <= cap else {}
    return {}


def parsed_message(raw: bytes) -> Any:  # noqa: ANN401 - JSON may be anything
    """Parse as `parse_json`, but do not parse again because of a long number: none of these formats has numeric ids."""
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError:
        return parse_json(raw).value
