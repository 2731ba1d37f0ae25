"""Questions and answers: Query, Hit, QueryResult, in the shape of the command line and the API."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import Field, ValidationInfo, field_validator

from .fact import Fact
from .message import MessageKind
from .model import Model, Text, Words
from .times import Instant

LIMIT_WORDING = "limit must be 1-100"
_LAST_KEYS = ("rank", "id", "source", "document_id", "score", "type", "text")
"""The keys of a hit that follow the optional ones in its wire form."""
Sort = Literal["score", "time", "newest"]
"""By score, the best first; by time, the earliest or the newest first."""
QuestionPart = Literal["person", "me", "chat", "time", "order", "kind", "phrase"]
"""The parts of a question that are looked for, and may be left out."""
HitType = Literal["message", "chunk"]
"""A message, or a piece of a text."""
Arm = Literal["lexical", "near", "wide", "vector"]
"""Ways of finding: words of the message, of it and the one before, of its wider neighbourhood; and its vector."""


class Query(Model):
    """A question and its filters; several values of one filter mean any of them, several filters mean all."""

    text: Text
    """The question, at most 10,000 characters."""
    limit: int = 10
    """The maximum number of hits."""
    speakers: tuple[Text, ...] = ()
    """Who said it."""
    people: tuple[Text, ...] = ()
    """Anyone in the document's people."""
    sources: tuple[Text, ...] = ()
    """Names of sources, such as `whatsapp`."""
    chats: tuple[Text, ...] = ()
    """Titles or ids of chats; a text is in none."""
    since: Instant | None = None
    until: Instant | None = None
    """``since ≤ t < until``; a text without a time fails both."""
    tags: tuple[Text, ...] = ()
    """Labels of documents."""
    kinds: tuple[MessageKind, ...] = ()
    """Kinds of messages; without them all that people wrote."""
    users: tuple[Words, ...] = ()
    """Users, agents and sessions of messages that programs sent, by their whole names; facts rest on these messages
    alone.
    """
    agents: tuple[Words, ...] = ()
    """Agents in whose scope it is."""
    sessions: tuple[Words, ...] = ()
    """Sessions in whose scope it is."""
    sort: Sort = "score"
    """The order of the hits: by score, by time, or the newest first."""
    ignore: tuple[QuestionPart, ...] = ()
    """Parts of the question that count as ordinary words: people, "I" and "my", chats, times, orders and counts, kinds of
    documents, quoted phrases.
    """
    explain: bool = False
    """True to tell why each hit stands where it stands."""
    show_chunks: bool = False
    """True to tell of each hit which of its chunks were found."""
    rerank: bool | None = None
    """False: without the reranker of the settings; true: say so in ``degraded`` if there is none."""
    context: Annotated[int, Field(ge=0, le=10)] = 1
    """How many messages before and after each hit are shown with it."""
    as_of: Instant | None = None
    """Of facts: what held at that time."""
    superseded: bool = False
    """Facts also that hold no longer."""
    include_messages: bool = True
    """False for no hits that are messages."""
    include_chunks: bool = True
    """False for no hits that are pieces of texts."""
    include_knowledge: bool = True
    """False for no facts."""
    memories: tuple[Words, ...] = ()
    """Names of mounted memories, and `own` for the one that is asked; empty: all."""
    arms: tuple[Arm, ...] = ()
    """Only these ways of finding; empty: all, with the default weights. For measurements."""

    @field_validator("limit")
    @classmethod
    def _within(cls, value: int, _info: ValidationInfo) -> int:
        if not 1 <= value <= 100:
            raise ValueError(LIMIT_WORDING)
        return value


class ContextLine(Model):
    """A message around a hit."""

    id: UUID
    """The key of the message."""
    speaker: Text
    """The name of the speaker."""
    text: Text
    """The text of the message."""
    time: Instant
    """The time of the message."""
    message_ids: tuple[Text, ...] = ()
    """As of a hit: the source's own id where there is one, else the key."""
    matches: bool = False
    """It would be a hit of its own, and is shown here alone."""


