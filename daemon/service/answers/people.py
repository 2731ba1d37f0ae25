"""Answers about people: names, proposals, decisions."""

from __future__ import annotations

from datetime import datetime
from typing import NotRequired
from uuid import UUID

from typing_extensions import TypedDict

from ....memory.people.decisions import Action
from ....memory.people.proposals import Evidence
from ....memory.records import Contact
from .facts import FactWire


class PersonName(TypedDict):
    """A person, under the name with most messages."""

    name: str
    """The name with most messages."""
    messages: int
    """Under all names."""
    id: str
    """Stays the same as long as no other names are merged with this person's."""
    names: dict[str, tuple[str, ...]]
    """By source, those with most messages first."""
    is_user: bool
    """The owner of this memory."""


class IdentityAnswer(TypedDict):
    """A name in a source."""

    key: UUID
    """The id of the name in its source."""
    source: str
    """The source."""
    name: str
    """The name."""
    messages: int
    """Number of messages under this name."""
    links: tuple[str, ...]
    """`mailto:`, `tel:` and `id:` with what the source tells of this person."""


class ProposalAnswer(TypedDict):
    """Names of several people that may be one."""

    identities: list[IdentityAnswer]
    """The names, one of each person."""
    evidence: tuple[Evidence, ...]
    """The reasons why they may be one."""


class ProposalsAnswer(TypedDict):
    """The best evidence first."""

    proposals: list[ProposalAnswer]
    """The proposals."""


class DecisionAnswer(TypedDict):
    """A decision on people."""

    id: int
    """The number of the decision."""
    action: Action
    """The decision: a merge, a split, or an undo."""
    at: datetime
    """The time at which it was taken, RFC 3339."""
    stands: bool
    """Nothing took it back."""
    identities: list[IdentityAnswer]
    """In a merge: one identity of each person. In a split: those that stand by themselves since."""
    forgotten: int
    """Number of identities whose names nothing that is stored has any more."""
    target: int | None
    """In an undo: the decision that it undid."""


class DecisionsAnswer(TypedDict):
    """All decisions, the oldest first."""

    decisions: list[DecisionAnswer]
    """The decisions."""


class MergeReport(TypedDict):
    """A plan, or what was done."""

    people: list[PersonName]
    """As they were before."""
    identities: list[IdentityAnswer]
    """By which of their names they are merged: at least one of each."""
    dry_run: bool
    """True if nothing was changed."""
    decision: int
    """The number to take it back by; 0 of a plan."""


class SplitReport(TypedDict):
    """A plan, or what was done."""

    person: PersonName
    """As it was before."""
    identities: list[IdentityAnswer]
    """The identities that stand by themselves."""
    dry_run: bool
    """True if nothing was changed."""
    decision: int
    """The number to take it back by; 0 of a plan."""


class UndonePeople(TypedDict):
    """The decision that was taken back."""

    undone: DecisionAnswer
    """The decision."""


class PeopleAnswer(TypedDict):
    """Everybody who wrote, those with most messages first."""

    people: list[PersonName]
    """The people."""


class PersonAnswer(TypedDict):
    """A person."""

    apart: NotRequired[list[str]]
    """One name of each person, as SOURCE:NAME, if several people who were not merged have the name and are counted
    together here.
    """
    names: tuple[str, ...]
    """All names, those with most messages first."""
    messages: int
    """Number of messages under all names."""
    first: datetime
    """The time of the first message, RFC 3339."""
    last: datetime
    """The time of the latest message, RFC 3339."""
    chats: tuple[Contact, ...]
    """The chats in which the person wrote, those with most messages first."""
    contacts: tuple[Contact, ...]
    """The people who wrote in the same documents, those with most messages first."""
    topics: list[str]
    """Words that come often in the latest messages of the person."""
    facts: list[FactWire]
    """The facts about the person that hold now."""
