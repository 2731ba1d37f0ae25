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
    """The id of the run that made this version; null for an older one."""
    replaced_at: Instant | None = None
    """The time at which a later version replaced it; null while it is in force."""


class FactVersion(StoredFactAnswer):
    """A version of a fact: what was done to it, and why."""

    action: Literal["ADD", "UPDATE", "DELETE", "NONE"]
    """The action that made this version: a new fact, another value, the end of it, or no change."""
    reason: str
    """The reason for the action."""
    ended: bool = False
    """Nothing supports it any more since `replaced_at`."""


FactWire = Annotated[dict[str, Any], WireOf(StoredFactAnswer)]
VersionWire = Annotated[dict[str, Any], WireOf(FactVersion)]


class FactPage(TypedDict):
    """A page of facts."""

    facts: list[FactWire]
    """The facts."""
    unread: int
    """Number of documents that are not read yet."""
    disbelieved: NotRequired[int]
    """Number of statements of all subjects that are stored and not believed; set for an empty page."""
    next: NotRequired[int]
    """For `after`, where there may be more."""


class RefusedFact(TypedDict):
    """A statement that a reader proposed, and the first check that it failed."""

    reason: str
    """The name of the check that it failed."""
    subject: str
    """The person or thing it is about."""
    attribute: str
    """The kind of statement, such as `home`."""
    value: str
    """The value that was proposed."""
    content: str
    """The statement as a sentence."""
    quote: str
    """The words of the message that it cites."""
    speaker: str
    """The name of the speaker of these words."""
    negated: bool
    """True if it says that something is not so."""
    message_ids: tuple[str, ...]
    """The ids of the messages that it cites."""
    expands: tuple[str, ...]
    """The keys of the cited messages that are also found by its content."""
    document_id: str
    """The id of the document that was read."""
    source: str
    """The source of the document."""
    run: str
    """The run that read it."""


RefusedWire = Annotated[dict[str, Any], WireOf(RefusedFact)]


class RefusedFactPage(TypedDict):
    """A page of refused facts, and how many there are by reason."""

    refused: list[RefusedWire]
    """The refused statements, the latest first."""
    counts: dict[str, int]
    """Counts by reason of all refused statements, also of those that are no longer kept."""
    next: NotRequired[int]
    """For `after`, where there may be more."""


class FactHistory(TypedDict):
    """Versions, the oldest first."""

    versions: list[VersionWire]
    """All versions of the fact and of those linked with it by superseding."""


class BeliefAnswer(TypedDict):
    """The state of the statements, believed or not, and their number."""

    id: str
    """The whole id of the fact or the run."""
    believed: bool
    """True if they are believed."""
    statements: int
    """Number of statements."""


class UndoReport(TypedDict):
    """The change, or in a dry run the change that would be made."""

    id: str
    """The whole id of the fact or the run."""
    run: str
    """The id of the run that this change is."""
    dry_run: bool
    """True if nothing was changed."""
    believed: bool
    """True if the statements are believed from now on."""
    statements: int
    """Number of statements."""
    facts: list[VersionWire]
    """The versions of facts that the change makes."""
    gone: list[UUID]
    """Ids of facts that nothing supports any more."""


class TriedProposal(TypedDict):
    """A statement that a model proposed from a message, and that passed the checks."""

    subject: str
    """The person or thing it is about."""
    attribute: str
    """The kind of statement, such as `home`."""
    value: str
    """The value that was proposed."""
    content: str
    """The statement as a sentence."""
    quote: str
    """The words of the message that it cites."""


class TriedRefusal(TriedProposal):
    """A statement that a model proposed from a message, and that a check refused."""

    reason: str
    """The name of the check that it failed."""


class TriedProposals(TypedDict):
    """The statements that a model proposed from a message."""

    proposals: list[TriedProposal]
    """The statements that passed all checks."""
    refused: list[TriedRefusal]
    """The statements that failed a check."""
    failure: str
    """The reason why there is no readable answer; empty when there is one."""


class TriedMessage(TriedProposals):
    """A message that a model was shown, and the result."""

    document_id: str
    """The id of the document that contains the message."""
    message_id: str
    """The source's id of the message, or its key."""
    speaker: str
    """The name of the speaker."""
    time: datetime
    """The time of the message, RFC 3339."""
    text: str
    """The text of the message."""
    seconds: float
    """Seconds until the model answered."""
    calls: int
    """Number of calls of the model."""
    prompt_tokens: int
    """Number of tokens of the prompts."""
    completion_tokens: int
    """Number of tokens of the answers."""
    money: float | None
    """None when no price is set."""


class TrialReport(TypedDict):
    """The result of showing a model some messages."""

    model: str
    """The name of the model."""
    place: str
    """The address, without a password."""
    choice: str
    """The choice of messages in words."""
    withheld: int
    """Number of messages that are never sent."""
    messages: list[TriedMessage]
    """The messages that the model was shown."""
    useful: int
    """Number of answers that were read off the message."""
    useless: int
    """Number of answers that nobody can use; an answer without any proposal is neither."""
    usable: bool
    """True if the model reads well enough to be used."""
