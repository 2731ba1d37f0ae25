"""Finds long numbers in a text whatever stands between their digits: 0431 55 81 20, 0431/558120 and +49 431 558120 give
the same term, and so does an account with and without its blanks. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

SHORTEST = 6
"""The least digits of a number that is found in any grouping; shorter groups stand beside each other by chance."""
LONGEST = 34
"""The most digits, those of an IBAN; more are a table."""
_BETWEEN = r"(?:\)[ -]?|[ .]?\(| ?[-/\u2010-\u2013] ?|[ .])"
_NUMBER = re.compile(
    r"(?<![^\W_])(?<![0-9][.,:])(?:"
    # Dates are found by their parts, and as times.
    r"(?P<date>(?:19|20)[0-9]{2}([-/.])[0-9]{1,2}\2[0-9]{1,2}|[0-9]{1,2}([-/.])[0-9]{1,2}\3(?:19|20)?[0-9]{2})(?![-/.]?[^\W_])"
    r"|(?P<account>[a-z]{2}[0-9]{2}(?: [a-z0-9]{4}){2,7}(?: [a-z0-9]{1,3})?)(?![^\W_])"
    rf"|(?P<number>\+?[0-9]+(?:{_BETWEEN}[0-9]+)*)(?![^\W_])"
    r")",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"[0-9](?:[^0-9]{0,3}[0-9]){5}")
_NO_DIGIT = re.compile("[^0-9]+")
_TRUNK_ZERO = re.compile(r" ?\(0\) ?")
_ABROAD = re.compile(
    "1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|[2-9][0-9]{2}",
)
"""Matches the code of a country at the beginning of a number for calls from abroad."""
_LONGEST_LOCAL = 11
"""The most digits of a number that may begin with two zeros without a country."""


class LongNumber(NamedTuple):
    """A number, and its range in the text."""

    term: str
    """Its digits without the blanks and marks between them, and without the zeros or the country before an area."""
    start: int
    end: int


def long_numbers(text: str, *, plain: bool = False) -> Iterator[LongNumber]:
    """Yield the long numbers of a text, except those of plain digits that are a word of it anyway, unless ``plain``."""
    for match in _NUMBER.finditer(text if _DIGITS.search(text) else ""):
        written = match.group()
        if match["account"]:
            term = written.replace(" ", "").lower()
            if len(_NO_DIGIT.sub("", term)) >= SHORTEST:
                yield LongNumber(term, *match.span())
        elif match["number"] and len(written) >= SHORTEST:
            term = _plain(written)
            if SHORTEST <= len(term) <= LONGEST and (plain or term != written):
                yield LongNumber(term, *match.span())


def _plain(written: str) -> str:
    """Return the digits of a number; of a telephone number those that it has at home and abroad."""
    digits = _NO_DIGIT.sub("", _TRUNK_ZERO.sub(" ", written) if written[0] == "+" else written)
    local = digits.lstrip("0")
    if written[0] == "+" or (digits.startswith("00") and len(digits) > _LONGEST_LOCAL):
        code = _ABROAD.match(local)
        local = local[code.end() :] if code else local
    return local if len(local) >= SHORTEST else digits
