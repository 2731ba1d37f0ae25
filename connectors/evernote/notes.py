"""The notes of an .enex file, one after the other: what lies in attachments passes by and is never held. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from ..limits import MESSAGE_CAP
from ..xml_stream import XmlEvent

_LONGEST_FIELD = 64 * 1024
_MOST = 1_000
_FIELDS: Mapping[tuple[str, ...], str] = {
    ("title",): "title",
    ("created",): "created",
    ("updated",): "updated",
    ("content",): "content",
    ("tag",): "tag",
    ("note-attributes", "author"): "author",
    ("note-attributes", "source-url"): "url",
    ("note-attributes", "reminder-time"): "reminder",
    ("note-attributes", "reminder-done-time"): "reminder_done",
    ("note-attributes", "latitude"): "latitude",
    ("note-attributes", "longitude"): "longitude",
    ("resource", "mime"): "mime",
    ("resource", "resource-attributes", "file-name"): "file",
    ("task", "title"): "task",
    ("task", "taskStatus"): "status",
}


@dataclass(slots=True)
class EvernoteNote:
    """A note as it stands in the file."""

    said: dict[str, str] = field(default_factory=dict[str, str])
    """``title``, ``created``, ``updated``, ``author``, ``url``, ``reminder``, ``reminder_done``, ``latitude``, ``longitude``, and ``content`` in Evernote's mark-up."""
    tags: list[str] = field(default_factory=list[str])
    attachments: list[str] = field(default_factory=list[str])
    """Names of files; of those without a name their type."""
    tasks: list[tuple[str, bool]] = field(default_factory=list[tuple[str, bool]])
    """Titles, and whether they are done."""
    too_large: bool = False


def enex_notes(events: Iterable[XmlEvent]) -> Iterator[EvernoteNote]:
    """Every note that is complete.

    Raises:
        XmlError: the events raise it.
    """
    path: list[str] = []
    note: EvernoteNote | None = None
    key = ""
    parts: list[str] = []
    size = 0
    inner: dict[str, str] = {}
    for event in events:
        if event.kind == "text":
            if key:
                size += len(event.name)
                if size <= (MESSAGE_CAP if key == "content" else _LONGEST_FIELD):
                    parts.append(event.name)
                elif key == "content" and note is not None:
                    note.too_large = True
                    parts.clear()
        elif event.kind == "start":
            path.append(event.name)
            if len(path) == 2 and event.name == "note":
                note = EvernoteNote()
            key = _FIELDS.get(tuple(path[2:]), "") if note is not None and len(path) < 6 else ""
            parts, size = [], 0
            if len(path) == 3:
                inner = {}
        else:
            if key and note is not None:
                _keep(note, inner, key, "".join(parts))
            key = ""
            path.pop()
            if note is not None and len(path) == 2:
                _close(note, event.name, inner)
            if len(path) == 1 and note is not None:
                yield note
                note = None


def _keep(note: EvernoteNote, inner: dict[str, str], key: str, text: str) -> None:
    if key == "tag":
        if text.strip() and len(note.tags) < _MOST:
            note.tags.append(text.strip())
    elif key in ("mime", "file", "task", "status"):
        inner[key] = text.strip()
    elif key == "content":
        note.said[key] = text
    else:
        note.said.setdefault(key, " ".join(text.split()))


def _close(note: EvernoteNote, element: str, inner: dict[str, str]) -> None:
    """What is known at the end of a file or a task."""
    if element == "resource" and len(note.attachments) < _MOST:
        note.attachments.append(inner.get("file") or inner.get("mime") or "file")
    elif element == "task" and inner.get("task") and len(note.tasks) < _MOST:
        note.tasks.append((inner["task"], inner.get("status") == "completed"))
