"""The API of the graph: neighbours, paths, and the whole graph up to a limit. Part of the owner's service."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import anyio.to_thread

from ...memory.graph.graph import Edge, Graph, Node
from ...memory.graph.reader import GraphReader
from ...memory.memory import EvolvingMemory
from ...schemas.errors import NotFoundError
from ...schemas.times import in_utc
from .name_filters import LONGEST, SHOWN, NameFilters
from .requests import GraphRequest

if TYPE_CHECKING:
    from .answers.graph import GraphAnswer, GraphEdge, GraphNode

AROUND, LONGEST_PATH = 1, 4
"""Steps from a node, and edges of a path, where the request says nothing."""
FACTS_SHOWN = 20


class GraphService:
    """Methods raise the errors of ``schemas.errors``; each says which beside ``StoreError`` (the disk)."""

    def __init__(self, memory: EvolvingMemory, names: NameFilters) -> None:
        self._reader = GraphReader(memory.database)
        self._names = names

    async def part(self, request: GraphRequest) -> GraphAnswer:
        """Return the neighbours of a node, the shortest paths between two, or without a name the strongest edges of all.

        Raises:
            NotFoundError: nothing has one of these names, or several have.
        """
        graph = await self._reader.graph(request.as_of)
        ends = [await self._node(graph, name) for name in (request.name, request.other) if name is not None]
        return await anyio.to_thread.run_sync(_part, graph, ends, request.depth, request.limit)

    async def _node(self, graph: Graph, name: str) -> str:
        nodes = graph.called(name)
        if not nodes:
            (whole,) = await self._names.graph_names((name,), graph.names)
            nodes = graph.called(whole)
        if len(nodes) > 1:
            which = [next(iter(graph.nodes[node].identities), node) for node in nodes[:SHOWN]]
            raise NotFoundError(f"{name[:LONGEST]!r} means several: {', '.join(which)}", hint="name one of these")
        return nodes[0]


def _part(graph: Graph, ends: Sequence[str], depth: int | None, limit: int) -> GraphAnswer:
    paths: list[list[str]] = []
    if len(ends) == 2:
        start, end = ends
        # One more than are shown tells whether there are more.
        paths = [[start]] if start == end else graph.paths(start, end, depth or LONGEST_PATH, limit + 1)
        edges = [edge for path in paths[:limit] for edge in graph.between(path)]
        edges = list({id(edge): edge for edge in edges}.values())
        more = len(paths) > limit
    else:
        nearest = graph.neighbourhood(ends[0], depth or AROUND, limit + 1) if ends else graph.edges
        edges, more = nearest[:limit], len(nearest) > limit
    ids = dict.fromkeys([*ends, *(end for edge in edges for end in (edge.source, edge.target))])
    return {
        "nodes": [_node_to_wire(graph.nodes[each]) for each in ids],
        "edges": list(_edges_to_wire(edges)),
        "paths": paths[:limit],
        "total_nodes": len(graph.nodes),
        "total_edges": len(graph.edges),
        "more": more,
    }


def _node_to_wire(node: Node) -> GraphNode:
    return {
        "id": node.id,
        "name": node.name,
        "kind": node.kind,
        "basis": node.basis,
        "names": (*node.names, *node.identities),
        "count": node.ground.count,
        "messages": node.ground.messages,
        "facts": tuple(dict.fromkeys(node.ground.facts))[:FACTS_SHOWN],
    }


def _edges_to_wire(edges: Iterable[Edge]) -> Iterable[GraphEdge]:
    for edge in edges:
        yield {
            "source": edge.source,
            "target": edge.target,
            "kind": edge.kind,
            "count": edge.ground.count,
            "first": in_utc(edge.ground.first),
            "last": in_utc(edge.ground.last),
            "messages": edge.ground.messages,
            "facts": tuple(edge.ground.facts[:FACTS_SHOWN]),
        }
