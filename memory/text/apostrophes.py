"""Blanks what an apostrophe joins to a word and is no part of it: French elisions ("qu'a"), and Turkish endings behind a
name or a number ("Murat'tan", "2025'te"). Pure; the results are as long as the texts.
"""

from __future__ import annotations

import re

_ELISION = re.compile(r"(?<![^\W_])(?:qu|jusqu|lorsqu|puisqu|quelqu|[jscdnlmt])['\u2019](?=[^\W\d_])", re.IGNORECASE)
_ENDING = re.compile(
    r"(?<=[^\W_])['\u2019](?:(?:y|n|s[ıiuü]n)?[ıiuüae]|(?:n|s[ıi]n)?[ıiuü]n|n?[dt][ae](?:n|ki\w*)?|(?:s?[ıiuü]n)[dt][ae]n?|y?l[ae]"
    r"|l[ae]r\w*|yken)(?![^\W_]|['\u2019])"
)


def without_elisions(text: str) -> str:
    """Return a text with blanks in the place of elided French words. Inside a text a capital is part of a name, as in
    D'Angelo.
    """
    return _ELISION.sub(lambda match: match.group() if _in_name(match) else " " * len(match.group()), text)


def _in_name(match: re.Match[str]) -> bool:
    return match.start() > 0 and match.group()[0].isupper()


def without_turkish_endings(text: str) -> str:
    """Return a text with blanks in the place of endings behind the apostrophe of a name or a number."""
    return _ENDING.sub(lambda match: match.group() if _is_elided(match) else " " * len(match.group()), text)


def _is_elided(match: re.Match[str]) -> bool:
    """Return whether the word before an ending is an elision: "qu" in "qu'en"."""
    start = match.start()
    while start > 0 and match.string[start - 1].isalnum():
        start -= 1
    return _ELISION.match(match.string, start) is not None
