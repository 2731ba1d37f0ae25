"""Detection of a file's header format, the only one that is matched in it. Pure.

A header is ``DATE JOIN TIME`` in brackets (iOS), or followed by a dash (Android), or by a colon or semicolon (old
versions and other exporters). Only the file's own template is matched, so that chat logs pasted into a message, and
lines that begin with a date, stay inside their message.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Literal

from ...text.line_blocks import Block
from ...times.day_periods import DayPart, fold_period, period_words, periods_beside
from ...times.locales import MARK, SPACE
from .header_candidates import HeaderCandidate, match_known_templates, parse_header, period_in
from .header_regex import ENDS, Template, any_of, clock_regex, compiled, date_regex, literal_regex

_SAMPLE_LINES = 300


@dataclass(frozen=True, slots=True)
class HeaderFormat:
    """A template with the widths of its numbers, compiled to patterns.

    ``pattern`` begins with a line end and has three groups: the whole header, then date and time in file order.
    """

    template: Template
    pattern: re.Pattern[str]
    bare: re.Pattern[str]
    """The pattern for text without marks and without spaces other than U+0020; twice as fast."""
    periods: dict[str, DayPart]
    padded: tuple[bool | None, bool | None]
    """For the first and second number of the date: True if always two digits, None if the sample does not show it."""
    period_words: frozenset[str]
    crlf: bool = False
    """True if messages end with CRLF and LF is a line break inside them, as iPhones write."""

    def split(self, block: Block) -> list[str]:
        """Split a block: the text before the first header, then header, date and time in file order, and the text
        behind, for each.
        """
        parts = (self.bare if block.bare else self.pattern).split(block.text)
        if self.crlf and block.text.count("\r\n") > len(parts) // 4:  # some are not before a header
            return [part.replace("\r\n", "\n") for part in parts]
        return parts

    def with_crlf(self) -> HeaderFormat:
        """Return the format for a file in which only CRLF ends messages."""
        pattern, bare = (re.compile("\r" + each.pattern) for each in (self.pattern, self.bare))
        return replace(self, pattern=pattern, bare=bare, crlf=True)

    @property
    def platform(self) -> Literal["android", "ios"]:
        """The platform: iOS for brackets, Android for everything else."""
        return "ios" if self.template.shape == "bracket" else "android"

    @property
    def precision(self) -> Literal["minute", "second"]:
        """The precision of the times."""
        return "second" if self.template.clock.seconds else "minute"


@dataclass(slots=True)
class _Tally:
    """The sample's counts for one template."""

    count: int = 0
    single: list[int] = field(default_factory=lambda: [0] * 5)
    zero: list[int] = field(default_factory=lambda: [0] * 5)
    words: Counter[str] = field(default_factory=Counter[str])
    ascii_digits: bool = True


def detect_header_format(lines: Iterable[str]) -> HeaderFormat | None:
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
        candidates = match_known_templates(line, last) or list(parse_header(line)) if _digits().match(line) else []
        last = [template for template, _, _ in candidates] or last
        counted = [_count(candidate, tallies) for candidate in candidates]
        if first is None:
            first = counted
        tried += bool(counted)
        if tried >= _SAMPLE_LINES:
            break
    if not tallies:
        return None
    best = max(tallies, key=lambda t: tallies[t].count)
    chosen = best
    if first and best not in first:
        commonest = max(first, key=lambda t: tallies[t].count)
        seen, most = tallies[commonest].count, tallies[best].count
        if seen > 1 or most < 3 or _differences(commonest, best) > 1:
            chosen = commonest
    return _header_format(chosen, tallies[chosen])


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


def _count(candidate: HeaderCandidate, tallies: dict[Template, _Tally]) -> Template:
    template, date, time = candidate
    tally = tallies.setdefault(template, _Tally())
    tally.count += 1
    numbers = re.findall(r"\d+", date)
    if template.date.month is not None:
        numbers.insert(template.date.month, "")  # the name of a month has no width
    numbers += re.findall(r"\d+", time)
    for index, number in enumerate(numbers[:5]):
        if len(number) == 1:
            tally.single[index] += 1
        elif len(number) == 2 and int(number[0]) == 0:
            tally.zero[index] += 1
    tally.ascii_digits = tally.ascii_digits and date.isascii()
    if template.clock.period:
        word = period_in(time)
        if word:
            tally.words[word] += 1
    return template


def _header_format(template: Template, tally: _Tally) -> HeaderFormat:
    digit = "[0-9]" if tally.ascii_digits else r"\d"
    widths = [_width(tally, index, digit) for index in range(5)]
    places = {"first": 0, "last": 2}
    if template.date.year in places:
        widths[places[template.date.year]] = digit + "{4}"
    words = periods_beside(frozenset(tally.words)) if template.clock.period else {}
    spellings = [w for w in period_words() if fold_period(w) in words]
    spelled = any_of(spellings or list(period_words()))
    date = date_regex(template.date, (widths[0], widths[1], widths[2]), digit)
    clock = clock_regex(template.clock, spelled, widths[3], widths[4], digit)
    first, second = (clock, date) if template.time_first else (date, clock)
    opening = rf"\[{MARK}*" if template.shape == "bracket" else ""
    pattern = (
        rf"\n({MARK}*{opening}({first}){literal_regex(template.joiner.between)}({second})"
        rf"{literal_regex(template.joiner.after)}{ENDS[template.shape]})"
    )
    bare = pattern.replace(f"{MARK}*", "").replace(SPACE, " ")
    return HeaderFormat(
        template, re.compile(pattern), re.compile(bare), words, (_pad(tally, 0), _pad(tally, 1)), frozenset(tally.words)
    )


def _width(tally: _Tally, index: int, digit: str) -> str:
    """Return the pattern of a number: two digits if leading zeros are the rule, else one or two."""
    minute = index == 4
    fixed = tally.zero[index] > tally.single[index] or (minute and not tally.single[index])
    return digit + ("{2}" if fixed else "{1,2}")


def _pad(tally: _Tally, index: int) -> bool | None:
    if tally.single[index] == tally.zero[index]:
        return None
    return tally.zero[index] > tally.single[index]


def _digits() -> re.Pattern[str]:
    return compiled(r"[^\d]{0,40}\d{1,4}(?:[^\d]{1,24}\d{1,4}){3}")
