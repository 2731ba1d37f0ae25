"""Groups of keys that are joined and parted, one step after the other, and what many such steps do together. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Effect:
    """What a sequence of steps makes of any groups, told without its length: by the keys that it touches."""

    groups: tuple[tuple[tuple[bytes, ...], tuple[bytes, ...]], ...]
    """Of each group that it makes: keys whose groups of before become one, and keys that come to it after they parted."""
    parted: frozenset[bytes]
    """Keys that left the groups in which they were before."""


class Forest:
    """Groups of keys, as trees of numbered nodes (union and find); a key that parts leaves its node for a new one."""

    def __init__(self) -> None:
        self._parents: list[int] = []
        """By node, the node above; a root is its own."""
        self._nodes: dict[bytes, int] = {}
        self._first: dict[bytes, int] = {}
        """The node that a key had at the beginning."""

    def join(self, keys: Iterable[bytes]) -> None:
        """Make one group of those of these keys."""
        self._join(map(self._node, keys))

    def part(self, keys: Iterable[bytes]) -> None:
        """Let each of these keys stand by itself."""
        for key in keys:
            self._node(key)
            self._nodes[key] = self._new()

    def apply(self, effect: Effect) -> None:
        """Take the steps of which this is the effect."""
        made = [self._join(map(self._node, before)) for before, _ in effect.groups]
        self.part(effect.parted)
        for root, (_, after) in zip(made, effect.groups, strict=True):
            self._join([*root, *(self._nodes[key] for key in after)])

    def effect(self) -> Effect:
        """What all steps so far do together."""
        groups: defaultdict[int, tuple[list[bytes], list[bytes]]] = defaultdict(lambda: ([], []))
        parted = [key for key, node in self._nodes.items() if node != self._first[key]]
        for key, node in self._first.items():
            groups[self._root(node)][0].append(key)
        for key in parted:
            groups[self._root(self._nodes[key])][1].append(key)
        told = ((tuple(before), tuple(after)) for before, after in groups.values() if len(before) + len(after) > 1)
        return Effect(tuple(told), frozenset(parted))

    def groups(self) -> Iterable[list[bytes]]:
        """All groups, also of one key."""
        found: defaultdict[int, list[bytes]] = defaultdict(list)
        for key, node in self._nodes.items():
            found[self._root(node)].append(key)
        return found.values()

    def _join(self, nodes: Iterable[int]) -> list[int]:
        """The root of the group that they are now; nothing where there are none."""
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
