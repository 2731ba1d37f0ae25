"""The list of all operations of the API, from which routes, OpenAPI, the client's paths and the table in
docs/api.md are made.

Rule 1: the standard library alone, because `memd query` starts with this file (see `client`). For that reason models
and handlers are given by name: models of `service.requests` and `service.answers`, methods of `service.Service`.
`tests/daemon/test_operation_table.py` checks all of them.

To add an operation: its row here, its request and answer models, and the method of the service that carries it out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from string import Formatter
from typing import Any, Literal, cast
from urllib.parse import quote, urlencode

Permission = Literal["read", "write"]
"""The permission that a peer needs. Every peer that the socket accepts (`http.protocol.allowed`) has both; on an empty
data directory, a command that only reads does not create a store.
"""

Answer = Literal["object", "lines", "object or lines", "documents", "events", "text"]
"""The form of the answer: a JSON object; JSON lines with progress, then the result or the error; whichever of the two
the client accepts; documents as JSON lines; server-sent events; text for Prometheus.
"""


@dataclass(frozen=True, slots=True)
class Operation:
    """One request that the daemon answers. The request model has the fields of path, query string and body alike."""

    name: str
    method: Literal["GET", "POST"]
    path: str
    """The path; parts in braces are fields of the request model."""
    summary: str
    handler: str
    """The method of `Service` that gets the request, with dots for its parts; for ``lines`` it also gets a
    `ReportProgress`.
    """
    request: str
    response: str
    """The model of the object, of the result in the last line, or of an event's data."""
    permission: Permission = "read"
    answer: Answer = "object"
    command: str | None = ""
    """The main verb of the command line for it; empty: the operation's name."""
    upload: bool = False
    """True if the body is documents as JSON lines, with the request model in the query string."""

    @property
    def verb(self) -> str | None:
        """Return the verb of the command line; None without one."""
        return self.name if self.command == "" else self.command

    @property
    def idempotent(self) -> bool:
        """Return whether carrying it out twice has the same effect as once."""
        return self.permission == "read" or self.upload

    @property
    def path_fields(self) -> tuple[str, ...]:
        """Return the names of the fields in the path."""
        return tuple(name for _, name, _, _ in Formatter().parse(self.path) if name)

    def target(self, given: Mapping[str, Any]) -> str:
        """Return the path for these values, with the query string of a GET or an upload."""
        inside = self.path_fields
        path = self.path.format_map({name: quoted(str(given[name])) for name in inside})
        if self.method == "POST" and not self.upload:
            return path
        return with_parameters(path, {name: value for name, value in given.items() if name not in inside})

    def body(self, given: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Return the JSON object to send; None for a GET or an upload, whose fields are in the path and the query
        string.
        """
        if self.method == "GET" or self.upload:
            return None
        return {name: value for name, value in given.items() if name not in self.path_fields}


def with_parameters(path: str, parameters: Mapping[str, Any] | None) -> str:
    """Return a path with its query string; None is omitted, lists repeat their key."""
    pairs: list[tuple[str, str]] = []
    for name, value in (parameters or {}).items():
        values = cast("list[object]", value) if isinstance(value, list) else [] if value is None else [value]
        pairs += [(name, valid(str(each))) for each in values]
    return f"{path}?{urlencode(pairs)}" if pairs else path


def quoted(identifier: str) -> str:
    """Quote an id as one part of a path."""
    return quote(valid(identifier), safe="")


def valid(text: str) -> str:
    """Return the text as valid Unicode: bytes of a command line that are not UTF-8 arrive as lone surrogates, which
    become U+FFFD, as in all stored texts.
    """
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


QUERY = Operation("query", "POST", "/v1/query", "Ask what is stored", "query", "QueryRequest", "QueryResult")
ASK = Operation(
    "ask",
    "POST",
    "/v1/ask",
    "An answer by the language model, with the messages it rests on",
    "knowledge.ask",
    "QueryRequest",
    "ModelAnswer",
    answer="object or lines",
)
STORE = Operation(
    "store",
    "POST",
    "/v1/documents",
    "Store documents, sent as JSON lines",
    "receive",
    "StoreRequest",
    "StoreAnswer",
    command="ingest",
    permission="write",
    upload=True,
)
MESSAGES = Operation(
    "messages",
    "POST",
    "/v1/messages",
    "Add lists of messages of a running conversation",
    "add_messages",
    "MessagesRequest",
    "MessagesAnswer",
    command=None,
    permission="write",
)
DOCUMENTS = Operation(
    "documents", "GET", "/v1/documents", "What is stored, the newest first", "listing", "ListingRequest", "DocumentPage"
)
DOCUMENT = Operation(
    "document",
    "GET",
    "/v1/documents/{id}",
    "One document, as it is stored",
    "document",
    "IdRequest",
    "DocumentAnswer",
    command=None,
)
SHOW = Operation(
    "show", "GET", "/v1/show/{id}", "A message in its document, or a document", "show", "IdRequest", "ShownDocument"
)
EXPORT = Operation(
    "export",
    "GET",
    "/v1/export",
    "Documents as JSON lines, by source and id",
    "exports.lines",
    "ExportRequest",
    "ExportReport",
    answer="documents",
)
PROGRESS = Operation(
    "progress",
    "GET",
    "/v1/progress",
    "Progress of one run, or of all",
    "follow",
    "ProgressRequest",
    "ProgressUpdate",
    command="watch",
    answer="events",
)
STATS = Operation("stats", "GET", "/v1/stats", "Counts, sizes and times", "stats", "NoRequest", "StatsAnswer")
PART_STATS = Operation(
    "part_stats",
    "GET",
    "/v1/part-stats",
    "Counts of some chats or sources",
    "knowledge.part_stats",
    "PartStatsRequest",
    "PartStatsAnswer",
    command="stats",
)
STATUS = Operation(
    "status", "GET", "/v1/status", "Who owns the memory, and what it does", "status", "NoRequest", "StatusAnswer"
)
HEALTH = Operation(
    "health", "GET", "/v1/health", "Whether it works", "health_with_sources", "NoRequest", "HealthAnswer"
)
METRICS = Operation(
    "metrics",
    "GET",
    "/v1/metrics",
    "Counts, sizes and durations for Prometheus",
    "metrics.text",
    "NoRequest",
    "MetricsText",
    answer="text",
    command=None,
)
FACTS = Operation("facts", "GET", "/v1/facts", "A page of facts", "knowledge.facts", "FactsRequest", "FactPage")
REFUSED_FACTS = Operation(
    "refused_facts",
    "GET",
    "/v1/refused-facts",
    "A page of what readers proposed and no check let pass, with the reason",
    "knowledge.refused",
    "RefusedFactsRequest",
    "RefusedFactPage",
    command="facts",
)
HISTORY = Operation(
    "history",
    "GET",
    "/v1/facts/{id}/history",
    "Every version of a fact and of those it superseded or that superseded it",
    "knowledge.history",
    "IdRequest",
    "FactHistory",
)
BELIEF = Operation(
    "belief",
    "GET",
    "/v1/undo/{id}",
    "Whether the statements behind a fact or a run are believed",
    "knowledge.belief",
    "IdRequest",
    "BeliefAnswer",
    command="undo",
)
UNDO = Operation(
    "undo",
    "POST",
    "/v1/undo",
    "Stop believing the statements behind a fact or a run, or believe them again",
    "knowledge.undo",
    "UndoRequest",
    "UndoReport",
    permission="write",
)
UNDO_IMPORT = Operation(
    "undo_import",
    "POST",
    "/v1/undo-import",
    "Plan to take back what a run brought, or carry such a plan out",
    "imports.undo",
    "UndoImportRequest",
    "UndoImportReport",
    command="undo",
    permission="write",
    answer="lines",
)
CHATS = Operation("chats", "GET", "/v1/chats", "Every chat", "knowledge.chats", "NoRequest", "ChatsAnswer")
PEOPLE = Operation("people", "GET", "/v1/people", "Everybody who wrote", "people.people", "NoRequest", "PeopleAnswer")
PERSON = Operation(
    "person",
    "GET",
    "/v1/people/{id}",
    "Contacts, topics and facts of a person, by name",
    "knowledge.person",
    "IdRequest",
    "PersonAnswer",
    command="people",
)
PROPOSALS = Operation(
    "proposals",
    "GET",
    "/v1/people-proposals",
    "Who may be one person, with the evidence",
    "people.proposals",
    "NoRequest",
    "ProposalsAnswer",
    command="people",
)
DECISIONS = Operation(
    "decisions",
    "GET",
    "/v1/people-decisions",
    "What was merged, split and taken back",
    "people.decisions",
    "NoRequest",
    "DecisionsAnswer",
    command="people",
)
MERGE_PEOPLE = Operation(
    "merge_people",
    "POST",
    "/v1/merge-people",
    "Plan to make one person of several, or do it",
    "people.merge",
    "MergePeopleRequest",
    "MergeReport",
    command="people",
    permission="write",
)
SPLIT_PERSON = Operation(
    "split_person",
    "POST",
    "/v1/split-person",
    "Plan to let names of a person stand by themselves again, or do it",
    "people.split",
    "SplitPersonRequest",
    "SplitReport",
    command="people",
    permission="write",
)
UNDO_PEOPLE = Operation(
    "undo_people",
    "POST",
    "/v1/undo-people",
    "Take back a decision on people",
    "people.undo",
    "UndoPeopleRequest",
    "UndonePeople",
    command="people",
    permission="write",
)
AUDIT = Operation(
    "audit",
    "GET",
    "/v1/audit",
    "What was sent to a language model, the latest first",
    "knowledge.audit",
    "AuditRequest",
    "AuditPage",
)
LEDGER = Operation(
    "ledger",
    "GET",
    "/v1/ledger",
    "Calls, tokens and money of language models",
    "knowledge.spent",
    "LedgerRequest",
    "LedgerAnswer",
    command="audit",
)
FORGET = Operation(
    "forget",
    "POST",
    "/v1/forget",
    "Plan a forgetting, or carry one out",
    "forgetting.forget",
    "ForgetRequest",
    "ForgetReport",
    permission="write",
    answer="lines",
)
DOCTOR = Operation(
    "doctor",
    "POST",
    "/v1/doctor",
    "Check what is stored, and repair what is derived",
    "doctor.check",
    "DoctorRequest",
    "DoctorReport",
    permission="write",
    answer="lines",
)
REINDEX = Operation(
    "reindex",
    "POST",
    "/v1/reindex",
    "Chunk and embed again what other settings made",
    "reindexing.run",
    "ReindexRequest",
    "ReindexReport",
    permission="write",
    answer="lines",
)
MIGRATE = Operation(
    "migrate",
    "POST",
    "/v1/migrate",
    "Fill another index from the store, and compare it",
    "migration.run",
    "MigrateRequest",
    "MigrateReport",
    permission="write",
    answer="lines",
)
BACKUP = Operation(
    "backup",
    "POST",
    "/v1/backup",
    "Add a snapshot to the backups in a folder",
    "backups.add",
    "BackupRequest",
    "BackupReport",
    permission="write",
    answer="lines",
)
SOURCES = Operation(
    "sources",
    "GET",
    "/v1/sources",
    "Sources that are read by schedule, and scheduled maintenance",
    "sources.listing",
    "NoRequest",
    "SourceListing",
)
SOURCE = Operation(
    "source",
    "GET",
    "/v1/sources/{id}",
    "One source: settings, last runs, files that cannot be read",
    "sources.show",
    "IdRequest",
    "SourceAnswer",
    command="sources",
)
ADD_SOURCE = Operation(
    "add_source",
    "POST",
    "/v1/sources",
    "Add a source",
    "sources.add",
    "AddSourceRequest",
    "SourceAnswer",
    command="sources",
    permission="write",
)
CHECK_SOURCE = Operation(
    "check_source",
    "POST",
    "/v1/check-source",
    "Log in to an account that is no source yet, and see what is in it",
    "accounts.check",
    "CheckSourceRequest",
    "AccountAnswer",
    answer="lines",
    command="sources",
    permission="write",
)
LOGIN_SOURCE = Operation(
    "login_source",
    "POST",
    "/v1/login-source",
    "Store what an account is logged in to with, after trying it",
    "accounts.login",
    "LoginSourceRequest",
    "AccountAnswer",
    answer="lines",
    command="sources",
    permission="write",
)
CHANGE_SOURCE = Operation(
    "change_source",
    "POST",
    "/v1/change-source",
    "Change settings of a source; what is known of it stays",
    "sources.change",
    "ChangeSourceRequest",
    "SourceAnswer",
    command="sources",
    permission="write",
)
REMOVE_SOURCE = Operation(
    "remove_source",
    "POST",
    "/v1/remove-source",
    "Read a source no more; what was read of it stays",
    "sources.remove",
    "SourceRequest",
    "RemovedSource",
    command="sources",
    permission="write",
)
PAUSE_SOURCE = Operation(
    "pause_source",
    "POST",
    "/v1/pause-source",
    "Pause a source, or resume it",
    "sources.pause",
    "PauseSourceRequest",
    "SourceAnswer",
    command="sources",
    permission="write",
)
SYNC = Operation(
    "sync",
    "POST",
    "/v1/sync",
    "Read sources now",
    "sources.sync",
    "SyncRequest",
    "SyncReport",
    permission="write",
    answer="lines",
)
RUNS = Operation("runs", "GET", "/v1/runs", "The history of runs", "sources.runs", "RunsRequest", "RunPage")
RUN = Operation(
    "run",
    "GET",
    "/v1/runs/{id}",
    "One run with its receipt: what it read of which files, and what was left out",
    "sources.run",
    "IdRequest",
    "RunAnswer",
    command="runs",
)
RECEIPT = Operation(
    "receipt",
    "POST",
    "/v1/receipt",
    "Add to the receipt of a run what was read of which files",
    "sources.add_receipt",
    "ReceiptRequest",
    "ReceiptAnswer",
    command="ingest",
    permission="write",
)
DEAD_LETTERS = Operation(
    "dead_letters",
    "GET",
    "/v1/dead-letters",
    "Documents that were given up, the oldest first",
    "letters.listing",
    "DeadLettersRequest",
    "DeadLetterPage",
    command="retry",
)
RETRY = Operation(
    "retry",
    "POST",
    "/v1/retry",
    "Put documents that were given up back into the queue",
    "letters.retry",
    "LettersRequest",
    "RetryReport",
    permission="write",
)
DISCARD = Operation(
    "discard",
    "POST",
    "/v1/discard",
    "Remove documents that were given up",
    "letters.discard",
    "LettersRequest",
    "DiscardReport",
    command="retry",
    permission="write",
)

TRY_MODEL = Operation(
    "try_model",
    "POST",
    "/v1/try-model",
    "Show the language model some stored messages; stores nothing",
    "trials.try_model",
    "TrialRequest",
    "TrialReport",
    answer="lines",
    command="llm",
)
OPERATIONS = tuple(each for each in list(globals().values()) if isinstance(each, Operation))
"""All operations, in the order of the documentation."""
