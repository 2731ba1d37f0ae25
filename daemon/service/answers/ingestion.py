"""Answers about what comes in: uploads, runs and their receipts, what waits, what could not be read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal, NotRequired

from typing_extensions import TypedDict

from ....schemas import Outcome, Rejected
from ..receipts import ReadExport, SkippedFile
from .upkeep import AffectedChat
from .wire_form import WireOf


class NoticeCount(TypedDict):
    """Notices of one code."""

    code: str
    """The kind of notice; docs/documents.md lists them."""
    count: int
    """Number of notices of this code."""
    hint: str
    """The meaning in words, with what to do."""
    places: list[str]
    """The first three."""


NoticeCounts = list[Annotated[dict[str, Any], WireOf(NoticeCount)]]


class StoreAnswer(TypedDict):
    """Counts of messages, which are in the journal now. With `check` only `conflicts`, with `digests` only `undecided`."""

    run: NotRequired[str]
    """The id of the run; give it to `GET /v1/progress`."""
    accepted: NotRequired[int]
    """Number of messages that are in the journal now."""
    unchanged: NotRequired[int]
    """Number of messages that are stored already."""
    rejected: NotRequired[int]
    """Number of lines that could not be read."""
    reasons: NotRequired[Sequence[Rejected]]
    """The first 20 that were rejected."""
    notices: NotRequired[NoticeCounts]
    """Assumptions about the documents, and what was unknown in them, by code."""
    conflicts: NotRequired[list[str]]
    """Titles of chats that are stored as other chats of the same title."""
    undecided: NotRequired[list[str]]
    """Keys of days that are stored in another form, of chats of which no day is stored in the given form."""


class RunCounts(TypedDict, total=False):
    """Counts of a run, in messages (a text document counts as one) but for `documents`; maintenance has none."""

    processed: int
    """Number of messages that came in."""
    documents: int
    """Number of documents that were stored, changed or not."""
    added: int
    """Number of messages that are new."""
    updated: int
    """Number of messages that were stored in another form before."""
    unchanged: int
    """Number of messages that were stored already."""
    rejected: int
    """Number of records that could not be read."""
    failed: int
    """Number of messages that could not be stored, and were given up."""
    forgotten: int
    """Number of messages that were left out, because they were forgotten before."""


class EndedRun(RunCounts):
    """A run that is over."""

    run: str
    """The id of the run."""
    source: str
    """The name that its sender gave, or the source that was read."""
    started: str
    """The time of its begin, RFC 3339."""
    finished: str
    """The time of its end, RFC 3339."""
    outcome: Outcome | Literal[""]
    """The result: all went well, some was lost, or nothing was stored; empty while it goes on."""
    job: NotRequired[str]
    """``source:NAME`` or ``maintenance:NAME``; absent: a command or a client sent it."""
    trigger: NotRequired[str]
    """The trigger of the job: ``schedule``, ``watch``, ``sync``, ``resume``."""
    due: NotRequired[str]
    """The scheduled time that it was for."""
    detail: NotRequired[str]
    """The error."""
    undone: NotRequired[str]
    """The time when its changes were undone."""


class MirroredNotes(TypedDict):
    """Numbers of notes of a mirror."""

    removed: int
    """Notes that are removed, because their files are gone."""
    returned: int
    """Removed notes that came back with their files."""
    renamed: int
    """Files that have another name now."""


RunWire = Annotated[dict[str, Any], WireOf(EndedRun)]


class PathsRead(TypedDict):
    """The paths that a run read."""

    count: int
    """Number of paths."""
    paths: list[str]
    """The first ones: files, archives, or folders that are read as one."""


class ListedRun(EndedRun):
    """An ended run with what it read."""

    read: NotRequired[PathsRead]
    """Absent where it read no file."""
    notes: NotRequired[MirroredNotes]
    """Absent where no note of a mirror went, came back or got another name."""


ListedRunWire = Annotated[dict[str, Any], WireOf(ListedRun)]


class RunPage(TypedDict):
    """Runs, the newest first."""

    runs: list[ListedRunWire]
    """The runs."""
    next: NotRequired[str]
    """For `before`, where there may be more."""


class RunAnswer(EndedRun):
    """A run with its receipt; ``finished`` is empty while it goes on."""

    exports: list[ReadExport]
    """The exports that were read."""
    skipped: list[SkippedFile]
    """The files that were not read."""
    incomplete: NotRequired[bool]
    """Whoever read it has not told all of it: it is at work, or was killed."""
    complete_in: NotRequired[str]
    """A later run that read the same, with a receipt that tells all of it."""
    notices: NoticeCounts
    """The notices about the contents of a source, without places."""
    notes: NotRequired[MirroredNotes]
    """Absent where no note of a mirror went, came back or got another name."""


RunAnswerWire = Annotated[dict[str, Any], WireOf(RunAnswer)]


class ReceiptAnswer(TypedDict):
    """The run whose receipt was added to."""

    run: str
    """The id of the run."""


class UndoImportPlan(TypedDict):
    """The effect of undoing runs."""

    run: str
    """The whole id of the run."""
    plan: str
    """The number of the plan, for `plan` of the request that carries it out."""
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
    kept: int
    """Documents that stay as they are because something of them was forgotten since."""
    chats: list[AffectedChat]
    """The chats and texts that lose most, 20 at most."""
    chat_count: int
    """Number of chats and texts that lose something."""
    also: NotRequired[Sequence[str]]
    """The runs that are undone with it."""
    others: NotRequired[Sequence[str]]
    """The other runs, the oldest first, as far as memd knows them."""


class UndoImportReport(UndoImportPlan):
    """A plan, or what was done."""

    dry_run: bool
    """True if nothing was changed."""
    unpurged: NotRequired[list[str]]
    """Files that still hold removed bytes; they are purged later."""


class DeadLetter(TypedDict):
    """A document that was given up."""

    id: str
    """The number of the dead letter."""
    document_id: str
    """The id of the document."""
    source: str
    """The source of the document."""
    run: str
    """The id of the run that brought it."""
    messages: int
    """Number of messages in it."""
    bytes: int
    """The size of the document as JSON, in bytes."""
    attempts: int
    """Number of attempts to store it."""
    reason: str
    """The kind of error, without private text."""
    age_s: float
    """Seconds since it was given up."""


class UnreadWindow(TypedDict):
    """Some lines of a stored document that a language model could not read for facts."""

    id: str
    """The number of the window."""
    document_id: str
    """The id of the document."""
    source: str
    """The source of the document."""
    attempts: int
    """Number of attempts to read it."""
    reason: str
    """``refused``, ``truncated``, ``too-long``, ``not-taken``, ``unreadable``; ``failed``: the endpoint fails at them alone."""
    age_s: float
    """Since the last attempt."""
    again_s: NotRequired[float]
    """Until the next attempt; absent: it is given up."""


class DeadLetterPage(TypedDict):
    """A page of dead letters."""

    dead_letters: list[DeadLetter]
    """The documents that were given up."""
    windows: list[UnreadWindow]
    """On the first page."""
    more_windows: NotRequired[int]
    """Beside them, where they are too many to be listed."""
    next: NotRequired[str]
    """For `after`, where there may be more."""


class RetryReport(TypedDict):
    """The run that they are now; null where there were none."""

    run: str | None
    """The id of the run; null if there was no document."""
    documents: int
    """Number of documents that are tried again."""
    messages: int
    """Number of messages in them."""
    windows: int
    """The number of windows that are read again."""


class DiscardReport(TypedDict):
    """Numbers of what was removed."""

    documents: int
    """Number of documents that were removed."""
    messages: int
    """Number of messages in them."""
    windows: int
    """The number of windows that count as read, and contain no facts."""
