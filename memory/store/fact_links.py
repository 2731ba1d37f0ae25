"""The link keys of current facts: facts that share a key are linked. Written in the caller's transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Mapping
from hashlib import blake2b
from uuid import UUID

from ..records import LinkKey
from .codec import uuid_of


def put_link_keys(connection: sqlite3.Connection, link_keys: Mapping[UUID, Collection[LinkKey]]) -> None:
    """Replace the link keys of these facts."""
    drop_link_keys(connection, link_keys)
    connection.executemany(
        "INSERT INTO fact_spots VALUES (?, ?)",
        [(digest, key.bytes) for key, places in link_keys.items() for digest in set(map(_digest, places))],
    )


def drop_link_keys(connection: sqlite3.Connection, facts: Iterable[UUID]) -> None:
    """Delete the link keys of these facts, before the facts are deleted."""
    connection.executemany("DELETE FROM fact_spots WHERE fact = ?", [(key.bytes,) for key in facts])


def facts_by_link_key(
    connection: sqlite3.Connection, keys: Collection[LinkKey], most: int
) -> dict[LinkKey, list[UUID]]:
    """Return up to `most` facts for each of these link keys."""
    statement = "SELECT fact FROM fact_spots WHERE spot = ? LIMIT ?"
    return {
        link_key: [uuid_of(row[0]) for row in connection.execute(statement, (_digest(link_key), most))]
        for link_key in keys
    }


def _digest(link_key: LinkKey) -> int:
    """Return a 64-bit hash of the link key; storing its words would duplicate them."""
    name = "\x00".join(link_key).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(name, digest_size=8).digest(), "big", signed=True)
