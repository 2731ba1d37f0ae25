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
    mime: Text | None = None
    size: Size | None = None
    missing: bool = False


class Reaction(Struct, frozen=True):
    """An emoji and who reacted with it."""

    emoji: Text
    people: tuple[Text, ...] = ()


class Edit(Struct, frozen=True):
    """An earlier wording of a message; ``time`` is when it was replaced, where the source tells."""

    content: Text
    time: Instant | None = None

    @classmethod
    def zones_of(cls, structs: Sequence[Any]) -> set[tzinfo | None]:
        """Return the zones of all times."""
        return {edit.time.tzinfo for edit in structs if edit.time is not None}


_DEPTH = "How deep it is quoted: 1 is what is answered, 2 what that one answers; 0 where the source does not tell."


class Segment(Struct, frozen=True):
    """A part of ``content``, ``content[start:end]`` in characters, that is not simply the speaker's own words."""

    kind: SegmentKind
    start: Size
    end: Size
    depth: Annotated[Size, Field(description=_DEPTH)] = 0


class ConversationMessage(Struct, frozen=True):
    """Speaker, content and time; everything else only where the source has it.

    ``content`` is verbatim. A record without text carries its placeholder (``<Media omitted>``, ``[photo]``)
    and says so in ``kind``.
    """

    speaker: Text
    content: Text
    time: Instant
    id: Text | None = None
    reply_to: Text | None = None
    thread: Text | None = None
    kind: MessageKind = "text"
    role: Role | None = None
    edited: bool = False
    edited_at: Instant | None = None
    edits: tuple[Edit, ...] = ()
    deleted: bool = False
    forwarded_from: Text | None = None
    attachments: tuple[Attachment, ...] = ()
    reactions: tuple[Reaction, ...] = ()
    read_by: tuple[Text, ...] = ()
    status: Status | None = None
    priority: Text | None = None
    segments: tuple[Segment, ...] = ()
    time_precision: TimePrecision | None = None
    zone_origin: ZoneOrigin | None = None
    metadata: Metadata = field(default_factory=dict)

    @classmethod
    def zones_of(cls, structs: Sequence[Any]) -> set[tzinfo | None]:
        """Return the zones of all times, those of earlier wordings too."""
        edits: list[Edit] = [edit for message in structs for edit in message.edits]
        edited = {message.edited_at.tzinfo for message in structs if message.edited_at is not None}
        return {*map(_ZONE, structs)} | edited | Edit.zones_of(edits)
