"""What a file of a chat says of the chat; most of it stands behind the messages, so the file is run through first."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import orjson

from ....schemas.errors import SourceError
from ...chats.json_messages import MESSAGES
from ...connector import Member
from ...text.json_fields import entries_of, object_of
from ...text.json_stream import Elements, JSONStream
from ...text.json_stream import Field as JSONField
from ...text.unicode import as_utf8
from .mojibake import repaired_name

_ID = re.compile(r"_(\d{4,})$")
_COUNTER = re.compile(r"_\d+$")
_FOLDERS = frozenset(
    {"inbox", "archived_threads", "filtered_threads", "message_requests", "e2ee_cutover", "broadcast", "legacy_threads"}
)
_PART = re.compile(r"message(?:_\d+)?(?:\.json)?$", re.IGNORECASE)
_LINES = re.compile(rb"\s*+\{\r?\n")
_BEGINNING = 64
_NO_MESSAGES = (("",),)
"""No list at all, but the object in which it would stand."""
_LISTED_PEOPLE = 50
"""Chats with more people are described by their title alone."""


@dataclass(frozen=True, slots=True)
class Thread:
    """What one file says of its chat."""

    key: str
    """The digits behind the name in the thread's path; the whole path's end in older exports; else a name."""
    title: str
    people: tuple[str, ...]
    """As listed in the export, without doubles; whoever left is not among them."""
    other: str
    """In a chat of two, whom it is with; empty if that is not shown."""
    folder: str
    """``inbox``, ``archived_threads``, …; empty if unknown."""
    group: bool
    left: bool
    """Whether the exporter is no longer in it."""
    messages: int
    """0 where they were not counted."""

    @property
    def user(self) -> str:
        """The exporter, where this chat shows it: in a chat of two named after the other one."""
        names = [name for name in self.people if name != self.other]
        return names[0] if self.other and len(self.people) == 2 and len(names) == 1 else ""

    def metadata(self) -> dict[str, str]:
        """For the documents; nothing that is empty."""
        listed = ", ".join(self.people) if 0 < len(self.people) <= _LISTED_PEOPLE else ""
        found = {
            "title": self.title,
            "channel_type": "group" if self.group else "dm",
            "folder": self.folder,
            "participants": listed,
            "left": "true" if self.left else "",
        }
        return {key: value for key, value in found.items() if value}


def thread_of(member: Member, *, counted: bool = True) -> Thread:
    """What a file says, as far as it can be read; where it stands helps with what is lost.

    Messages that need not be ``counted`` are passed over, where lines tell their end.
    """
    fields: dict[str, Any] = {}
    count = 0
    with suppress(SourceError), member.open() as stream:
        text = as_utf8(stream).stream
        paths = MESSAGES if counted or not _LINES.match(text.peek(_BEGINNING)) else _NO_MESSAGES
        for event in JSONStream(text.read1, paths, _outside).batches():
            if isinstance(event, Elements):
                count += len(event.values)
            elif isinstance(event, JSONField) and not event.holder:
                fields.setdefault(event.key, event.value)
    people = tuple(dict.fromkeys(name for entry in entries_of(fields.get("participants")) if (name := _person(entry))))
    encrypted = repaired_name(fields.get("threadName"))
    title = repaired_name(fields.get("title")) or _COUNTER.sub("", encrypted)
    path = [part for part in repaired_name(fields.get("thread_path")).split("/") if part]
    place = [part for part in member.name.split("/") if part]
    folder = next((part for part in (*path[:1], *reversed(place[:-1])) if part in _FOLDERS), "")
    own = path[-1] if path else encrypted
    if not own and len(place) > 1 and _PART.match(place[-1]):
        own = place[-2]
    found = None if encrypted and not path else _ID.search(own)
    others = [name for name in people if name != title]
    return Thread(
        key=(found[1] if found else own) or title or ", ".join(people) or member.name,
        title=title or ", ".join(people) or own or member.name,
        people=people,
        other=title if title in people and len(others) == 1 else "",
        folder=folder,
        group=len(people) > 2
        or "joinable_mode" in fields
        or (len(people) == 2 and bool(title) and title not in people),
        left=fields.get("is_still_participant") is False,
        messages=count,
    )


def _person(entry: object) -> str:
    return repaired_name(entry if isinstance(entry, str) else object_of(entry).get("name"))


def _outside(raw: bytes) -> Any:  # noqa: ANN401 - JSON may be anything
    """Parses what stands beside the messages; those are only counted."""
    return {} if raw.startswith(b"{") else orjson.loads(raw)