class TextRange(Model):
    """``text[start:end]``, in characters."""

    start: int
    """The position of the first character, from 0."""
    end: int
    """The position behind the last character."""


class ChunkReference(Model):
    """The piece of a text or of a message that was found."""

    id: UUID
    """The key of the piece."""
    alias: Text
    """The readable id of the piece."""
    index: int
    """The position of the piece in its text, from 0."""
    section: Text
    """The headings above it."""
    start: int
    """The position of its first character in the text, from 0."""
    end: int
    """The position behind its last character."""
    strategy: Text
    """The way in which the text was cut."""


class TimeSpan(Model):
    """A time that the question names, by which words; the end is not included."""

    words: Text
    """The words of the question."""
    start: Instant
    """The begin of the time."""
    end: Instant
    """The end of the time, which is not included."""


class Explanation(Model):
    """Why a hit stands where it stands: each arm's rank, raw score and share, and the boosts."""

    times: tuple[TimeSpan, ...] = ()
    """Messages of these are preferred, by the share ``time``."""

    ranks: dict[Text, int | None] = Field(default_factory=dict)
    """By arm, the rank that it gave the hit, from 1; null if it did not find it."""
    raw: dict[Text, float] = Field(default_factory=dict)
    """By arm, the raw score."""
    shares: dict[Text, float] = Field(default_factory=dict)
    """Parts of the final score, by arm and boost; they sum to the score."""


class Occurrences(Model):
    """The dates of an event that repeats, and of several events of one title that are one hit."""

    next: Instant | None = None
    """The first date that is not over."""
    last: Instant | None = None
    """The latest date that has passed."""
    others: tuple[Instant, ...] = ()
    """Further dates, at most 12: those of the other events, and of a rule those at the time that the question names."""


class Hit(Model):
    """A found message, or a found piece of a text (``type`` ``chunk``: no speaker, no message ids)."""

    rank: int
    """The position among the hits, from 1."""
    id: UUID
    """The key of the message or piece, for `GET /v1/show/{id}`."""
    type: HitType
    """A message, or a piece of a text."""
    kind: MessageKind = "text"
    """The kind of message."""
    text: Text
    """The whole text of the message, or of the piece."""
    speaker: Text | None = None
    """The name of the speaker; null for a piece of a text."""
    time: Instant | None = None
    """The time; for an event that repeats its first one at the time that the question names, else the next, else the last."""
    source: Text
    """The source, such as `whatsapp`."""
    document_id: Text
    """The id of the document."""
    chat: Text | None = None
    """The title of its chat; of an event the name of its calendar."""
    message_ids: tuple[Text, ...] = ()
    """The source's own id of the message, or its key; empty for a piece of a text."""
    score: float
    """The weighted sum of the scores; comparable only within one answer."""
    scores: dict[Text, float] = Field(default_factory=dict)
    """Raw scores by the arms that found it: BM25 sums and cosines; ``rerank``: the reranker's, if it read the hit."""
    tags: tuple[Text, ...] = ()
    """Labels of the document."""
    chunk: ChunkReference | None = None
    """The place of the piece in its text; null for a message."""
    passage: TextRange | None = None
    """Of a long message, which part of the text was found; of a note's beginning, what stands behind its front
    matter; of an event that repeats, what stands before its further times."""
    highlights: tuple[TextRange, ...] = ()
    """Words of the text, or of its passage, that match the question."""
    context: tuple[ContextLine, ...] = ()
    """The messages around it."""
    occurrences: Occurrences | None = None
    """The dates of an event that repeats, or of several events of one title; None for anything else."""
    waiting: bool = False
    """True if it is accepted and not stored yet: found by its words alone, and not to be shown by its id."""
    memory: Text | None = None
    """The name of the mounted memory that has it; None for this one's own."""
    explain: Explanation | None = None
    """The reasons for its place, if they were asked for."""
    chunks: tuple[ChunkReference, ...] | None = None
    """The chunks by which it was found, if they were asked for: of a message all its passages that were, of a text its
    piece."""


