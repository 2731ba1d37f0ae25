"""Answer models of the operations. They describe answers in OpenAPI; no answer passes them on its way out.

`tests/daemon/test_operation_table.py` holds them against answers of a real daemon. A field with a default may be absent.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, RootModel

from ...schemas import (
    ConversationDocument,
    Fact,
    Hit,
    Instant,
    Outcome,
    ProgressUpdate,
    QueryResult,
    Rejected,
    TextDocument,
    TextRange,
)
from .receipts import ReadExport, SkippedFile

__all__ = ["ProgressUpdate"]


class Answer(BaseModel):
    """The parent of all: closed, so that a field that is not described fails the test."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)


class ErrorAnswer(Answer):
    """Every error."""

    code: str
    """docs/formats.md lists them."""
    message: str
    hint: str
    retryable: bool
    correlation_id: str
    problems: tuple[str, ...] = ()
    """All of them, where there are several."""


class QueryAnswer(QueryResult):
    """Messages, and the facts that they are evidence of."""


class Sentence(Answer):
    """A sentence of an answer, with the hits that it cites."""

    text: str
    ids: tuple[str, ...]


class ModelAnswer(Answer):
    """An answer in words."""

    question: str
    found: bool
    answer: tuple[Sentence, ...]
    dropped: int
    """Number of sentences that cited nothing that was sent."""
    withheld: int
    """Number of hits that are never sent."""
    degraded: tuple[str, ...]
    hits: tuple[Hit, ...]


class NoticeCount(Answer):
    """Notices of one code."""

    code: str
    count: int
    hint: str
    places: tuple[str, ...]
    """The first three."""


class StoreAnswer(Answer):
    """Counts of messages, which are in the journal now. With `check` only `conflicts`."""

    run: str = ""
    accepted: int = 0
    unchanged: int = 0
    rejected: int = 0
    reasons: tuple[Rejected, ...] = ()
    """The first 20 that were rejected."""
    notices: tuple[NoticeCount, ...] = ()
    conflicts: tuple[str, ...] = ()
    """Titles of chats that are stored as other chats of the same title."""


class MessagesAnswer(Answer):
    """Counts of messages, which are in the journal now."""

    run: str
    accepted: int
    buffered: int
    """Messages of all sessions that wait in buffers now."""


class DocumentLine(Answer):
    """A document in a listing."""

    key: str
    id: str
    source: str
    kind: str
    title: str
    messages: int
    summaries: tuple[str, ...] = ()
    timestamp: Instant | None = None


class DocumentPage(Answer):
    """A page of documents."""

    documents: tuple[DocumentLine, ...]
    next: str = ""
    """For `after`, where there may be more."""


class MetricsText(RootModel[str]):
    """Metrics in the text format of Prometheus."""


class DocumentAnswer(RootModel[ConversationDocument | TextDocument]):
    """A document in its wire form."""


class Summary(Answer):
    """What some messages say, in the words of a language model."""

    text: str
    message_ids: tuple[str, ...]


class ShownDocument(Answer):
    """A document; for a message also its key and its position, from 0, for a hit in a text its part of the content."""

    document: DocumentAnswer
    message: str = ""
    position: int = 0
    passage: TextRange | None = None
    summaries: tuple[Summary, ...] = ()


class ExportReport(Answer):
    """Counts of an export that came whole."""

    documents: int
    messages: int
    waiting: int
    """Documents that wait to be stored, and may be missing."""


class VectorCounts(Answer):
    """Vectors that are made, and that are not made yet."""

    done: int
    pending: int


class QueueState(Answer):
    """Messages that are acknowledged and not stored yet."""

    depth: int
    oldest_s: float
    buffered: int
    """Those among them that wait for others of their session."""


class Generation(Answer):
    """The model that made the vectors."""

    model: str
    dimension: int


class CacheCounts(Answer):
    """Texts that needed no embedding, and texts that did, since the start."""

    hits: int
    misses: int


class QueryTimes(Answer):
    """Percentiles of the time of a query, since the start."""

    p50: float | None
    p95: float | None
    p99: float | None


class StatsAnswer(Answer):
    """Counts, sizes and times."""

    documents: int
    messages: int
    chunks: int
    facts: int
    facts_rejected: dict[str, int]
    """By reason."""
    people: int
    vectors: VectorCounts
    bytes: dict[str, int]
    embedding_cache: CacheCounts
    index_lag: dict[str, int]
    generation: Generation | None
    query_ms: QueryTimes
    queue: QueueState
    dead_letters: int


