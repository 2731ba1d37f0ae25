"""The alignment table of two readings of a minute; `overlap` explains the costs. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence
from typing import NamedTuple

from .message_distance import GAP, HOLE, TWICE, UNMATCHED

_NEVER = 1 << 100

Step = tuple[int | None, int | None]
"""An entry of the union: the numbers of its old and of its new entry, at least one of them."""


class MinuteEdges(NamedTuple):
    """The readings that begin and those that end within the minute."""

    old_begins: bool
    new_begins: bool
    old_ends: bool
    new_ends: bool

    @property
    def meeting(self) -> bool:
        """True if one reading may end where the other begins; then they need not have anything in common."""
        return (self.new_begins and self.old_ends) or (self.old_begins and self.new_ends)


class MinutePair(NamedTuple):
    """The two readings of a minute. Entries with equal labels have the distance 0, or None."""

    old: Sequence[Hashable]
    new: Sequence[Hashable]
    distance: Callable[[int, int], int | None]
    """The distance of an old and a new entry, by number; None if they are certainly two messages."""
    edges: MinuteEdges
    telling: Collection[Hashable] = frozenset()
    """Labels that are unlikely to occur twice in a minute."""

    def without(self, doubtful: int) -> MinutePair:
        """Return the same readings with pairs of this distance treated as two messages."""

        def apart(i: int, j: int) -> int | None:
            distance = self.distance(i, j)
            return None if distance == doubtful else distance

        return self._replace(distance=apart)

    def alone(self) -> tuple[list[int], list[int]]:
        """Return the cost of each entry if it is unmatched, for both sides."""
        twice = {label for label in {*self.old} & {*self.new} if label in self.telling}
        first, second = ([UNMATCHED + TWICE * (label in twice) for label in side] for side in (self.old, self.new))
        return first, second


class UnionPath(NamedTuple):
    """The union in order, and its cost."""

    cost: int
    steps: list[Step]


def table(sides: MinutePair) -> UnionPath:
    """Find the cheapest union with a table. ``through``: the least cost of the first i old and j new entries; ``run``:
    the same if the last one is an unmatched new entry, for which a gap has been paid already.
    """
    olds, news = len(sides.old), len(sides.new)
    edges, distance = sides.edges, sides.distance
    old_alone, new_alone = sides.alone()
    through = [[_NEVER] * (news + 1) for _ in range(olds + 1)]
    run = [[_NEVER] * (news + 1) for _ in range(olds + 1)]
    for i in range(olds + 1):
        opening = 0 if (i == 0 and edges.old_begins) or (i == olds and edges.old_ends) else GAP
        row, runs = through[i], run[i]
        above = through[i - 1] if i else row
        for j in range(news + 1):
            best = 0 if i == j == 0 else _NEVER
            if i:
                best = above[j] + old_alone[i - 1] + (0 if outside(j, news, edges) else HOLE)
                if j:
                    apart = distance(i - 1, j - 1)
                    if apart is not None:
                        best = min(best, above[j - 1] + apart)
            if j:
                runs[j] = min(row[j - 1] + opening, runs[j - 1]) + new_alone[j - 1]
                best = min(best, runs[j])
            row[j] = best
    return UnionPath(through[olds][news], _path(sides, through, run))


def outside(j: int, news: int, edges: MinuteEdges) -> bool:
    """Return whether a stored entry behind the first ``j`` new ones may be missing from the incoming reading."""
    return (j == 0 and edges.new_begins) or (j == news and edges.new_ends)


def _path(sides: MinutePair, through: Sequence[Sequence[int]], run: Sequence[Sequence[int]]) -> list[Step]:
    """Return the cheapest path through the table; of equal ones, the one with the old entries first."""
    i, j = len(sides.old), len(sides.new)
    steps: list[Step] = []
    new_alone = sides.alone()[1]
    running = False
    while i or j:
        cost = run[i][j] if running else through[i][j]
        if running or (j and run[i][j] == cost):
            running = bool(j > 1 and run[i][j - 1] + new_alone[j - 1] == cost)
            j -= 1
            steps.append((None, j))
            continue
        apart = sides.distance(i - 1, j - 1) if i and j else None
        if apart is not None and through[i - 1][j - 1] + apart == cost:
            i, j = i - 1, j - 1
            steps.append((i, j))
        else:
            i -= 1
            steps.append((i, None))
    return steps[::-1]


def cost_of(sides: MinutePair, steps: Sequence[Step]) -> int:
    """Return the cost of a union."""
    cost = i = j = 0
    running = False
    edges = sides.edges
    old_alone, new_alone = sides.alone()
    for old, new in steps:
        if old is None and new is not None:
            free = (i == 0 and edges.old_begins) or (i == len(sides.old) and edges.old_ends)
            cost += new_alone[new] + (0 if running or free else GAP)
        elif old is not None and new is None:
            cost += old_alone[old] + (0 if outside(j, len(sides.new), edges) else HOLE)
        elif old is not None and new is not None:
            cost += sides.distance(old, new) or 0
        running = old is None
        i, j = i + (old is not None), j + (new is not None)
    return cost
