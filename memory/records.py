"""What the store keeps: rows of documents, messages and chunks, of statements and facts, and what it tells of itself.

Terminology. A *document* is what a source made. A *message* is one entry of a conversation document, kept verbatim.
A *chunk* is what is searched and embedded: a message, a piece of a long one, or a piece of a text. A *key* is a
UUIDv5 from `schemas.keys`; equal input has equal keys, so every write is an upsert and may be repeated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal
from uuid import UUID

from ..schemas import ConversationMessage, Fact
from .extraction.refusal import Refusal
from .extraction.statement import Statement

FACT_STRATEGY = "fact"
"""The chunking strategy of the chunks that stand for a fact."""
EXPANSION_STRATEGY = "expansion"
"""Of those that stand for a proposal which became no fact; see `expansions`."""
RULES = "rules"
"""The name of the extractor that reads without a model."""
READERS_STRATEGIES = (FACT_STRATEGY, EXPANSION_STRATEGY)
"""Of chunks in the words of who read a message, not in its own: their text is what is embedded."""
READERS_ORDINAL = 1_000
"""They stand behind all pieces of their message."""


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document without its messages. ``content`` is filled for texts only."""

    key: UUID
    id: str
    source: str
    account: str
    kind: Literal["conversation", "text"]
    user: str = ""
    people: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict[str, str])
    timestamp: datetime | None = None
    content: str = ""
    chat: UUID | None = None
    """The key of its Conversation, for the days of one chat."""
    digests: frozenset[bytes] = frozenset()
    """SHA-256 of every JSON form that was merged into it: an input with a known digest changes nothing.
    On ``apply`` these are added to those already known."""


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """A message in its document; ``position`` counts from 0 in the order of the source."""

    key: UUID
    document: UUID
    position: int
    message: ConversationMessage


@dataclass(frozen=True, slots=True)
class MessageHome:
    """Which document holds a message of a source's id and an instant, in microseconds, and what tells it from another one."""

    id: str
    micros: int
    document: UUID
    speaker: str
    wordings: frozenset[str]
    """Its content, and what that was before it was edited."""


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """A chunk of a message (``message`` set) or of a text; its text is ``content[start:end]`` of that owner."""

    key: UUID
    document: UUID
    message: UUID | None
    index: int
    """Within its owner, from 0."""
    start: int
    end: int
    token_count: int
    strategy: str
    version: str
    section: str
    embed_text: str
    """What the embedder reads, ``Speaker: text``; its SHA-256 names the vector. Empty: it is found by words only."""


@dataclass(frozen=True, slots=True)
class Rename:
    """In one chat, ``old`` and ``new`` are the same person; ``new`` is the later name."""

    chat: UUID
    source: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class PendingText:
    """A text that waits for its vector."""

    hash: bytes
    text: str


@dataclass(frozen=True, slots=True)
class Generation:
    """What made the vectors and chunks: they never mix with those of another generation."""

    model: str
    dimension: int
    chunkers: tuple[str, ...]
    """Versions of the strategies in use, sorted."""


@dataclass(frozen=True, slots=True)
class StoredStatement:
    """A statement where it was read. ``cluster`` names the statements that are resolved together."""

    statement: Statement
    window: bytes
    cluster: str
    run: str = ""
    """The run that first read it."""


@dataclass(frozen=True, slots=True)
class WindowRecord:
    """What became of a window that was read: by whom, what did not pass, and what it is about."""

    hash: bytes
    extractor: str
    rejected: Mapping[str, int] = field(default_factory=dict[str, int])
    summary: str = ""
    refusals: tuple[Refusal, ...] | None = None
    """What is kept of these; None: what is stored of it stays."""


@dataclass(frozen=True, slots=True)
class RefusedLine:
    """A proposal that became no statement, in a listing: of which document, and by which run it was read."""

    document: UUID
    document_id: str
    source: str
    run: str
    refusal: Refusal


@dataclass(frozen=True, slots=True)
class UnreadWindow:
    """A window that could not be read, and why."""

    hash: bytes
    reason: str


@dataclass(frozen=True, slots=True)
class UnreadWindowLine:
    """The same in a listing. Times are seconds since 1970; without ``due`` it is given up."""

    document: UUID
    document_id: str
    source: str
    hash: bytes
    reason: str
    attempts: int
    at: float
    due: float | None


