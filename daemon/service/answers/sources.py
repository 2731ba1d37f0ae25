"""Answers about sources and accounts."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import ConfigDict

from ..receipts import ReadExport, SkippedFile
from .answer import Answer, NoticeCount
from .ingestion import EndedRun, FileCounts
from .upkeep import MaintenanceStatus


class WaitingStatus(Answer):
    """A source waits: its server asked for that, or cannot be reached."""

    until: str
    why: str


class AccountPartAnswer(Answer):
    """A folder, a channel or a chat of an account."""

    name: str
    messages: int | None
    left_out: str
    """The reason why it is not read; empty if it is."""


class AccountAnswer(Answer):
    """The contents of an account, as a login shows them."""

    name: str
    checked: bool
    """False: no login took place."""
    parts: tuple[AccountPartAnswer, ...]
    notes: tuple[str, ...]
    """Further notes for the user."""


class SourceStatus(Answer):
    """A source and how it is."""

    name: str
    kind: str
    path: str | None
    declared: bool
    """It stands in the configuration."""
    schedule: str
    watch: bool
    paused: bool
    doing: Literal["", "running", "waiting"]
    next: str | None
    """The time of the next run; null if no daemon runs it."""
    last: EndedRun | None
    asked: str | None
    """The time when it was asked last, also if that run found nothing and is not in the history."""
    news: str | None
    """The time of the last run that brought something new."""
    lag_s: float | None
    """Seconds since the begin of the last run that read everything."""
    since: str
    """The time when it was added; for a declared source when memd saw it first."""
    waiting: WaitingStatus | None
    """The wait that is in progress, if any."""
    files: FileCounts
    flags: tuple[str, ...]
    """Its problems: ``absent``, ``overdue``, ``interrupted``, ``failing``, ``incomplete``, ``silent``, ``unreadable``,
    ``schedule``; or ``stopped`` (by itself, until somebody does what ``trouble`` says), or ``paused``.
    """
    trouble: str
    """The error of the last run."""


class SourceFile(Answer):
    """A file of a source that is not in the memory, or not whole."""

    path: str
    reason: str
    rejected: int = 0
    """Its records that could not be read."""


class SourceAnswer(SourceStatus):
    """One source, with everything that is known of it."""

    settings: dict[str, Any]
    unreadable: tuple[SourceFile, ...]
    """Files that cannot be read; of each kind the first 20."""
    incomplete: tuple[SourceFile, ...]
    """Files of which some records could not be read."""
    left_out: tuple[SourceFile, ...]
    """Files of an export that hold no messages."""
    runs: tuple[EndedRun, ...]
    notices: tuple[NoticeCount, ...]
    """The notices of the last run that read something, without places."""


class SourceListing(Answer):
    """Everything that runs by schedule."""

    scheduled: bool
    """True if a daemon runs it by itself."""
    sources: tuple[SourceStatus, ...]
    maintenance: tuple[MaintenanceStatus, ...]


class RemovedSource(Answer):
    """The source that was removed."""

    name: str


class SyncedSource(Answer):
    """The result of one source; with ``waited`` also the fields of a progress update."""

    model_config = ConfigDict(extra="allow", use_attribute_docstrings=True)

    name: str
    notices: tuple[NoticeCount, ...] = ()
    """The assumptions about the files that were read."""
    exports: tuple[ReadExport, ...] = ()
    skipped: tuple[SkippedFile, ...] = ()


class StoppedSource(Answer):
    """A source that was left out because it stopped by itself."""

    name: str
    why: str
    """As its last run told it, often with what to do."""
    hint: str
    """The action that makes it continue."""


class SyncReport(Answer):
    """The sources that were read or requested."""

    waited: bool
    sources: tuple[SyncedSource, ...]
    stopped: tuple[StoppedSource, ...] = ()
    """The stopped sources, which are read only when they are named; filled if no source was named."""
