"""Answers that came before: named by the model, the prompt's version and what was asked about, so that nothing is asked twice.

Answers are kept as they came, with placeholders in the place of what was hidden.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, cast
from uuid import UUID

import orjson

from .store import LLMStore


@dataclass(frozen=True, slots=True)
class CachedAnswer:
    """An answer; or the reason why there is none."""

    answer: Any = None
    failure: str = ""


def cache_key(model: str, version: str, redaction: str, about: bytes) -> bytes:
    """SHA-256 of everything that the answer depends on.

    Args:
        model: its name.
        version: of the prompt.
        redaction: the fingerprint of what is hidden.
        about: what is asked about: a window's hash, a pair's.
    """
    return sha256(orjson.dumps([model, version, redaction, about.hex()])).digest()


class AnswerCache:
    """Answers of models, in llm.db."""

    def __init__(self, store: LLMStore) -> None:
        self._store = store

    async def get(self, keys: Collection[bytes]) -> Mapping[bytes, CachedAnswer]:
        """Those that are there."""

        def work(connection: sqlite3.Connection) -> dict[bytes, CachedAnswer]:
            found: dict[bytes, CachedAnswer] = {}
            for key in keys:
                row = connection.execute("SELECT body FROM answers WHERE key = ?", (key,)).fetchone()
                if row is not None:
                    body = cast("dict[str, Any]", orjson.loads(row[0]))
                    found[key] = CachedAnswer(body.get("answer"), str(body.get("failure", "")))
            return found

        return await self._store.run(work) if keys else {}

    async def put(self, answers: Sequence[tuple[bytes, CachedAnswer, Collection[UUID]]]) -> None:
        """Keep answers under their keys, with the documents whose words they rest on."""
        if answers:
            await self._store.run(lambda connection: keep(connection, answers))

    async def drop(self, key: bytes) -> None:
        """Forget one that turned out to be of no use."""
        await self._store.run(lambda connection: connection.execute("DELETE FROM answers WHERE key = ?", (key,)))


def keep(connection: sqlite3.Connection, answers: Sequence[tuple[bytes, CachedAnswer, Collection[UUID]]]) -> None:
    """Write answers within a transaction."""
    for key, kept, documents in answers:
        body = orjson.dumps({"failure": kept.failure} if kept.failure else {"answer": kept.answer}).decode()
        connection.execute("DELETE FROM answers WHERE key = ?", (key,))
        connection.execute("INSERT INTO answers (key, at, body) VALUES (?, ?, ?)", (key, time.time(), body))
        connection.executemany(
            "INSERT OR IGNORE INTO answer_documents (key, document) VALUES (?, ?)",
            [(key, document.bytes) for document in documents],
        )
