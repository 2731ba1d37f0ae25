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
    message_id: Text
    quote: Text


class ExtractorInfo(Model):
    """The extractor that made a fact."""

    name: Text
    model: Text = ""
    prompt_version: Text = ""


class FactLink(Model):
    """One end of a link between two facts; it stands at both, and holds for their present versions."""

    kind: FactLinkKind
    other: UUID
    weight: Annotated[int, Field(ge=1)] = 1
    """Keywords or messages in common; 1 for other kinds."""


class Fact(Model):
    """One version of a fact; a later one supersedes it and both stay."""

    id: UUID
    subject: Text
    attribute: Text
    value: Text
    content: Text
    speaker: Text
    negated: bool = False
    """It says that this is not, or no longer, so."""
    audience: tuple[Text, ...] = ()
    category: Text = ""
    importance: Annotated[int, Field(ge=1, le=3)] = 1
    sensitivity: Sensitivity = "low"
    confidence: Annotated[float, Field(ge=0, le=1)] = 1.0
    sentiment: Annotated[float, Field(ge=-1, le=1)] | None = None
    valid_from: Instant | None = None
    valid_to: Instant | None = None
    observed_at: Instant
    """The time at which it was last said."""
    first_observed_at: Instant | None = None
    """The time at which it was first said, if it was said again later and nobody told since when it holds. Not stored."""
    recorded_at: Instant
    status: FactStatus = "active"
    supersedes: UUID | None = None
    superseded_by: UUID | None = None
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
    links: tuple[FactLink, ...] = ()
    """The facts it has to do with; empty in a version that was replaced."""
    keywords: tuple[Text, ...] = ()
    tags: tuple[Text, ...] = ()
    extractor: ExtractorInfo
