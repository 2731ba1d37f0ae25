"""Groups numbers by links between pairs of them (union-find), with 16 bytes of memory per number. Pure."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable


class LinkedSets:
    """The sets of 64-bit numbers that links connect."""

    def __init__(self, numbers: Iterable[int], links: Iterable[tuple[int, int]]) -> None:
        """``numbers``: all numbers in the links, distinct and ascending."""
        self._numbers = array("q", numbers)
        self._above = array("q", range(len(self._numbers)))
        """The index of another member of the same set, for each number; the representative points to itself."""
        for one, other in links:
            self._above[self._top(self._place(other))] = self._top(self._place(one))

    def find(self, number: int) -> int:
        """Return the representative of a number's set."""
        place = self._place(number)
        if place == len(self._numbers) or self._numbers[place] != number:
            return number  # no link contains it
        return self._numbers[self._top(place)]

    def _place(self, number: int) -> int:
        return bisect_left(self._numbers, number)

    def _top(self, place: int) -> int:
        above = self._above
        while (up := above[place]) != place:
            above[place] = place = above[up]
        return place
