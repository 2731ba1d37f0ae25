"""Parses the text of one LINE chat: title, days, and messages with their times. Streaming."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import BinaryIO

from ...chats.text_chats import NO_TIME, Item, Message, Said, Unread, item_at
from ...connector import DateOrder
from ...text.chat_lines import TOO_LONG, FileState, Headed, chat_lines, headed
from ...times.clock_times import TIME, ClockTimes
from . import bodies
from .day_lines import day_in, is_day_line
from .desktop_names import split_name
from .quotes import QuotedMessages, unquoted
from .titles import is_title

_MARKS = "\ufeff\u200e\u200f\u202a\u202c"
MESSAGE = re.compile(rf"(?P<time>{TIME})(?P<gap>\t| {{2,}}| )", re.DOTALL)
"""Matches the start of a message; the gap after the time determines the form of the rest."""
_WIDE = re.compile(r" {2,}")
SAVED = re.compile(r"[^\t\n]{2,40}[:：] ?[^\t\n]{0,20}?\d{1,4}[/.年-] ?\d{1,2}[/.月-] ?\d{1,4}[^\t\n]{0,30}")
"""Matches the time of saving in the second line, in any language: ``Saved on: 2024/01/02 12:34``."""
_SAVED_BELOW_TITLE = re.compile(r"[^\t\n\d]{2,40}\d{4}[/.年-] ?\d{1,2}[/.月-] ?\d{1,2}[^\t\n]{0,30}")
"""Matches the time of saving without a colon, as in Thai; only a title above it distinguishes it from a note."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The form of a file's messages."""

    gap: str
    """The separator of time, name and text: a tab, several blanks (``wide``), or one blank (``desktop``)."""
    order: DateOrder | None = None
    """The order of day and month in the dates, if they decide it."""
    order_open: bool = False
    """True if there are dates that do not decide it."""
    names: Callable[[], Mapping[str, tuple[str, ...]]] = field(default=dict)


_Header = tuple[str, str]
"""The time and the gap; the time is empty for a line that begins a day."""


def items(stream: BinaryIO, state: FileState, layout: Layout, encoding: str = "") -> Iterator[Item]:
    """Yield every item of a file."""
    clock = ClockTimes()
    day: date | None = None
    names = layout.names()
    order = layout.order or state.date_order
    state.date_order_open = order is None and layout.order_open
    started = False
    lines = chat_lines(stream, state, encoding)
    for record in headed(QuotedMessages(lines) if layout.gap == "\t" else lines, _header_for(layout)):
        if record.header is None:
            if started or not _is_preamble(record.text):
                yield Unread(record.line, TOO_LONG if record.text is None else "text before the first day")
            continue
        started = True
        if record.text is None:
            yield Unread(record.line, TOO_LONG)
            continue
        if not record.header[0]:
            first, _, rest = record.text.partition("\n")
            day = day_in(first.strip(_MARKS).strip(), order)
            if day is None or rest.strip():
                yield Unread(record.line, NO_TIME if day is None else "text behind a day")
            continue
        yield item_at(record.line, _message, record, day, clock, layout, names)


def _header_for(layout: Layout) -> Callable[[str], tuple[_Header, str] | None]:
    def header_of(text: str) -> tuple[_Header, str] | None:
        match = MESSAGE.match(text)
        if match is not None:
            gap = match["gap"]
            fits = gap == "\t" if layout.gap == "\t" else gap[0] == " " and (layout.gap == "desktop" or len(gap) > 1)
            return ((match["time"], gap), text[match.end() :]) if fits else None
        bare = text.strip(_MARKS).strip()
        if bare[:1] and is_day_line(bare) and "\n" not in text:
            return ("", ""), text
        return None

    return header_of


def _is_preamble(text: str | None) -> bool:
    """Return whether a text is the head of an export: the title and the time of saving."""
    if text is None:
        return False
    lines = [line.strip(_MARKS).strip() for line in text.split("\n", 8)]
    saved = _SAVED_BELOW_TITLE if any(map(is_title, lines)) else SAVED
    return all(not line or is_title(line) or SAVED.fullmatch(line) or saved.fullmatch(line) for line in lines)


def _message(
    header_line: Headed[_Header],
    day: date | None,
    clock: ClockTimes,
    layout: Layout,
    names: Mapping[str, tuple[str, ...]],
) -> Item:
    header, text = header_line.header, header_line.text
    time = clock.read(header[0]) if header is not None else None
    if day is None or time is None or text is None:
        return Unread(header_line.line, "a message without a day" if day is None else NO_TIME)
    when = datetime(day.year, day.month, day.day, *time)  # noqa: DTZ001 - the wall clock; the zone is added later
    speaker, body = _split(text.rstrip("\n"), layout, names)
    if speaker is None or not speaker.strip():
        return _system(header_line.line, when, body)
    unsent = bodies.taken_back(body) if not speaker else None
    if unsent is not None:
        return Said(header_line.line, unsent[0], when, "minute", unsent[2], own=unsent[1])
    message: Message = bodies.recognise(body) if layout.gap != "desktop" else bodies.without_brackets(body)
    return Said(header_line.line, speaker.strip(_MARKS), when, "minute", message)


def _system(line: int, when: datetime, body: str) -> Said:
    unsent = bodies.taken_back(body)
    if unsent is not None:
        return Said(line, unsent[0], when, "minute", unsent[2], own=unsent[1])
    message = bodies.recognise(body)
    if message.get("kind") not in ("call", "unknown"):
        message = {"content": body, "kind": "system"}
    return Said(line, "", when, "minute", message)


def _split(text: str, layout: Layout, names: Mapping[str, tuple[str, ...]]) -> tuple[str | None, str]:
    """Return the name and the text of a message; the name is None for a line about the chat."""
    if layout.gap == "\t":
        speaker, tab, body = text.partition("\t")
        return (speaker, unquoted(body)) if tab else (None, text)
    if layout.gap == "wide":
        match = _WIDE.search(text, 0, 200)
        return (text[: match.start()], text[match.end() :]) if match else (None, text)
    first = text.partition("\n")[0]
    if bodies.taken_back(first) is not None or bodies.SYSTEM.search(first[:300]):
        return None, text
    speaker, body = split_name(text, names)
    return (speaker, body) if body else (None, text)
