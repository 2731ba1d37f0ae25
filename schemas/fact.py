"""A fact: what somebody said about somebody or something, on which evidence, true from when to when."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from .model import Model, Text
from .times import Instant

FactStatus = Literal["active", "superseded", "retracted"]
FactLinkKind = Literal["about", "same-evidence", "shared-topic", "supersedes"]
Sensitivity = Literal["low", "medium", "high"]


class Evidence(Model):
    """The words a fact rests on; the quote is verbatim in that message."""

    document_id: Text
    """The id of the document."""
    message_id: Text
    """The source's id of the message, or its key."""
    quote: Text
    """The words, verbatim."""


class ExtractorInfo(Model):
    """The extractor that made a fact."""

    name: Text
    """The kind of extractor: `rules` or `llm`."""
    model: Text = ""
    """The name of the language model; empty for rules."""
    prompt_version: Text = ""
    """The version of the prompt; empty for rules."""


class FactLink(Model):
    """One end of a link between two facts; it stands at both, and holds for their present versions."""

    kind: FactLinkKind
    """The kind of link."""
    other: UUID
    """The id of the other fact."""
    weight: Annotated[int, Field(ge=1)] = 1
    """Keywords or messages in common; 1 for other kinds."""


class Fact(Model):
    """One version of a fact; a later one supersedes it and both stay."""

    id: UUID
    """The id of this version."""
    subject: Text
    """The person or thing it is about."""
    attribute: Text
    """The kind of statement, such as `home`."""
    value: Text
    """The value, such as a place or a name."""
    content: Text
    """The statement as a sentence."""
    speaker: Text
    """The name of whoever said it."""
    negated: bool = False
    """It says that this is not, or no longer, so."""
    audience: tuple[Text, ...] = ()
    """The names of those to whom it was said."""
    category: Text = ""
    """The kind of matter, such as `context` or `preference`; may be empty."""
    importance: Annotated[int, Field(ge=1, le=3)] = 1
    """From 1, a detail, to 3."""
    sensitivity: Sensitivity = "low"
    """The degree of privacy."""
    confidence: Annotated[float, Field(ge=0, le=1)] = 1.0
    """From 0 to 1: how sure the extractor is."""
    sentiment: Annotated[float, Field(ge=-1, le=1)] | None = None
    """From -1, bad, to 1, good; null if it is not known."""
    valid_from: Instant | None = None
    """The time since when it holds; null if nobody said."""
    valid_to: Instant | None = None
    """The time until when it holds; null while it does, or if nobody said."""
    observed_at: Instant
    """The time at which it was last said."""
    first_observed_at: Instant | None = None
    """The time at which it was first said, if it was said again later and nobody told since when it holds. Not stored."""
    recorded_at: Instant
    """The time at which memd stored this version."""
    status: FactStatus = "active"
    """The state of this version."""
    supersedes: UUID | None = None
    """The id of the fact that it replaced."""
    superseded_by: UUID | None = None
    """The id of the fact that replaced it."""
    retires: tuple[UUID, ...] = ()
    """All facts that this one ended, the last said first; ``supersedes`` is the first of them."""
    beside: bool = False
    """It holds in addition to another value of an attribute that has one value at a time, or for a while."""
    confirmed: bool = False
    """A language model read it too, a program stated it, or it was said on two days; never of what passes, such as a plan, a
    need or a mood.
    """
    history: bool = False
    """It was over when it was said, or was called off before it began; nothing superseded it for that."""
    due: bool = False
    """A plan whose time has come at the moment that was asked about: whether it happened nobody said. Not stored."""
    evidence: tuple[Evidence, ...]
    """The messages that say it."""
    links: tuple[FactLink, ...] = ()
    """The facts it has to do with; empty in a version that was replaced."""
    keywords: tuple[Text, ...] = ()
    """Words by which it is found and linked."""
    tags: tuple[Text, ...] = ()
    """Labels by the extractor."""
    extractor: ExtractorInfo
    """The extractor that made it."""
