"""Looks through what stays in the store for words of removed messages: page by page, so that it can be cancelled."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from uuid import UUID

from anyio import to_thread

from ..records import StoredDocument
from ..retirement import former_words
from ..store import documents_read
from ..store import inputs as input_rows
from ..store.codec import MESSAGE, json_of, message_of, uuid_of
from ..store.database import Database
from ..write_batches import DocumentInput
from .passages import Passages, QuotedParts
from .quotations import QuotePlace
from .redaction import without

PAGE = 2_000
"""Messages, or documents, that are looked at in one read of the store."""
_MESSAGE = f"SELECT {MESSAGE} FROM messages m JOIN speakers s ON s.id = m.speaker WHERE m.id = ?"  # noqa: S608 - ours
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
    """The number of messages and texts that name the people."""
    quoting_mentions: int = 0
    """The number of those among them that hold quotes."""


@dataclass(frozen=True, slots=True)
class _Home:
    """The document of a message."""

    key: UUID
    chat: UUID
    """The key of its chat, or its own."""
    source: str
    title: str


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
        self._gone = frozenset(documents)
        self._removed = {key.bytes for key in messages}
        self._own: dict[str, bool] = {}
        self._homes: dict[int, _Home] = {}

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
            keys = [uuid_of(key) for _, key, kind in page if kind != "conversation"]
            for begin in range(0, len(keys), 100):
                wanted = [key for key in keys[begin : begin + 100] if key not in self._gone]
                rows = await self._database.read(documents_read.documents, wanted)
                inputs = await self._database.read(input_rows.inputs_of, wanted, repeated=False)
                await to_thread.run_sync(self._texts, list(rows.values()), inputs, findings)
        return findings

    def _messages(self, connection: sqlite3.Connection, after: int, findings: QuoteFindings) -> int:
        """Look at the next page of messages; return its last row, or ``after`` if there is none."""
        rows = connection.execute(
            "SELECT m.id, m.key, m.document, s.name, m.content, m.rest FROM messages m JOIN speakers s"
            " ON s.id = m.speaker WHERE m.id > ? ORDER BY m.id LIMIT ?",
            (after, PAGE),
        ).fetchall()
        for row, key, document, speaker, content, rest in rows:
            after = row
            if key in self._removed or self._is_own(speaker):
                continue
            mentions = self._passages.mentions(content)
            marked = rest is not None and any(mark in rest for mark in _MARKS)
            if not (mentions or marked or self._passages.may_be_in(content)):
                continue
            if document not in self._homes:
                self._homes[document] = _home(connection, document)
            if (home := self._homes[document]).key not in self._gone:
                findings.mentions += mentions
                self._look_at(connection, row, home, findings, mentions=mentions)
        return after

    def _look_at(
        self, connection: sqlite3.Connection, row: int, home: _Home, findings: QuoteFindings, *, mentions: bool
    ) -> None:
        stored = message_of(connection.execute(_MESSAGE, (row,)).fetchone(), home.key)
        if not (parts := self._passages.in_message(stored.message, home.chat)):
            return
        findings.quoting_mentions += mentions
        findings.parts[stored.key] = parts
        findings.documents.add(home.key)
        message = stored.message
        findings.places.append(QuotePlace(stored.key, home.source, home.title, message.time, message.speaker))

    def _texts(
        self, rows: list[StoredDocument], inputs: Mapping[UUID, Sequence[DocumentInput]], findings: QuoteFindings
    ) -> None:
        for row in rows:
            author = row.metadata.get("author", "")
            if author and self._is_own(author):
                continue
            mentions = self._passages.mentions(row.content)
            findings.mentions += mentions
            parts = self._passages.in_text(row)
            if parts or any(
                self._passages.in_text(replace(row, content=words)) for words in former_words(inputs.get(row.key, ()))
            ):
                findings.quoting_mentions += mentions
                findings.parts[row.key] = parts
                findings.documents.add(row.key)
                title = without(row.metadata.get("title", ""), parts.metadata.get("title", ())) or row.id
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


def _home(connection: sqlite3.Connection, document: int) -> _Home:
    statement = "SELECT key, chat, source, name, metadata FROM documents WHERE id = ?"
    raw, chat, source, name, metadata = connection.execute(statement, (document,)).fetchone()
    key = uuid_of(raw)
    title = "" if metadata is None else json_of(metadata).get("title", "")
    return _Home(key, key if chat is None else uuid_of(chat), source, title or name)