@dataclass(frozen=True, slots=True)
class DocumentExtraction:
    """All that was read in one document; replaces what was read there before."""

    document: UUID
    windows: Sequence[WindowRecord] = ()
    statements: Sequence[StoredStatement] = ()
    unread: Sequence[UnreadWindow] = ()
    """Windows that could not be read; in ``windows`` and ``statements`` stands at most what the substitute read of them."""
    provisional: bool = False
    """The substitute read it while the extractor failed: the document goes on awaiting the extractor."""


@dataclass(frozen=True, slots=True)
class StoredFact:
    """A version of a fact."""

    fact: Fact
    cluster: str
    run: str
    """The run that made this version."""
    messages: tuple[UUID, ...] = ()
    """The keys of the messages it rests on, in the order they were written."""
    replaced_at: datetime | None = None
    """None: this is the present one."""
    chunks: tuple[UUID, ...] = ()
    """The keys of the chunks under which its messages are found by it."""


LinkKeyKind = Literal["keyword", "message", "subject", "value", "fact", "ended-by"]
LinkKey = tuple[LinkKeyKind, str]
"""What a fact may be linked by: two facts with the same key may be linked, see `facts.links`."""


@dataclass(frozen=True, slots=True)
class Contact:
    """Somebody who wrote in the same documents, or a chat that somebody wrote in."""

    name: str
    messages: int
    documents: int
    """Days or conversations in which both wrote."""
    first: datetime
    last: datetime


@dataclass(frozen=True, slots=True)
class PersonStats:
    """A person by what they wrote: how much, since when, where, and with whom."""

    names: tuple[str, ...]
    messages: int
    first: datetime
    last: datetime
    chats: tuple[Contact, ...]
    contacts: tuple[Contact, ...]
    recent: tuple[str, ...]
    """Contents of the latest messages, for telling what they are about."""


Severity = Literal["ok", "warning", "error"]


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One thing that was checked; ``detail`` and ``hint`` hold no private text."""

    check: str
    """Its short name: ``database``, ``texts``, ``vectors``, ``words``, …"""
    severity: Severity
    detail: str
    hint: str = ""
    """How to mend it."""
    repairable: bool = False
    """Whether `SQLiteStore.repair` mends it."""


@dataclass(frozen=True, slots=True)
class ExportCursor:
    """A place in the order of an export: right behind this document, whether it is still there or not."""

    source: str
    id: str
    key: UUID


@dataclass(frozen=True, slots=True)
class WholeDocument:
    """A document, its messages in order, and who was renamed in its chat."""

    document: StoredDocument
    messages: Sequence[StoredMessage]
    renames: Sequence[Rename]


@dataclass(frozen=True, slots=True)
class DocumentLine:
    """A document in a listing."""

    key: UUID
    id: str
    source: str
    kind: Literal["conversation", "text"]
    title: str
    timestamp: datetime | None
    messages: int


@dataclass(frozen=True, slots=True)
class ChatStats:
    """A chat by the numbers of what is stored of it."""

    id: str
    source: str
    account: str
    title: str
    kind: str
    people: tuple[str, ...]
    documents: int
    messages: int
    first: datetime
    """Of its first message."""
    last: datetime


@dataclass(frozen=True, slots=True)
class PartStats:
    """Counts of some chats or sources."""

    documents: int
    messages: int
    chunks: int
    facts: int
    """That rest on something in these documents."""
    people: int
    """Who wrote there."""
    vectors_done: int
    vectors_pending: int
    first: datetime | None
    """Of the first message, or text with a time."""
    last: datetime | None


@dataclass(frozen=True, slots=True)
class StoreStats:
    """Counts and sizes. ``bytes_by_part``: ``database``, ``words``, ``vectors``, in bytes on disk."""

    documents: int
    messages: int
    chunks: int
    facts: int
    people: int
    vectors_done: int
    vectors_pending: int
    bytes_by_part: Mapping[str, int]
    sequence: int
    """The number of the last change that was applied."""
    lag: Mapping[str, int]
    """How many changes each derived index is behind."""
