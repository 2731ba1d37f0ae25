"""Maintains the names per source, and the links in document metadata, as documents are added and removed."""

# ruff: noqa: S608 - statements are put together of names of ours; every value is bound

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ...schemas import SYSTEM_SPEAKER, UNKNOWN_USER
from ...schemas.identity_links import IDENTITIES, identities_of
from ..people.decisions import identity_key
from ..text.names import folded
from .codec import json_of
from .people_rows import labels, made_persons, refresh_persons

_NOBODY = frozenset({"", SYSTEM_SPEAKER, UNKNOWN_USER})
Counts = dict[tuple[str, str], int]
"""Counts by source and name."""


@dataclass(slots=True)
class IdentityCounts:
    """The changes of the name counts, accumulated over a batch of rows."""

    messages: Counts = field(default_factory=lambda: defaultdict(int))
    documents: Counts = field(default_factory=lambda: defaultdict(int))
    own: Counts = field(default_factory=lambda: defaultdict(int))
    links: dict[tuple[str, str, str], int] = field(default_factory=lambda: defaultdict(int))

    def count_document(self, source: str, user: str, metadata: str | None, step: int) -> None:
        """Count a document as added (`step` 1) or removed (-1); `count_people` counts its people."""
        self.own[source, user] += step
        if metadata and IDENTITIES in metadata:
            for name, links in identities_of(json_of(metadata)).items():
                for link in links:
                    self.links[source, name, link] += step

    def count_people(self, source: str, names: Iterable[str], step: int) -> None:
        """Count the people of a document as added or removed."""
        for name in names:
            self.documents[source, name] += step


def apply_counts(connection: sqlite3.Connection, counts: IdentityCounts) -> None:
    """Write the accumulated changes; if names were added or removed, recompute the persons."""
    changed = False
    for column in ("messages", "documents", "own"):
        changes: Counts = getattr(counts, column)
        changed |= _add(connection, column, {key: n for key, n in changes.items() if n and key[1] not in _NOBODY})
    links = [(*key, n) for key, n in counts.links.items() if n]
    for source, name, link, number in links:
        connection.execute(
            "INSERT INTO identity_links VALUES (?1, ?2, ?3, max(?4, 0)) ON CONFLICT (source, name, link)"
            " DO UPDATE SET documents = documents + ?4",
            (source, name, link, number),
        )
    if links:
        connection.executemany(
            "DELETE FROM identity_links WHERE source = ? AND name = ? AND link = ? AND documents <= 0",
            [link[:3] for link in links],
        )
    if changed or links:
        refresh_persons(connection)


def _add(connection: sqlite3.Connection, column: str, changes: Mapping[tuple[str, str], int]) -> bool:
    """Apply one column's changes; return whether a name was added or removed, or its `own` count left or reached 0."""
    changed = False
    for (source, name), number in changes.items():
        where = "WHERE source = ? AND name = ?"
        row = connection.execute(f"SELECT messages, documents, own, {column} FROM identities {where}", (source, name))
        *others, before = row.fetchone() or (0, 0, 0, None)
        if before is None:
            values = [number if column == each else 0 for each in ("messages", "documents", "own")]
            connection.execute(
                "INSERT INTO identities VALUES (?, ?, ?, ?, ?, ?, ?)",
                (source, name, folded(name), identity_key(source, name).bytes, *values),
            )
            changed = True
        elif sum(others) + number == 0:
            connection.execute(f"DELETE FROM identities {where}", (source, name))
            changed = True
        else:
            connection.execute(f"UPDATE identities SET {column} = ? {where}", (before + number, source, name))
            changed |= column == "own" and 0 in (before, before + number)
    return changed


def recount_identities(connection: sqlite3.Connection) -> None:
    """Rebuild the identity tables and persons from the documents; reads everything."""
    connection.execute("DELETE FROM identities")
    connection.execute("DELETE FROM identity_links")
    apply_counts(connection, true_identities(connection))
    refresh_persons(connection)


def true_identities(connection: sqlite3.Connection) -> IdentityCounts:
    """Return all counts computed from the documents and messages; reads whole tables."""
    counts = IdentityCounts()
    for source, user, metadata in connection.execute("SELECT source, user, metadata FROM documents"):
        counts.count_document(source, user, metadata, 1)
    for source, name, number in connection.execute(
        "SELECT d.source, p.name, count(*) FROM people p JOIN documents d ON d.id = p.document GROUP BY 1, 2"
    ):
        counts.documents[source, name] += number
    for source, name, number in connection.execute(
        "SELECT d.source, s.name, count(*) FROM messages m JOIN documents d ON d.id = m.document"
        " JOIN speakers s ON s.id = m.speaker GROUP BY 1, 2"
    ):
        counts.messages[source, name] += number
    return counts


def wrong_identities(connection: sqlite3.Connection) -> int:
    """Return the number of identity rows that disagree with the documents and decisions."""
    true = true_identities(connection)
    wanted = {
        (*key, true.messages.get(key, 0), true.documents.get(key, 0), true.own.get(key, 0))
        for key in true.messages.keys() | true.documents.keys() | true.own.keys()
        if key[1] not in _NOBODY
    }
    kept = set(connection.execute("SELECT source, name, messages, documents, own FROM identities").fetchall())
    links = {(*key, number) for key, number in true.links.items()}
    kept_links = set(connection.execute("SELECT source, name, link, documents FROM identity_links").fetchall())
    spelled = sum(
        (folded(name), identity_key(source, name).bytes) != (alike, key)
        for source, name, alike, key in connection.execute("SELECT source, name, folded, key FROM identities")
    )
    made = made_persons(connection)
    return len(wanted ^ kept) + len(links ^ kept_links) + spelled + len(made.items() ^ labels(connection).items())
