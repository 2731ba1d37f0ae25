"""Days in sentences of an answer and in the lines that it cites: written ones, and those that "last week" means. Pure."""

from __future__ import annotations

import re
import unicodedata
from datetime import date, datetime, timedelta

from ..extraction.calendar import MONTHS
from ..extraction.dates import EXPRESSION, resolve_date
from ..text.analyzer import fold
from ..text.languages import LANGUAGES
from ..text.languages.language import words_of

Day = tuple[int | None, int | None, int | None]
"""Year, month and day, as far as they are given."""
Period = tuple[date, date]
"""The first day, and the day after the last."""

_TURKISH_MONTHS = {word: number for number, row in enumerate(LANGUAGES["tr"].months, 1) for word in words_of(row)}
_MONTHS = {fold(word): number for word, number in {**MONTHS, **_TURKISH_MONTHS}.items()}
_MONTH = rf"(?P<month>{'|'.join(sorted({*MONTHS, *_TURKISH_MONTHS}, key=len, reverse=True))})"
_ALWAYS_MONTHS = (
    "ocak|şubat|nisan|mayıs|haziran|temmuz|ağustos|eylül|ekim|kasım|aralık"
    "|january|february|april|june|july|august|september|october|november|december"
    "|januar|februar|juni|juli|oktober|dezember"
    "|enero|febrero|abril|mayo|junio|julio|septiembre|octubre|noviembre|diciembre"
)
"""Names of months that are no other words: "march" and "may" need a preposition or a number."""
_BEFORE_MONTH = re.sub(r"\w+", r"(?<=\g<0> )", "in|im|en|since|seit|desde|until|last|next|this|of|de|bis")
_YEAR_BEHIND = r"(?:,?\s+(?:del?\s+)?(?P<year>\d{4}))?"
_DATES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?<!\d)(?P<year>\d{4})[-/.](?P<m>\d{1,2})(?:[-/.](?P<day>\d{1,2}))?(?!\d)",
        r"(?<![\d.])(?P<day>\d{1,2})[./](?P<m>\d{1,2})[./](?P<year>\d{4}|\d\d)?(?!\d)",
        r"(?:(?P<year>\d{4})年)?(?P<m>\d{1,2})月(?:(?P<day>\d{1,2})日)?",
        r"(?P<year>(?:19|20)\d\d)年",
        rf"(?<!\d)(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)?\s+(?:de\s+|of\s+)?{_MONTH}(?![^\W\d_])\.?{_YEAR_BEHIND}",
        rf"(?<![^\W_]){_MONTH}\.?\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?![\d:]|\s*[ap]\.?m)(?:,?\s+(?P<year>\d{{4}}))?",
        rf"(?<![^\W_]){_MONTH}\.?,?\s+(?:del?\s+)?(?P<year>\d{{4}})",
        rf"(?:{_BEFORE_MONTH})(?:Anfang |Ende |Mitte |early |late )?{_MONTH}(?![^\W_])",
        rf"(?<![^\W_])(?P<month>{_ALWAYS_MONTHS})(?![^\W\d_])",
        r"(?<![\d.,:])(?P<year>(?:19|20)\d\d)(?![\d:])(?![.,]\d)",
    )
)
_RELATIVE = {
    "dün": "yesterday", "bugün": "today", "yarın": "tomorrow", "昨日": "yesterday", "今日": "today", "明日": "tomorrow",
}  # fmt: skip
_EXPRESSION = re.compile(rf"(?<![^\W_]){EXPRESSION}")


def written_days(text: str) -> tuple[str, list[Day]]:
    """Return a text without the days, months and years in it, and these."""
    days: list[Day] = []

    def take(match: re.Match[str]) -> str:
        parts = {name: value for name, value in match.groupdict().items() if value}
        month = int(parts["m"]) if "m" in parts else _MONTHS.get(fold(parts.get("month", "")))
        day = int(parts["day"]) if "day" in parts else None
        if (month or 0) > 12 or (day or 0) > 31:
            return match[0]
        year = int(parts["year"]) if "year" in parts else None
        days.append((year + 2000 if year is not None and year < 100 else year, month, day))
        return " "

    text = unicodedata.normalize("NFKC", text)
    for pattern in _DATES:
        text = pattern.sub(take, text)
    return text, days


def meant_periods(text: str, said: datetime) -> list[Period]:
    """Return the periods that relative expressions of time in a text mean."""
    plain = " ".join(written_days(text)[0].casefold().split())
    for word, english in _RELATIVE.items():
        plain = plain.replace(word, f" {english} ")
    spans = (resolve_date(match[0], said, past=past) for match in _EXPRESSION.finditer(plain) for past in (False, True))
    return [
        (span.start.date(), (span.end or span.start + timedelta(days=1)).date())
        for span in spans
        if span is not None and span.start is not None
    ]


def lies_in(day: Day, period: Period) -> bool:
    """Return whether a day, month or year lies in a period and is no more exact than it."""
    first, last = period[0], period[1] - timedelta(days=1)
    exact = (last - first).days
    if (day[2] is not None and exact > 2) or (day[1] is not None and exact > 31):
        return False
    return any(
        all(part in (None, own) for part, own in zip(day, (each.year, each.month, each.day), strict=True))
        for each in (first, last)
    )


def same_day(day: Day, other: Day, said: datetime) -> bool:
    """Return whether every given part of a day equals that of the other; a missing year is that of the message or an
    adjacent one.
    """
    year, month, number = day
    if month not in (None, other[1]) or number not in (None, other[2]):
        return False
    return year is None or year == other[0] or (other[0] is None and abs(year - said.year) <= 1)


def weekday_of(day: Day) -> int | None:
    """Return the number of a day's weekday, Monday being 1; None if it is not given as a whole."""
    try:
        return date(day[0] or 0, day[1] or 0, day[2] or 0).isoweekday()
    except ValueError:
        return None


def day_of(time: datetime) -> Day:
    """Return the day of a moment."""
    return time.year, time.month, time.day
