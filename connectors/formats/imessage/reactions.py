"""Computes the reactions (tapbacks) that a message has after all removals. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...text.json_fields import words_of

_EMOJIS = {
    2000: "\N{HEAVY BLACK HEART}\N{VARIATION SELECTOR-16}",
    2001: "\N{THUMBS UP SIGN}",
    2002: "\N{THUMBS DOWN SIGN}",
    2003: "\N{FACE WITH TEARS OF JOY}",
    2004: "\N{DOUBLE EXCLAMATION MARK}\N{VARIATION SELECTOR-16}",
    2005: "\N{BLACK QUESTION MARK ORNAMENT}",
    2007: "[sticker]",
}
"""The emoji by reaction type, as Messages shows them: loved, liked, disliked, laughed at, emphasised, questioned, and
stickers.
"""
_FIRST = 2000
_OWN_EMOJI = 2006
_STICKER = 2007
_REMOVED = 1000
"""The number added to the type of a reaction in the row that removes it."""


def is_reaction(row: Mapping[str, Any]) -> bool:
    """Return whether a row of the table of messages is a reaction or removes one."""
    kind = row["associated_message_type"]
    return isinstance(kind, int) and _FIRST <= kind < _FIRST + 2 * _REMOVED


def reactions_of(rows: Iterable[tuple[str, Mapping[str, Any]]]) -> list[dict[str, Any]]:
    """Return the current reactions.

    A person has at most one reaction and one sticker on each part of a message: a later one replaces the earlier one.

    Args:
        rows: the person and the row of each reaction, in order of time.
    """
    standing: dict[tuple[str, str, int], str] = {}
    for person, row in rows:
        number = row["associated_message_type"]
        if not isinstance(number, int):
            continue
        part = words_of(row["associated_message_guid"]).rpartition("/")[0]
        kind = number % _REMOVED + _FIRST
        slot = (person, part, _STICKER if kind == _STICKER else 0)
        emoji = _emoji(kind, row)
        if number < _FIRST + _REMOVED:
            standing.pop(slot, None)
            standing[slot] = emoji
        elif standing.get(slot) == emoji or (kind == _OWN_EMOJI and not words_of(row["associated_message_emoji"])):
            standing.pop(slot, None)
    people: dict[str, dict[str, None]] = {}
    for (person, _, _), emoji in standing.items():
        people.setdefault(emoji, {})[person] = None
    return [{"emoji": emoji, "people": list(names)} for emoji, names in people.items()]


def _emoji(kind: int, row: Mapping[str, Any]) -> str:
    if kind == _OWN_EMOJI:
        return words_of(row["associated_message_emoji"]) or "[emoji]"
    return _EMOJIS.get(kind, f"[reaction {kind}]")
