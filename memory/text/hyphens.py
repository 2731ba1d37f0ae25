"""Finds hyphenated words, which are as often written as one: Wi-Fi and wifi, Baby-Party and Babyparty. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

_HYPHEN = re.compile("[\u2010\u2011-]")
_HYPHENATED = re.compile(r"(?<![\w\u2010\u2011-])(?![0-9])[^\W_]+(?:[\u2010\u2011-][^\W_]+){1,3}(?![\w\u2010\u2011-])")
"""Matches words of up to four parts; more are an address or a list."""


def hyphenated(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the hyphenated words of a text without their hyphens, with their ranges in the text."""
    if _HYPHEN.search(text) is not None:
        for match in _HYPHENATED.finditer(text):
            yield _HYPHEN.sub("", match.group()), *match.span()
