"""Parses the dates of KakaoTalk's exports: 2016년 2월 5일, 2023. 5. 10., February 10, 2016, 1 Oct 2026, 2020-06-28. Pure."""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache

from ...times.dates_written import existing_day
from ...times.month_names import ENGLISH_MONTHS

_NUMBERS = r"\d{4}(?:년|年|[./-]) ?\d{1,2}(?:월|月|[./-]) ?\d{1,2}(?:일|日|\.)?"
_MONTH_FIRST = r"[A-Za-z]{3,9}\.? \d{1,2},? \d{4}"
_DAY_FIRST = r"\d{1,2}\.? [A-Za-z]{3,9}\.?,? \d{4}"
DATE = rf"(?:{_NUMBERS}|(?:[A-Za-z]{{3,9}}, )?(?:{_MONTH_FIRST}|{_DAY_FIRST}))"
"""A regular expression for a date, without groups."""
_DIGITS = re.compile(r"\d+")
_WORD = re.compile(r"[A-Za-z]{3,9}")


@lru_cache(maxsize=4096)
def day_of(text: str) -> date | None:
    """Return the day of a date; None if it does not exist."""
    numbers = [int(digits) for digits in _DIGITS.findall(text)]
    if len(numbers) == 3:
        year, month, day = numbers
    elif len(numbers) == 2:
        month = next((month for word in _WORD.findall(text) if (month := ENGLISH_MONTHS.get(word.casefold()))), 0)
        day, year = numbers
    else:
        return None
    return existing_day(year, month, day)
