"""Reads the annotations of a Google Chat message: marks in its text, and contents shown instead of text. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ...text.json_fields import list_of, object_of, words_of


@dataclass(slots=True)
class Marks:
    """The contents of one message's annotations."""

    segments: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    previews: list[str] = field(default_factory=list[str])
    """The titles and texts of links, videos and meetings."""
    links: list[str] = field(default_factory=list[str])
    documents: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """The files in Drive, as attachments."""
    call: bool = False
    members: str = ""
    """The type of a change of members, in Google's words."""


def marks_of(annotations: object, text: str) -> Marks:
    """Read the annotations of a message. Their positions count UTF-16 units."""
    marks = Marks()
    for entry in list_of(annotations):
        note = object_of(entry)
        _mark_code(note, text, marks)
        if link := object_of(note.get("url_metadata")):
            shown = [words_of(link.get("title")), words_of(link.get("snippet"))]
            marks.previews += [part for part in shown if part]
            marks.links += _address(link.get("url")) or _address(link.get("gws_url"))
        if drive := object_of(note.get("drive_metadata")):
            if name := words_of(drive.get("title")):
                marks.documents.append({"name": name, "mime": None, "missing": True})
            elif video_id := words_of(drive.get("id")):
                marks.links.append(f"https://drive.google.com/open?id={video_id}")
        if meeting := object_of(note.get("video_call_metadata")):
            marks.call = True
            marks.links += _address(object_of(meeting.get("meeting_space")).get("meeting_url"))
        if video := object_of(note.get("youtube_metadata")):
            video_id = words_of(video.get("id"))
            marks.links += [f"https://www.youtube.com/watch?v={video_id}"] if video_id else []
        _mark_other_apps(object_of(note.get("gsuite_integration_metadata")), marks)
        if data := object_of(note.get("interaction_data")):
            marks.links += _address(data.get("url"))
        if change := object_of(note.get("membership_changed_metadata") or note.get("membership_changed")):
            marks.members = words_of(change.get("type")) or "members changed"
    return marks


def _mark_other_apps(note: dict[str, Any], marks: Marks) -> None:
    """Add calls, tasks and calendar events of other Google apps."""
    if note.get("call_data"):
        marks.call = True
    task = object_of(object_of(note.get("tasks_data")).get("task_properties"))
    event = object_of(object_of(note.get("calendar_event_data")).get("calendar_event"))
    begins = words_of(object_of(event.get("start_time")).get("timed"))
    shown = [words_of(task.get("title")), words_of(task.get("description")), words_of(event.get("title")), begins]
    marks.previews += [part for part in shown if part]


def _address(value: object) -> list[str]:
    """Return the address in a string or in an object of one address, as a list of at most one."""
    if isinstance(value, str):
        return [value] if value.strip() else []
    return [text for each in object_of(value).values() if (text := words_of(each))][:1]


def _mark_code(note: dict[str, Any], text: str, marks: Marks) -> None:
    """Add a segment for text in monospace as code, since it is not prose of a person."""
    kind = words_of(object_of(note.get("format_metadata")).get("format_type"))
    start, length = note.get("start_index"), note.get("length")
    if not kind.startswith("MONOSPACE") or not isinstance(start, int) or not isinstance(length, int):
        return
    units = text.encode("utf-16-le", "surrogatepass")
    if 0 <= start < start + length <= len(units) // 2:
        first = len(units[: start * 2].decode("utf-16-le", "replace"))
        last = len(units[: (start + length) * 2].decode("utf-16-le", "replace"))
        segment = {"kind": "code", "start": first, "end": last}
        if first < last <= len(text) and segment not in marks.segments:
            marks.segments.append(segment)