class PartStatsAnswer(Answer):
    """Counts of some chats or sources."""

    chats: tuple[str, ...]
    """The titles that were meant."""
    sources: tuple[str, ...]
    documents: int
    messages: int
    chunks: int
    facts: int
    people: int
    vectors: VectorCounts
    first: Instant | None
    """Of the first message, or text with a time."""
    last: Instant | None


class WorkerFailure(Answer):
    """A background worker that fails at present."""

    worker: str
    error: str
    count: int


class UnreadableDocument(Answer):
    """A document that cannot be read for facts."""

    id: str
    error: str


class ExtractionState(Answer):
    """How far documents are read for facts."""

    unread: int
    batches: int
    """Batches of questions that wait for a model's answers."""
    trouble: str
    """Why nothing is read at present."""
    unreadable: tuple[UnreadableDocument, ...]
    given_up: int
    """Windows that a language model could not read, and that are not tried again by themselves."""


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
    """What started the job: ``schedule``, ``watch``, ``sync``, ``resume``."""
    due: str | None = None
    """The scheduled time that it was for."""
    detail: str = ""
    """What went wrong."""
    undone: str | None = None
    """When what it brought was taken back."""


class FileCounts(Answer):
    """Files of a source."""

    known: int
    unreadable: int
    """Nothing of them could be read."""
    incomplete: int
    """Some of their records could not be read."""
    left_out: int
    """They lie in an export of several files and hold no messages."""


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
    """What is wrong with its schedule, or went wrong last."""


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


class RunPage(Answer):
    """Runs, the newest first."""

    runs: tuple[EndedRun, ...]
    next: str | None = None


class RunAnswer(EndedRun):
    """A run with its receipt; ``finished`` is empty while it goes on."""

    exports: tuple[ReadExport, ...] = ()
    skipped: tuple[SkippedFile, ...] = ()
    notices: tuple[NoticeCount, ...] = ()
    """What was noted of what a source held, without places."""


class ReceiptAnswer(Answer):
    """What a receipt was added to."""

    run: str


class IndexState(Answer):
    """What finds, and how far it is."""

    name: str
    """``embedded`` or ``weaviate``."""
    failure: str
    """Why its server does not find at present; empty where it does."""
    lag: dict[str, int]
    """By index, how many changes of the store it does not contain yet."""


class StatusAnswer(Answer):
    """The owner of the memory, its paths, and what it does."""

    version: str
    pid: int
    uptime_s: float
    config: str
    data_dir: str
    socket: str
    generation: Generation | None
    degraded: tuple[str, ...]
    failures: dict[str, str]
    """By stage of the pipeline (``storing``, ``searching``, ``embedding``), why it fails at present."""
    workers: tuple[WorkerFailure, ...]
    vectors: VectorCounts
    index: IndexState
    reading: ExtractionState
    queue: QueueState
    dead_letters: int
    running: tuple[ProgressUpdate, ...]
    last_runs: tuple[EndedRun, ...]
    scheduled: bool
    """Whether sources are read, and maintenance is done, by itself."""
    sources: tuple[SourceStatus, ...]
    maintenance: tuple[MaintenanceStatus, ...]


class HealthAnswer(Answer):
    """Whether it works, and what does not take part."""

    status: Literal["ok", "degraded"]
    degraded: tuple[str, ...]
    version: str
    pid: int


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

    believed: bool
    statements: int


class UndoReport(Answer):
    """What changed."""

    run: str
    believed: bool
    statements: int
    facts: tuple[FactVersion, ...]
    gone: tuple[str, ...]
    """Ids of facts that nothing supports any more."""


class PersonName(Answer):
    """A person, under the name with most messages."""

    name: str
    messages: int
    """Under all names."""
    id: str
    """Stays the same as long as no other names are merged with this person's."""
    names: dict[str, tuple[str, ...]]
    """By source, those with most messages first."""
    is_user: bool
    """The owner of this memory."""


class IdentityAnswer(Answer):
    """A name in a source."""

    key: str
    source: str
    name: str
    messages: int
    links: tuple[str, ...]
    """`mailto:`, `tel:` and `id:` with what the source tells of this person."""


