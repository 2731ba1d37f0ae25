"""The records of the store: documents, messages and chunks, facts, and statistics; see `extraction.records`.

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
from .statistics import FallbackVectors

FACT_STRATEGY = "fact"
"""The chunking strategy of the chunks that stand for a fact."""
MAIL_SOURCES = ("mail", "imap", "email")
"""The sources whose conversations are mails, so that their titles are subjects."""
EXPANSION_STRATEGY = "expansion"
"""The strategy of chunks for proposals that became no fact; see `expansions`."""
RULES = "rules"
"""The name of the extractor that works by rules, without a model."""
STATED = "stated"
"""The name of the extractor of facts that programs state with their messages."""
OWN_WORDS = frozenset({RULES, STATED})
"""The extractors whose facts add no words to those of their messages."""
READERS_STRATEGIES = (FACT_STRATEGY, EXPANSION_STRATEGY)
"""The strategies of chunks in an extractor's words, not in the message's own: their text is stored for embedding."""
READERS_ORDINAL = 1_000
"""The first ordinal of such chunks, behind all pieces of their message."""


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document without its messages. ``content`` is filled for texts only."""

    key: UUID
    id: str
    source: str
    account: str
    kind: Literal["conversation", "text", "retired"]
    """``retired``: a text whose file is gone, without content, see `store.retired`."""
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
    """The document of a message with a certain source id and time in microseconds, with the properties that tell it
    from another.
    """

    id: str
    micros: int
    document: UUID
    speaker: str
    wordings: frozenset[str]
    """Its content, and its contents before edits."""


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """A chunk of a message (``message`` set) or of a text; its text is ``content[start:end]`` of that owner."""

    key: UUID
    document: UUID
    message: UUID | None
    index: int
    """The chunk's number within its owner, from 0."""
    start: int
    end: int
    token_count: int
    strategy: str
    version: str
    section: str
    embed_text: str
    """The text that is embedded, ``Speaker: text``; its SHA-256 names the vector. Empty: found by words only."""


@dataclass(frozen=True, slots=True)
class Rename:
    """In one chat, ``old`` and ``new`` are the same person; ``new`` is the later name."""

    chat: UUID
    source: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class PendingText:
    """A text that awaits its vector."""

    hash: bytes
    text: str


@dataclass(frozen=True, slots=True)
class VectorSpace:
    """The vectors of one model in the store; those of two spaces are never compared with each other."""

    id: int
    """The row id of the model."""
    model: str
    dimension: int


@dataclass(frozen=True, slots=True)
class Generation:
    """The model and strategies that made the vectors and chunks; those of different generations are never mixed."""

    model: str
    dimension: int
    chunkers: tuple[str, ...]
    """Versions of the strategies in use, sorted."""


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
    """None for the current version."""
    chunks: tuple[UUID, ...] = ()
    """The keys of the chunks by which its messages are found through it."""


LinkKeyKind = Literal["keyword", "message", "subject", "value", "fact", "ended-by"]
LinkKey = tuple[LinkKeyKind, str]
"""A key that links facts: two facts with the same key may be linked, see `facts.links`."""


@dataclass(frozen=True, slots=True)
class Contact:
    """A person who wrote in the same documents, or a chat in which a person wrote."""

    name: str
    """The name of the person, or the title of the chat."""
    messages: int
    """Number of messages."""
    documents: int
    """Days or conversations in which both wrote."""
    first: datetime
    """The time of the first message."""
    last: datetime
    """The time of the latest message."""


@dataclass(frozen=True, slots=True)
class PersonStats:
    """The statistics of a person's messages: number, times, chats and contacts."""

    names: tuple[str, ...]
    messages: int
    first: datetime
    last: datetime
    chats: tuple[Contact, ...]
    contacts: tuple[Contact, ...]
    recent: tuple[str, ...]
    """Contents of the latest messages, from which their topics are derived."""


Severity = Literal["ok", "warning", "error"]


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of one check; ``detail`` and ``hint`` hold no private text."""

    check: str
    """The short name of the check: ``database``, ``texts``, ``vectors``, ``words``, …."""
    severity: Severity
    detail: str
    hint: str = ""
    """The way to fix it."""
    repairable: bool = False
    """True if `memd doctor --repair` fixes it."""


REPAIR = "memd doctor --repair makes it anew"
"""The hint of a repairable result."""


@dataclass(frozen=True, slots=True)
class ExportCursor:
    """A position in the order of an export: right behind this document, whether it still exists or not."""

    source: str
    id: str
    key: UUID


@dataclass(frozen=True, slots=True)
class WholeDocument:
    """A document, its messages in order, and the renames in its chat."""

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
    """A chat, and what is stored of it."""

    title: str
    """Its title; the id if it has none."""
    id: str
    """The id of the chat."""
    source: str
    """The source."""
    kind: str
    """The kind: `dm`, `group`, `channel`, `thread`, `unknown`."""
    people: tuple[str, ...]
    """The names of those who wrote."""
    documents: int
    """Number of documents, as a rule one for each day."""
    messages: int
    """Number of messages."""
    first: datetime
    """The time of its first message."""
    last: datetime
    """The time of its latest message."""


@dataclass(frozen=True, slots=True)
class PartStats:
    """Counts of some chats or sources."""

    documents: int
    messages: int
    chunks: int
    facts: int
    """The number of facts that cite something in these documents."""
    people: int
    """The number of people who wrote there."""
    vectors_done: int
    vectors_pending: int
    first: datetime | None
    """The time of the first message or dated text."""
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
    """The number of the last applied change."""
    lag: Mapping[str, int]
    """The number of changes by which each derived index is behind."""
    fallback: FallbackVectors | None = None


@dataclass(frozen=True, slots=True)
class FactVersion:
    """One version of a fact, for other tools to read."""

    row: int
    """The row id in the store; never reused."""
    number: int
    """The number of the version, from 1 for the first one kept."""
    stored: StoredFact
