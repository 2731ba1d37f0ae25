"""A cache of the log of decisions on people, in the memory of a process: read once, then what is new of it.

Rule 1: the table is the truth. What is held here is of one store, and is read anew where the table is not what was read: a
transaction that was rolled back, or names that were forgotten.
"""

from __future__ import annotations

import secrets
import sqlite3
from typing import Any

from ..people.decision_log import DecisionLog
from .errors import decoding

KEY_BYTES = 16
_REWRITTEN = "people_rewritten"
"""A random token, another one after each change of decisions that had been made: by a forgetting, which takes names out of
them. A counter would come to the same number again after a transaction that was rolled back.
"""


def key_parts(joined: bytes) -> list[bytes]:
    """The keys of a decision; for callers that are `decoding`, once around all rows: there are thousands."""
    if len(joined) % KEY_BYTES:
        raise ValueError("keys of 16 bytes each are expected")
    return [joined[begin : begin + KEY_BYTES] for begin in range(0, len(joined), KEY_BYTES)]


def note_rewritten(connection: sqlite3.Connection) -> None:
    """Decisions that had been made were changed."""
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_REWRITTEN, secrets.token_hex(16)))


class FollowedDecisions:
    """Held by one thread at a time, as the writer of the store is."""

    def __init__(self) -> None:
        self.log = DecisionLog()
        self._last: tuple[Any, ...] | None = None
        """The last row that was read."""
        self._rewritten = ""

    def follow(self, connection: sqlite3.Connection) -> set[bytes]:
        """Take what is new; returns the keys whose people it may change."""
        found = connection.execute("SELECT value FROM meta WHERE name = ?", (_REWRITTEN,)).fetchone()
        rewritten = str(found[0]) if found else ""
        if rewritten != self._rewritten or (self._last is not None and not self._is_there(connection)):
            self.log, self._last = DecisionLog(), None
        self._rewritten = rewritten
        return self._take(connection)

    def _is_there(self, connection: sqlite3.Connection) -> bool:
        return self._last is not None and self._last == connection.execute(f"{_ROWS} = ?", self._last[:1]).fetchone()

    @decoding
    def _take(self, connection: sqlite3.Connection) -> set[bytes]:
        concerned: set[bytes] = set()
        for row in connection.execute(f"{_ROWS} > ? ORDER BY id", (self._last[0] if self._last else 0,)):
            number, action, keys, target, _ = row
            concerned.update(self.log.add(number, action, key_parts(keys), target))
            self._last = row
        return concerned


_ROWS = "SELECT id, action, keys, target, at FROM people_decisions WHERE id"
