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
    """The sentence."""
    ids: tuple[str, ...]
    """The ids of the hits that it cites."""
    facts: tuple[str, ...]
    """The ids of the facts that it cites."""


class ModelAnswer(TypedDict):
    """An answer in words."""

    question: str
    """The question."""
    found: bool
    """False if the answer is not in the memory."""
    answer: list[Sentence]
    """The sentences of the answer, in their order."""
    dropped: int
    """Number of sentences that were left out: the messages and facts that they cite do not say so, or they cite none."""
    withheld: int
    """Number of hits that are never sent."""
    degraded: list[str]
    """Parts of the search that were missing, as in a query."""
    facts: list[Fact]
    """The facts that are cited; their messages are among the hits."""
    hits: list[Annotated[dict[str, Any], WireOf(Hit)]]
    """The hits that the model was shown."""


class MessagesAnswer(TypedDict):
    """Counts of messages, which are in the journal now."""

    run: str
    """The id of the run; give it to `GET /v1/progress`."""
    accepted: int
    """Number of messages that are in the journal now."""
    buffered: int
    """Messages of all sessions that wait in buffers now."""


class AddedFact(MessagesAnswer):
    """The message that states a fact, which is made of it as soon as it is read."""

    message_id: str
    """The id of the message, the one that was sent or a new one."""


class DocumentLine(TypedDict):
    """A document in a listing."""

    key: str
    """The key of the document, a UUID made of its source and id."""
    id: str
    """The readable id."""
    source: str
    """The source."""
    kind: Literal["conversation", "text"]
    """The kind of document: messages, or one text."""
    title: str
    """The title of the chat or the text; may be empty."""
    messages: int
    """Number of messages; 0 for a text."""
    summaries: NotRequired[list[str]]
    """Summaries by a language model, if there are some."""
    timestamp: NotRequired[datetime]
    """The time of its first message, or of the text; absent if it has none. RFC 3339."""


class DocumentPage(TypedDict):
    """A page of documents."""

    documents: list[DocumentLine]
    """The documents."""
    next: NotRequired[str]
    """For `after`, where there may be more."""


class AnnotationLink(TypedDict):
    """A link of a message to another one, which has it, too."""

    kind: str
    """same-topic, continues, answers, contradicts or causes."""
    id: str
    """The key of the other message."""
    run: str
    """The run that made it, for `POST /v1/undo`."""
    model: str
    """The model that gave it."""


class Annotation(TypedDict):
    """The keywords and links that a language model gave to a message."""

    keywords: list[str]
    """Words by which the message is found, too."""
    run: str
    """The run that made the keywords, for `POST /v1/undo`."""
    model: str
    """The model that gave the keywords."""
    version: str
    """The version of the prompt."""
    links: list[AnnotationLink]
    """Links in either direction."""


class ShownDocument(TypedDict):
    """A document; for a message also its key and its position, from 0, for a hit in a text its part of the content."""

    document: DocumentAnswer
    """The document."""
    message: NotRequired[str]
    """The key of the message that was asked for."""
    position: NotRequired[int]
    """The position of the message in the document, from 0."""
    annotation: NotRequired[Annotation]
    """The keywords and links that a language model gave to the message, if there are some."""
    passage: NotRequired[TextRange]
    """The part of the content that was asked for, of a hit in a text."""
    chunks: NotRequired[int]
    """The number of chunks of a text."""
    summaries: NotRequired[list[ExtractionSummary]]
    """Summaries by a language model, if there are some."""


class ChatsAnswer(TypedDict):
    """Every chat, those with the latest message first."""

    chats: list[ChatStats]
    """The chats."""


class PartStatsAnswer(TypedDict):
    """Counts of some chats or sources."""

    chats: tuple[str, ...]
    """The titles that were meant."""
    sources: tuple[str, ...]
    """The sources that were meant."""
    documents: int
    """Number of documents."""
    messages: int
    """Number of messages."""
    chunks: int
    """Number of texts that are searched: messages, passages of messages, and pieces of texts."""
    facts: int
    """Number of facts that hold."""
    people: int
    """Number of people who wrote."""
    vectors: VectorCounts
    """Number of vectors."""
    first: datetime | None
    """The time of the first message, or of the first text that has a time."""
    last: datetime | None
    """The time of the latest message, or of the latest text that has a time."""


class SentText(TypedDict):
    """A text that was sent to a language model, as it left."""

    number: int
    """The number of the text; a later one is larger."""
    at: datetime
    """The time at which it was sent, RFC 3339."""
    place: str
    """The address of the model, without a password."""
    model: str
    """The name of the model."""
    purpose: str
    """The purpose: extraction, confirmation, an answer, a trial."""
    run: str
    """The id of the run for which it was sent; empty without one."""
    text: str
    """The text as it was sent, with placeholders for secrets."""
    hidden: int
    """Number of secrets that placeholders replaced."""


class AuditPage(TypedDict):
    """A page of sent texts."""

    sent: list[SentText]
    """The texts."""
    next: NotRequired[int]
    """For `before`, where there may be more."""


class Spent(TypedDict):
    """A row of the ledger."""

    name: str
    """The model, source, run, day or purpose."""
    calls: int
    """Number of calls."""
    prompt_tokens: int
    """Number of tokens of the prompts."""
    completion_tokens: int
    """Number of tokens of the answers."""
    money: float | None
    """The price, in the currency of the configured prices; null without prices."""


class LedgerAnswer(TypedDict):
    """Totals."""

    by: By
    """The grouping."""
    totals: list[Spent]
    """The rows."""
