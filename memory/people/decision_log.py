"""The decisions on people, arranged so that taking one back costs few steps however many there are. Pure.

Rule 1: the result equals a replay of the standing decisions (`decisions.labels_by_key`); a test compares them.

Decisions that concern the same names, directly or through others, form a cluster; decisions of other clusters do not
affect it. A cluster is a segment tree: it keeps the effect of every block of decisions, of every two blocks, and so on
up to all. A decision that is undone or restored changes one block and the nodes above it.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Collection, Iterable, Sequence

from .decisions import Action, labels_of
from .forest import Effect, Forest

_BLOCK = 16
"""The number of decisions in a block, whose effect is computed one by one."""


class DecisionLog:
    """Takes decisions in order, and computes which stand and which identities are one person."""

    def __init__(self) -> None:
        self._steps: dict[int, tuple[Action, Sequence[bytes]]] = {}
        """Merges and splits by number."""
        self._targets: dict[int, int] = {}
        """The target of each undo."""
        self._against: dict[int, int] = {}
        """The number of standing undos against each decision."""
        self._standing: list[int] = []
        """The numbers of merges and splits that stand, ascending."""
        self._clusters: dict[bytes, _Cluster] = {}

    def add(self, number: int, action: Action, keys: Sequence[bytes], target: int | None) -> Sequence[bytes]:
        """Add a decision with a higher number than all before; return the keys whose people it may change. An undo of
        an unknown decision has no effect.
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
        """Return whether no standing undo takes the decision back; None if there is no such decision."""
        count = self._against.get(number)
        return None if count is None else count == 0

    def last_standing(self) -> int | None:
        """Return the latest merge or split that stands, which an undo without a target takes back."""
        return self._standing[-1] if self._standing else None

    def people(self, keys: Iterable[bytes], users: Collection[bytes]) -> tuple[set[bytes], dict[bytes, str]]:
        """Return all identities that decisions connect with some keys, and their persons as in
        `decisions.labels_by_key`.

        Args:
            keys: some identities.
            users: the identities of the user.
        """
        connected, mine = set(keys), set(users)
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
        """Count an undo against its target. If that is itself an undo, the decision that it had taken back may stand
        again, and so on.
        """
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
        """Return the combined effect of the standing decisions among these."""
        forest = Forest()
        for number in numbers:
            if not self._against[number]:
                action, keys = self._steps[number]
                (forest.join if action == "merge" else forest.part)(keys)
        return forest.effect()

    def _clusters_of(self, keys: Iterable[bytes]) -> list[_Cluster]:
        return list({id(cluster): cluster for key in keys if (cluster := self._clusters.get(key)) is not None}.values())

    def _cluster_of(self, keys: Sequence[bytes]) -> _Cluster:
        """Return the cluster of these keys, merging the clusters they were in."""
        some = sorted(self._clusters_of(keys), key=lambda each: len(each.keys))
        whole = some.pop() if some else _Cluster()
        for other in some:
            whole.take_over(other)
            self._clusters.update(dict.fromkeys(other.keys, whole))
        whole.keys.update(keys)
        self._clusters.update(dict.fromkeys(keys, whole))
        return whole


class _Cluster:
    """The decisions on connected names in order, with the effects of blocks of them."""

    def __init__(self) -> None:
        self.keys: set[bytes] = set()
        self._numbers: list[int] = []
        self._blocks = 1
        """The number of blocks with room in the tree: a power of two."""
        self._effects: list[Effect | None] = [None, None]
        """The tree of effects: all decisions at 1, the halves of node N at 2 N and 2 N + 1, blocks from ``_blocks`` on.
        None: not computed.
        """

    def append(self, number: int) -> None:
        """Add a decision."""
        self._numbers.append(number)
        if len(self._numbers) > self._blocks * _BLOCK:
            self._make_room()
        else:
            self.changed(number)

    def changed(self, number: int) -> None:
        """Discard the effects that depend on a decision that was undone or restored."""
        node = self._blocks + bisect_left(self._numbers, number) // _BLOCK
        while node:
            self._effects[node] = None
            node //= 2

    def take_over(self, other: _Cluster) -> None:
        """Take over the decisions of another cluster that is now connected."""
        self.keys |= other.keys
        self._numbers = sorted([*self._numbers, *other._numbers])
        self._make_room()

    def effect(self, taken: Callable[[Sequence[int]], Effect], node: int = 1) -> Effect:
        """Return the effect of all decisions, or of those below a node. ``taken`` computes that of a block."""
        combined = self._effects[node]
        if combined is None:
            if node >= self._blocks:
                begin = (node - self._blocks) * _BLOCK
                combined = taken(self._numbers[begin : begin + _BLOCK])
            else:
                both = Forest()
                both.apply(self.effect(taken, 2 * node))
                both.apply(self.effect(taken, 2 * node + 1))
                combined = both.effect()
            self._effects[node] = combined
        return combined

    def _make_room(self) -> None:
        while len(self._numbers) > self._blocks * _BLOCK:
            self._blocks *= 2
        self._effects = [None] * (2 * self._blocks)
