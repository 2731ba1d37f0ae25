"""The graph as lines for people: a node with its neighbours, and paths with what each step rests on."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from .terminal import TerminalStyle, counted, joined, one_line
from .wall_clock import local_time

_BACK = {"mentions": "mentioned by", "named_with": "named with", "writes_with": "writes with"}
_IDS = 3
"""The most messages of an edge that are shown, the latest first."""
_FROM_MESSAGES = ("writes_with", "mentions", "named_with")
_KEY = 8


def neighbour_lines(body: Mapping[str, Any], columns: int) -> Iterator[str]:
    """Yield the node that was asked for, a line for each of its edges, then those of nodes further away."""
    nodes = {node["id"]: node for node in body["nodes"]}
    node = body["nodes"][0]
    messages = f"{counted(node['count'], 'message')}" if node["count"] else counted(len(node["facts"]), "fact")
    yield TerminalStyle(sys.stdout).bold(one_line(node["name"], 60)) + f" · {node['kind']} · {messages}"
    for edge in body["edges"]:
        if node["id"] in (edge["source"], edge["target"]):
            other = nodes[edge["target"] if edge["source"] == node["id"] else edge["source"]]
            head = f"{_label(edge, node['id'])}: {_named(other)}"
        else:
            head = _step(edge, nodes, edge["source"])
        yield from joined([head, *_grounds(edge)], " · ", "    ", columns, first="  ")


def path_lines(body: Mapping[str, Any], columns: int) -> Iterator[str]:
    """Yield each path, with its edges below it."""
    nodes = {node["id"]: node for node in body["nodes"]}
    paint = TerminalStyle(sys.stdout)
    for path in body["paths"]:
        for line in joined([one_line(nodes[each]["name"], 60) for each in path], " – ", "  ", columns, first=""):
            yield paint.bold(line)
        for here, there in pairwise(path):
            for edge in body["edges"]:
                if {edge["source"], edge["target"]} == {here, there}:
                    yield from joined([_step(edge, nodes, here), *_grounds(edge)], " · ", "    ", columns, first="  ")


def _step(edge: Mapping[str, Any], nodes: Mapping[str, Any], here: str) -> str:
    there = edge["target"] if edge["source"] == here else edge["source"]
    return f"{one_line(nodes[here]['name'], 40)} {_label(edge, here)}: {_named(nodes[there])}"


def _label(edge: Mapping[str, Any], here: str) -> str:
    """Return the kind of an edge as read from this end."""
    kind = one_line(edge["kind"], 30)
    if edge["source"] == here:
        return kind.replace("_", " ")
    return _BACK.get(kind) or f"{kind.replace('_', ' ')} of"


def _named(node: Mapping[str, Any]) -> str:
    return f"{one_line(node['name'], 40)} ({node['kind']})"


def _grounds(edge: Mapping[str, Any]) -> Iterator[str]:
    """Yield how often, from when to when, and the latest messages."""
    if edge["kind"] in _FROM_MESSAGES:
        yield counted(edge["count"], "time")
    elif edge["count"] > 1:
        yield counted(edge["count"], "fact")
    first, last = local_time(edge["first"])[:10], local_time(edge["last"])[:10]
    yield first if first == last else f"{first} to {last}"
    yield " ".join(key[:_KEY] for key in edge["messages"][: -_IDS - 1 : -1])
