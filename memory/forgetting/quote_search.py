"""Looks through what stays in the store for words of removed messages: page by page, so that it can be cancelled."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from uuid import UUID

from anyio import to_thread

from ..records import StoredDocument
from ..store import documents_read
from ..store.codec import json_of, message_of, uuid_of
from ..store.database import Database
from .passages import Passages, QuotedParts
from .selection import QuotePlace

PAGE = 2_000
"""Messages, or documents, that are looked at in one read of the store."""
_MARKS = ('"segments"', '"forwarded_from"', '"edits"', '"metadata"')
"""The parts of a message, as stored, without which a quick look at its content is enough."""


@dataclass(slots=True)
class QuoteFindings:
    """The quotes that were found so far."""

    parts: dict[UUID, QuotedParts] = field(default_factory=dict[UUID, QuotedParts])
    """By key of the message or text."""
    places: list[QuotePlace] = field(default_factory=list[QuotePlace])
    documents: set[UUID] = field(default_factory=set[UUID])
    """The keys of the documents that hold them."""
    mentions: int = 0


class QuoteSearch:
    """The search in one store.

    Args:
        database: the store.
        passages: the removed words.
        documents: keys of documents that are removed as a whole.
        messages: keys of removed messages.
    """

    def __init__(
        self, database: Database, passages: Passages, documents: Collection[UUID], messages: Collection[UUID]
    ) -> None:
        self._database = database
        self._passages = passages
        self._gone = {key.bytes for key in documents}
        self._removed = {key.bytes for key in messages}
        self._own: dict[str, bool] = {}

    async def run(self, tell: Callable[[int, int], None] | None = None) -> QuoteFindings:
        """Look at everything; ``tell`` gets how many rows were looked at, of how many."""
        findings = QuoteFindings()
        if self._passages.empty:
            return findings
        after, last = 0, await self._database.read(_last_message)
        while (next_row := await self._database.read(partial(self._messages, after=after, findings=findings))) > after:
            after = next_row
            if tell is not None:
                tell(min(after, last), last)
        after = 0
        while page := await self._database.read(_documents_behind, after):
            after = page[-1][0]
            keys = [uuid_of(key) for _, key, kind in page if kind == "text" and key not in self._gone]
            for begin in range(0, len(keys), 100):
                rows = await self._database.read(documents_read.documents, keys[begin : begin + 100])
                await to_thread.run_sync(self._texts, list(rows.values()), findings)
        return findings

    def _messages(self, connection: sqlite3.Connection, after: int, findings: QuoteFindings) -> int:
        """Look at the next page of messages; return its last row, or ``after`` if there is none."""
        rows = connection.execute(
            "SELECT m.id, m.key, m.position, s.name, m.kind, m.micros, m.offset, m.source_id, m.content, m.rest,"
            " d.key, d.chat, d.source, d.name, d.metadata"
            " FROM messages m JOIN speakers s ON s.id = m.speaker JOIN documents d ON d.id = m.document"
            " WHERE m.id > ? ORDER BY m.id LIMIT ?",
            (after, PAGE),
        )
        for row in rows:
            after = row[0]
            if row[1] not in self._removed and row[10] not in self._gone and not self._is_own(row[3]):
                self._look_at(row, findings)
        return after

    def _look_at(self, row: tuple[Any, ...], findings: QuoteFindings) -> None:
        content, rest = row[8], row[9]
        if self._passages.mentions(content):
            findings.mentions += 1
        if not (rest is not None and any(mark in rest for mark in _MARKS)) and not self._passages.may_be_in(content):
            return
        document = uuid_of(row[10])
        chat = document if row[11] is None else uuid_of(row[11])
        stored = message_of(row[:10], document)
        if not (parts := self._passages.in_message(stored.message, chat)):
            return
        findings.parts[stored.key] = parts
        findings.documents.add(document)
        title = _title_of(row[14]) or row[13]
        place = QuotePlace(stored.key, row[12], title, stored.message.time, stored.message.speaker)
        findings.places.append(place)

    def _texts(self, rows: list[StoredDocument], findings: QuoteFindings) -> None:
        for row in rows:
            author = row.metadata.get("author", "")
            if author and self._is_own(author):
                continue
            if self._passages.mentions(row.content):
                findings.mentions += 1
            if parts := self._passages.in_text(row):
                findings.parts[row.key] = parts
                findings.documents.add(row.key)
                title = row.metadata.get("title", "") or row.id
                findings.places.append(QuotePlace(row.key, row.source, title, row.timestamp, author, text=True))

    def _is_own(self, speaker: str) -> bool:
        if speaker not in self._own:
            self._own[speaker] = self._passages.is_own(speaker)
        return self._own[speaker]


def _last_message(connection: sqlite3.Connection) -> int:
    return connection.execute("SELECT coalesce(max(id), 0) FROM messages").fetchone()[0]


def _documents_behind(connection: sqlite3.Connection, after: int) -> list[tuple[int, bytes, str]]:
    statement = "SELECT id, key, kind FROM documents WHERE id > ? ORDER BY id LIMIT ?"
    return connection.execute(statement, (after, PAGE)).fetchall()


def _title_of(metadata: str | None) -> str:
    return "" if metadata is None else json_of(metadata).get("title", "")
