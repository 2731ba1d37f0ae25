"""Finds the messages that mention the day that a question names, however they write it: "15. Januar", "Jan 15th",
"15.01.2026". They may be far from that day: "the washing machine comes on 15 January".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, timedelta
from functools import lru_cache

from ..index.errors import IndexServerError
from ..indexing.indexed_store import IndexedStore
from ..question.times import NamedTime
from ..search_types import CompiledFilter
from ..store.phrase_rows import rows_passing
from ..text.analyzer import fold, stem_of
from ..text.languages import LANGUAGES
from ..text.languages.language import words_of

MOST_ROWS = 200
"""The most messages with the words of a day whose text is read, about 2 ms."""


async def rows_of_written_day(
    store: IndexedStore, times: Sequence[NamedTime], where: CompiledFilter | None
) -> Sequence[int]:
    """Return the rows that mention the day; none unless the question names exactly one day."""
    day = single_day(times)
    if day is None:
        return ()
    months = _months()[day.month - 1]
    days = [str(day.day), f"{day.day:02}", *(f"{day.day}{ending}" for ending in ("st", "nd", "rd", "th", "er"))]
    numbers = [str(day.month), f"{day.month:02}"]
    rows: list[int] = []
    try:
        for group in ([*months, *map(stem_of, months)], numbers):
            rows += await store.text.holding([days, group], where, MOST_ROWS)
    except IndexServerError:
        return ()
    pattern = written_day(day)
    return await store.database.read(
        rows_passing, list(dict.fromkeys(rows)), lambda text: _mentions(pattern, text, day)
    )


def single_day(times: Sequence[NamedTime]) -> date | None:
    """Return the day, if the only time of a question is one."""
    if len(times) != 1 or not timedelta(hours=20) < times[0].end - times[0].start <= timedelta(hours=25):
        return None
    return times[0].start.date()


def _mentions(pattern: re.Pattern[str], text: str, day: date) -> bool:
    return any(
        match["year"] is None or int(match["year"]) in (day.year, day.year % 100)
        for match in pattern.finditer(fold(text))
    )


@lru_cache(maxsize=64)
def written_day(day: date) -> re.Pattern[str]:
    """Return the pattern of a day in folded text, in words and digits, with the year as the group ``year`` if there is
    one.
    """
    names = "|".join(_months()[day.month - 1])
    return re.compile(
        rf"(?:(?<!\d)0?{day.day}(?:st|nd|rd|th|er|\.)?\s+(?:of\s+|de\s+)?(?:{names})\b\.?"
        rf"|\b(?:{names})\.?\s+(?:the\s+)?0?{day.day}(?:st|nd|rd|th)?(?!\d)"
        rf"|(?<![\d.])0?{day.day}[./]0?{day.month}(?=[./\s,;:)!?]|$)[./]?"
        rf"|(?<!\d){day.year}-{day.month:02}-{day.day:02}|{day.month}月{day.day}日)"
        r"(?:,?\s*(?:de\s+|del\s+)?(?P<year>(?:19|20)\d\d|(?<=[./])\d\d)(?!\d))?"
    )


@lru_cache(maxsize=1)
def _months() -> Sequence[Sequence[str]]:
    """Return the folded names of each month in all languages."""
    rows: list[set[str]] = [set() for _ in range(12)]
    for language in LANGUAGES.values():
        for number, names in enumerate(language.months):
            rows[number].update(map(fold, words_of(names)))
    return [sorted(names, key=len, reverse=True) for names in rows]
