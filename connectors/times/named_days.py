"""Days as people and programs write them in words or numbers: ``Monday, March 4th 2024``, ``4. März 2024``, ``2024年3月4日``. Pure."""

from __future__ import annotations

import re
from datetime import date

from .dates_written import existing_day, order_of_numbers
from .locales import plain
from .month_names import month_in_short
from .weekday_names import begins_like_weekday

_EAST_ASIAN = re.compile(r"(\d{4})\s?[年년]\s?(\d{1,2})\s?[月월]\s?(\d{1,2})\s?[日일]?")
_YEAR_FIRST = re.compile(r"(?<!\d)(\d{4})([-/._])(\d{1,2})\2(\d{1,2})(?!\d)", re.ASCII)
_YEAR_LAST = re.compile(r"(?<!\d)(\d{1,2})([-/._])(\d{1,2})\2(\d{4})(?!\d)", re.ASCII)
_IN_MAIL = re.compile(r"(?:[^\W\d]+,? )?(\d{1,2}) (\d{1,2}) (\d{4}|3[2-9]|[4-9]\d)", re.ASCII)
"""Matches a day of a mail with a number in place of the month's name, in the order of RFC 5322; a year of two digits
only if they can be no day.
"""
_ORDINAL = re.compile(r"(\d{1,2})(?:st|nd|rd|th|er|ère|e|º|ª)", re.IGNORECASE)
_BETWEEN = re.compile(r"[\s,./-]+")
_SMALL_WORDS = frozenset({"de", "del", "of", "the", "at", "um", "kl", "klo", "г", "г.", "à", "a", "alle", "às"})
_EAST_ASIAN_WEEKDAY = re.compile(
    r"(?:(?:星期|週|周|礼拜)[一二三四五六日天]|[月火水木金土日](?:曜日?)?|[월화수목금토일](?:요일)?)"
)
_BRACKETS = re.compile(r"[()（）\[\]、,]")


def day_in_words(text: str, *, any_opening: bool = False) -> date | None:
    """Return the day that a whole text is; None if a word of it is left over, or if day and month may be exchanged.

    Args:
        text: the text, without a time of day.
        any_opening: whether any word may stand where the weekday does, as in mail, whose programs write it in any
            language; else only one that begins like a weekday.
    """
    text = " ".join(plain(text).split())
    in_mail = _IN_MAIL.fullmatch(text) if any_opening else None
    if in_mail is not None and int(in_mail[1]) > 12:
        year = int(in_mail[3])
        return existing_day(year if year > 99 else 1900 + year, int(in_mail[2]), int(in_mail[1]))
    numbered = _numbered(text)
    if numbered is not None:
        day, rest = numbered
        opening = _BRACKETS.sub(" ", rest).strip(" .")
        is_weekday = not opening or _EAST_ASIAN_WEEKDAY.fullmatch(opening) or begins_like_weekday(opening.casefold())
        return day if is_weekday or (any_opening and opening.isalpha()) else None
    return _named(text, any_opening=any_opening)


def _numbered(text: str) -> tuple[date | None, str] | None:
    """Return the day that is written in numbers, None for one that does not exist, and the text around it; None if no
    day is written so.
    """
    if match := _EAST_ASIAN.search(text):
        day = existing_day(int(match[1]), int(match[2]), int(match[3]))
    elif match := _YEAR_FIRST.search(text):
        day = existing_day(int(match[1]), int(match[3]), int(match[4]))
    elif match := _YEAR_LAST.search(text):
        order = order_of_numbers(match[1], match[2], match[3])
        order = "dmy" if order is None and match[1] == match[3] else order
        first, second = int(match[1]), int(match[3])
        if order is None:
            return None, ""
        day = existing_day(int(match[4]), *((second, first) if order == "dmy" else (first, second)))
    else:
        return None
    return day, f"{text[: match.start()]} {text[match.end() :]}"


def _named(text: str, *, any_opening: bool) -> date | None:
    """Return the day of a text with a named month."""
    words = [each for each in _BETWEEN.split(text) if each and each.lower() not in _SMALL_WORDS]
    words = [ordinal[1] if (ordinal := _ORDINAL.fullmatch(each)) else each for each in words]
    numbers = [(place, each) for place, each in enumerate(words) if each.isdecimal() and each.isascii()]
    names = [(place, each) for place, each in enumerate(words) if not each[0].isdecimal()]
    months = [(place, month) for place, each in names if (month := month_in_short(each))]
    if len(numbers) != 2 or len(numbers) + len(names) != len(words) or not months:
        return None
    at, month = months[-1]
    others = [(place, each) for place, each in names if place != at]
    if any(place for place, _ in others):  # but the month only the weekday, which comes first
        return None
    if others and not (any_opening or begins_like_weekday(others[0][1].casefold())):
        return None
    first, last = (each for _, each in numbers)
    day, year = (last, first) if len(first) > 2 else (first, last)
    if len(day) > 2 or len(year) not in (2, 3, 4):
        return None
    century = {2: 2000 if int(year) < 50 else 1900, 3: 1900}.get(len(year), 0)
    return existing_day(century + int(year), month, int(day))
