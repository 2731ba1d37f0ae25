"""All readings of a line's beginning as a header. Pure; used on a sample, not on each line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from ...times.day_periods import fold_period, period_words
from ...times.locales import MARK, SPACE
from .date_numbers import numbers
from .header_regex import ENDS, Shape, Template, any_of, clock_regex, compiled, date_regex, literal_regex
from .header_shapes import ClockShape, DateShape, Joiner, clock_shapes, date_shapes, joiners

_HEAD = 120
"""No header is longer."""

_NAMED_SHAPES = ("bracket", "dash", "colon")

HeaderCandidate = tuple[Template, str, str]
"""A template that fits a line, the date's text, and the time's text."""


def match_known_templates(line: str, templates: list[Template]) -> list[HeaderCandidate]:
    """Return the readings of a line by the previous line's templates, empty unless all of them fit. Most lines do."""
    head = line[:_HEAD]
    start = _start(head)[0]
    result: list[HeaderCandidate] = []
    for template in templates:
        first = _one_end(template, head, start, time=template.time_first)
        between = compiled(literal_regex(template.joiner.between)).match(head, first) if first is not None else None
        second = _one_end(template, head, between.end(), time=not template.time_first) if between else None
        end = None if second is None else _after(head, second, template.joiner)
        if between is None or end is None or not compiled(ENDS[template.shape]).match(head, end):
            return []
        one, other = head[start:first], head[between.end() : second]
        result.append((template, other, one) if template.time_first else (template, one, other))
    return result


def _one_end(template: Template, head: str, start: int, *, time: bool) -> int | None:
    if time:
        return _clock_end(template.clock, head, start)
    match = compiled(date_regex(template.date)).match(head, start)
    return match.end() if match else None


def _start(head: str) -> tuple[int, tuple[Shape, ...]]:
    """Return the offset of the first of date and time, and the shapes that the line can have."""
    opened = compiled(rf"{MARK}*\[{MARK}*").match(head)
    if opened:
        return opened.end(), ("bracket",)
    lead = compiled(f"{MARK}*").match(head)
    return lead.end() if lead else 0, ("dash", "colon", "semicolon", "space")


def parse_header(line: str) -> Iterator[HeaderCandidate]:
    """Yield every reading of a line's beginning as a header."""
    head = line[:_HEAD]
    start, shapes = _start(head)
    for date_end, date in _dates(head, start):
        for between, joiner in _joins(head, date_end):
            for end, clock in _clocks(head, between):
                for shape in _closings(head, end, joiner, _shapes_for(date, shapes)):
                    yield (
                        Template(shape, date, joiner, clock, time_first=False),
                        head[start:date_end],
                        head[between:end],
                    )
    for time_end, clock in _clocks(head, start):
        for between, joiner in _joins(head, time_end):
            for end, date in _dates(head, between):
                for shape in _closings(head, end, joiner, _shapes_for(date, shapes)):
                    yield Template(shape, date, joiner, clock, time_first=True), head[between:end], head[start:time_end]


def _shapes_for(date: DateShape, shapes: tuple[Shape, ...]) -> tuple[Shape, ...]:
    """Restrict the shapes of dates with a month's name to those that diaries do not use."""
    return shapes if date.month is None else tuple(shape for shape in shapes if shape in _NAMED_SHAPES)


def _closings(head: str, end: int, joiner: Joiner, shapes: tuple[Shape, ...]) -> Iterator[Shape]:
    after = _after(head, end, joiner)
    if after is not None:
        for shape in shapes:
            if compiled(ENDS[shape]).match(head, after):
                yield shape


def _dates(head: str, start: int) -> Iterator[tuple[int, DateShape]]:
    for pattern, date in _date_patterns():
        match = pattern.match(head, start)
        if match and (date.month is None or numbers(match[0])):
            yield match.end(), date


# Every file is checked for being a chat, so the constant patterns are built once.
@cache
def _date_patterns() -> tuple[tuple[re.Pattern[str], DateShape], ...]:
    return tuple((compiled(date_regex(date)), date) for date in date_shapes())


def _joins(head: str, start: int) -> Iterator[tuple[int, Joiner]]:
    for pattern, joiner in _joiner_patterns():
        match = pattern.match(head, start)
        if match and (joiner.between or not head[start : start + 1].isdigit()):
            yield match.end(), joiner


@cache
def _joiner_patterns() -> tuple[tuple[re.Pattern[str], Joiner], ...]:
    return tuple((compiled(literal_regex(joiner.between)), joiner) for joiner in joiners())


def _clocks(head: str, start: int) -> Iterator[tuple[int, ClockShape]]:
    opens_with_digit = head[start : start + 1].isdigit()
    for clock in clock_shapes():
        if (clock.parts[0] == "h") == opens_with_digit:
            end = _clock_end(clock, head, start)
            if end is not None:
                yield end, clock


def _clock_end(clock: ClockShape, head: str, start: int) -> int | None:
    """Return the end of a time of this shape. Matched piece by piece: one expression with every day period compiles
    slowly.
    """
    end: int | None = start
    run: list[str] = []
    for number, part in enumerate((*clock.parts, ""), 1):
        if part and part != "a":
            run.append(part)
            continue
        if run and end is not None:
            match = _run_pattern(tuple(run)).match(head, end)
            end = match.end() if match else None
            run = []
        if part == "a" and end is not None:
            end = _period_end(head, end, last=number == len(clock.parts))
    return end


@lru_cache(maxsize=1024)
def _run_pattern(parts: tuple[str, ...]) -> re.Pattern[str]:
    return compiled(clock_regex(ClockShape(parts), ""))


def _period_end(head: str, start: int, *, last: bool) -> int | None:
    """Return the end of a day period, with the space before it, and with the space behind it if the time goes on."""
    gap = compiled(f"{SPACE}?{MARK}*")
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
    return re.compile(any_of(words)) if words else None


def period_in(time: str) -> str:
    """Return the day period in a time's text, folded."""
    for place, letter in enumerate(time):
        words = None if letter.isdigit() else _periods_from(letter)
        match = words.match(time, place) if words else None
        if match:
            return fold_period(match[0])
    return ""


def _after(head: str, end: int, joiner: Joiner) -> int | None:
    if not joiner.after:
        return end
    match = compiled(literal_regex(joiner.after)).match(head, end)
    return match.end() if match else None
