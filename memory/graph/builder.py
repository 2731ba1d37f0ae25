"""Makes the graph of a store from its people, facts and messages, in one pass over each."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from itertools import combinations

from ...schemas.times import utc_microseconds
from ..extraction.attributes import ATTRIBUTES, passes
from ..people.proposals import Identity
from ..records import MAIL_SOURCES, StoredFact
from ..search_types import FactFilter
from ..store import graph_rows
from ..text.name_matching import plain
from ..text.names import folded
from .graph import MENTIONS, NAMED_WITH, WRITES_WITH, Edge, Graph, Ground, Node
from .kinds import Kind, kind_of_name, name_in
from .names import names_in

WINDOW = 3_600_000_000
"""The most microseconds between two messages of a chat that one of two people wrote to the other. Mails of a thread answer
each other whenever they come.
"""
MOST_NAMES = 6
"""A message with more names is a list, which connects nobody."""
MOST_CANDIDATES = 50_000
"""The most names that only messages have, beside those that were seen twice when these were last counted; beyond, those that
came once are dropped.
"""


def graph_of(connection: sqlite3.Connection, as_of: datetime | None = None) -> Graph:
    """Return the graph of what is stored.

    Args:
        connection: a snapshot of the store.
        as_of: facts that held then, and messages up to then; None: active facts and all messages.
    """
    builder = GraphBuilder(graph_rows.people(connection))
    sources = graph_rows.fact_sources(connection)
    where = FactFilter(statuses=("active",)) if as_of is None else FactFilter(as_of=as_of)
    for stored in graph_rows.facts(connection, where):
        builder.add_fact(stored, sources.get(stored.fact.id, ""))
    builder.add_messages(graph_rows.messages(connection, None if as_of is None else utc_microseconds(as_of)))
    return builder.graph()


class GraphBuilder:
    """Collects nodes and edges: first of facts, then of messages.

    Args:
        people: the identities of each person, with the label of a person who is more than a name.
    """

    def __init__(self, people: Iterable[tuple[str | None, list[Identity]]]) -> None:
        self._nodes: dict[str, Node] = {}
        self._edges: dict[tuple[str, str, str], Edge] = {}
        self._candidates: set[str] = set()
        """Nodes that only messages name."""
        self._room = MOST_CANDIDATES
        """The number of candidates at which those that came once are dropped."""
        self._person: dict[tuple[str, str], str] = {}
        """People by source and folded name."""
        self._people_called: defaultdict[str, dict[str, None]] = defaultdict(dict)
        """People by folded name."""
        self._displayed: dict[str, tuple[str, str, tuple[str, ...], tuple[str, ...]]] = {}
        """Name, basis, other names and names in sources of people."""
        for label, identities in people:
            names = list(dict.fromkeys(each.name for each in identities))
            person = label or f"name:{folded(names[0])}"
            in_sources = tuple(f"{each.source}:{each.name}" for each in identities)
            basis = "writes" if any(each.messages for each in identities) else "member"
            self._displayed[person] = names[0], basis, tuple(names[1:]), in_sources
            for each in identities:
                self._person[each.source, folded(each.name)] = person
                self._people_called[folded(each.name)][person] = None
        self._known: dict[str, str] = {}
        """Nodes by the names that messages are searched for."""

    def add_fact(self, stored: StoredFact, source: str) -> None:
        """Add the subject, the value and their edge; a fact whose value names nothing adds its subject."""
        fact = stored.fact
        if fact.negated or (passes(fact.attribute) and fact.attribute != "location"):
            return
        subject = self._named(source, fact.subject, "person", f"fact {fact.attribute}")
        named = name_in(fact.attribute, fact.value, native=fact.attribute in ATTRIBUTES)
        if named is None:
            return
        value = self._named(source, *named, f"fact {fact.attribute}")
        if value == subject:
            return
        ground = self._edge(subject, value, fact.attribute)
        said = utc_microseconds(fact.observed_at)
        begins = utc_microseconds(fact.valid_from) if fact.valid_from else said
        for node in (subject, value):
            self._nodes[node].ground.facts.append(fact.id)
        ground.facts.append(fact.id)
        ground.add(min(begins, said), tuple(key.bytes for key in stored.messages), said)

    def add_messages(self, rows: Iterable[graph_rows.MessageRow]) -> None:
        """Add the authors, the names in messages and their edges; rows come by document and in order."""
        self._known = self._names_to_find()
        before, author_before, then, document_before = b"", "", 0, -1
        for key, document, source, name, micros, content in rows:
            author = self._author(source, name)
            self._nodes[author].ground.add(micros, (key,))
            near = source in MAIL_SOURCES or micros - then <= WINDOW
            if document == document_before and author != author_before and near:
                pair = (author, author_before) if author < author_before else (author_before, author)
                self._edge(*pair, WRITES_WITH).add(micros, (before, key))
            before, author_before, then, document_before = key, author, micros, document
            self._add_names(author, key, micros, content)
            if len(self._candidates) > self._room:
                self._drop_rare()
                self._room = len(self._candidates) + MOST_CANDIDATES  # else frequent ones alone would fill it for good

    def graph(self) -> Graph:
        """Return the graph; names that only one message has are left out."""
        self._drop_rare()
        return Graph(self._nodes, self._edges.values())

    def _add_names(self, author: str, key: bytes, micros: int, content: str) -> None:
        nodes, others = names_in(content, self._known)
        for words in others:
            name = " ".join(words)
            node = f"name:{folded(name)}"
            if len(self._people_called.get(folded(name), ())) > 1:
                continue  # of namesakes whom the user split nobody knows who is meant
            if node not in self._nodes:
                kind, word = kind_of_name(words)
                self._nodes[node] = Node(node, name, kind, f"word {word}" if word else "capitals")
                self._candidates.add(node)
            nodes.append(node)
        if len(nodes) > MOST_NAMES:
            return
        for node in dict.fromkeys(nodes):
            each = self._node(node)
            if each.basis != "writes":
                each.ground.add(micros, (key,))
            if node != author:
                self._edge(author, node, MENTIONS).add(micros, (key,))
        people = {node for node in nodes if self._nodes[node].kind == "person"}
        for one, other in combinations(sorted(set(nodes) - {author}), 2):
            if (one in people) != (other in people):
                person, thing = (one, other) if one in people else (other, one)
                self._edge(person, thing, NAMED_WITH).add(micros, (key,))

    def _names_to_find(self) -> dict[str, str]:
        """Return the nodes by folded names: of people their names, and words of them that mean nobody else; of others those
        with a capital.
        """
        nodes_by_name: dict[str, str] = {}
        for node in self._nodes.values():
            if node.kind != "person" and node.name != node.name.lower():
                nodes_by_name[folded(node.name)] = node.id
        parts: defaultdict[str, set[str]] = defaultdict(set)
        called = {name: next(iter(people)) for name, people in self._people_called.items() if len(people) == 1}
        called |= {folded(node.name): node.id for node in self._nodes.values() if node.kind == "person"}
        for name, person in called.items():
            for word in {*plain(name).split()} if " " in name else ():
                parts[word].add(person)
        nodes_by_name |= {
            part: next(iter(people)) for part, people in parts.items() if len(people) == 1 and part not in nodes_by_name
        }
        return nodes_by_name | called

    def _author(self, source: str, name: str) -> str:
        author = self._person.get((source, name))
        if author is None:
            author = self._person.get((source, folded(name))) or f"name:{folded(name)}"
            self._person[source, name] = author
        if author not in self._nodes:
            self._node(author, name)
        return author

    def _named(self, source: str, name: str, kind: Kind, basis: str) -> str:
        """Return the node of a name in a fact; in this source a person of that name is meant first."""
        alike = folded(name)
        people = list(self._people_called.get(alike, ()))
        person = self._person.get((source, alike)) or (people[0] if len(people) == 1 else None)
        node = person or f"name:{alike}"
        if node not in self._nodes:
            if person is None:
                self._nodes[node] = Node(node, name, kind, basis)
            else:
                self._node(person)
        self._nodes[node].decide(kind, basis)
        return node

    def _node(self, node: str, name: str = "") -> Node:
        """Return a node, which is made if it is a person who has none yet."""
        if node not in self._nodes:
            shown, basis, names, identities = self._displayed.get(node, (name, "writes", (), ()))
            self._nodes[node] = Node(node, shown, "person", basis, names, identities)
        return self._nodes[node]

    def _edge(self, source: str, target: str, kind: str) -> Ground:
        edge = self._edges.get((source, target, kind))
        if edge is None:
            edge = self._edges[source, target, kind] = Edge(source, target, kind)
        return edge.ground

    def _drop_rare(self) -> None:
        rare = {node for node in self._candidates if self._nodes[node].ground.count < 2}
        for node in rare:
            del self._nodes[node]
        self._candidates -= rare
        self._edges = {
            key: edge for key, edge in self._edges.items() if edge.source not in rare and edge.target not in rare
        }
