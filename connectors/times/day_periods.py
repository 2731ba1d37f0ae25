"""The words for halves and parts of the day beside a clock of twelve hours, and the hour of the day that they make. Pure."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from .locales import plain, rows

DayPart = Literal["am", "pm", "noon", "evening"]

BEFORE_CLOCK = (
    "上午|午前|오전|AM|am|ก่อนเที่ยง|sáng|SA|凌晨|清晨|早上",
    "下午|午後|오후|PM|pm|หลังเที่ยง|chiều|CH|中午|晚上",
)
"""The words for the morning and the afternoon that chat apps write before a clock."""


def hour_of_day(hour: int, part: DayPart | None) -> int:
    """Convert an hour of the twelve-hour clock to 24 hours. 12 AM becomes 0; 12 at noon stays; 12 in the evening
    becomes 0.
    """
    if part is None or hour > 12:
        return hour
    if part == "am":
        return hour % 12
    if part == "pm":
        return hour % 12 + 12
    if part == "noon":
        return hour if hour >= 10 else hour + 12
    return hour % 12 + (12 if hour % 12 > 4 else 0)


class HalfDays:
    """Finds the half of the day that is named near a clock in a sentence."""

    def __init__(self, morning: str, afternoon: str) -> None:
        """Compile expressions for both halves, also with points, as in ``p. m.``."""
        self._morning = re.compile(rf"a\.?\s?m\b|{morning}", re.IGNORECASE)
        self._afternoon = re.compile(rf"p\.?\s?m\b|{afternoon}", re.IGNORECASE)

    def hour(self, hour: int, text: str) -> int:
        """Return the hour of the day of an hour beside such a text."""
        if self._afternoon.search(text):
            return hour % 12 + 12
        return hour % 12 if self._morning.search(text) else hour


GOOGLE_CHAT_HALVES = HalfDays(
    r"π\.\s?μ|上午|午前|凌晨|清晨|早上|오전|(?<!\w)ص(?!\w)|\bSA\b",
    r"μ\.\s?μ|下午|午後|晚上|中午|오후|(?<!\w)م(?!\w)|\bCH\b",
)
GOOGLE_ACTIVITY_HALVES = HalfDays("午前|上午|오전", "午後|下午|오후")


# Day periods that phones write and the table's two halves of the day do not hold: flexible periods (CLDR "B"), a
# group for each language, because a file that shows one of them may show all.
FLEXIBLE_PERIODS: tuple[dict[str, DayPart], ...] = (
    {
        **dict.fromkeys(("凌晨", "清晨", "早晨", "早上", "上午", "半夜"), "am"),
        **dict.fromkeys(("下午", "傍晚"), "pm"),
        "中午": "noon",
        "正午": "noon",
        "晚上": "evening",
        "夜晚": "evening",
    },
    {"午前": "am", "午後": "pm", "正午": "noon", "夜": "evening"},
    {"오전": "am", "새벽": "am", "아침": "am", "오후": "pm", "정오": "noon", "저녁": "evening", "밤": "evening"},
    {
        "morgens": "am",
        "vormittags": "am",
        "nachts": "am",
        "mittags": "noon",
        "nachmittags": "pm",
        "abends": "evening",
    },
    {"da manhã": "am", "da madrugada": "am", "da tarde": "pm", "da noite": "evening"},
    {
        "de la mañana": "am",
        "de la madrugada": "am",
        "del mediodía": "noon",
        "de la tarde": "pm",
        "de la noche": "evening",
    },
    {"du matin": "am", "de l’après-midi": "pm", "du soir": "evening"},
    {"del mattino": "am", "di notte": "am", "del pomeriggio": "pm", "di sera": "evening"},
    {"vorm.": "am", "nachm.": "pm"},
    {"म.पू.": "am", "म.उ.": "pm"},
    {"முற்பகல்": "am", "பிற்பகல்": "pm"},
    {"a. m.": "am", "p. m.": "pm"},
    {"a.m.": "am", "p.m.": "pm"},
)


def fold_period(token: str) -> str:
    """Fold a day period for comparison: without marks, spaces and case."""
    return plain(token).replace(" ", "").casefold()


@lru_cache(maxsize=1)
def period_words() -> tuple[str, ...]:
    """Return every day period as written, the longest first."""
    words = {plain(word) for group in FLEXIBLE_PERIODS for word in group}
    words |= {plain(w) for row in rows() for w in (row.am, row.pm, row.am_wide, row.pm_wide) if w}
    words |= {w.lower() for w in words} | {w.upper() for w in words}
    return tuple(sorted(words, key=lambda w: (-len(w), w)))


def periods_beside(seen: frozenset[str]) -> dict[str, DayPart]:
    """Return the day periods that may occur in a file with those in ``seen`` (folded), each with its half of the day.

    These are the words of the locales that have all of ``seen``; if there are none, of those that have any of it.
    """
    pairs = [pair for r in rows() for pair in ((r.am, r.pm), (r.am_wide, r.pm_wide)) if pair[0] and pair[1]]
    sets: list[dict[str, DayPart]] = [
        {fold_period(word): part for word, part in group.items()} for group in FLEXIBLE_PERIODS
    ]
    for am, pm in pairs:
        pair: dict[str, DayPart] = {fold_period(am): "am", fold_period(pm): "pm"}
        sets.append(pair)
    whole = [words for words in sets if seen <= words.keys()]
    found: dict[str, DayPart] = {}
    for words in whole or [words for words in sets if seen & words.keys()]:
        for word, part in words.items():
            found.setdefault(word, part)
    return found
