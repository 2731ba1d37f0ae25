"""An in-memory cache of the decisions on people: read once, then extended by new rows.

Rule 1: the table is the truth. The cache belongs to one store and is discarded when the table no longer matches it:
after a transaction was rolled back, or names were forgotten.
"""

from __future__ import annotations

import secrets
import sqlite3
from typing import Any

from ..people.decision_log import DecisionLog
from .errors import decoding

KEY_BYTES = 16
_REWRITTEN = "people_rewritten"
"""A random token in ``meta`` that is replaced whenever stored decisions are rewritten: forgetting removes names from
them. A counter would reach the same value again after a rollback.
"""


def key_parts(joined: bytes) -> list[bytes]:
    """Split the joined keys of a decision. Callers apply `decoding` once around all rows, of which there are thousands."""
    if len(joined) % KEY_BYTES:
        raise ValueError("keys of 16 bytes each are expected")
    return [joined[begin : begin + KEY_BYTES] for begin in range(0, len(joined), KEY_BYTES)]


def note_rewritten(connection: sqlite3.Connection) -> None:
    """Note in ``meta`` that stored decisions were rewritten."""
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_REWRITTEN, secrets.token_hex(16)))


class FollowedDecisions:
    """The decisions of one store, extended by `follow`. For one thread at a time, like the store's writer."""

    def __init__(self) -> None:
        self.log = DecisionLog()
        self._last: tuple[Any, ...] | None = None
        """The last row read."""
        self._rewritten = ""

    def follow(self, connection: sqlite3.Connection) -> set[bytes]:
        """Read the decisions added since the last call; return the keys of the names whose people they may change."""
        token = connection.execute("SELECT value FROM meta WHERE name = ?", (_REWRITTEN,)).fetchone()
        rewritten = str(token[0]) if token else ""
        if rewritten != self._rewritten or (self._last is not None and not self._is_there(connection)):
            self.log, self._last = DecisionLog(), None
        self._rewritten = rewritten
        return self._take(connection)

    def _is_there(self, connection: sqlite3.Connection) -> bool:
        return self._last is not None and self._last == connection.execute(f"{_ROWS} = ?", self._last[:1]).fetchone()

    @decoding
    def _take(self, connection: sqlite3.Connection) -> set[bytes]:
        keys_concerned: set[bytes] = set()
        for row in connection.execute(f"{_ROWS} > ? ORDER BY id", (self._last[0] if self._last else 0,)):
            number, action, keys, target, _ = row
            keys_concerned.update(self.log.add(number, action, key_parts(keys), target))
            self._last = row
        return keys_concerned


_ROWS = "SELECT id, action, keys, target, at FROM people_decisions WHERE id"
