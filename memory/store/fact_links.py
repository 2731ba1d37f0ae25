"""Links between facts, in SQLite: where facts stand, and which are linked. Written in the caller's transaction."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from hashlib import blake2b
from uuid import UUID

from ..records import Link, LinkKey
from .codec import uuid_of
from .sql import rows_for


def put_links(
    connection: sqlite3.Connection, links: Mapping[UUID, Sequence[Link]], spots: Mapping[UUID, Collection[LinkKey]]
) -> None:
    """Where facts stand now, and all links of facts anew, at both ends."""
    connection.executemany("DELETE FROM fact_spots WHERE fact = ?", [(key.bytes,) for key in spots])
    connection.executemany(
        "INSERT INTO fact_spots VALUES (?, ?)",
        [(digest, key.bytes) for key, places in spots.items() for digest in set(map(_digest, places))],
    )
    _cut(connection, links)
    ends = [(key.bytes, link.kind, link.other.bytes, link.weight) for key, found in links.items() for link in found]
    ends += [(other, kind, key, weight) for key, kind, other, weight in ends]
    connection.executemany("INSERT OR REPLACE INTO fact_links VALUES (?, ?, ?, ?)", ends)


def unlink(connection: sqlite3.Connection, facts: Iterable[UUID]) -> None:
    """Before facts go: their links, and where they stood."""
    keys = list(facts)
    connection.executemany("DELETE FROM fact_spots WHERE fact = ?", [(key.bytes,) for key in keys])
    _cut(connection, keys)


def _cut(connection: sqlite3.Connection, facts: Iterable[UUID]) -> None:
    keys = [key.bytes for key in facts]
    statement = "SELECT other, kind, fact FROM fact_links WHERE fact IN ({})"
    ends = [tuple(row) for row in rows_for(connection, statement, keys)]
    connection.executemany("DELETE FROM fact_links WHERE fact = ? AND kind = ? AND other = ?", ends)
    connection.executemany("DELETE FROM fact_links WHERE fact = ?", [(key,) for key in keys])


def links(connection: sqlite3.Connection, facts: Collection[UUID]) -> dict[UUID, list[Link]]:
    """The links of these facts."""
    found: defaultdict[UUID, list[Link]] = defaultdict(list)
    statement = "SELECT fact, kind, other, weight FROM fact_links WHERE fact IN ({})"
    for fact, kind, other, weight in rows_for(connection, statement, {key.bytes for key in facts}):
        found[uuid_of(fact)].append(Link(kind, uuid_of(other), weight))
    return dict(found)


def holders(connection: sqlite3.Connection, wanted: Mapping[LinkKey, int]) -> dict[LinkKey, list[UUID]]:
    """Who stands at each of these, no more than so many."""
    statement = "SELECT fact FROM fact_spots WHERE spot = ? LIMIT ?"
    return {
        spot: [uuid_of(row[0]) for row in connection.execute(statement, (_digest(spot), most))]
        for spot, most in wanted.items()
    }


def _digest(spot: LinkKey) -> int:
    """A number that no two spots share by chance; the words themselves would be kept twice."""
    name = "\x00".join(spot).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(name, digest_size=8).digest(), "big", signed=True)
