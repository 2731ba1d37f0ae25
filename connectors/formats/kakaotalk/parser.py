"""Parses the text of one KakaoTalk chat exported on Windows, Android or iOS. Streaming."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from functools import partial
from typing import BinaryIO, Literal, NamedTuple

from ...chats.text_chats import NO_TIME, Item, Said, Unread, items_at
from ...text.chat_lines import TOO_LONG, FileState, Headed, chat_lines, headed
from ...times.clock_times import TIME, ClockTimes
from . import bodies
from .dates import DATE, day_of
from .titles import is_preamble

MARKS = "\ufeff\u200e\u200f"
_OWN = frozenset({"회원님", "you", "You", "自分"})
"""The words for the exporter in exports without the exporter's name."""
_WEEKDAY = r"(?: ?[^\d\s,:\[\]]{1,12})?"
RULED_DAY = re.compile(rf"-{{5,}} ?(?P<day>{DATE}){_WEEKDAY} ?-{{5,}}")
"""Matches the line of a day on Windows: ``--------------- 2020년 6월 28일 일요일 ---------------``."""
BARE_DAY = re.compile(rf"(?P<day>(?:[A-Za-z]{{6,9}}, )(?:{DATE})|{DATE} ?[^\d\s,:\[\]]{{1,12}})")
"""Matches the line of a day on iOS, always with the weekday: ``2023년 5월 10일 수요일``."""
BRACKETS = re.compile(rf"\[(?P<name>[^\n]{{0,100}}?)\] \[(?P<time>{TIME})\](?: |$)")
"""Matches the header of a message on Windows: ``[Name] [오전 1:01] Words``."""
DATED = re.compile(
    rf"(?P<day>{DATE})(?: at|,)?[ \u00a0\u202f]?(?P<time>{TIME})(?P<after>, ?|: )(?P<named>(?P<name>[^\n]{{0,100}}?) :(?: |$))?"
)
"""Matches the header of a message on phones: ``2016년 2월 5일 오전 1:33, Name : Words``; without a name it is a line of the
app.
"""
TIMED = re.compile(
    rf"(?P<time>(?=\D|\d{{1,2}}:\d\d ?[AaPp]){TIME})(?P<after>, ?|: )(?P<named>(?P<name>[^\n]{{0,100}}?) :(?: |$))?"
)
"""Matches the header of a message of some iOS versions, below the line of the day: ``오후 3:16, Name : Words``."""
_BARE_TIME = re.compile(rf"(?P<day>{DATE})(?: at|,)?[ \u00a0\u202f]?(?P<time>{TIME})")
"""Matches the time of the next message alone on a line, which Android writes where a new day begins."""
Layout = Literal["brackets", "dated", "timed"]
_SHORT = 100


class _Header(NamedTuple):
    """The header of a message. A header with only a day begins this day; ``name`` is None for a line of the app."""

    day: str = ""
    time: str = ""
    name: str | None = None


@dataclass(slots=True)
class _Clock:
    """The current day and the time of the last message in the file."""

    times: ClockTimes
    day: date | None = None
    last: datetime | None = None

    def at(self, header: _Header) -> datetime | None:
        time = self.times.read(header.time)
        day = day_of(header.day) if header.day else self.day
        if day is None or time is None:
            return None
        self.last = datetime(day.year, day.month, day.day, *time)  # noqa: DTZ001 - the wall clock; zones come later
        return self.last


def items(
    stream: BinaryIO, state: FileState, layout: Layout, encoding: str = "", held: frozenset[str] = frozenset()
) -> Iterator[Item]:
    """Yield every item of a file; ``held`` are the names of the files beside it."""
    clock = _Clock(ClockTimes())
    header_of: Callable[[str], tuple[_Header, str] | None] = _bracketed
    if layout != "brackets":
        header_of = partial(_of_phones, wording=DATED if layout == "dated" else TIMED)
    started = False
    for record in headed(chat_lines(stream, state, encoding), header_of):
        if record.text is None:
            yield Unread(record.line, TOO_LONG)
        elif record.header is None:
            lines = record.text.split("\n", 12)
            if started or not all(is_preamble(line.strip(MARKS).strip()) for line in lines):
                yield Unread(record.line, "text before the first message")
        elif record.header.day and not record.header.time:
            clock.day = day_of(record.header.day)
            if clock.day is None or record.text.strip():
                yield Unread(record.line, NO_TIME if clock.day is None else "text behind a day")
        elif record.header.time or record.text:
            yield from items_at(record.line, _said, record, record.header, record.text, clock, held)
        started = started or record.header is not None


def _bracketed(line: str) -> tuple[_Header, str] | None:
    text = line.lstrip(MARKS)
    if text[:1] == "[":
        if match := BRACKETS.match(text):
            return _Header(time=match["time"], name=match["name"]), text[match.end() :]
    elif len(text) <= _SHORT:
        if text[:1] == "-" and (day := RULED_DAY.fullmatch(text.strip())):
            return _Header(day=day["day"]), ""
        if text[-1:] in (".", "。", "다") and bodies.SYSTEM.fullmatch(text):
            return _Header(), text
    return None


def _of_phones(line: str, wording: re.Pattern[str]) -> tuple[_Header, str] | None:
    text = line.lstrip(MARKS)
    if match := wording.match(text):
        day = match["day"] if wording is DATED else ""
        if match["after"] == ": " or match["named"] is None:
            return _Header(day, match["time"]), text[match.end("after") :]
        return _Header(day, match["time"], match["name"]), text[match.end() :]
    if len(text) <= _SHORT:
        bare = text.strip()
        if bare[:1] == "-" and (ruled := RULED_DAY.fullmatch(bare)):
            return _Header(day=ruled["day"]), ""
        if day := BARE_DAY.fullmatch(bare):
            return _Header(day=day["day"]), ""
        if alone := _BARE_TIME.fullmatch(bare):
            return _Header(alone["day"], alone["time"]), ""
    return None


def _said(line_in: Headed[_Header], header: _Header, text: str, clock: _Clock, held: frozenset[str]) -> Iterator[Item]:
    body = text.rstrip("\n")
    if not header.time:
        yield _untimed(line_in.line, body, clock)
        return
    when = clock.at(header)
    if when is None:
        lost = not header.day and clock.day is None
        yield Unread(line_in.line, "a message without a day" if lost else NO_TIME)
    elif header.name is None and not body.strip():
        return  # the time of the next message, alone on the line
    elif not (name := (header.name or "").strip(MARKS)).strip():
        message = bodies.recognise(body, held)
        if message.get("kind") not in ("deleted", "call"):
            message["kind"] = "system"
        yield Said(line_in.line, "", when, "minute", message)
    else:
        is_own = name in _OWN
        yield Said(line_in.line, "" if is_own else name, when, "minute", bodies.recognise(body, held), own=is_own)


def _untimed(line: int, body: str, clock: _Clock) -> Item:
    """Return an item for a line about the chat without a time (Windows): it gets the time of the day's last message
    before it.
    """
    day = clock.day
    if day is None:
        return Unread(line, "a line of the app without a day")
    message = {"content": body, "kind": "system"}
    if clock.last is not None and clock.last.date() == day:
        return Said(line, "", clock.last, "minute", message)
    return Said(line, "", datetime(day.year, day.month, day.day), "day", message)  # noqa: DTZ001 - as above
