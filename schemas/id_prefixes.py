"""Ids by their beginnings: eight characters tell one of a million, fewer may, and several that begin alike are told."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .errors import NotFoundError
from .keys import SHORTEST_KEY

MOST_LISTED = 5
"""The most ids that an error lists."""
AMBIGUOUS = "several ids begin with that"
"""The message of an error whose hint lists the ids."""
_KEY_DIGITS = 32
"""Hexadecimal digits of a whole key."""


def key_prefix(text: str) -> str:
    """Return the hexadecimal digits of the beginning of a key, as it may be copied from a screen; empty for a whole key, and
    for text that begins none.
    """
    digits = text.rstrip("….").replace("-", "").lower()
    whole = not SHORTEST_KEY <= len(digits) < _KEY_DIGITS
    return "" if whole or set(digits) - set("0123456789abcdef") else digits


def only_id(ids: Sequence[str]) -> str | None:
    """Return the only id of those that begin alike; None if there is none.

    Args:
        ids: with the same beginning, more than `MOST_LISTED` of them need not be looked up.

    Raises:
        NotFoundError: there are several, which the hint tells.
    """
    if len(ids) > 1:
        more = " or others" if len(ids) >= MOST_LISTED else ""
        raise NotFoundError(AMBIGUOUS, hint=f"it may be {', '.join(ids[:MOST_LISTED])}{more}")
    return ids[0] if ids else None


def whole_ids(words: Iterable[str], names: Iterable[Iterable[str]]) -> list[str]:
    """Return the whole ids of these, each by itself or by its beginning; what begins none stays as it is.

    Args:
        words: ids, their beginnings, or other names.
        names: the ids and other names of each thing there is.

    Raises:
        NotFoundError: several begin so.
    """
    ids = sorted({name for each in names for name in each})
    return [
        each
        if each in ids or not (digits := key_prefix(each))
        else only_id([name for name in ids if name.startswith(digits)]) or each
        for each in words
    ]
