"""By what facts are linked, in SQLite: the link keys of each present fact. Written in the caller's transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Mapping
from hashlib import blake2b
from uuid import UUID

from ..records import LinkKey
from .codec import uuid_of


def put_link_keys(connection: sqlite3.Connection, link_keys: Mapping[UUID, Collection[LinkKey]]) -> None:
    """The link keys that facts have now, in the place of those that they had."""
    drop_link_keys(connection, link_keys)
    connection.executemany(
        "INSERT INTO fact_spots VALUES (?, ?)",
        [(digest, key.bytes) for key, places in link_keys.items() for digest in set(map(_digest, places))],
    )


def drop_link_keys(connection: sqlite3.Connection, facts: Iterable[UUID]) -> None:
    """Before facts go: what they are linked by."""
    connection.executemany("DELETE FROM fact_spots WHERE fact = ?", [(key.bytes,) for key in facts])


def facts_by_link_key(
    connection: sqlite3.Connection, keys: Collection[LinkKey], most: int
) -> dict[LinkKey, list[UUID]]:
    """The facts that have each of these keys, no more than so many."""
    statement = "SELECT fact FROM fact_spots WHERE spot = ? LIMIT ?"
    return {spot: [uuid_of(row[0]) for row in connection.execute(statement, (_digest(spot), most))] for spot in keys}


def _digest(spot: LinkKey) -> int:
    """A number that no two keys share by chance; the words themselves would be kept twice."""
    name = "\x00".join(spot).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(name, digest_size=8).digest(), "big", signed=True)
