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


class TriedProposal(Answer):
    """What a model proposed of a message, and the checks let pass."""

    subject: str
    attribute: str
    value: str
    content: str
    quote: str


class TriedRefusal(TriedProposal):
    """What a model proposed of a message, and a check refused."""

    reason: str


class TriedMessage(Answer):
    """A message that a model was shown, and what came of it."""

    document_id: str
    message_id: str
    speaker: str
    time: str
    text: str
    proposals: tuple[TriedProposal, ...]
    refused: tuple[TriedRefusal, ...]
    failure: str
    """Why there is no answer that can be read; empty when there is one."""
    seconds: float
    calls: int
    prompt_tokens: int
    completion_tokens: int
    money: float | None
    """None when no price is set."""


class TrialReport(Answer):
    """What came of showing a model some messages."""

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
    """Whether the model reads well enough to be asked."""
