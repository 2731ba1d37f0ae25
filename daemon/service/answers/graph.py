"""Answers about the graph of people, places, organisations and things."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from typing_extensions import TypedDict

from ....memory.graph.kinds import Kind


class GraphNode(TypedDict):
    """A person, place, organisation or thing."""

    id: str
    """Stays the same as long as no names are merged or split."""
    name: str
    """The name; of a person the one with most messages."""
    kind: Kind
    """The kind: `person`, `place`, `organisation`, `thing`."""
    basis: str
    """The ground for the kind: `writes` or `member` of a chat, `fact` with an attribute, `word` with the word of the name that
    tells it, `capitals`.
    """
    names: tuple[str, ...]
    """Other names of a person, also as `SOURCE:NAME`."""
    count: int
    """Number of messages: that the person wrote, else that name it; 0 if only facts do."""
    messages: tuple[UUID, ...]
    """The keys of the latest of these messages."""
    facts: tuple[UUID, ...]
    """The ids of facts of which it is the subject or the value, at most 20."""


class GraphEdge(TypedDict):
    """A connection of two nodes."""

    source: str
    """The id of a node: the subject, or the author."""
    target: str
    """The id of the other node; the ends of `writes_with` are equal."""
    kind: str
    """The attribute of a fact, or `writes_with`, `mentions`, `named_with`."""
    count: int
    """Number of facts, or how often messages make the connection."""
    first: datetime
    """The time of the first of these, RFC 3339; of a fact since when it holds."""
    last: datetime
    """The time of the latest, RFC 3339; of a fact when it was last said."""
    messages: tuple[UUID, ...]
    """The keys of the messages behind the latest of these, in the order of their times."""
    facts: tuple[UUID, ...]
    """The ids of the facts, at most 20."""


class GraphAnswer(TypedDict):
    """A part of the graph."""

    nodes: list[GraphNode]
    """The nodes: those that were asked for first, then those of the edges."""
    edges: list[GraphEdge]
    """The edges: the nearest first, facts before messages, then the most frequent."""
    paths: list[list[str]]
    """With two names: the shortest paths between them, as ids of nodes."""
    total_nodes: int
    """Number of nodes in the whole graph."""
    total_edges: int
    """Number of edges in the whole graph."""
    more: bool
    """True if the limit left something out."""
