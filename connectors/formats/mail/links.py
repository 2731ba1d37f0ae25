"""Which numbers belong together, from links between two of them: 16 bytes of memory for each number. Pure."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable


class LinkedSets:
    """The sets that links make of numbers of 64 bits."""

    def __init__(self, numbers: Iterable[int], links: Iterable[tuple[int, int]]) -> None:
        """``numbers`` are all that the links name, each once, the smallest first."""
        self._numbers = array("q", numbers)
        self._above = array("q", range(len(self._numbers)))
        """For each place in the numbers, another one of its set, or itself, if it stands for the set."""
        for one, other in links:
            self._above[self._top(self._place(other))] = self._top(self._place(one))

    def find(self, number: int) -> int:
        """The number that stands for all that belong together with one."""
        place = self._place(number)
        if place == len(self._numbers) or self._numbers[place] != number:
            return number  # no link names it
        return self._numbers[self._top(place)]

    def _place(self, number: int) -> int:
        return bisect_left(self._numbers, number)

    def _top(self, place: int) -> int:
        above = self._above
        while (up := above[place]) != place:
            above[place] = place = above[up]
        return place
