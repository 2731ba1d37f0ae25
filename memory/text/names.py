"""How names of people and chats are compared. Pure, and quick to import."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable


def folded(name: str) -> str:
    """A name as names are compared: neither case nor the composition of accents counts."""
    if name.isascii():
        return name.casefold()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def spellings(names: Iterable[str]) -> frozenset[str]:
    """These names folded, composed, decomposed, and as folding leaves them: stores of former versions hold the folded names of
    messages as they were written, and so do marks of what was forgotten.
    """
    return frozenset(
        spelled
        for name in map(folded, names)
        for spelled in (unicodedata.normalize("NFC", name), unicodedata.normalize("NFD", name), name.casefold())
    )
