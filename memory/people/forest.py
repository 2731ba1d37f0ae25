"""Groups of keys that are joined and separated step by step, and the combined effect of many steps. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Effect:
    """The effect of a sequence of steps on any groups; its size depends on the keys that they touch, not on their
    number.
    """

    groups: tuple[tuple[tuple[bytes, ...], tuple[bytes, ...]], ...]
    """For each resulting group: keys whose former groups are joined, and keys that join it after being separated."""
    parted: frozenset[bytes]
    """Keys that left their former groups."""


class Forest:
    """Groups of keys as trees of numbered nodes (union-find); a key that is separated moves to a new node."""

    def __init__(self) -> None:
        self._parents: list[int] = []
        """The parent of each node; a root is its own parent."""
        self._nodes: dict[bytes, int] = {}
        self._first: dict[bytes, int] = {}
        """The first node of each key."""

    def join(self, keys: Iterable[bytes]) -> None:
        """Join the groups of these keys."""
        self._join(map(self._node, keys))

    def part(self, keys: Iterable[bytes]) -> None:
        """Separate each of these keys from its group."""
        for key in keys:
            self._node(key)
            self._nodes[key] = self._new()

    def apply(self, effect: Effect) -> None:
        """Apply the steps that have this effect."""
        made = [self._join(map(self._node, before)) for before, _ in effect.groups]
        self.part(effect.parted)
        for root, (_, after) in zip(made, effect.groups, strict=True):
            self._join([*root, *(self._nodes[key] for key in after)])

    def effect(self) -> Effect:
        """Return the combined effect of all steps so far."""
        groups: defaultdict[int, tuple[list[bytes], list[bytes]]] = defaultdict(lambda: ([], []))
        parted = [key for key, node in self._nodes.items() if node != self._first[key]]
        for key, node in self._first.items():
            groups[self._root(node)][0].append(key)
        for key in parted:
            groups[self._root(self._nodes[key])][1].append(key)
        changed_groups = (
            (tuple(before), tuple(after)) for before, after in groups.values() if len(before) + len(after) > 1
        )
        return Effect(tuple(changed_groups), frozenset(parted))

    def groups(self) -> Iterable[list[bytes]]:
        """Return all groups, including those of one key."""
        groups: defaultdict[int, list[bytes]] = defaultdict(list)
        for key, node in self._nodes.items():
            groups[self._root(node)].append(key)
        return groups.values()

    def _join(self, nodes: Iterable[int]) -> list[int]:
        """Join the groups of these nodes; return their root, or an empty list for no nodes."""
        roots = [self._root(node) for node in nodes]
        for root in roots:
            self._parents[root] = roots[0]
        return roots[:1]

    def _node(self, key: bytes) -> int:
        node = self._nodes.get(key)
        if node is None:
            node = self._nodes[key] = self._first[key] = self._new()
        return node

    def _new(self) -> int:
        node = len(self._parents)
        self._parents.append(node)
        return node

    def _root(self, node: int) -> int:
        parents = self._parents
        while (above := parents[node]) != node:
            parents[node] = parents[above]
            node = parents[node]
        return node
