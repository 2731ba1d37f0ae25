"""Answers to questions, and what is stored as it stands: messages, documents, chats."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, NotRequired

from typing_extensions import TypedDict

from ....memory.facts.fact_reader import ExtractionSummary
from ....memory.llm.ledger import By
from ....memory.records import ChatStats
from ....memory.statistics import VectorCounts
from ....schemas import ConversationDocument, Fact, Hit, TextDocument, TextRange
from .wire_form import WireOf

DocumentAnswer = Annotated[dict[str, Any], WireOf(ConversationDocument | TextDocument)]


class Sentence(TypedDict):
    """A sentence of an answer, with the hits that it cites, and the facts."""

    text: str
    ids: tuple[str, ...]
    facts: tuple[str, ...]


class ModelAnswer(TypedDict):
    """An answer in words."""

    question: str
    found: bool
    answer: list[Sentence]
    dropped: int
    """Number of sentences that were left out: the messages and facts that they cite do not say so, or they cite none."""
    withheld: int
    """Number of hits that are never sent."""
    degraded: list[str]
    facts: list[Fact]
    """The facts that are cited; their messages are among the hits."""
    hits: list[Annotated[dict[str, Any], WireOf(Hit)]]


class MessagesAnswer(TypedDict):
    """Counts of messages, which are in the journal now."""

    run: str
    accepted: int
    buffered: int
    """Messages of all sessions that wait in buffers now."""


class DocumentLine(TypedDict):
    """A document in a listing."""

    key: str
    id: str
    source: str
    kind: Literal["conversation", "text"]
    title: str
    messages: int
    summaries: NotRequired[list[str]]
    timestamp: NotRequired[datetime]


class DocumentPage(TypedDict):
    """A page of documents."""

    documents: list[DocumentLine]
    next: NotRequired[str]
    """For `after`, where there may be more."""


class ShownDocument(TypedDict):
    """A document; for a message also its key and its position, from 0, for a hit in a text its part of the content."""

    document: DocumentAnswer
    message: NotRequired[str]
    position: NotRequired[int]
    passage: NotRequired[TextRange]
    chunks: NotRequired[int]
    """The number of chunks of a text."""
    summaries: NotRequired[list[ExtractionSummary]]


class ChatsAnswer(TypedDict):
    """Every chat, those with the latest message first."""

    chats: list[ChatStats]


class PartStatsAnswer(TypedDict):
    """Counts of some chats or sources."""

    chats: tuple[str, ...]
    """The titles that were meant."""
    sources: tuple[str, ...]
    documents: int
    messages: int
    chunks: int
    facts: int
    people: int
    vectors: VectorCounts
    first: datetime | None
    """The time of the first message, or of the first text that has a time."""
    last: datetime | None


class SentText(TypedDict):
    """A text that was sent to a language model, as it left."""

    number: int
    at: datetime
    place: str
    model: str
    purpose: str
    run: str
    text: str
    hidden: int
    """Number of secrets that placeholders replaced."""


class AuditPage(TypedDict):
    """A page of sent texts."""

    sent: list[SentText]
    next: NotRequired[int]
    """For `before`, where there may be more."""


class Spent(TypedDict):
    """A row of the ledger."""

    name: str
    calls: int
    prompt_tokens: int
    completion_tokens: int
    money: float | None


class LedgerAnswer(TypedDict):
    """Totals."""

    by: By
    totals: list[Spent]
