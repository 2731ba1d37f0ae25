"""Reads the metadata of a chat from one of its files. Most of it follows the messages, so the whole file is scanned."""

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
"""A path that matches no list of messages, but the object that would contain it."""
_LISTED_PEOPLE = 50
"""The largest number of people whom metadata lists; larger chats have only their title."""


@dataclass(frozen=True, slots=True)
class Thread:
    """The metadata of a chat in one of its files."""

    key: str
    """The digits after the name in the thread's path; in older exports the end of the path; else a name."""
    title: str
    people: tuple[str, ...]
    """The people listed in the export, without duplicates; people who left are missing."""
    other: str
    """In a chat of two, the other person; empty if unknown."""
    folder: str
    """``inbox``, ``archived_threads``, …; empty if unknown."""
    group: bool
    left: bool
    """True if the exporter has left the chat."""
    messages: int
    """The number of messages; 0 if they were not counted."""

    @property
    def user(self) -> str:
        """The exporter, if this chat shows it: in a chat of two that is named after the other person. Else empty."""
        names = [name for name in self.people if name != self.other]
        return names[0] if self.other and len(self.people) == 2 and len(names) == 1 else ""

    def metadata(self) -> dict[str, str]:
        """Return the metadata for the documents, without empty values."""
        listed = ", ".join(self.people) if 0 < len(self.people) <= _LISTED_PEOPLE else ""
        metadata = {
            "title": self.title,
            "channel_type": "group" if self.group else "dm",
            "folder": self.folder,
            "participants": listed,
            "left": "true" if self.left else "",
        }
        return {key: value for key, value in metadata.items() if value}


def thread_of(member: Member, *, counted: bool = True) -> Thread:
    """Return the metadata in a file as far as it can be read; the file's path replaces missing fields.

    If the messages need not be `counted`, they are skipped where line breaks show their end.
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
    thread_id = path[-1] if path else encrypted
    if not thread_id and len(place) > 1 and _PART.match(place[-1]):
        thread_id = place[-2]
    match = None if encrypted and not path else _ID.search(thread_id)
    others = [name for name in people if name != title]
    return Thread(
        key=(match[1] if match else thread_id) or title or ", ".join(people) or member.name,
        title=title or ", ".join(people) or thread_id or member.name,
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
    """Parse everything except messages, which are only counted."""
    return {} if raw.startswith(b"{") else orjson.loads(raw)
