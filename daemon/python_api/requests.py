"""The arguments that the methods of `Memory` and `AsyncMemory` share, and their form in a request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, TypedDict, cast

from ...schemas import Arm, MessageKind, Query
from ...schemas.query import QuestionPart, Sort

Moment = datetime | str
"""A time with a zone, or a text as the command takes it: ``2024-01-15``, ``2024-01``, ``last week``."""


class Scope(TypedDict, total=False):
    """Names that a program gives its messages; each is optional."""

    user: str
    """The person that the program talks with."""
    agent: str
    """The program, or the part of it, that talks."""
    session: str
    """One conversation of them."""


class FactOptions(Scope, total=False):
    """The message that states a fact, and since when it holds."""

    content: str
    """The words of the message, in which the value stands; without it ``SUBJECT ATTRIBUTE: VALUE``."""
    negated: bool
    """This is not, or no longer, so."""
    valid_from: str
    """The day, month or year since when it holds; a ``content`` must tell it, too."""
    speaker: str
    """The author of the message; without it the user."""
    time: Moment
    """The time of the message; without it now."""
    id: str
    """The message's own id: one that is sent again with its id and ``time`` is the same."""


class Filters(TypedDict, total=False):
    """The filters on documents and messages: several values of one filter mean any of them, several filters all."""

    speakers: Sequence[str]
    """The people who said it."""
    people: Sequence[str]
    """Anyone in the document's people."""
    sources: Sequence[str]
    chats: Sequence[str]
    """Titles or ids."""
    tags: Sequence[str]
    kinds: Sequence[MessageKind]
    since: Moment
    until: Moment
    """This moment itself is outside."""
    users: Sequence[str]
    agents: Sequence[str]
    sessions: Sequence[str]


class QueryOptions(Filters, total=False):
    """The filters of a question, and how it is answered."""

    limit: int
    """1 to 100 hits; 10 without it."""
    context: int
    """0 to 10 messages before and after each hit; 1 without it."""
    sort: Sort
    ignore: Sequence[QuestionPart]
    explain: bool
    show_chunks: bool
    rerank: bool | None
    """False: without the reranker of the settings."""
    as_of: Moment
    """Limits facts to those that held at that time."""
    superseded: bool
    """Facts also that hold no longer."""
    include_messages: bool
    """False for no hits that are messages."""
    include_chunks: bool
    """False for no hits that are pieces of texts."""
    include_knowledge: bool
    """False for no facts."""
    memories: Sequence[str]
    """Names of mounted memories, and ``own``; all without it."""
    arms: Sequence[Arm]


class FactFilters(TypedDict, total=False):
    """The facts that are wanted; several values of one filter mean any of them, several filters all."""

    subject: Sequence[str]
    speaker: Sequence[str]
    attribute: Sequence[str]
    status: Sequence[Literal["active", "superseded", "retracted", "all"]]
    as_of: Moment
    known_at: Moment


class GraphOptions(TypedDict, total=False):
    """The part of the graph that is wanted."""

    depth: int
    """1 to 6: the most steps from the node, without it 1, or between two, without it 4."""
    limit: int
    """1 to 10,000 edges, between two nodes paths; 100 without it."""
    as_of: Moment
    """By the facts that held at that time, and the messages until then."""


class Selection(TypedDict, total=False):
    """The selection to forget: several values of one field mean any of them, several fields must all hold."""

    documents: Sequence[str]
    messages: Sequence[str]
    """Ids of messages: keys, or the ids that came with them."""
    sources: Sequence[str]
    chats: Sequence[str]
    speakers: Sequence[str]
    people: Sequence[str]
    since: Moment
    until: Moment
    users: Sequence[str]
    agents: Sequence[str]
    sessions: Sequence[str]
    quotes: Literal["keep", "redact", "remove"]
    """The treatment of others' messages that quote these words: they stay and are counted in the plan, lose these words,
    or go, too.
    """


def plain(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments as JSON types; None and empty tuples, the defaults of a `Query`, are left out."""
    return {name: _plain(value) for name, value in arguments.items() if value is not None and value != ()}


def question(query: str | Query, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a question; ``options`` take precedence over those of a `Query`."""
    if isinstance(query, str):
        return {"text": query, **plain(options)}
    fields = {name: getattr(query, name) for name in query.model_fields_set}
    return plain(fields | dict(options))


def _plain(value: object) -> object:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Sequence):
        return cast("object", value)
    return [_plain(each) for each in cast("Sequence[object]", value)]
