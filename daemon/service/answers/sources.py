"""Answers about sources and accounts."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, NotRequired

from typing_extensions import TypedDict

from ....connectors.live.contract import AccountPart
from ....schemas.progress import Outcome, Stage
from ...sources.repository import FileCounts
from ..receipts import ReadExport, SkippedFile
from .ingestion import NoticeCounts, RunCounts, RunWire
from .wire_form import WireOf


class WaitingStatus(TypedDict):
    """A source waits: its server asked for that, or cannot be reached."""

    until: datetime
    """The time at which it is tried again, RFC 3339."""
    why: str
    """The reason."""


class AccountAnswer(TypedDict):
    """The contents of an account, as a login shows them."""

    name: str
    """The name of the source."""
    checked: bool
    """False: no login took place."""
    parts: tuple[AccountPart, ...]
    """The folders, channels or chats of the account."""
    notes: tuple[str, ...]
    """Further notes for the user."""


class MaintenanceStatus(TypedDict):
    """Scheduled maintenance."""

    name: str
    """The name: `doctor`, `backup`, `prune`."""
    schedule: str
    """The schedule, as configured."""
    doing: Literal["", "running", "waiting"]
    """Its state: at work, waiting for its turn, or neither."""
    next: str | None
    """The time of the next run, RFC 3339; null if no daemon runs it."""
    last: RunWire | None
    """The last run; null before the first."""
    flags: list[str]
    """`schedule`, `overdue`, `interrupted`, `failing`, as of sources."""
    trouble: str
    """The problem of its schedule, or the last error."""


class SourceStatus(TypedDict):
    """A source and how it is."""

    name: str
    """The name of the source."""
    kind: str
    """The kind: `folder`, or the kind of an account."""
    path: str | None
    """The folder or file; null for an account."""
    declared: bool
    """It stands in the configuration."""
    schedule: str
    """The schedule, as configured."""
    watch: bool
    """True if changes of files are read at once."""
    paused: bool
    """True if it is not read by schedule."""
    doing: Literal["", "running", "waiting"]
    """Its state: read now, waiting for its turn, or neither."""
    next: str | None
    """The time of the next run; null if no daemon runs it."""
    last: RunWire | None
    """The last run; null before the first."""
    asked: str | None
    """The time when it was asked last, also if that run found nothing and is not in the history."""
    news: str | None
    """The time of the last run that brought something new."""
    since: str
    """The time when it was added; for a declared source when memd saw it first."""
    waiting: WaitingStatus | None
    """The wait that is in progress, if any."""
    lag_s: float | None
    """Seconds since the begin of the last run that read everything."""
    files: FileCounts
    """Numbers of its files."""
    flags: list[str]
    """Its problems: ``absent``, ``overdue``, ``interrupted``, ``failing``, ``incomplete``, ``silent``, ``unreadable``,
    ``schedule``; or ``stopped`` (by itself, until somebody does what ``trouble`` says), or ``paused``.
    """
    trouble: str
    """The error of the last run."""


class SourceFile(TypedDict):
    """A file of a source that is not in the memory, or not whole."""

    path: str
    """The path of the file."""
    reason: str
    """The reason why it is not stored, or not as a whole."""
    rejected: NotRequired[int]
    """Its records that could not be read."""


class SourceAnswer(SourceStatus):
    """One source, with everything that is known of it."""

    settings: dict[str, Any]
    """Its settings as configured, without secrets."""
    unreadable: list[SourceFile]
    """Files that cannot be read; of each kind the first 20."""
    incomplete: list[SourceFile]
    """Files of which some records could not be read."""
    left_out: list[SourceFile]
    """Files of an export that hold no messages."""
    runs: list[RunWire]
    """Its last runs, the newest first."""
    notices: NoticeCounts
    """The notices of the last run that read something, without places."""


class SourceListing(TypedDict):
    """Everything that runs by schedule."""

    scheduled: bool
    """True if a daemon runs it by itself."""
    sources: list[SourceStatus]
    """The sources."""
    maintenance: list[MaintenanceStatus]
    """Scheduled maintenance: checks, backups, pruning."""


class RemovedSource(TypedDict):
    """The source that was removed."""

    name: str
    """The name of the source."""


class SyncedSource(RunCounts):
    """The result of one source; without ``waited`` only its name."""

    name: str
    """The name of the source."""
    run: NotRequired[str]
    """The id of the run; absent if none began."""
    stage: NotRequired[Stage]
    """``done``."""
    source: NotRequired[str]
    """The name of the source."""
    total: NotRequired[int]
    """Number of messages that are to come in."""
    waiting: NotRequired[int]
    """Number of documents that are acknowledged and not stored yet."""
    embedded: NotRequired[int]
    """Number of vectors that were made."""
    to_embed: NotRequired[int]
    """Number of vectors that are needed."""
    outcome: NotRequired[Outcome]
    """``partial`` or ``failed``: `detail` has the reason."""
    detail: NotRequired[str]
    """The error."""
    notices: NotRequired[NoticeCounts]
    """The assumptions about the files that were read."""
    exports: NotRequired[list[ReadExport]]
    """The exports that were read."""
    skipped: NotRequired[list[SkippedFile]]
    """The files that were not read."""
    incomplete: NotRequired[bool]
    """True if the receipt does not tell all that was read."""
    complete_in: NotRequired[str]
    """The id of a later run that read the same, with a receipt that tells all of it."""


class StoppedSource(TypedDict):
    """A source that was left out because it stopped by itself."""

    name: str
    """The name of the source."""
    why: str
    """As its last run told it, often with what to do."""
    hint: str
    """The action that makes it continue."""


class SyncReport(TypedDict):
    """The sources that were read or requested."""

    waited: bool
    """True if the answer came after everything was read."""
    sources: list[Annotated[dict[str, Any], WireOf(SyncedSource)]]
    """One entry for each source."""
    stopped: NotRequired[list[StoppedSource]]
    """The stopped sources, which are read only when they are named; filled if no source was named."""
    maintenance: NotRequired[list[RunWire]]
    """The maintenance that was due, for a nightly request without a daemon."""
