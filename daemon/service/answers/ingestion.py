"""Answers about what comes in: uploads, runs and their receipts, what waits, what could not be read."""

from __future__ import annotations

from typing import Literal
from uuid import UUID

from pydantic import ConfigDict

from ....schemas import Outcome, Rejected
from ..receipts import ReadExport, SkippedFile
from .answer import Answer, NoticeCount
from .facts import FactVersion


class StoreAnswer(Answer):
    """Counts of messages, which are in the journal now. With `check` only `conflicts`, with `digests` only `undecided`."""

    run: str = ""
    accepted: int = 0
    unchanged: int = 0
    rejected: int = 0
    reasons: tuple[Rejected, ...] = ()
    """The first 20 that were rejected."""
    notices: tuple[NoticeCount, ...] = ()
    conflicts: tuple[str, ...] = ()
    """Titles of chats that are stored as other chats of the same title."""
    undecided: tuple[UUID, ...] = ()
    """Keys of days that are stored in another form, of chats of which no day is stored in the given form."""


class EndedRun(Answer):
    """A run that is over, with its counts of messages."""

    model_config = ConfigDict(extra="allow", use_attribute_docstrings=True)

    run: str
    source: str
    started: str
    finished: str
    outcome: Outcome | Literal[""]
    job: str = ""
    """``source:NAME`` or ``maintenance:NAME``; absent: a command or a client sent it."""
    trigger: str = ""
    """The trigger of the job: ``schedule``, ``watch``, ``sync``, ``resume``."""
    due: str | None = None
    """The scheduled time that it was for."""
    detail: str = ""
    """The error."""
    undone: str | None = None
    """The time when its changes were undone."""


class FileCounts(Answer):
    """Files of a source."""

    known: int
    unreadable: int
    """Nothing of them could be read."""
    incomplete: int
    """Some of their records could not be read."""
    left_out: int
    """They lie in an export of several files and hold no messages."""


class RunPage(Answer):
    """Runs, the newest first."""

    runs: tuple[EndedRun, ...]
    next: str | None = None


class RunAnswer(EndedRun):
    """A run with its receipt; ``finished`` is empty while it goes on."""

    exports: tuple[ReadExport, ...] = ()
    skipped: tuple[SkippedFile, ...] = ()
    incomplete: bool = False
    """Whoever read it has not told all of it: it is at work, or was killed."""
    complete_in: str | None = None
    """A later run that read the same, with a receipt that tells all of it."""
    notices: tuple[NoticeCount, ...] = ()
    """The notices about the contents of a source, without places."""


class ReceiptAnswer(Answer):
    """The run whose receipt was added to."""

    run: str


class UndoReport(Answer):
    """The change, or in a dry run the change that would be made."""

    id: str
    """The whole id of the fact or the run."""
    run: str
    dry_run: bool = False
    believed: bool
    statements: int
    facts: tuple[FactVersion, ...]
    gone: tuple[str, ...]
    """Ids of facts that nothing supports any more."""


class UndoImportReport(Answer):
    """A plan, or what was done."""

    run: str
    also: tuple[str, ...] = ()
    """The runs that are undone with it."""
    plan: str
    documents: int
    """Documents that go, with all that is in them."""
    messages: int
    """Messages that go, those documents' among them; a text counts as one."""
    restored: int
    """Messages and texts that get their former wording back, or come back."""
    amended: int
    """Messages that keep their wording and lose, or get back, what is told beside it: edits, reactions, a name."""
    retagged: int
    """Documents that get their former tags back."""
    shared: int
    """Documents that other runs brought just so, and that stay."""
    others: tuple[str, ...] = ()
    """The other runs, the oldest first, as far as memd knows them."""
    kept: int
    """Documents that stay as they are because something of them was forgotten since."""
    dry_run: bool
    unpurged: tuple[str, ...] = ()
    """Files that still hold removed bytes; they are purged later."""


class DeadLetter(Answer):
    """A document that was given up."""

    id: str
    document_id: str
    source: str
    run: str
    messages: int
    bytes: int
    attempts: int
    reason: str
    age_s: float


class UnreadWindow(Answer):
    """Some lines of a stored document that a language model could not read for facts."""

    id: str
    document_id: str
    source: str
    attempts: int
    reason: str
    """``refused``, ``truncated``, ``too-long``, ``not-taken``, ``unreadable``; ``failed``: the endpoint fails at them alone."""
    age_s: float
    """Since the last attempt."""
    again_s: float | None = None
    """Until the next attempt; absent: it is given up."""


class DeadLetterPage(Answer):
    """A page of dead letters."""

    dead_letters: tuple[DeadLetter, ...]
    windows: tuple[UnreadWindow, ...]
    """On the first page."""
    more_windows: int = 0
    """Beside them, where they are too many to be listed."""
    next: str = ""
    """For `after`, where there may be more."""


class RetryReport(Answer):
    """The run that they are now; null where there were none."""

    run: str | None
    documents: int
    messages: int
    windows: int
    """The number of windows that are read again."""


class DiscardReport(Answer):
    """Numbers of what was removed."""

    documents: int
    messages: int
    windows: int
    """The number of windows that count as read, and contain no facts."""
