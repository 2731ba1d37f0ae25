"""Tells the event of an invitation in words: title, time, place and description. Pure."""

from __future__ import annotations

import io
import re

from ...text.calendar_lines import ContentLine, content_lines, text_of

_LARGEST = 512 * 1024
"""The number of bytes of an invitation that are read."""
_TIME = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d\d(Z)?)?", re.ASCII)
_TOLD = ("SUMMARY", "LOCATION", "DESCRIPTION")


def invitation_lines(data: bytes) -> list[str]:
    """Return the lines that tell the first event of a calendar; none if it has no event."""
    event: dict[str, ContentLine] = {}
    method, inside = "", False
    for line in content_lines(io.BytesIO(data[:_LARGEST])):
        if line.name == "METHOD":
            method = line.value.strip().upper()
        elif line.name == "BEGIN" and line.value.strip().upper() in ("VEVENT", "VTODO"):
            inside = True
        elif inside and line.name in ("BEGIN", "END"):
            break  # an alarm, or the end of the event
        elif inside:
            event.setdefault(line.name, line)
    title, place, description = (text_of(event[name].value).strip() if name in event else "" for name in _TOLD)
    repeats = f"[repeats {event['RRULE'].value.strip()}]" if "RRULE" in event else ""
    cancelled = "[cancelled]" if method == "CANCEL" else ""
    return [each for each in (cancelled, title, _time(event), repeats, place, description) if each]


def _time(event: dict[str, ContentLine]) -> str:
    """Return the time in the zone in which it is written."""
    begin, end = event.get("DTSTART"), event.get("DTEND")
    first, last = _wall_clock(begin), _wall_clock(end)
    if begin is None or not first:
        return ""
    if last[:10] == first[:10]:
        last = last[10:].strip()
    zone = "UTC" if begin.value.strip().endswith("Z") else begin.parameters.get("TZID", "")
    return " ".join(filter(None, (first, f"- {last}" if last else "", zone)))


def _wall_clock(line: ContentLine | None) -> str:
    """Return ``2024-03-05 14:00``; a day alone for a whole day, and an empty string without a time."""
    match = _TIME.fullmatch(line.value.strip()) if line is not None else None
    if match is None:
        return ""
    day = f"{match[1]}-{match[2]}-{match[3]}"
    return f"{day} {match[4]}:{match[5]}" if match[4] else day
