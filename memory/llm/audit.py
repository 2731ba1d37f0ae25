"""The audit log of requests to a model: the time, the endpoint, the documents and the exact prompt. An entry is written
before anything is sent.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from uuid import UUID

import orjson

from .chat import Prompt
from .store import LLMStore


@dataclass(frozen=True, slots=True)
class SentRequest:
    """A request that was sent, or was about to be sent when the process stopped."""

    at: datetime
    place: str
    model: str
    purpose: str
    run: str
    documents: tuple[UUID, ...]
    digest: bytes
    """SHA-256 of the prompt's text."""
    hidden: int
    """The number of values that were replaced by placeholders."""
    body: str
    """The prompt as JSON, as it left the machine: ``[{"role": …, "content": …}]``."""
    id: int = 0


class AuditLog:
    """The audit log, stored in llm.db."""

    def __init__(self, store: LLMStore) -> None:
        self._store = store

    async def write(self, sent: SentRequest) -> None:
        """Store an entry; it is durable when this returns."""
        await self._store.run(lambda connection: write_entries(connection, [sent]))

    async def list(
        self, *, document: UUID | None = None, before: int | None = None, limit: int = 50
    ) -> list[SentRequest]:
        """Return the newest entries with an id below ``before``, of one document or of all."""
        # Add only the conditions in use: "? IS NULL OR id < ?" would prevent SQLite from using an index.
        conditions, values = ["1"], list[bytes | int]()
        if document is not None:
            conditions.append("id IN (SELECT id FROM sent_documents WHERE document = ?)")
            values.append(document.bytes)
        if before is not None:
            conditions.append("id < ?")
            values.append(before)

        def work(connection: sqlite3.Connection) -> list[SentRequest]:
            rows = connection.execute(
                "SELECT id, at, place, model, purpose, run, digest, hidden, body FROM sent"  # noqa: S608 - conditions of ours
                f" WHERE {' AND '.join(conditions)} ORDER BY id DESC LIMIT ?",
                [*values, limit],
            ).fetchall()
            return [_sent(connection, row) for row in rows]

        return await self._store.run(work)


def sent_of(
    prompt: Prompt, *, place: str, model: str, purpose: str, run: str, documents: Collection[UUID], hidden: int
) -> SentRequest:
    """Return the audit entry of a prompt that is about to be sent."""
    body = orjson.dumps([{"role": turn.role, "content": turn.text} for turn in prompt.turns])
    digest = sha256(body).digest()
    return SentRequest(datetime.now(UTC), place, model, purpose, run, tuple(documents), digest, hidden, body.decode())


def write_entries(connection: sqlite3.Connection, entries: Collection[SentRequest]) -> None:
    """Write entries within a transaction."""
    for sent in entries:
        done = connection.execute(
            "INSERT INTO sent (at, place, model, purpose, run, digest, hidden, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                sent.at.timestamp(), sent.place, sent.model, sent.purpose, sent.run, sent.digest, sent.hidden, sent.body,
            ),
        )  # fmt: skip
        connection.executemany(
            "INSERT OR IGNORE INTO sent_documents (id, document) VALUES (?, ?)",
            [(done.lastrowid, document.bytes) for document in sent.documents],
        )


def _sent(connection: sqlite3.Connection, row: tuple[int, float, str, str, str, str, bytes, int, str]) -> SentRequest:
    key, at, place, model, purpose, run, digest, hidden, body = row
    documents = connection.execute("SELECT document FROM sent_documents WHERE id = ? ORDER BY document", (key,))
    return SentRequest(
        at=datetime.fromtimestamp(at, UTC),
        place=place,
        model=model,
        purpose=purpose,
        run=run,
        documents=tuple(UUID(bytes=document) for (document,) in documents),
        digest=digest,
        hidden=hidden,
        body=body,
        id=key,
    )
