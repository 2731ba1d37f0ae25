"""The ways in which locales write a short date and time, from the Unicode Common Locale Data Repository (Unicode License v3).

Date, clock and joiner of a locale are patterns of that repository; its halves of the day are words.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

SPACE = "[ \u00a0\u2000-\u200a\u202f\u205f\u3000]"
MARK = "[\ufeff\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
"""Matches byte order marks and direction marks, which may occur anywhere in a header and have no meaning there."""
_MARKS = re.compile(MARK)
_SPACES = re.compile(SPACE)


@dataclass(frozen=True, slots=True)
class LocaleRow:
    """One distinct way to write a moment, and the shortest name of a locale that does."""

    date: str
    time_short: str
    time_medium: str
    joiner: str
    digits: str
    am: str
    pm: str
    am_wide: str
    pm_wide: str
    locale: str


def plain(text: str) -> str:
    """Remove direction marks and replace every kind of space by U+0020: literals are compared in this form."""
    return _SPACES.sub(" ", _MARKS.sub("", text))


@lru_cache(maxsize=1)
def rows() -> tuple[LocaleRow, ...]:
    """Return the whole table."""
    data = json.loads(files(__package__ or __name__).joinpath("locales.json").read_text("utf-8"))
    return tuple(LocaleRow(*row) for row in data["rows"])
