"""How many tokens a text has when no tokenizer tells: more than common tokenizers make of it, so that no budget is exceeded. Pure."""

from __future__ import annotations

import re

# Three small letters, two behind the ninth of a long word, two capitals; digits and signs one by one, as the models with
# the most tokens cut them. One blank belongs to the word behind it; of further ones up to four are a token.
_PIECE = re.compile(r"(?<=[^\W\d_]{9})[a-z]{1,2}|[A-Z]?[a-z]{1,3}|[A-Z]{1,2}|\n|\t| {2,5}|[^\s]")
_RANDOM = re.compile(r"(?=[A-Za-z+/_-]{0,256}\d)[A-Za-z0-9+/=_-]{24,}")
"""Keys, hashes and encoded data: hardly two of their characters are a token."""


def estimated_tokens(text: str) -> int:
    """The tokens of a text at most, as far as can be told without its tokenizer; at least 1."""
    random = sum(len(found[0]) for found in _RANDOM.finditer(text))
    pieces = sum(1 for _ in _PIECE.finditer(_RANDOM.sub(" ", text)))
    return pieces + random + sum(map(_more, text) if not text.isascii() else ()) + 1


def _more(character: str) -> int:
    """Tokens of a character beyond one: what is rare is written in bytes."""
    code = ord(character)
    if code < 0x800:
        return 0
    if code >= 0x10000:
        return 3
    return 2 if 0x2000 <= code < 0x2C00 or 0xFE00 <= code < 0xFE10 else 1
