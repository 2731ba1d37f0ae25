"""The cache of answers. The key is a hash of the model, the prompt's version and the input, so that no question is
asked twice.

Answers are stored as received, with placeholders in place of hidden values.
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
    """An answer, or the reason for its absence."""

    answer: Any = None
    failure: str = ""


def cache_key(model: str, version: str, redaction: str, about: bytes) -> bytes:
    """Return the SHA-256 of everything that the answer depends on.

    Args:
        model: the model's name.
        version: the version of the prompt.
        redaction: the fingerprint of the redaction settings.
        about: the hash of the input: of a window, of a pair.
    """
    return sha256(orjson.dumps([model, version, redaction, about.hex()])).digest()


class AnswerCache:
    """Cached answers of models, stored in llm.db."""

    def __init__(self, store: LLMStore) -> None:
        self._store = store

    async def get(self, keys: Collection[bytes]) -> Mapping[bytes, CachedAnswer]:
        """Return the cached answers of these keys; missing keys are omitted."""

        def work(connection: sqlite3.Connection) -> dict[bytes, CachedAnswer]:
            answers: dict[bytes, CachedAnswer] = {}
            for key in keys:
                row = connection.execute("SELECT body FROM answers WHERE key = ?", (key,)).fetchone()
                if row is not None:
                    body = cast("dict[str, Any]", orjson.loads(row[0]))
                    answers[key] = CachedAnswer(body.get("answer"), str(body.get("failure", "")))
            return answers

        return await self._store.run(work) if keys else {}

    async def put(self, answers: Sequence[tuple[bytes, CachedAnswer, Collection[UUID]]]) -> None:
        """Store answers under their keys, with the documents that they were made from."""
        if answers:
            await self._store.run(lambda connection: keep(connection, answers))

    async def drop(self, key: bytes) -> None:
        """Delete an answer that turned out to be unusable."""
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
