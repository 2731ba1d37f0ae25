"""Parses the notes of an .enex file one after the other; the data of attachments is skipped and never held. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from ...opening.limits import MESSAGE_CAP
from ...text.xml_stream import XmlError, XmlEvent

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
    """A note of the export, as written in the file."""

    said: dict[str, str] = field(default_factory=dict[str, str])
    """The fields of the note: ``title``, ``created``, ``updated``, ``author``, ``url``, ``reminder``, ``reminder_done``, ``latitude``, ``longitude``, and ``content`` in Evernote's mark-up."""
    tags: list[str] = field(default_factory=list[str])
    attachments: list[str] = field(default_factory=list[str])
    """The names of the files; the media type of a file without a name."""
    tasks: list[tuple[str, bool]] = field(default_factory=list[tuple[str, bool]])
    """The tasks as (title, whether it is done)."""
    links: list[str] = field(default_factory=list[str])
    """The addresses that the text links to."""
    too_large: bool = False
    damaged: bool = False
    """True if the note is cut off by damage in the file."""


def enex_notes(events: Iterable[XmlEvent]) -> Iterator[EvernoteNote]:
    """Yield every note; a note that damage cuts off is yielded with its content before the damage.

    Raises:
        XmlError: the events raise it.
    """
    notes = _Notes()
    try:
        for event in events:
            if (note := notes.take(event)) is not None:
                yield note
    except XmlError:
        if (note := notes.rest()) is not None:
            yield note
        raise


class _Notes:
    """Builds notes from XML events."""

    def __init__(self) -> None:
        self._path: list[str] = []
        self._note: EvernoteNote | None = None
        self._key = ""
        self._parts: list[str] = []
        self._size = 0
        self._inner: dict[str, str] = {}

    def take(self, event: XmlEvent) -> EvernoteNote | None:
        """Process an event; return the note that it completes, if any."""
        if event.kind == "text":
            if self._key:
                self._add(event.name)
        elif event.kind == "start":
            self._start(event.name)
        else:
            return self._end(event.name)
        return None

    def rest(self) -> EvernoteNote | None:
        """Return the incomplete note with its text so far; None if it has neither title nor text."""
        note, self._note = self._note, None
        if note is None:
            return None
        note.damaged = True
        if self._key == "content":
            _keep(note, self._inner, self._key, "".join(self._parts))
        return note if note.said.get("title") or note.said.get("content") else None

    def _add(self, text: str) -> None:
        self._size += len(text)
        if self._size <= (MESSAGE_CAP if self._key == "content" else _LONGEST_FIELD):
            self._parts.append(text)
        elif self._key == "content" and self._note is not None:
            self._note.too_large = True
            self._parts.clear()

    def _start(self, name: str) -> None:
        path = self._path
        path.append(name)
        if len(path) == 2 and name == "note":
            self._note = EvernoteNote()
        self._key = _FIELDS.get(tuple(path[2:]), "") if self._note is not None and len(path) < 6 else ""
        self._parts, self._size = [], 0
        if len(path) == 3:
            self._inner = {}

    def _end(self, name: str) -> EvernoteNote | None:
        note = self._note
        if self._key and note is not None:
            _keep(note, self._inner, self._key, "".join(self._parts))
        self._key = ""
        self._path.pop()
        if note is None:
            return None
        if len(self._path) == 2:
            _close(note, name, self._inner)
        if len(self._path) != 1:
            return None
        self._note = None
        return note


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
    """Add the file or the task that ends to the note."""
    if element == "resource" and len(note.attachments) < _MOST:
        note.attachments.append(inner.get("file") or inner.get("mime") or "file")
    elif element == "task" and inner.get("task") and len(note.tasks) < _MOST:
        note.tasks.append((inner["task"], inner.get("status") == "completed"))