class EvidenceAnswer(Answer):
    """Why some may be one person."""

    kind: Literal["account", "mail address", "phone number", "full name", "user of documents"]
    value: str


class ProposalAnswer(Answer):
    """Names of several people that may be one."""

    identities: tuple[IdentityAnswer, ...]
    evidence: tuple[EvidenceAnswer, ...]


class ProposalsAnswer(Answer):
    """The best evidence first."""

    proposals: tuple[ProposalAnswer, ...]


class DecisionAnswer(Answer):
    """A decision on people."""

    id: int
    action: Literal["merge", "split", "undo"]
    at: Instant
    stands: bool
    """Nothing took it back."""
    identities: tuple[IdentityAnswer, ...]
    """Of a merge: one of each person. Of a split: those that stand by themselves since."""
    forgotten: int
    """Number of identities whose names nothing that is stored has any more."""
    target: int | None
    """Of an undo: the decision that it took back."""


class DecisionsAnswer(Answer):
    """All decisions, the oldest first."""

    decisions: tuple[DecisionAnswer, ...]


class MergeReport(Answer):
    """A plan, or what was done."""

    people: tuple[PersonName, ...]
    """As they were before."""
    identities: tuple[IdentityAnswer, ...]
    """By which of their names they are merged: at least one of each."""
    dry_run: bool
    decision: int
    """The number to take it back by; 0 of a plan."""


class SplitReport(Answer):
    """A plan, or what was done."""

    person: PersonName
    """As it was before."""
    identities: tuple[IdentityAnswer, ...]
    """Those that stand by themselves."""
    dry_run: bool
    decision: int


class UndonePeople(Answer):
    """The decision that was taken back."""

    undone: DecisionAnswer


class PeopleAnswer(Answer):
    """Everybody who wrote, those with most messages first."""

    people: tuple[PersonName, ...]


class ChatAnswer(Answer):
    """A chat, and what is stored of it."""

    title: str
    id: str
    source: str
    kind: str
    people: tuple[str, ...]
    documents: int
    messages: int
    first: Instant
    """Of its first message."""
    last: Instant


class ChatsAnswer(Answer):
    """Every chat, those with the latest message first."""

    chats: tuple[ChatAnswer, ...]


class ContactAnswer(Answer):
    """A chat, or another person, with counts."""

    name: str
    messages: int
    documents: int
    first: Instant
    last: Instant


class PersonAnswer(Answer):
    """A person."""

    names: tuple[str, ...]
    messages: int
    first: Instant
    last: Instant
    chats: tuple[ContactAnswer, ...]
    contacts: tuple[ContactAnswer, ...]
    topics: tuple[str, ...]
    facts: tuple[StoredFactAnswer, ...]
    apart: tuple[str, ...] = ()
    """Where several people have the name, who were not merged and are counted here together: one of each, as SOURCE:NAME."""


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
    """Where names are whole: those that it is a part of, and does not stand for."""


class ForgetReport(Answer):
    """A plan, or what was done."""

    plan: str
    messages: int
    documents: DocumentCounts
    names: tuple[str, ...]
    taken: tuple[TakenName, ...] = ()
    """Names that were given and are not the whole name of anybody; told by plans alone."""
    identities: tuple[AffectedName, ...] = ()
    """Whose words go, where people or speakers were named: every name that was merged with theirs, too."""
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
    """Those other runs, the oldest first, as far as memd knows them."""
    kept: int
    """Documents that stay as they are because something of them was forgotten since."""
    dry_run: bool
    unpurged: tuple[str, ...] = ()
    """Files that still hold removed bytes; they are purged later."""


class Finding(Answer):
    """What one check found."""

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
    """Whether the settings in force name it."""
    complete: bool
    """Whether every comparison is well."""
    findings: tuple[Finding, ...]
    removed: bool
    """Whether the other index was removed."""


class BackupReport(Answer):
    """A snapshot and its folder."""

    model_config = ConfigDict(extra="allow", use_attribute_docstrings=True)

    snapshot: str
    documents: int
    messages: int
    bytes: int


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
    """That are read again."""


class DiscardReport(Answer):
    """Numbers of what was removed."""

    documents: int
    messages: int
    windows: int
    """That are taken for read, and say nothing."""
