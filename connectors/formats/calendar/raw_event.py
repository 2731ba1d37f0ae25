"""The lines of one event, as a calendar writes them. Pure."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field

from ...text.calendar_lines import ContentLine, text_of

_LONGEST_ID = 500
_STAMP = re.compile(r"\d{8}T\d{6}Z", re.ASCII)
_LONGEST_NUMBER = 18
"""The most digits of a form's number: some programs count in seconds or milliseconds since 1970."""


@dataclass(slots=True)
class RawEvent:
    """The lines of one event."""

    kind: str
    """The kind of component: ``VEVENT``, ``VTODO`` or ``VJOURNAL``."""
    line: int
    lines: list[ContentLine] = field(default_factory=list[ContentLine])
    _first: dict[str, ContentLine] = field(default_factory=dict[str, ContentLine], repr=False)
    _repeated: set[str] = field(default_factory=set[str], repr=False)

    def add(self, line: ContentLine) -> None:
        """Append a line."""
        self.lines.append(line)
        if self._first.setdefault(line.name, line) is not line:
            self._repeated.add(line.name)

    def first(self, name: str) -> ContentLine | None:
        """Return the first line with this name."""
        return self._first.get(name)

    def value(self, name: str) -> str:
        """Return the text of the first line with this name; empty without one."""
        line = self._first.get(name)
        return "" if line is None else text_of(line.value).strip()

    def words(self, name: str) -> str:
        """Return the different texts of all lines with this name, such as the paragraphs of a journal's entry."""
        if name not in self._repeated:
            return self.value(name)
        texts = (text_of(line.value).strip() for line in self.lines if line.name == name)
        return "\n".join(dict.fromkeys(filter(None, texts)))

    @property
    def uid(self) -> str:
        """The event's id; for an event without one, or with one that is too long, a hash."""
        value = self.value("UID")
        if value and len(value) <= _LONGEST_ID:
            return value
        lines = "\n".join(f"{line.name}:{line.value}" for line in self.lines if line.name != "DTSTAMP")
        return "sha256-" + hashlib.sha256((value or lines).encode("utf-8", "replace")).hexdigest()[:32]

    @property
    def changes(self) -> bool:
        """Return whether this is a changed time of a recurring event."""
        return self.first("RECURRENCE-ID") is not None

    @property
    def changes_following(self) -> bool:
        """Return whether the change is one of all later times, too."""
        line = self.first("RECURRENCE-ID")
        return line is not None and line.parameters.get("RANGE", "").upper() == "THISANDFUTURE"

    @property
    def sequence(self) -> int:
        """The number of the event's form: of several with one id the one with the highest counts (RFC 5545, 3.8.7.4)."""
        value = self.value("SEQUENCE")
        return int(value) if value.isascii() and value.isdigit() and len(value) <= _LONGEST_NUMBER else 0

    @property
    def modified(self) -> str:
        """The time at which this form was written, as it stands; empty if it is not in UTC, so that texts compare as times."""
        value = self.value("LAST-MODIFIED")
        return value if _STAMP.fullmatch(value) else ""

    @property
    def cancelled(self) -> bool:
        """Return whether the event does not take place."""
        return self.value("STATUS").lower() == "cancelled"

    @property
    def repeats(self) -> bool:
        """Return whether the event has more than one time."""
        return self.first("RRULE") is not None or self.first("RDATE") is not None
