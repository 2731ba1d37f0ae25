"""The graph in memory: nodes, edges with what they rest on, neighbours and shortest paths. Pure."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise
from uuid import UUID

from ..text.names import folded
from .kinds import RANK, Kind

WRITES_WITH = "writes_with"
"""Two people of whom one wrote right behind the other; both directions are one edge."""
MENTIONS = "mentions"
"""From the author of a message to a name in it."""
NAMED_WITH = "named_with"
"""A person and another name in one message."""
FROM_MESSAGES = frozenset({WRITES_WITH, MENTIONS, NAMED_WITH})
"""The kinds of edges that messages make; every other kind is an attribute of facts."""
EVIDENCE = 5
"""The most pieces of evidence of a node or an edge, the latest: a node of 100,000 messages does not keep them all."""


@dataclass(slots=True)
class Ground:
    """The evidence of a node or an edge: how often, from when to when, and the latest messages."""

    count: int = 0
    first: int = 0
    """In UTC microseconds, as `last`."""
    last: int = 0
    latest: list[tuple[int, tuple[bytes, ...]]] = field(default_factory=list[tuple[int, tuple[bytes, ...]]])
    """The time and the keys of messages that belong together, a heap."""
    facts: list[UUID] = field(default_factory=list[UUID])

    def add(self, micros: int, messages: tuple[bytes, ...], until: int | None = None) -> None:
        """Count messages of this time; of facts ``until`` is when the statement was last made."""
        last = micros if until is None else until
        self.first = micros if not self.count else min(self.first, micros)
        self.last = last if not self.count else max(self.last, last)
        self.count += 1
        if len(self.latest) < EVIDENCE:
            heapq.heappush(self.latest, (last, messages))
        elif (last, messages) > self.latest[0]:
            heapq.heapreplace(self.latest, (last, messages))

    @property
    def messages(self) -> tuple[UUID, ...]:
        """The keys of the latest messages, the oldest first."""
        return tuple(UUID(bytes=key) for key in dict.fromkeys(key for _, keys in sorted(self.latest) for key in keys))


@dataclass(slots=True)
class Node:
    """A person, place, organisation or thing."""

    id: str
    name: str
    kind: Kind
    basis: str
    """The ground for the kind: ``writes``, ``fact`` with the attribute, ``word`` with the word of the name, ``capitals``."""
    names: tuple[str, ...] = ()
    """Other names of a person."""
    identities: tuple[str, ...] = ()
    """All names of a person, as ``SOURCE:NAME``."""
    ground: Ground = field(default_factory=Ground)
    """The messages that a person wrote, or that name another node."""

    def decide(self, kind: Kind, basis: str) -> None:
        """Take a kind that ranks higher than the present one."""
        if RANK[kind] > RANK[self.kind]:
            self.kind, self.basis = kind, basis


@dataclass(slots=True)
class Edge:
    """A connection of two nodes."""

    source: str
    target: str
    kind: str
    ground: Ground = field(default_factory=Ground)

    @property
    def order(self) -> tuple[bool, int, int, str, str, str]:
        """The sort key: facts first, then the most frequent, then the latest."""
        frequent, latest = -self.ground.count, -self.ground.last
        return self.kind in FROM_MESSAGES, frequent, latest, self.kind, self.source, self.target

    def other(self, node: str) -> str:
        """Return the node at the other end."""
        return self.target if node == self.source else self.source


class Graph:
    """Nodes by id, and edges, of which each connects two different nodes."""

    def __init__(self, nodes: Mapping[str, Node], edges: Iterable[Edge]) -> None:
        self.nodes = nodes
        self.edges = sorted(edges, key=lambda edge: edge.order)
        self._around: defaultdict[str, list[Edge]] = defaultdict(list)
        for edge in self.edges:
            self._around[edge.source].append(edge)
            self._around[edge.target].append(edge)
        self._by_name: defaultdict[str, list[str]] = defaultdict(list)
        for node in nodes.values():
            for name in dict.fromkeys(map(folded, (node.id, node.name, *node.names, *node.identities))):
                self._by_name[name].append(node.id)

    @property
    def names(self) -> list[str]:
        """All names of nodes, of which a part may be asked for."""
        return [name for node in self.nodes.values() for name in dict.fromkeys((node.name, *node.names))]

    def called(self, name: str) -> list[str]:
        """Return the nodes with this id or, ignoring case, this name; several where the user split namesakes."""
        return [name] if name in self.nodes else list(self._by_name.get(folded(name), ()))

    def around(self, node: str) -> Sequence[Edge]:
        """Return the edges of a node in their order."""
        return self._around.get(node, ())

    def neighbourhood(self, node: str, depth: int, limit: int) -> list[Edge]:
        """Return up to ``limit`` edges within ``depth`` steps of a node, the nearest first, of one distance in their order."""
        return list(islice(self._outwards(node, depth), limit))

    def _outwards(self, node: str, depth: int) -> Iterator[Edge]:
        seen, level = {node}, [node]
        passed = set[int]()
        for _ in range(depth):
            reached: list[str] = []
            for here in level:
                for edge in self.around(here):
                    if id(edge) not in passed:
                        passed.add(id(edge))
                        yield edge
                    if (other := edge.other(here)) not in seen:
                        seen.add(other)
                        reached.append(other)
            level = reached

    def paths(self, start: str, end: str, longest: int, limit: int) -> list[list[str]]:
        """Return up to ``limit`` of the shortest paths between two nodes, as ids; none where they are further apart than
        ``longest`` edges.
        """
        before: dict[str, list[str]] = {start: []}
        level = [start]
        for _ in range(longest):
            if end in before or not level:
                break
            reached: dict[str, list[str]] = {}
            for here in level:
                for other in dict.fromkeys(edge.other(here) for edge in self.around(here)):
                    if other not in before:
                        reached.setdefault(other, []).append(here)
            before |= reached
            level = list(reached)
        return [path[::-1] for path in islice(_back(end, before), limit)] if end in before else []

    def between(self, path: Sequence[str]) -> Iterator[Edge]:
        """Yield all edges between neighbours of a path."""
        for here, there in pairwise(path):
            yield from (edge for edge in self.around(here) if edge.other(here) == there)


def _back(node: str, before: Mapping[str, Sequence[str]]) -> Iterator[list[str]]:
    if not before[node]:
        yield [node]
    for each in before[node]:
        for rest in _back(each, before):
            yield [node, *rest]
