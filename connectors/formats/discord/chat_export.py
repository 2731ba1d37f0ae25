"""One file of DiscordChatExporter: its server and channel, then its messages, which may be gigabytes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from sys import maxsize
from typing import Any

from ....schemas.errors import SourceError
from ...chats.json_messages import MESSAGES, MessageFiles, parsed_message
from ...chats.notices import CONTENT_UNKNOWN, content_unknown
from ...connector import Member, ReadOptions, Record
from ...text.json_fields import id_of, object_of, words_of
from ...text.json_stream import Broken, JSONStream, Started
from ...text.json_stream import Field as JSONField
from ...text.unicode import as_utf8
from .days import chat_days
from .exported_message import MessageReader
from .people import Names

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
            for event in JSONStream(as_utf8(stream).stream.read1, MESSAGES, parsed_message).events():
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
    metadata = channel.metadata() | ({"title": chat} if chat != channel.id else {})
    days = chat_days(chat, names.user, metadata, names.links)
    reader = MessageReader(channel.id, names, options.zone, thread=channel.is_thread)
    files = MessageFiles([member], _is_message)
    yield from files.records(lambda values: map(reader.read, map(object_of, values)), days, alone=alone)
    yield from content_unknown(reader.counts[CONTENT_UNKNOWN], member.locator)


def authors(member: Member) -> Iterator[dict[str, Any]]:
    """The account behind each message of a file, for a first look; what cannot be read is told when it is read."""
    for message in MessageFiles([member], _is_message).first(maxsize):
        yield object_of(message.get("author"))


def _is_message(value: Any) -> bool:  # noqa: ANN401 - JSON may be anything
    message = object_of(value)
    return "id" in message and "timestamp" in message and "author" in message
