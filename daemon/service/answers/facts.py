"""Answers about facts, their versions and what was refused."""

from __future__ import annotations

from typing import Literal

from ....schemas import Fact, Instant
from .answer import Answer


class StoredFactAnswer(Fact):
    """A fact, with the run that made this version."""

    run: str | None
    replaced_at: Instant | None = None


class FactVersion(StoredFactAnswer):
    """A version of a fact: what was done to it, and why."""

    action: Literal["ADD", "UPDATE", "DELETE", "NONE"]
    reason: str
    ended: bool = False
    """Nothing supports it any more since `replaced_at`."""


class FactPage(Answer):
    """A page of facts."""

    facts: tuple[StoredFactAnswer, ...]
    unread: int
    """Number of documents that are not read yet."""
    disbelieved: int = 0
    """Of an empty page: number of statements that are stored and not believed, of all subjects."""
    next: int = 0
    """For `after`, where there may be more."""


class RefusedFact(Answer):
    """What a reader proposed, and the check that it failed first."""

    reason: str
    subject: str
    attribute: str
    value: str
    content: str
    quote: str
    speaker: str
    negated: bool
    message_ids: tuple[str, ...]
    """Of the messages that it cites."""
    document_id: str
    source: str
    run: str
    """That read it."""


class RefusedFactPage(Answer):
    """A page of refused facts, and how many there are by reason."""

    refused: tuple[RefusedFact, ...]
    counts: dict[str, int]
    """Of all, also of those of which no more is kept."""
    next: int = 0
    """For `after`, where there may be more."""


class FactHistory(Answer):
    """Versions, the oldest first."""

    versions: tuple[FactVersion, ...]


class BeliefAnswer(Answer):
    """Whether the statements are believed, and their number."""

    id: str
    """The whole id of the fact or the run."""
    believed: bool
    statements: int
