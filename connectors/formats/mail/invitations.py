"""Tells the event of an invitation in words: title, time, place and description. Pure."""

from __future__ import annotations

import io
import re

from ...text.calendar_lines import ContentLine, content_lines, text_of

_LARGEST = 512 * 1024
"""The number of bytes of an invitation that are read."""
_TIME = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d\d(Z)?)?", re.ASCII)
_KINDS = frozenset({"VEVENT", "VTODO"})
_SAID = ("LOCATION", "DESCRIPTION", "COMMENT", "CONTACT", "URL")
_MOST_EVENTS = 50
_ANSWERS = frozenset({"ACCEPTED", "DECLINED", "TENTATIVE", "DELEGATED"})
Event = dict[str, ContentLine]


def invitation_lines(data: bytes) -> list[str]:
    """Return the lines that tell the events of a calendar, each line once; none if it has no event."""
    lines: dict[str, None] = {}
    method, events = _events(data)
    for event in events:
        words = {name: text_of(event[name].value).strip() for name in ("SUMMARY", *_SAID) if name in event}
        repeats = f"[repeats {event['RRULE'].value.strip()}]" if "RRULE" in event else ""
        answer = event["ATTENDEE"].parameters.get("PARTSTAT", "").upper() if "ATTENDEE" in event else ""
        state = (
            "cancelled" if method == "CANCEL" else answer.lower() if method == "REPLY" and answer in _ANSWERS else ""
        )
        said = [words.get(name, "") for name in _SAID]
        for each in (f"[{state}]" if state else "", words.get("SUMMARY", ""), _time(event), repeats, *said):
            if each:
                lines[each] = None
    return list(lines)


def _events(data: bytes) -> tuple[str, list[Event]]:
    """Return the method of a calendar, and the first line of each name of each event."""
    method, events, within = "", list[Event](), list[str]()
    for line in content_lines(io.BytesIO(data[:_LARGEST])):
        if line.name == "METHOD":
            method = line.value.strip().upper()
        elif line.name == "BEGIN" and len(within) < _MOST_EVENTS:
            within.append(line.value.strip().upper())
            if within[-1] in _KINDS and len(events) < _MOST_EVENTS:
                events.append({})
        elif line.name == "END" and within:
            within.pop()
        elif events and within and within[-1] in _KINDS:  # not within an alarm
            events[-1].setdefault(line.name, line)
    return method, events


def _time(event: Event) -> str:
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
