"""Reads the edits and retractions of a message from ``message_summary_info``. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from typing import Any, cast

from ...text.json_fields import list_of, object_of
from .property_list import property_list
from .times import apple_time
from .typedstream import OBJECT, attributed_text


@dataclass(slots=True)
class Summary:
    """The edit history of one message."""

    edits: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """The earlier versions, the oldest first, each with the time when it was replaced."""
    latest: dict[int, str] = field(default_factory=dict[int, str])
    """The current text of each edited part, by the number of the part."""
    edited_at: datetime | None = None
    parts: int = 0
    """The number of parts that the message had."""
    unsent: int = 0
    """The number of parts that were retracted."""

    @property
    def is_unsent(self) -> bool:
        """Return whether all parts were retracted."""
        return 0 < self.parts <= self.unsent

    @property
    def wording(self) -> str:
        """The current text of the edited parts, for a message without text of its own in the database."""
        return "".join(self.latest[part] for part in sorted(self.latest))


def summary_of(data: object, zone: tzinfo) -> Summary:
    """Return the history in a property list; an empty one if the list cannot be read."""
    listed = property_list(data)
    summary = Summary()
    history = object_of(listed.get("ec"))
    for part, versions in cast("dict[object, object]", history).items():  # a damaged list has keys of any type
        _add_versions(summary, part, list_of(versions), zone)
    summary.edits.sort(key=lambda edit: edit["time"].timestamp() if edit["time"] else 0.0)
    retracted = {part for part in list_of(listed.get("rp")) if isinstance(part, int)}
    summary.unsent = len(retracted)
    summary.parts = max(len(object_of(listed.get("otr"))), len(retracted) if not summary.latest else 0)
    return summary


def _add_versions(summary: Summary, part: object, versions: list[Any], zone: tzinfo) -> None:
    """Add the versions of one part to the summary: the first is the original, the last the current one."""
    texts: list[str] = []
    times: list[datetime | None] = []
    for version in versions:
        archive = object_of(version).get("t")
        text = attributed_text(archive) if isinstance(archive, bytes) else None
        if text is not None:
            texts.append(text)
            times.append(apple_time(object_of(version).get("d"), zone))
    if not texts:
        return
    if isinstance(part, str) and part.isascii() and part.isdigit() and len(part) < 9:
        summary.latest[int(part)] = texts[-1]
    for text, replaced in zip(texts[:-1], times[1:], strict=True):
        if words := text.replace(OBJECT, ""):
            summary.edits.append({"content": words, "time": replaced})
    last = times[-1] if len(texts) > 1 else None
    if last is not None and (summary.edited_at is None or last > summary.edited_at):
        summary.edited_at = last
