"""The words of a text, as they are compared with the cue words of the rules: most rules need not be tried on most texts."""

from __future__ import annotations

import re
from zlib import crc32

DIGIT = "0"
"""Stands for any digit."""
_APOSTROPHES = str.maketrans("", "", "'’")
_DIGITS = re.compile(r"\d")
_WORD = re.compile(r"[^\W\d_]+")


def folded(text: str) -> str:
    """A text without case, as patterns read it that take letters of either case."""
    plain = text.casefold()
    if plain.isascii():
        return plain
    # Where case does not count, both letters of Turkish are an i, and a mark becomes an iota.
    return text.replace("\u0345", "").casefold().replace("\u0131", "i").replace("i\u0307", "i")


def words_of(text: str) -> set[str]:
    """The words of a text without case; among them `DIGIT` when there is one. A word with an apostrophe is there in parts
    and as a whole.
    """
    plain = folded(text)
    found = set(_WORD.findall(plain))
    if "'" in plain or "’" in plain:
        found.update(_WORD.findall(plain.translate(_APOSTROPHES)))
    if _DIGITS.search(text):
        found.add(DIGIT)
    return found


def word_sums(text: str) -> set[str]:
    """The words of a text as eight digits each, which do not show them: what a store keeps of the rules holds no word, so
    that whoever looks for one in its files finds none that nobody wrote.
    """
    return {f"{crc32(word.encode()):08x}" for word in words_of(text)}
