"""The template lock: find the one way in which a file writes its headers, and match no other. Pure.

A header is ``DATE JOIN TIME`` in brackets (iOS), or followed by a dash (Android), or by a colon or semicolon (old
versions and other exporters). Locking the file's own template is what keeps chat logs that people pasted into a
message, and lines that begin with a date, inside their message.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from .locales import (
    MARK,
    SPACE,
    ClockShape,
    DateShape,
    DayPart,
    Joiner,
    clock_shapes,
    date_shapes,
    fold,
    joiners,
    period_words,
    periods_beside,
)

Shape = Literal["bracket", "dash", "colon", "semicolon", "space"]

_ENDS: dict[Shape, str] = {
    "bracket": rf"{MARK}*\]{SPACE}?",
    "dash": f"{MARK}*{SPACE}[-–]{SPACE}",
    "colon": f"{MARK}*:{SPACE}",
    "semicolon": f"{MARK}*;{SPACE}",
    "space": f"{MARK}*(?:{SPACE}(?![-–])|(?=\n|$))",
}
_NUMBER = r"\d{1,2}"
_SAMPLE_LINES = 300
_HEAD = 120
"""No header is longer."""


@dataclass(frozen=True, slots=True)
class Template:
    """One way to write a header, without the widths of its numbers."""

    shape: Shape
    date: DateShape
    joiner: Joiner
    clock: ClockShape
    time_first: bool


@dataclass(frozen=True, slots=True)
class Lock:
    """A template made strict: the compiled header and how to read what it captures.

    ``pattern`` begins with a newline and has three groups: the whole header, then date and time in file order.
    """

    template: Template
    pattern: re.Pattern[str]
    periods: dict[str, DayPart]
    padded: tuple[bool | None, bool | None]
    """Whether the first and the second number of the date are always two digits; None where nothing shows it."""
    period_words: frozenset[str]

    @property
    def platform(self) -> Literal["android", "ios"]:
        """Brackets are iOS; everything else is read as Android."""
        return "ios" if self.template.shape == "bracket" else "android"

    @property
    def precision(self) -> Literal["minute", "second"]:
        """How precise the times are."""
        return "second" if self.template.clock.seconds else "minute"


@dataclass(slots=True)
class _Tally:
    """What the sample showed about one template."""

    count: int = 0
    single: list[int] = field(default_factory=lambda: [0] * 5)
    zero: list[int] = field(default_factory=lambda: [0] * 5)
    words: Counter[str] = field(default_factory=Counter[str])
    ascii_digits: bool = True


def lock(lines: Iterable[str]) -> Lock | None:
    """Find the dominant template among the first lines of a file; None when no line looks like a header.

    The template of the first non-empty line wins, because an export begins with a header, unless that line is just a
    damaged form of the dominant one, or stands alone among other headers that are many.
    """
    tallies: dict[Template, _Tally] = {}
    first: list[Template] | None = None
    tried = 0
    last: list[Template] = []
    for line in lines:
        if not line.strip():
            continue
        readings = _read_again(line, last) or list(_parse(line)) if _digits().match(line) else []
        last = [template for template, _, _ in readings] or last
        found = [_count(reading, tallies) for reading in readings]
        if first is None:
            first = found
        tried += bool(found)
        if tried >= _SAMPLE_LINES:
            break
    if not tallies:
        return None
    best = max(tallies, key=lambda t: tallies[t].count)
    chosen = best
    if first and best not in first:
        own = max(first, key=lambda t: tallies[t].count)
        seen, most = tallies[own].count, tallies[best].count
        if seen > 1 or most < 3 or _differences(own, best) > 1:
            chosen = own
    return _locked(chosen, tallies[chosen])


def looks_like_header(line: str) -> bool:
    """Whether any template fits the line's beginning."""
    return next(_parse(line), None) is not None


def _differences(one: Template, other: Template) -> int:
    return sum(
        (
            one.shape != other.shape,
            one.date != other.date,
            one.joiner != other.joiner,
            one.clock != other.clock,
            one.time_first != other.time_first,
        )
    )


_Reading = tuple[Template, str, str]
"""A template that fits a line, the date's text, the time's text."""


def _count(reading: _Reading, tallies: dict[Template, _Tally]) -> Template:
    template, date, time = reading
    tally = tallies.setdefault(template, _Tally())
    tally.count += 1
    numbers = re.findall(r"\d+", date) + re.findall(r"\d+", time)
    for index, number in enumerate(numbers[:5]):
        if len(number) == 1:
            tally.single[index] += 1
        elif int(number[0]) == 0 and len(number) == 2:
            tally.zero[index] += 1
    tally.ascii_digits = tally.ascii_digits and date.isascii()
    if template.clock.period:
        word = _period_in(time)
        if word:
            tally.words[word] += 1
    return template


