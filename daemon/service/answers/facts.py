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
    """Number of statements of all subjects that are stored and not believed; set for an empty page."""
    next: int = 0
    """For `after`, where there may be more."""


class RefusedFact(Answer):
    """A statement that a reader proposed, and the first check that it failed."""

    reason: str
    subject: str
    attribute: str
    value: str
    content: str
    quote: str
    speaker: str
    negated: bool
    message_ids: tuple[str, ...]
    """The ids of the messages that it cites."""
    document_id: str
    source: str
    run: str
    """The run that read it."""


class RefusedFactPage(Answer):
    """A page of refused facts, and how many there are by reason."""

    refused: tuple[RefusedFact, ...]
    counts: dict[str, int]
    """Counts by reason of all refused statements, also of those that are no longer kept."""
    next: int = 0
    """For `after`, where there may be more."""


class FactHistory(Answer):
    """Versions, the oldest first."""

    versions: tuple[FactVersion, ...]


class BeliefAnswer(Answer):
    """The state of the statements, believed or not, and their number."""

    id: str
    """The whole id of the fact or the run."""
    believed: bool
    statements: int


class TriedProposal(Answer):
    """A statement that a model proposed from a message, and that passed the checks."""

    subject: str
    attribute: str
    value: str
    content: str
    quote: str


class TriedRefusal(TriedProposal):
    """A statement that a model proposed from a message, and that a check refused."""

    reason: str


class TriedMessage(Answer):
    """A message that a model was shown, and the result."""

    document_id: str
    message_id: str
    speaker: str
    time: str
    text: str
    proposals: tuple[TriedProposal, ...]
    refused: tuple[TriedRefusal, ...]
    failure: str
    """The reason why there is no readable answer; empty when there is one."""
    seconds: float
    calls: int
    prompt_tokens: int
    completion_tokens: int
    money: float | None
    """None when no price is set."""


class TrialReport(Answer):
    """The result of showing a model some messages."""

    model: str
    place: str
    """The address, without a password."""
    choice: str
    """The choice of messages in words."""
    withheld: int
    """Number of messages that are never sent."""
    messages: tuple[TriedMessage, ...]
    useful: int
    """Number of answers that were read off the message."""
    useless: int
    """Number of answers that nobody can use; an answer without any proposal is neither."""
    usable: bool
    """True if the model reads well enough to be used."""
