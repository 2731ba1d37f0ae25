"""Answers about upkeep: its state, what was sent, forgetting, export, doctor, reindex, migration, backup."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict

from ....schemas import Instant
from .answer import Answer
from .ingestion import EndedRun


class ExportReport(Answer):
    """Counts of an export that came whole."""

    documents: int
    messages: int
    waiting: int
    """Documents that wait to be stored, and may be missing."""


class MaintenanceStatus(Answer):
    """Scheduled maintenance."""

    name: str
    schedule: str
    doing: Literal["", "running", "waiting"]
    next: str | None
    last: EndedRun | None
    flags: tuple[str, ...]
    """`schedule`, `overdue`, `interrupted`, `failing`, as of sources."""
    trouble: str
    """The problem of its schedule, or the last error."""


class SentText(Answer):
    """A text that was sent to a language model, as it left."""

    number: int
    at: Instant
    place: str
    model: str
    purpose: str
    run: str
    text: str
    hidden: int
    """Number of secrets that placeholders replaced."""


class AuditPage(Answer):
    """A page of sent texts."""

    sent: tuple[SentText, ...]
    next: int = 0
    """For `before`, where there may be more."""


class Spent(Answer):
    """A row of the ledger."""

    name: str
    calls: int
    prompt_tokens: int
    completion_tokens: int
    money: float | None


class LedgerAnswer(Answer):
    """Totals."""

    by: str
    totals: tuple[Spent, ...]


class DocumentCounts(Answer):
    """Documents that go as a whole, and that lose messages."""

    whole: int
    partly: int


class AffectedDocument(Answer):
    """A document of a plan."""

    id: str
    source: str
    title: str
    messages: int
    whole: bool


class AffectedChat(Answer):
    """A chat of a plan, or the texts of one title; the times are those of the first and last message that goes."""

    title: str
    source: str
    kind: Literal["conversation", "text"]
    messages: int
    documents: int
    first: Instant | None = None
    last: Instant | None = None


class AffectedName(Answer):
    """A name in a source under which something goes."""

    source: str
    name: str
    messages: int


class TakenName(Answer):
    """A name that was taken for another one, of which it is a part; or that nobody has, and what it may be meant to be."""

    kind: Literal["speaker", "person", "source", "chat"]
    asked: str
    name: str | None = None
    nearest: tuple[str, ...] = ()
    part_of: tuple[str, ...] = ()
    """The whole names that contain it, if it is a part of them and stands for none."""


class ForgetReport(Answer):
    """A plan, or what was done."""

    plan: str
    messages: int
    documents: DocumentCounts
    names: tuple[str, ...]
    taken: tuple[TakenName, ...] = ()
    """Names that were given and are not the whole name of anybody; told by plans alone."""
    identities: tuple[AffectedName, ...] = ()
    """The names whose messages are removed, if people or speakers were named: every name that was merged with theirs,
    too.
    """
    facts_about: int
    waiting: int
    """Messages that were in the journal only."""
    damaged: int
    """Documents in the journal that cannot be read."""
    largest: tuple[AffectedDocument, ...]
    """The 20 documents with most messages that go."""
    chats: tuple[AffectedChat, ...]
    """The 20 chats with most messages that go."""
    chat_count: int
    dry_run: bool
    unpurged: tuple[str, ...]
    """Files that still hold removed bytes; they are purged later."""


class Finding(Answer):
    """The result of one check."""

    check: str
    severity: Literal["ok", "warning", "error"]
    detail: str
    hint: str = ""


class DoctorReport(Answer):
    """All findings."""

    healthy: bool
    repaired: tuple[str, ...]
    findings: tuple[Finding, ...]


class ReindexReport(Answer):
    """Documents that were chunked again, and vectors that were made, are missing, or were dropped."""

    documents: int
    embedded: int
    pending: int
    dropped: int


class MigrateReport(Answer):
    """An index that holds what the store holds."""

    index: str
    in_use: bool
    """True if the settings in force name it."""
    complete: bool
    """True if all comparisons agree."""
    findings: tuple[Finding, ...]
    removed: bool
    """True if the other index was removed."""


class BackupReport(Answer):
    """A snapshot and its folder."""

    model_config = ConfigDict(extra="allow", use_attribute_docstrings=True)

    snapshot: str
    documents: int
    messages: int
    bytes: int
