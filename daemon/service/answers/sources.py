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
    """Why it is not read; empty where it is."""


class AccountAnswer(Answer):
    """What a login to an account shows."""

    name: str
    checked: bool
    """False: nobody logged in."""
    parts: tuple[AccountPartAnswer, ...]
    notes: tuple[str, ...]
    """What somebody should know beside."""


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
    """When it is read next; null where no daemon does it."""
    last: EndedRun | None
    asked: str | None
    """When it was asked last, also where that run brought nothing and is in no history."""
    news: str | None
    """When a run brought something new last."""
    lag_s: float | None
    """Seconds since the begin of the last run that read everything."""
    since: str
    """When it was added; of a declared one when memd saw it first."""
    waiting: WaitingStatus | None
    """What it waits for at present."""
    files: FileCounts
    flags: tuple[str, ...]
    """What is wrong: ``absent``, ``overdue``, ``interrupted``, ``failing``, ``incomplete``, ``silent``, ``unreadable``, ``schedule``; or
    ``stopped`` (by itself, until somebody does what ``trouble`` says), or ``paused``."""
    trouble: str
    """What went wrong in the last run."""


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
    """What was noted by the last run that read something, without places."""


class SourceListing(Answer):
    """Everything that runs by schedule."""

    scheduled: bool
    """Whether a daemon does it by itself."""
    sources: tuple[SourceStatus, ...]
    maintenance: tuple[MaintenanceStatus, ...]


class RemovedSource(Answer):
    """What was removed."""

    name: str


class SyncedSource(Answer):
    """What became of one source; with ``waited`` also the fields of a progress update."""

    model_config = ConfigDict(extra="allow", use_attribute_docstrings=True)

    name: str
    notices: tuple[NoticeCount, ...] = ()
    """What was assumed of the files that were read."""
    exports: tuple[ReadExport, ...] = ()
    skipped: tuple[SkippedFile, ...] = ()


class StoppedSource(Answer):
    """A source that was left out because it stopped by itself."""

    name: str
    why: str
    """As its last run told it, often with what to do."""
    hint: str
    """What makes it go on."""


class SyncReport(Answer):
    """What was read, or asked for."""

    waited: bool
    sources: tuple[SyncedSource, ...]
    stopped: tuple[StoppedSource, ...] = ()
    """Where no source was named: those that stopped, which are read when they are named."""