class Understood(Model):
    """The plan of a question: everything that it asks for."""

    words: Text
    """The plan in plain words: ``from Bert · 2026-11-26 · newest first · about: pump``."""
    speakers: tuple[Text, ...] = ()
    """The people whose messages are preferred."""
    about: tuple[Text, ...] = ()
    """The people about whom it asks."""
    chats: tuple[Text, ...] = ()
    """The titles of chats whose messages are preferred."""
    times: tuple[TimeSpan, ...] = ()
    """The times that the question names."""
    unread: tuple[Text, ...] = ()
    """Words that look like a time and are not understood."""
    order: Literal["best", "newest", "oldest", "next"] = "best"
    """The order that the question asks for; ``next``: events from now on, the soonest first."""
    counts: bool = False
    """It asks how often."""
    kinds: tuple[Text, ...] = ()
    """Kinds of documents that are preferred: mail, note, event, picture, file."""
    phrases: tuple[Text, ...] = ()
    """Words that must stand together."""
    anonymous: bool = False
    """It asks about "I" or "my", and no user is known: `memd config me NAME` names one."""


class QueryResult(Model):
    """The answer. ``degraded`` names what could not take part: ``vector``, ``embedder``, ``generation``, ``pending``,
    ``queue``, ``rerank``.
    """

    query: Text
    """The question."""
    took_ms: float
    """Milliseconds that the daemon took."""
    weak: bool = False
    """Nothing matches well: no hit holds a word of the question, and none is near to it in meaning."""
    degraded: tuple[Text, ...] = ()
    """Parts of the search that were missing; empty if none was."""
    hits: tuple[Hit, ...] = ()
    """The hits, in their order."""
    facts: tuple[Fact, ...] = ()
    """The facts that answer the question."""
    did_you_mean: tuple[Text, ...] = ()
    """Names of people like a word with a capital in the question that names nobody and stands in no hit."""
    understood: Understood | None = None
    """The plan of the question; None for a measurement of single arms, and for punctuation alone."""
    count: int | None = None
    """The number of messages, if the question asks how often."""
    summary: Text | None = None
    """An answer in words to a question for the newest, the first or a number: ``12 times``."""
    notices: tuple[Text, ...] = ()
    """Parts of the question that could not be followed, in words."""
    cached: bool = False
    """True with ``explain`` if it was answered before, and nothing has changed since."""

    def to_wire(self) -> dict[str, Any]:
        """The public shape: the keys are always there, also when empty."""
        wire: dict[str, Any] = {
            "query": self.query,
            "took_ms": round(self.took_ms, 2),
            "weak": self.weak,
            "degraded": list(self.degraded),
            "hits": [_hit_to_wire(hit) for hit in self.hits],
            "facts": [fact.to_wire() for fact in self.facts],
            "did_you_mean": list(self.did_you_mean),
            "understood": None if self.understood is None else self.understood.model_dump(mode="json"),
            "count": self.count,
            "summary": self.summary,
            "notices": list(self.notices),
        }
        return wire | {"cached": True} if self.cached else wire


def _hit_to_wire(hit: Hit) -> dict[str, Any]:
    wire = hit.model_dump(mode="json", exclude={"explain", "waiting", "memory", "chunks"})
    for key in _LAST_KEYS:
        wire[key] = wire.pop(key)
    wire |= {"waiting": True} if hit.waiting else {}
    wire |= {"memory": hit.memory} if hit.memory else {}
    if hit.explain is not None:
        wire["explain"] = hit.explain.model_dump(mode="json")
    if hit.chunks is not None:
        wire["chunks"] = [chunk.model_dump(mode="json") for chunk in hit.chunks]
    return wire
