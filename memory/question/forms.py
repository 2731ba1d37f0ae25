"""Recognizes a question for a number ("how much", "welche Nummer", "kaç", いくら), and texts with a number. Pure."""

from __future__ import annotations

import re
from functools import lru_cache

from ..text.analyzer import fold
from ..text.languages import LANGUAGES
from .asking import asking_pattern

_OTHER_LANGUAGES = ("quant[ioae]s?", "hoeveel", "prezzo")
"""Words that ask for a number in languages without a table of their own."""
_NUMBER = re.compile(r"\d|[一二三四五六七八九十百千万億](?=[円個人本枚回歳匹台分番年月日時冊件名度割つ千百万十])")
"""Matches a digit of any script, or a Japanese numeral before the thing it counts."""


def asks_for_number(question: str) -> bool:
    """Return whether a question asks for a number, judged by its words."""
    return asking_pattern("number", _OTHER_LANGUAGES).search(fold(question)) is not None


def without_japanese_asking(question: str) -> str:
    """Return a question without the Japanese words that ask for something said."""
    return question if question.isascii() else _particles().sub(" ", question)


@lru_cache(maxsize=1)
def _particles() -> re.Pattern[str]:
    return re.compile("|".join(LANGUAGES["ja"].asking.particles))


def holds_number(text: str) -> bool:
    """Return whether a text contains a number in digits or Japanese numerals."""
    return _NUMBER.search(text) is not None
