"""Places in a minute: what two readings of a chat have between the same matched neighbours, and what of it is one. Pure.

An export is one uninterrupted piece of its chat, so a reading *covers* what lies between two of its messages. Where
only one of two readings covers a place, the other is silent about it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol


class Fits(Protocol):
    """Whether an old and a new message may be one; ``sure`` when both sides cover the place."""

    def __call__(self, index: int, position: int, *, sure: bool) -> bool:
        """``index`` is the old one's, ``position`` the new one's."""
        ...


@dataclass(slots=True)
class Cell:
    """Unmatched messages of one minute between the same matched neighbours of that minute, or its bounds.

    ``open``: whether the old, the new reading begins, ends here: (old begins, new begins, old ends, new ends).
    """

    old: list[int] = field(default_factory=list[int])
    new: list[int] = field(default_factory=list[int])
    open: tuple[bool, bool, bool, bool] = (False, False, False, False)

    @property
    def closed(self) -> bool:
        """Whether both readings cover all of it."""
        return not any(self.open)


_Place = tuple[str, int, int]
"""A minute, and the matched old messages before and after within it, or -1."""


def cells(
    matches: Sequence[int | None],
    old_minutes: Sequence[str],
    new_minutes: Sequence[str],
    old_free: Sequence[bool],
    new_free: Sequence[bool],
) -> Iterator[Cell]:
    """The places where both readings have something unmatched.

    Args:
        matches: for each new message the index of its old one.
        old_minutes: the minute of each old message.
        new_minutes: the minute of each new message.
        old_free: which old messages may be matched by their place at all.
        new_free: which new ones.
    """
    anchors = {match for match in matches if match is not None}
    old_places = _places([index if index in anchors else None for index in range(len(old_minutes))], old_minutes)
    new_places = _places(matches, new_minutes)
    found: defaultdict[_Place, Cell] = defaultdict(Cell)
    for index, place in enumerate(old_places):
        if place is not None and old_free[index]:
            found[place].old.append(index)
    for position, place in enumerate(new_places):
        if place is not None and new_free[position] and place in found:
            found[place].new.append(position)
    for (_, before, after), cell in found.items():
        if cell.new:
            cell.open = (
                before < 0 and cell.old[0] == 0,
                before < 0 and cell.new[0] == 0,
                after < 0 and cell.old[-1] == len(old_minutes) - 1,
                after < 0 and cell.new[-1] == len(new_minutes) - 1,
            )
            yield cell


def _places(matches: Sequence[int | None], minutes: Sequence[str]) -> list[_Place | None]:
    """Where each unmatched message stands; None for a matched one."""
    before = [-1] * len(matches)
    after = [-1] * len(matches)
    for index in range(1, len(matches)):
        if minutes[index] == minutes[index - 1]:
            earlier = matches[index - 1]
            before[index] = before[index - 1] if earlier is None else earlier
    for index in range(len(matches) - 2, -1, -1):
        if minutes[index] == minutes[index + 1]:
            later = matches[index + 1]
            after[index] = after[index + 1] if later is None else later
    return [
        (minutes[index], before[index], after[index]) if match is None else None for index, match in enumerate(matches)
    ]


def paired(cell: Cell, fits: Fits) -> list[tuple[int, int]]:
    """Which old and new messages of a place are one."""
    if cell.closed:
        if len(cell.old) == len(cell.new):
            return [(i, p) for i, p in zip(cell.old, cell.new, strict=True) if fits(i, p, sure=True)]
        return _in_order(cell, fits)
    return _shifted(cell, fits)


def _in_order(cell: Cell, fits: Fits) -> list[tuple[int, int]]:
    """One side has more: each new one takes the next old one that fits by itself."""
    pairs: list[tuple[int, int]] = []
    start = 0
    for position in cell.new:
        for number in range(start, len(cell.old)):
            if fits(cell.old[number], position, sure=False):
                pairs.append((cell.old[number], position))
                start = number + 1
                break
    return pairs


def _shifted(cell: Cell, fits: Fits) -> list[tuple[int, int]]:
    """A reading begins or ends here: the longest stretch that both may cover and in which every pair fits by itself."""
    old_begins, new_begins, old_ends, new_ends = cell.open
    olds, news = len(cell.old), len(cell.new)
    best: list[tuple[int, int]] = []
    for shift in range(1 - olds, news):  # old[i] beside new[i + shift]
        low, high = max(0, -shift), min(olds, news - shift)
        if (low > 0 and not new_begins) or (low + shift > 0 and not old_begins):
            continue
        if (high < olds and not new_ends) or (high + shift < news and not old_ends):
            continue
        pairs = [(cell.old[i], cell.new[i + shift]) for i in range(low, high)]
        if len(pairs) > len(best) and all(fits(index, position, sure=False) for index, position in pairs):
            best = pairs
    return best
