"""Estimates the tokens of a text without a tokenizer: more than common tokenizers count, so that no budget is exceeded.
Pure.
"""

from __future__ import annotations

import re

# A token is up to three small letters (two behind the ninth letter of a long word), or two capitals; digits and signs
# count one by one, as in the models with the most tokens. One blank belongs to the word behind it; up to four further
# ones are a token.
_PIECE = re.compile(r"(?<=[^\W\d_]{9})[a-z]{1,2}|[A-Z]?[a-z]{1,3}|[A-Z]{1,2}|\n|\t| {2,5}|[^\s]")
_RANDOM = re.compile(r"(?=[A-Za-z+/_-]{0,256}\d)[A-Za-z0-9+/=_-]{24,}")
"""Keys, hashes and encoded data: here a token has hardly two characters."""


def estimated_tokens(text: str) -> int:
    """Return an upper estimate of the tokens of a text; at least 1."""
    random = sum(len(match[0]) for match in _RANDOM.finditer(text))
    pieces = sum(1 for _ in _PIECE.finditer(_RANDOM.sub(" ", text)))
    return pieces + random + sum(map(_more, text) if not text.isascii() else ()) + 1


def _more(character: str) -> int:
    """Return the tokens of a character beyond one: rare characters are encoded byte by byte."""
    code = ord(character)
    if code < 0x800:
        return 0
    if code >= 0x10000:
        return 3
    return 2 if 0x2000 <= code < 0x2C00 or 0xFE00 <= code < 0xFE10 else 1
