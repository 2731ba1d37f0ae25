"""Reads one JSON file of DiscordChatExporter: its server and channel, then its messages, which may be gigabytes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from sys import maxsize
from typing import Any

from ....schemas.errors import SourceError
from ...chats.json_messages import MESSAGES, MessageFiles, parsed_message
from ...chats.notices import CONTENT_UNKNOWN, content_unknown
from ...connector import Member, ReadOptions, Record
from ...opening.attached_files import AttachedFiles
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
    """The server and channel of a file, which are written before its messages."""

    id: str
    name: str
    type: str
    server: str
    category: str
    topic: str

    @property
    def is_thread(self) -> bool:
        """Return whether the channel is a thread of another channel, which the export then states as the category."""
        return "Thread" in self.type or self.type in ("10", "11", "12")

    @property
    def title(self) -> str:
        """The title for people: ``Server #channel``, with the thread behind it; in a direct chat the other person's
        name.
        """
        if not self.server or self.type in _DIRECT:
            return self.name or self.id
        if self.is_thread and self.category:
            return f"{self.server} #{self.category} > {self.name}"
        return f"{self.server} #{self.name or self.id}"

    def metadata(self) -> dict[str, str]:
        """Return the metadata for the documents of the channel, without empty values."""
        metadata = {"title": self.title, "server": self.server, "category": self.category, "topic": self.topic}
        return {key: value for key, value in metadata.items() if value}


def channel_of(member: Member) -> Channel | None:
    """Return the channel of a file, read from before its messages; None if it is not stated there."""
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
    channel_id = id_of(channel.get("id"))
    if not channel_id:
        return None
    return Channel(
        id=channel_id,
        name=words_of(channel.get("name")),
        type=words_of(channel.get("type")),
        server=words_of(guild.get("name")) if id_of(guild.get("id")) != "0" else "",
        category=words_of(channel.get("category")),
        topic=words_of(channel.get("topic")),
    )


def export_records(
    member: Member,
    channel: Channel,
    names: Names,
    options: ReadOptions,
    beside: AttachedFiles,
    *,
    chat: str,
    alone: bool,
) -> Iterator[Record]:
    """Yield the day documents of a file, and a rejection for each part that cannot be read.

    Args:
        member: the file.
        channel: the channel of the file.
        names: the names of the accounts in this chat.
        options: the zone, and the exporter.
        beside: the files of the export.
        chat: the key of the chat.
        alone: whether nothing else is read, so that a file that cannot be opened is an error.

    Raises:
        SourceError: the file is ``alone`` and cannot be opened.
    """
    metadata = channel.metadata() | ({"title": chat} if chat != channel.id else {})
    days = chat_days(chat, names.user, metadata, names.links)
    held = partial(beside.has, folder=member.name.rpartition("/")[0])
    reader = MessageReader(channel.id, names, options.zone, held, thread=channel.is_thread)
    files = MessageFiles([member], _is_message)
    yield from files.records(lambda values: map(reader.read, map(object_of, values)), days, alone=alone)
    yield from content_unknown(reader.counts[CONTENT_UNKNOWN], member.locator)


def authors(member: Member) -> Iterator[dict[str, Any]]:
    """Yield the author's account of each message of a file, for the preview; unreadable messages are skipped without a
    report.
    """
    for message in MessageFiles([member], _is_message).first(maxsize):
        yield object_of(message.get("author"))


def _is_message(value: Any) -> bool:  # noqa: ANN401 - JSON may be anything
    message = object_of(value)
    return "id" in message and "timestamp" in message and "author" in message