def _read_again(line: str, templates: list[Template]) -> list[_Reading]:
    """The readings of a line by the templates of the line before; none unless all of them fit. Most lines do."""
    head = line[:_HEAD]
    start = _start(head)[0]
    found: list[_Reading] = []
    for template in templates:
        first = _one_end(template, head, start, time=template.time_first)
        between = _compiled(_literal(template.joiner.between)).match(head, first) if first is not None else None
        second = _one_end(template, head, between.end(), time=not template.time_first) if between else None
        end = None if second is None else _after(head, second, template.joiner)
        if between is None or end is None or not _compiled(_ENDS[template.shape]).match(head, end):
            return []
        one, other = head[start:first], head[between.end() : second]
        found.append((template, other, one) if template.time_first else (template, one, other))
    return found


def _one_end(template: Template, head: str, start: int, *, time: bool) -> int | None:
    if time:
        return _clock_end(template.clock, head, start)
    match = _compiled(date_regex(template.date)).match(head, start)
    return match.end() if match else None


def _start(head: str) -> tuple[int, tuple[Shape, ...]]:
    """Where date or time begins, and the shapes that the line can have."""
    opened = _compiled(rf"{MARK}*\[{MARK}*").match(head)
    if opened:
        return opened.end(), ("bracket",)
    lead = _compiled(f"{MARK}*").match(head)
    return lead.end() if lead else 0, ("dash", "colon", "semicolon", "space")


def _parse(line: str) -> Iterator[_Reading]:
    """Every reading of a line's beginning as a header."""
    head = line[:_HEAD]
    start, shapes = _start(head)
    for date_end, date in _dates(head, start):
        for between, joiner in _joins(head, date_end):
            for end, clock in _clocks(head, between):
                for shape in _closings(head, end, joiner, shapes):
                    yield (
                        Template(shape, date, joiner, clock, time_first=False),
                        head[start:date_end],
                        head[between:end],
                    )
    for time_end, clock in _clocks(head, start):
        for between, joiner in _joins(head, time_end):
            for end, date in _dates(head, between):
                for shape in _closings(head, end, joiner, shapes):
                    yield Template(shape, date, joiner, clock, time_first=True), head[between:end], head[start:time_end]


def _closings(head: str, end: int, joiner: Joiner, shapes: tuple[Shape, ...]) -> Iterator[Shape]:
    after = _after(head, end, joiner)
    if after is not None:
        yield from (shape for shape in shapes if _compiled(_ENDS[shape]).match(head, after))


def _dates(head: str, start: int) -> Iterator[tuple[int, DateShape]]:
    for date in date_shapes():
        match = _compiled(date_regex(date)).match(head, start)
        if match:
            yield match.end(), date


def _joins(head: str, start: int) -> Iterator[tuple[int, Joiner]]:
    for joiner in joiners():
        match = _compiled(_literal(joiner.between)).match(head, start)
        if match and (joiner.between or not head[start : start + 1].isdigit()):
            yield match.end(), joiner


def _clocks(head: str, start: int) -> Iterator[tuple[int, ClockShape]]:
    opens_with_digit = head[start : start + 1].isdigit()
    for clock in clock_shapes():
        if (clock.parts[0] == "h") == opens_with_digit:
            end = _clock_end(clock, head, start)
            if end is not None:
                yield end, clock


def _clock_end(clock: ClockShape, head: str, start: int) -> int | None:
    """Where a time of this shape ends. Piece by piece: one expression with every day period would take long to compile."""
    end: int | None = start
    run: list[str] = []
    for number, part in enumerate((*clock.parts, ""), 1):
        if part and part != "a":
            run.append(part)
            continue
        if run and end is not None:
            match = _compiled(_clock_regex(ClockShape(tuple(run)), "")).match(head, end)
            end = match.end() if match else None
            run = []
        if part == "a" and end is not None:
            end = _period_end(head, end, last=number == len(clock.parts))
    return end


def _period_end(head: str, start: int, *, last: bool) -> int | None:
    """Where a day period ends, with the space before it, and that after it when the time goes on."""
    gap = _compiled(f"{SPACE}?{MARK}*")
    before = gap.match(head, start)
    place = before.end() if before else start
    words = _periods_from(head[place : place + 1])
    match = words.match(head, place) if words else None
    after = match and gap.match(head, match.end())
    if match and after and not last:
        return after.end()
    return match.end() if match else None


