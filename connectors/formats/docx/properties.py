"""Reads the properties of a document (``docProps/core.xml``). Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from ....schemas.times import fixed_offset
from ...text.xml_stream import XmlEvent

_NAMES = {
    "title": "title",
    "creator": "author",
    "subject": "subject",
    "language": "language",
    "keywords": "keywords",
    "created": "created",
    "modified": "updated",
}
_LONGEST = 4096
_MOST_KEYWORDS = 50
_SEPARATOR = re.compile(r"[,;]")


@dataclass(frozen=True, slots=True)
class Properties:
    """The properties that become metadata; empty if the document does not state them."""

    title: str = ""
    author: str = ""
    subject: str = ""
    language: str = ""
    keywords: Sequence[str] = ()
    created: datetime | None = None
    updated: datetime | None = None


def properties_of(events: Iterable[XmlEvent]) -> Properties:
    """Return the properties in these events."""
    result: dict[str, str] = {}
    current = ""
    for event in events:
        if event.kind == "start":
            current = _NAMES.get(event.name, "")
        elif event.kind == "end":
            current = ""
        elif current and len(result.get(current, "")) < _LONGEST:
            result[current] = result.get(current, "") + event.name[:_LONGEST]
    words = [word.strip() for word in _SEPARATOR.split(result.get("keywords", ""))]
    return Properties(
        title=" ".join(result.get("title", "").split()),
        author=result.get("author", "").strip(),
        subject=result.get("subject", "").strip(),
        language=result.get("language", "").strip(),
        keywords=list(dict.fromkeys(word for word in words if word))[:_MOST_KEYWORDS],
        created=_time(result.get("created", "")),
        updated=_time(result.get("updated", "")),
    )


def _time(written: str) -> datetime | None:
    """Parse an RFC 3339 time; one without a zone is UTC, as the format says. None if it is invalid or before 1970."""
    try:
        time = datetime.fromisoformat(written.strip())
        time = fixed_offset(time if time.tzinfo is not None else time.replace(tzinfo=UTC))
        time.timestamp()
    except (ValueError, OverflowError):
        return None
    return None if time.year < 1970 else time
