"""All decisions on people, arranged so that taking one back costs few steps however many there are. Pure.

Rule 1: what this tells is what a replay of the standing decisions gives (`decisions.labels_by_key`), and a test compares them.

Decisions that concern the same names, be it through others, are one cluster; those of other clusters change nothing in it. In
a cluster the effect of every few decisions is kept, that of every two such blocks, and so on up to that of all (a segment
tree). What stands or falls changes one block and those above it.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Collection, Iterable, Sequence

from .decisions import Action, labels_of
from .forest import Effect, Forest

_BLOCK = 16
"""Decisions whose effect is found by taking them one after the other."""


class DecisionLog:
    """Takes decisions in their order, and tells which stand and who is one person by them."""

    def __init__(self) -> None:
        self._steps: dict[int, tuple[Action, Sequence[bytes]]] = {}
        """Merges and splits by their numbers."""
        self._targets: dict[int, int] = {}
        """What each undo takes back."""
        self._against: dict[int, int] = {}
        """Of each decision, how many undos that stand take it back."""
        self._standing: list[int] = []
        """Merges and splits that no undo takes back, in their order."""
        self._clusters: dict[bytes, _Cluster] = {}

    def add(self, number: int, action: Action, keys: Sequence[bytes], target: int | None) -> Sequence[bytes]:
        """Take a decision with a higher number than all before; returns the keys whose people it may change. An undo of what
        was never decided takes nothing back.
        """
        self._against[number] = 0
        if action == "undo":
            if target is None or target not in self._against or target == number:
                return ()
            self._targets[number] = target
            return self._take_back(target)
        self._steps[number] = (action, keys)
        self._standing.append(number)
        self._cluster_of(keys).append(number)
        return keys

    def stands(self, number: int) -> bool | None:
        """Whether no standing undo takes it back; None where there is no such decision."""
        count = self._against.get(number)
        return None if count is None else count == 0

    def last_standing(self) -> int | None:
        """The latest decision that can be taken back without naming it: a merge or split that stands."""
        return self._standing[-1] if self._standing else None

    def people(self, keys: Iterable[bytes], own: Collection[bytes]) -> tuple[set[bytes], dict[bytes, str]]:
        """Everybody whom decisions connect with some keys, and who of them is one person, as of `decisions.labels_by_key`.

        Args:
            keys: some identities.
            own: those of the user.
        """
        connected, mine = set(keys), set(own)
        clusters = self._clusters_of(connected)
        if not mine.isdisjoint(connected) or not all(mine.isdisjoint(each.keys) for each in clusters):
            connected |= mine
            clusters = self._clusters_of(connected)
        else:
            mine = set[bytes]()
        forest = Forest()
        forest.join(sorted(mine))
        for cluster in clusters:
            effect = cluster.effect(self._taken)
            forest.apply(effect)
            connected |= cluster.keys
            mine -= effect.parted
        return connected, labels_of(forest, mine)

    def _take_back(self, target: int) -> Sequence[bytes]:
        """Count an undo against its target: if that is an undo, what this one had taken back may stand again, and so on."""
        step = 1
        while True:
            stood = not self._against[target]
            self._against[target] += step
            stands = not self._against[target]
            if stood is stands:
                return ()
            if target not in self._targets:
                return self._changed(target, stands=stands)
            target, step = self._targets[target], 1 if stands else -1

    def _changed(self, number: int, *, stands: bool) -> Sequence[bytes]:
        if number not in self._steps:
            return ()  # an undo of nothing
        if stands:
            insort(self._standing, number)
        else:
            del self._standing[bisect_left(self._standing, number)]
        keys = self._steps[number][1]
        for cluster in self._clusters_of(keys):
            cluster.changed(number)
        return keys

    def _taken(self, numbers: Sequence[int]) -> Effect:
        """What those of these decisions that stand do."""
        forest = Forest()
        for number in numbers:
            if not self._against[number]:
                action, keys = self._steps[number]
                (forest.join if action == "merge" else forest.part)(keys)
        return forest.effect()

    def _clusters_of(self, keys: Iterable[bytes]) -> list[_Cluster]:
        return list({id(found): found for key in keys if (found := self._clusters.get(key)) is not None}.values())

    def _cluster_of(self, keys: Sequence[bytes]) -> _Cluster:
        """The one of these keys; those that there were are one from now on."""
        some = sorted(self._clusters_of(keys), key=lambda each: len(each.keys))
        whole = some.pop() if some else _Cluster()
        for other in some:
            whole.take_over(other)
            self._clusters.update(dict.fromkeys(other.keys, whole))
        whole.keys.update(keys)
        self._clusters.update(dict.fromkeys(keys, whole))
        return whole


class _Cluster:
    """Decisions on connected names, in their order, with the effects of blocks of them."""

    def __init__(self) -> None:
        self.keys: set[bytes] = set()
        self._numbers: list[int] = []
        self._blocks = 1
        """How many there is room for: a power of two."""
        self._effects: list[Effect | None] = [None, None]
        """That of all at 1; of the two halves of what is at N at 2 N and 2 N + 1; of blocks from ``_blocks`` on. None where it
        must be found first.
        """

    def append(self, number: int) -> None:
        """A decision was made."""
        self._numbers.append(number)
        if len(self._numbers) > self._blocks * _BLOCK:
            self._make_room()
        else:
            self.changed(number)

    def changed(self, number: int) -> None:
        """A decision stands now, or does not any more."""
        node = self._blocks + bisect_left(self._numbers, number) // _BLOCK
        while node:
            self._effects[node] = None
            node //= 2

    def take_over(self, other: _Cluster) -> None:
        """What was apart is connected now."""
        self.keys |= other.keys
        self._numbers = sorted([*self._numbers, *other._numbers])
        self._make_room()

    def effect(self, taken: Callable[[Sequence[int]], Effect], node: int = 1) -> Effect:
        """What all decisions do, or those below a node. ``taken`` tells it of a block."""
        found = self._effects[node]
        if found is None:
            if node >= self._blocks:
                begin = (node - self._blocks) * _BLOCK
                found = taken(self._numbers[begin : begin + _BLOCK])
            else:
                both = Forest()
                both.apply(self.effect(taken, 2 * node))
                both.apply(self.effect(taken, 2 * node + 1))
                found = both.effect()
            self._effects[node] = found
        return found

    def _make_room(self) -> None:
        while len(self._numbers) > self._blocks * _BLOCK:
            self._blocks *= 2
        self._effects = [None] * (2 * self._blocks)
