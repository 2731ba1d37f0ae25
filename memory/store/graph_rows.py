"""Reads the rows that the graph is made of: people with their merged names, facts with their source, messages in order."""

# ruff: noqa: S608 - statements are put together of names of ours; every value is bound

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from uuid import UUID

from ..people.decisions import standing
from ..people.forest import Forest
from ..people.proposals import Identity
from ..records import StoredFact
from ..search_types import APPS_OWN, FactFilter
from ..text.names import folded
from . import fact_rows, people_rows
from .codec import uuid_of
from .documents_read import RESERVED
from .name_filter import marks

PAGE = 500
MessageRow = tuple[bytes, int, str, str, int, str]
"""The key of a message, its document's row, its source, its author, its time in microseconds and its words."""


def people(connection: sqlite3.Connection) -> list[tuple[str | None, list[Identity]]]:
    """Return the identities of each person with the person's label, None for one who is only a name.

    Names that are merged are one person, and so are equal names of several sources, as in `memd people NAME`; an identity
    that the user split from others is one with those alone that it was merged with.
    """
    labels = people_rows.labels(connection)
    decisions = standing(people_rows.decisions(connection))
    apart = {key for each in decisions if each.action == "split" for key in each.keys}
    identities = {each.key.bytes: each for each in people_rows.identities(connection)}
    forest = Forest()
    by_group: dict[str, list[bytes]] = {}
    for key, each in identities.items():
        groups = [f"label:{labels[each.key]}"] if each.key in labels else []
        groups += [] if each.key in apart else [f"name:{folded(each.name)}"]
        for group in groups or [f"key:{key.hex()}"]:
            by_group.setdefault(group, []).append(key)
    for keys in by_group.values():
        forest.join(keys)
    persons: list[tuple[str | None, list[Identity]]] = []
    for keys in forest.groups():
        members = sorted((identities[key] for key in keys), key=lambda each: (-each.messages, each.source, each.name))
        label = max(
            (labels[each.key] for each in members if each.key in labels), default=None
        )  # the user's is the last
        alone = f"person:{min(keys).hex()}" if all(each.key in apart for each in members) else None
        persons.append((label or alone, members))
    return persons


def facts(connection: sqlite3.Connection, where: FactFilter) -> Iterator[StoredFact]:
    """Yield all facts that pass the filter."""
    after, page = 0, fact_rows.facts(connection, where, 0, PAGE)
    while page:
        yield from (stored for _, stored in page)
        after = page[-1][0]
        page = fact_rows.facts(connection, where, after, PAGE) if len(page) == PAGE else []


def fact_sources(connection: sqlite3.Connection) -> dict[UUID, str]:
    """Return the source of the messages that each present fact cites."""
    statement = "SELECT f.fact, d.source FROM fact_messages f JOIN messages m ON m.key = f.message JOIN documents d ON d.id = m.document"
    return {uuid_of(fact): source for fact, source in connection.execute(statement)}


def messages(connection: sqlite3.Connection, until: int | None) -> Iterator[MessageRow]:
    """Yield what people wrote, up to a time in microseconds (None: all), by document and in order."""
    yield from connection.execute(
        "SELECT m.key, m.document, d.source, s.name, m.micros, m.content FROM documents d"
        " CROSS JOIN messages m ON m.document = d.id CROSS JOIN speakers s ON s.id = m.speaker"
        f" WHERE m.kind NOT IN ({marks(APPS_OWN)}) AND s.name NOT IN ({marks(RESERVED)}) AND m.micros <= ?"
        " ORDER BY m.document, m.position",
        [*APPS_OWN, *RESERVED, 2**63 - 1 if until is None else until],
    )
