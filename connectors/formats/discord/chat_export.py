"""One file of DiscordChatExporter: its server and channel, then its messages, which may be gigabytes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import orjson

from ....schemas import Notice, Rejected
from ....schemas.errors import SourceError
from ....schemas.wire import replaced_text
from ...chats.ordered_days import OrderedDays
from ...connector import Member, ReadOptions, Record
from ...errors import refusal
from ...text.json_fields import id_of, object_of, words_of
from ...text.json_parsing import parse_json
from ...text.json_stream import Broken, Element, Elements, JSONStream, Started
from ...text.json_stream import Field as JSONField
from ...text.unicode import Utf8Stream, as_utf8
from .days import chat_days
from .exported_message import CONTENT_UNKNOWN, MessageReader
from .people import Names

_MESSAGES = (("messages",),)
_DIRECT = frozenset({"DirectTextChat", "DirectGroupTextChat", "1", "3"})


@dataclass(frozen=True, slots=True)
class Channel:
    """What stands before the messages of a file."""

    id: str
    name: str
    type: str
    server: str
    category: str
    topic: str

    @property
    def is_thread(self) -> bool:
        """Whether it is a thread of another channel, which the export calls its category."""
        return "Thread" in self.type or self.type in ("10", "11", "12")

    @property
    def title(self) -> str:
        """As people find it: ``Server #channel``, the thread behind it; the other person's name in a direct chat."""
        if not self.server or self.type in _DIRECT:
            return self.name or self.id
        if self.is_thread and self.category:
            return f"{self.server} #{self.category} > {self.name}"
        return f"{self.server} #{self.name or self.id}"

    def metadata(self) -> dict[str, str]:
        """For the documents; nothing that is empty."""
        found = {"title": self.title, "server": self.server, "category": self.category, "topic": self.topic}
        return {key: value for key, value in found.items() if value}


def channel_of(member: Member) -> Channel | None:
    """The channel that a file is about, by what stands before its messages; None where that does not say it."""
    try:
        with member.open() as stream:
            fields: dict[str, Any] = {}
            for event in JSONStream(as_utf8(stream).stream.read1, _MESSAGES, _parsed).events():
                if isinstance(event, Started | Broken):
                    break
                if isinstance(event, JSONField):
                    fields[event.key] = event.value
    except SourceError:
        return None
    channel, guild = object_of(fields.get("channel")), object_of(fields.get("guild"))
    own = id_of(channel.get("id"))
    if not own:
        return None
    return Channel(
        id=own,
        name=words_of(channel.get("name")),
        type=words_of(channel.get("type")),
        server=words_of(guild.get("name")) if id_of(guild.get("id")) != "0" else "",
        category=words_of(channel.get("category")),
        topic=words_of(channel.get("topic")),
    )


def export_records(
    member: Member, channel: Channel, names: Names, options: ReadOptions, *, chat: str, alone: bool
) -> Iterator[Record]:
    """The days of a file, and what of it cannot be read.

    Args:
        member: the file.
        channel: what it is about.
        names: of the accounts in this chat.
        options: the zone, and who exported.
        chat: the chat's key.
        alone: whether nothing else is read, so that a file that cannot be opened is an error.

    Raises:
        SourceError: the file is ``alone`` and cannot be opened.
    """
    try:
        stream = member.open()
    except SourceError as error:
        if alone:
            raise
        yield refusal(member.locator, error)
        return
    metadata = channel.metadata() | ({"title": chat} if chat != channel.id else {})
    days = chat_days(chat, names.user, metadata, names.links)
    reader = MessageReader(channel.id, names, options.zone, thread=channel.is_thread)
    with stream:
        text: Utf8Stream | None = None
        try:
            text = as_utf8(stream)
            yield from _messages(text.stream.read1, reader, days, member.locator)
        except SourceError as error:  # damaged or over a cap, in the middle: what came before stays
            yield refusal(member.locator, error)
        if text is not None and text.replaced:
            yield replaced_text(member.locator)
    yield from days.close()
    yield from unknown_content(reader, member.locator)


def unknown_content(reader: MessageReader, locator: str) -> Iterator[Notice]:
    """The notice that messages of a type that is not known were kept, if there are any."""
    if count := reader.counts[CONTENT_UNKNOWN]:
        hint = f"{count} message(s) hold content of an unknown type; they were kept as far as it has text"
        yield Notice(code=CONTENT_UNKNOWN, locator=locator, hint=hint)


def _messages(read: Any, reader: MessageReader, days: OrderedDays, locator: str) -> Iterator[Record]:  # noqa: ANN401
    started = False
    for event in JSONStream(read, _MESSAGES, _parsed, genuine=_is_message).batches():
        if isinstance(event, Elements):
            found = map(reader.read, map(object_of, event.values))
            yield from days.add_all(found, f"{locator}#{event.array}", event.index)
        elif isinstance(event, Broken):
            yield Rejected(locator=f"{locator}#{event.pointer}", reason=event.reason)
        elif isinstance(event, Started):
            started = True
    if not started:
        yield Rejected(locator=locator, reason="the file has no list of messages")


def authors(member: Member) -> Iterator[dict[str, Any]]:
    """The account behind each message of a file, for a first look; what cannot be read is told when it is read."""
    with suppress(SourceError), member.open() as stream:
        for event in JSONStream(as_utf8(stream).stream.read1, _MESSAGES, _parsed, genuine=_is_message).events():
            if isinstance(event, Element):
                yield object_of(object_of(event.value).get("author"))


def _parsed(raw: bytes) -> Any:  # noqa: ANN401 - JSON may be anything
    """As `parse_json`, but a long number is no reason to look twice: ids are strings."""
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError:
        return parse_json(raw).value


def _is_message(value: Any) -> bool:  # noqa: ANN401 - JSON may be anything
    message = object_of(value)
    return "id" in message and "timestamp" in message and "author" in message
