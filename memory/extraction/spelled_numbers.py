"""Parses numbers from 13 to 99 that are spelled out in English, German and Spanish; up to twelve see
`calendar.NUMBERS`. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..text.analyzer import fold
from .calendar import NUMBERS

_TEENS = (
    "thirteen fourteen fifteen sixteen seventeen eighteen nineteen",
    "dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn",
    "trece catorce quince dieciséis diecisiete dieciocho diecinueve",
)
_TENS = (
    "twenty thirty forty fifty sixty seventy eighty ninety",
    "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig",
    "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
)
_UNITS = {fold(word): number for word, number in NUMBERS.items() if number < 10}


def _table() -> Mapping[str, int]:
    numbers = {fold(word): number for row in _TEENS for number, word in enumerate(row.split(), 13)}
    for row in _TENS:
        for number, word in enumerate(row.split(), 2):
            tens = fold(word)
            numbers[tens] = 10 * number
            for unit, ones in _UNITS.items():
                numbers[f"{tens} {unit}"] = numbers[f"{tens} y {unit}"] = numbers[f"{unit}und{tens}"] = (
                    10 * number + ones
                )
                numbers["veinti" + unit] = 20 + ones
    return numbers


_SPELLED = _table()
_PATTERN = re.compile(rf"(?<![^\W_])(?:{'|'.join(sorted(map(re.escape, _SPELLED), key=len, reverse=True))})(?![^\W_])")
_WORD = re.compile(r"[^\W\d_]+")
_BEGINNINGS = frozenset(_WORD.match(spelled)[0] for spelled in _SPELLED)  # type: ignore[index]
"""The first words of all spelled numbers, for a quick test: most texts contain none, and a thousand alternatives are
slow.
"""


def spelled_numbers(folded: str) -> frozenset[str]:
    """Return the numbers from 13 to 99 that a folded text spells out, as digits."""
    if _BEGINNINGS.isdisjoint(_WORD.findall(folded)):
        return frozenset()
    return frozenset(str(_SPELLED[match[0]]) for match in _PATTERN.finditer(folded.replace("-", " ")))
