"""One message of a conversation, as its source has it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo
from operator import attrgetter
from typing import Annotated, Any, Literal

from msgspec import Meta, field
from pydantic import Field

from .model import Metadata, Text
from .struct import Struct
from .times import Instant, TimePrecision, ZoneOrigin

SYSTEM_SPEAKER = "(system)"
"""The reserved speaker of lines that nobody wrote; never a person."""

UNKNOWN_USER = "(me)"
"""The placeholder for the exporter when nobody said who that is; nobody's words are attributed to it."""

UNTERMINATED = "unterminated"
"""Metadata of the last message of a file without a line end behind it: the file may have been cut within the message."""

MessageKind = Literal["text", "system", "call", "poll", "media", "location", "contact", "event", "deleted", "unknown"]
Role = Literal["user", "assistant", "system", "tool"]
Status = Literal["sent", "delivered", "read", "failed"]
SegmentKind = Literal["text", "quote", "forward", "code", "signature"]

_ZONE = attrgetter("time.tzinfo")
Size = Annotated[int, Meta(ge=0), Field(ge=0)]


class Attachment(Struct, frozen=True):
    """A file that came with a message; its bytes are not kept. ``missing``: the export does not hold it."""

    name: Text
    """The name of the file."""
    mime: Text | None = None
    """The media type; null if it is not known."""
    size: Size | None = None
    """The size in bytes; null if it is not known."""
    missing: bool = False
    """True if the export does not contain the file."""


class Reaction(Struct, frozen=True):
    """An emoji and who reacted with it."""

    emoji: Text
    """The emoji, or its name."""
    people: tuple[Text, ...] = ()
    """The names of those who reacted."""


class Edit(Struct, frozen=True):
    """An earlier wording of a message; ``time`` is when it was replaced, where the source tells."""

    content: Text
    """The earlier text."""
    time: Instant | None = None
    """The time at which it was replaced."""

    @classmethod
    def zones_of(cls, structs: Sequence[Any]) -> set[tzinfo | None]:
        """Return the zones of all times."""
        return {edit.time.tzinfo for edit in structs if edit.time is not None}


_DEPTH = "How deep it is quoted: 1 is what is answered, 2 what that one answers; 0 where the source does not tell."


class Segment(Struct, frozen=True):
    """A part of ``content``, ``content[start:end]`` in characters, that is not simply the speaker's own words."""

    kind: SegmentKind
    """The kind of part."""
    start: Size
    """The position of the first character, from 0."""
    end: Size
    """The position behind the last character."""
    depth: Annotated[Size, Field(description=_DEPTH)] = 0


class ConversationMessage(Struct, frozen=True):
    """Speaker, content and time; everything else only where the source has it.

    ``content`` is verbatim. A record without text carries its placeholder (``<Media omitted>``, ``[photo]``)
    and says so in ``kind``.
    """

    speaker: Text
    """The name of the speaker."""
    content: Text
    """The text, verbatim."""
    time: Instant
    """The time, RFC 3339 with an offset."""
    id: Text | None = None
    """The source's own id of the message."""
    reply_to: Text | None = None
    """The id of the message that it answers."""
    thread: Text | None = None
    """The id of the thread that it belongs to."""
    kind: MessageKind = "text"
    """The kind of message; `text` is what people wrote."""
    role: Role | None = None
    """The role of the speaker in a conversation with an assistant."""
    edited: bool = False
    """True if it was changed after it was sent."""
    edited_at: Instant | None = None
    """The time of the last change."""
    edits: tuple[Edit, ...] = ()
    """Earlier texts, the oldest first."""
    deleted: bool = False
    """True if it was deleted in the source."""
    forwarded_from: Text | None = None
    """The name of whoever wrote it first."""
    attachments: tuple[Attachment, ...] = ()
    """The files that came with it."""
    reactions: tuple[Reaction, ...] = ()
    """The reactions to it."""
    read_by: tuple[Text, ...] = ()
    """The names of those who read it."""
    status: Status | None = None
    """The state of its delivery."""
    priority: Text | None = None
    """The priority, in the words of the source."""
    segments: tuple[Segment, ...] = ()
    """Parts of the content that are not simply the speaker's own words."""
    time_precision: TimePrecision | None = None
    """The precision of the time, if it is coarser than usual."""
    zone_origin: ZoneOrigin | None = None
    """The origin of the offset of the time."""
    metadata: Metadata = field(default_factory=dict)
    """Further text by key; docs/documents.md lists the keys that memd writes."""

    @classmethod
    def zones_of(cls, structs: Sequence[Any]) -> set[tzinfo | None]:
        """Return the zones of all times, those of earlier wordings too."""
        edits: list[Edit] = [edit for message in structs for edit in message.edits]
        edited = {message.edited_at.tzinfo for message in structs if message.edited_at is not None}
        return {*map(_ZONE, structs)} | edited | Edit.zones_of(edits)
