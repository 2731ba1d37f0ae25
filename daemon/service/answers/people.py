"""Answers about people: names, proposals, decisions."""

from __future__ import annotations

from typing import Literal

from ....schemas import Instant
from .answer import Answer
from .facts import StoredFactAnswer


class PersonName(Answer):
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


class IdentityAnswer(Answer):
    """A name in a source."""

    key: str
    source: str
    name: str
    messages: int
    links: tuple[str, ...]
    """`mailto:`, `tel:` and `id:` with what the source tells of this person."""


class EvidenceAnswer(Answer):
    """The evidence that some names belong to one person."""

    kind: Literal["account", "mail address", "phone number", "full name", "user of documents"]
    value: str


class ProposalAnswer(Answer):
    """Names of several people that may be one."""

    identities: tuple[IdentityAnswer, ...]
    evidence: tuple[EvidenceAnswer, ...]


class ProposalsAnswer(Answer):
    """The best evidence first."""

    proposals: tuple[ProposalAnswer, ...]


class DecisionAnswer(Answer):
    """A decision on people."""

    id: int
    action: Literal["merge", "split", "undo"]
    at: Instant
    stands: bool
    """Nothing took it back."""
    identities: tuple[IdentityAnswer, ...]
    """In a merge: one identity of each person. In a split: those that stand by themselves since."""
    forgotten: int
    """Number of identities whose names nothing that is stored has any more."""
    target: int | None
    """In an undo: the decision that it undid."""


class DecisionsAnswer(Answer):
    """All decisions, the oldest first."""

    decisions: tuple[DecisionAnswer, ...]


class MergeReport(Answer):
    """A plan, or what was done."""

    people: tuple[PersonName, ...]
    """As they were before."""
    identities: tuple[IdentityAnswer, ...]
    """By which of their names they are merged: at least one of each."""
    dry_run: bool
    decision: int
    """The number to take it back by; 0 of a plan."""


class SplitReport(Answer):
    """A plan, or what was done."""

    person: PersonName
    """As it was before."""
    identities: tuple[IdentityAnswer, ...]
    """The identities that stand by themselves."""
    dry_run: bool
    decision: int


class UndonePeople(Answer):
    """The decision that was taken back."""

    undone: DecisionAnswer


class PeopleAnswer(Answer):
    """Everybody who wrote, those with most messages first."""

    people: tuple[PersonName, ...]


class ContactAnswer(Answer):
    """A chat, or another person, with counts."""

    name: str
    messages: int
    documents: int
    first: Instant
    last: Instant


class PersonAnswer(Answer):
    """A person."""

    names: tuple[str, ...]
    messages: int
    first: Instant
    last: Instant
    chats: tuple[ContactAnswer, ...]
    contacts: tuple[ContactAnswer, ...]
    topics: tuple[str, ...]
    facts: tuple[StoredFactAnswer, ...]
    apart: tuple[str, ...] = ()
    """One name of each person, as SOURCE:NAME, if several people who were not merged have the name and are counted
    together here.
    """
