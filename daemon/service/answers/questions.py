"""Answers to questions, and what is stored as it stands: messages, documents, chats."""

from __future__ import annotations

from pydantic import RootModel

from ....schemas import ConversationDocument, Fact, Hit, Instant, QueryResult, TextDocument, TextRange
from .answer import Answer


class QueryAnswer(QueryResult):
    """Messages, and the facts that they are evidence of."""


class Sentence(Answer):
    """A sentence of an answer, with the hits that it cites, and the facts."""

    text: str
    ids: tuple[str, ...]
    facts: tuple[str, ...]


class ModelAnswer(Answer):
    """An answer in words."""

    question: str
    found: bool
    answer: tuple[Sentence, ...]
    dropped: int
    """Number of sentences that were left out: the messages and facts that they cite do not say so, or they cite none."""
    withheld: int
    """Number of hits that are never sent."""
    degraded: tuple[str, ...]
    facts: tuple[Fact, ...]
    """The facts that are cited; their messages are among the hits."""
    hits: tuple[Hit, ...]


class MessagesAnswer(Answer):
    """Counts of messages, which are in the journal now."""

    run: str
    accepted: int
    buffered: int
    """Messages of all sessions that wait in buffers now."""


class DocumentLine(Answer):
    """A document in a listing."""

    key: str
    id: str
    source: str
    kind: str
    title: str
    messages: int
    summaries: tuple[str, ...] = ()
    timestamp: Instant | None = None


class DocumentPage(Answer):
    """A page of documents."""

    documents: tuple[DocumentLine, ...]
    next: str = ""
    """For `after`, where there may be more."""


class DocumentAnswer(RootModel[ConversationDocument | TextDocument]):
    """A document in its wire form."""


class Summary(Answer):
    """A summary of some messages in the words of a language model."""

    text: str
    message_ids: tuple[str, ...]


class ShownDocument(Answer):
    """A document; for a message also its key and its position, from 0, for a hit in a text its part of the content."""

    document: DocumentAnswer
    message: str = ""
    position: int = 0
    passage: TextRange | None = None
    summaries: tuple[Summary, ...] = ()


class ChatAnswer(Answer):
    """A chat, and what is stored of it."""

    title: str
    id: str
    source: str
    kind: str
    people: tuple[str, ...]
    documents: int
    messages: int
    first: Instant
    """The time of its first message."""
    last: Instant


class ChatsAnswer(Answer):
    """Every chat, those with the latest message first."""

    chats: tuple[ChatAnswer, ...]
