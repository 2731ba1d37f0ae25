"""Parser of the three numbers in a date's text; one may be a month's name. Pure."""

from __future__ import annotations

import re

from ...times.month_names import month_in_short

_NUMBERS = re.compile(r"\d+")
_WORDS = re.compile(r"\d+|[^\d\s.,/\-–:;\[\]]{3,}")


def numbers(text: str) -> tuple[int, int, int] | None:
    """Return the three numbers of a date text, in any digits, in the order of the text."""
    numbers = _NUMBERS.findall(text)
    if len(numbers) == 2:
        numbers = [each for word in _WORDS.findall(text) if (each := word if word[0].isdigit() else _month(word))]
    return (int(numbers[0]), int(numbers[1]), int(numbers[2])) if len(numbers) >= 3 else None


def _month(word: str) -> str:
    return str(month_in_short(word) or "")
