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
    source: str
    name: str
    messages: int
    links: tuple[str, ...]
    """`mailto:`, `tel:` and `id:` with what the source tells of this person."""


class ProposalAnswer(TypedDict):
    """Names of several people that may be one."""

    identities: list[IdentityAnswer]
    evidence: tuple[Evidence, ...]


class ProposalsAnswer(TypedDict):
    """The best evidence first."""

    proposals: list[ProposalAnswer]


class DecisionAnswer(TypedDict):
    """A decision on people."""

    id: int
    action: Action
    at: datetime
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


class MergeReport(TypedDict):
    """A plan, or what was done."""

    people: list[PersonName]
    """As they were before."""
    identities: list[IdentityAnswer]
    """By which of their names they are merged: at least one of each."""
    dry_run: bool
    decision: int
    """The number to take it back by; 0 of a plan."""


class SplitReport(TypedDict):
    """A plan, or what was done."""

    person: PersonName
    """As it was before."""
    identities: list[IdentityAnswer]
    """The identities that stand by themselves."""
    dry_run: bool
    decision: int


class UndonePeople(TypedDict):
    """The decision that was taken back."""

    undone: DecisionAnswer


class PeopleAnswer(TypedDict):
    """Everybody who wrote, those with most messages first."""

    people: list[PersonName]


class PersonAnswer(TypedDict):
    """A person."""

    apart: NotRequired[list[str]]
    """One name of each person, as SOURCE:NAME, if several people who were not merged have the name and are counted
    together here.
    """
    names: tuple[str, ...]
    messages: int
    first: datetime
    last: datetime
    chats: tuple[Contact, ...]
    contacts: tuple[Contact, ...]
    topics: list[str]
    facts: list[FactWire]
