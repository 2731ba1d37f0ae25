"""Files of one chat whose JSON holds a list of messages: each message is read by itself, and becomes part of its day."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import orjson

from ...schemas import Rejected
from ...schemas.errors import SourceError
from ...schemas.message_columns import MessageColumns
from ...schemas.wire import replaced_text
from ..connector import Member, Record
from ..errors import refusal
from ..opening.tracked_member import count_read
from ..text.json_fields import object_of
from ..text.json_parsing import parse_json
from ..text.json_stream import Broken, Element, Elements, JSONStream, Started
from ..text.unicode import Utf8Stream, as_utf8
from .ordered_days import Message, OrderedDays

MESSAGES = (("messages",),)
"""Where the list is."""
Read = Callable[[list[Any]], Sequence[Message | MessageColumns | str]]
"""From elements of the list to what documents have, for each its message or why there is none; or columns for several."""


@dataclass(frozen=True, slots=True)
class MessageFiles:
    """The files of one chat.

    ``genuine`` says of an object found behind a broken message whether it may be a message.
    """

    members: Sequence[Member]
    genuine: Callable[[dict[str, Any]], bool]

    def records(self, read: Read, days: OrderedDays, *, alone: bool) -> Iterator[Record]:
        """The days of the chat, and what of it cannot be read.

        Args:
            read: reads messages.
            days: takes the messages.
            alone: whether nothing else is read, so that a file that cannot be opened is an error.

        Raises:
            SourceError: the file is ``alone`` and cannot be opened.
        """
        for member in self.members:
            try:
                stream = member.open()
            except SourceError as error:
                if alone:
                    raise
                yield refusal(member.locator, error)
                continue
            with stream:
                text: Utf8Stream | None = None
                try:
                    text = as_utf8(stream)
                    yield from self._messages(text.stream, read, days, member)
                except SourceError as error:  # damaged or over a cap, in the middle: what came before stays
                    yield refusal(member.locator, error)
                if text is not None and text.replaced:
                    yield replaced_text(member.locator)
        yield from days.close()

    def first(self, most: int) -> Iterator[dict[str, Any]]:
        """The first messages of each file, as they stand there; nothing of a file that cannot be read."""
        for member in self.members:
            left = most
            with suppress(SourceError), member.open() as stream:
                for event in self._stream(as_utf8(stream).stream).events():
                    if left <= 0:
                        break
                    if isinstance(event, Element):
                        left -= 1
                        yield object_of(event.value)

    def _messages(self, stream: Any, read: Read, days: OrderedDays, member: Member) -> Iterator[Record]:  # noqa: ANN401
        started, locator = False, member.locator
        for event in self._stream(stream).batches():
            if isinstance(event, Elements):
                count_read(member, len(event.values))
                for record in days.add_all(read(event.values), f"{locator}#{event.array}", event.index):
                    if isinstance(record, Rejected):
                        count_read(member, -1)
                    yield record
            elif isinstance(event, Broken):
                yield Rejected(locator=f"{locator}#{event.pointer}", reason=event.reason)
            elif isinstance(event, Started):
                started = True
        if not started:
            yield Rejected(locator=locator, reason="the file has no list of messages")

    def _stream(self, stream: Any) -> JSONStream:  # noqa: ANN401 - a buffered reader, or one that decodes
        return JSONStream(stream.read1, MESSAGES, parsed_message, genuine=lambda value: self.genuine(object_of(value)))


def parsed_message(raw: bytes) -> Any:  # noqa: ANN401 - JSON may be anything
    """As `parse_json`, but a long number is no reason to look twice: none of these formats has numbers for ids."""
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError:
        return parse_json(raw).value