@lru_cache(maxsize=1024)
def _periods_from(letter: str) -> re.Pattern[str] | None:
    words = [word for word in period_words() if letter and word.startswith(letter)]
    return re.compile(_any_of(words)) if words else None


def _period_in(time: str) -> str:
    """The day period in a time's text, folded."""
    for place, letter in enumerate(time):
        words = None if letter.isdigit() else _periods_from(letter)
        match = words.match(time, place) if words else None
        if match:
            return fold(match[0])
    return ""


def _after(head: str, end: int, joiner: Joiner) -> int | None:
    if not joiner.after:
        return end
    match = _compiled(_literal(joiner.after)).match(head, end)
    return match.end() if match else None


def date_regex(date: DateShape, widths: tuple[str, str, str] | None = None, digit: str = r"\d") -> str:
    """A date as a regular expression without groups."""
    two, four = digit + "{1,2}", digit + "{4}"
    plain = {"first": (four, two, two), "last": (two, two, four), "short": (two, two, two)}[date.year]
    one, other, last = widths or plain
    era = rf"{SPACE}[^\W\d]{{1,12}}\.?" if date.era else ""
    return f"{one}{_literal(date.first)}{other}{_literal(date.second)}{last}(?!{digit}){_literal(date.trail)}{era}"


def _clock_regex(clock: ClockShape, words: str, hour: str = _NUMBER, minute: str = _NUMBER, digit: str = r"\d") -> str:
    made: list[str] = []
    for index, part in enumerate(clock.parts):
        if part == "a":
            before = f"{SPACE}?{MARK}*" if index else ""
            after = f"{MARK}*{SPACE}?" if index + 1 < len(clock.parts) else ""
            made.append(f"{before}{words}{after}")
        elif part == "h":
            made.append(hour)
        elif part == "m":
            made.append(minute)
        elif part == "s":
            made.append(digit + "{1,2}")
        else:
            made.append(_literal(part[1:]))
    return f"{''.join(made)}"


def _literal(text: str) -> str:
    """A literal as a regular expression that takes any space for a space and ignores marks around it."""
    if not text:
        return ""
    return f"{MARK}*" + f"{MARK}*".join(SPACE if c == " " else re.escape(c) for c in text) + f"{MARK}*"


def _locked(template: Template, tally: _Tally) -> Lock:
    digit = "[0-9]" if tally.ascii_digits else r"\d"
    widths = [_width(tally, index, digit) for index in range(5)]
    places = {"first": 0, "last": 2}
    if template.date.year in places:
        widths[places[template.date.year]] = digit + "{4}"
    words = periods_beside(frozenset(tally.words)) if template.clock.period else {}
    spellings = [w for w in period_words() if fold(w) in words]
    spelled = _any_of(spellings or list(period_words()))
    date = date_regex(template.date, (widths[0], widths[1], widths[2]), digit)
    clock = _clock_regex(template.clock, spelled, widths[3], widths[4], digit)
    first, second = (clock, date) if template.time_first else (date, clock)
    opening = rf"\[{MARK}*" if template.shape == "bracket" else ""
    pattern = (
        rf"\n({MARK}*{opening}({first}){_literal(template.joiner.between)}({second})"
        rf"{_literal(template.joiner.after)}{_ENDS[template.shape]})"
    )
    return Lock(template, re.compile(pattern), words, (_pad(tally, 0), _pad(tally, 1)), frozenset(tally.words))


def _width(tally: _Tally, index: int, digit: str) -> str:
    """Two digits where leading zeros are the rule; one or two where they are not, or where nothing shows it."""
    minute = index == 4
    fixed = tally.zero[index] > tally.single[index] or (minute and not tally.single[index])
    return digit + ("{2}" if fixed else "{1,2}")


def _pad(tally: _Tally, index: int) -> bool | None:
    if tally.single[index] == tally.zero[index]:
        return None
    return tally.zero[index] > tally.single[index]


def _any_of(words: list[str]) -> str:
    spelled = ("".join(f"{SPACE}?" if c == " " else re.escape(c) for c in word) for word in words)
    # No word begins with these: most lines are told apart here, before hundreds of alternatives are tried.
    return rf"(?=[^\s\-–:;,.\[\]])(?:{'|'.join(spelled)})"


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _digits() -> re.Pattern[str]:
    return _compiled(r"[^\d]{0,40}\d{1,4}(?:[^\d]{1,24}\d{1,4}){4}")
