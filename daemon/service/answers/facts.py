"""Answers about facts, their versions and what was refused."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, NotRequired
from uuid import UUID

from typing_extensions import TypedDict

from ....schemas import Fact, Instant
from .wire_form import WireOf


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


FactWire = Annotated[dict[str, Any], WireOf(StoredFactAnswer)]
VersionWire = Annotated[dict[str, Any], WireOf(FactVersion)]


class FactPage(TypedDict):
    """A page of facts."""

    facts: list[FactWire]
    unread: int
    """Number of documents that are not read yet."""
    disbelieved: NotRequired[int]
    """Number of statements of all subjects that are stored and not believed; set for an empty page."""
    next: NotRequired[int]
    """For `after`, where there may be more."""


class RefusedFact(TypedDict):
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
    expands: tuple[str, ...]
    """The keys of the cited messages that are also found by its content."""
    document_id: str
    source: str
    run: str
    """The run that read it."""


RefusedWire = Annotated[dict[str, Any], WireOf(RefusedFact)]


class RefusedFactPage(TypedDict):
    """A page of refused facts, and how many there are by reason."""

    refused: list[RefusedWire]
    counts: dict[str, int]
    """Counts by reason of all refused statements, also of those that are no longer kept."""
    next: NotRequired[int]
    """For `after`, where there may be more."""


class FactHistory(TypedDict):
    """Versions, the oldest first."""

    versions: list[VersionWire]


class BeliefAnswer(TypedDict):
    """The state of the statements, believed or not, and their number."""

    id: str
    """The whole id of the fact or the run."""
    believed: bool
    statements: int


class UndoReport(TypedDict):
    """The change, or in a dry run the change that would be made."""

    id: str
    """The whole id of the fact or the run."""
    run: str
    dry_run: bool
    believed: bool
    statements: int
    facts: list[VersionWire]
    gone: list[UUID]
    """Ids of facts that nothing supports any more."""


class TriedProposal(TypedDict):
    """A statement that a model proposed from a message, and that passed the checks."""

    subject: str
    attribute: str
    value: str
    content: str
    quote: str


class TriedRefusal(TriedProposal):
    """A statement that a model proposed from a message, and that a check refused."""

    reason: str


class TriedProposals(TypedDict):
    """The statements that a model proposed from a message."""

    proposals: list[TriedProposal]
    refused: list[TriedRefusal]
    failure: str
    """The reason why there is no readable answer; empty when there is one."""


class TriedMessage(TriedProposals):
    """A message that a model was shown, and the result."""

    document_id: str
    message_id: str
    speaker: str
    time: datetime
    text: str
    seconds: float
    calls: int
    prompt_tokens: int
    completion_tokens: int
    money: float | None
    """None when no price is set."""


class TrialReport(TypedDict):
    """The result of showing a model some messages."""

    model: str
    place: str
    """The address, without a password."""
    choice: str
    """The choice of messages in words."""
    withheld: int
    """Number of messages that are never sent."""
    messages: list[TriedMessage]
    useful: int
    """Number of answers that were read off the message."""
    useless: int
    """Number of answers that nobody can use; an answer without any proposal is neither."""
    usable: bool
    """True if the model reads well enough to be used."""
