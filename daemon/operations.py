"""The list of all operations of the API, from which routes, OpenAPI, the client's paths and the table in
docs/api.md are made.

Rule 1: the standard library alone, because `memd query` starts with this file (see `client`). For that reason models
and handlers are given by name: models of `service.requests` and `service.answers`, methods of `service.Service`.
`tests/daemon/test_operation_table.py` checks all of them.

To add an operation: its row here, its request and answer models, and the method of the service that carries it out. Most
rows need no more than a name, a sentence and the names of these.
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
    summary: str
    handler: str
    """The method of `Service` that gets the request, with dots for its parts; for ``lines`` it also gets a
    `ReportProgress`.
    """
    request: str
    response: str
    """The model of the object, of the result in the last line, or of an event's data."""
    route: str = ""
    """The path, if it is not made of the name; parts in braces are fields of the request model."""
    method: Literal["GET", "POST"] = "POST"
    answer: Answer = "object"
    command: str | None = ""
    """The main verb of the command line for it; empty: the operation's name."""
    upload: bool = False
    """True if the body is documents as JSON lines, with the request model in the query string."""
    reads: bool = False
    """True for a POST that changes nothing; a GET never does."""

    @property
    def path(self) -> str:
        """Return the path, with braces around fields of the request model."""
        return self.route or f"/v1/{self.name.replace('_', '-')}"

    @property
    def permission(self) -> Permission:
        """Return the permission that a peer needs."""
        return "read" if self.reads or self.method == "GET" else "write"

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

    def target(self, values: Mapping[str, Any]) -> str:
        """Return the path for these values, with the query string of a GET or an upload."""
        inside = self.path_fields
        path = self.path.format_map({name: quoted(str(values[name])) for name in inside})
        if self.method == "POST" and not self.upload:
            return path
        return with_parameters(path, {name: value for name, value in values.items() if name not in inside})

    def body(self, values: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Return the JSON object to send; None for a GET or an upload, whose fields are in the path and the query
        string.
        """
        if self.method == "GET" or self.upload:
            return None
        return {name: value for name, value in values.items() if name not in self.path_fields}


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


QUERY = Operation("query", "Ask what is stored", "query", "QueryRequest", "QueryResult", reads=True)
ASK = Operation(
    "ask",
    "An answer by the language model, with the messages it rests on",
    "knowledge.ask",
    "QueryRequest",
    "ModelAnswer",
    answer="object or lines",
    reads=True,
)
STORE = Operation(
    "store",
    "Store documents, sent as JSON lines",
    "receive",
    "StoreRequest",
    "StoreAnswer",
    "/v1/documents",
    command="ingest",
    upload=True,
)
MESSAGES = Operation(
    "messages",
    "Add lists of messages of a running conversation",
    "add_messages",
    "MessagesRequest",
    "MessagesAnswer",
    command=None,
)
ADD_FACT = Operation(
    "add_fact",
    "Add a fact by a message that states it",
    "add_fact",
    "AddFactRequest",
    "AddedFact",
    command=None,
)
DOCUMENTS = Operation(
    "documents", "What is stored, the newest first", "listing", "ListingRequest", "DocumentPage", method="GET"
)
DOCUMENT = Operation(
    "document",
    "One document, as it is stored",
    "document",
    "IdRequest",
    "DocumentAnswer",
    "/v1/documents/{id}",
    command=None,
    method="GET",
)
SHOW = Operation(
    "show",
    "A message in its document, or a document",
    "show",
    "IdRequest",
    "ShownDocument",
    "/v1/show/{id}",
    method="GET",
)
EXPORT = Operation(
    "export",
    "Documents as JSON lines, by source and id",
    "exports.lines",
    "ExportRequest",
    "ExportReport",
    answer="documents",
    method="GET",
)
PROGRESS = Operation(
    "progress",
    "Progress of one run, or of all",
    "follow",
    "ProgressRequest",
    "ProgressUpdate",
    answer="events",
    command="watch",
    method="GET",
)
STATS = Operation("stats", "Counts, sizes and times", "stats", "NoRequest", "StatsAnswer", method="GET")
PART_STATS = Operation(
    "part_stats",
    "Counts of some chats or sources",
    "knowledge.part_stats",
    "PartStatsRequest",
    "PartStatsAnswer",
    command="stats",
    method="GET",
)
STATUS = Operation(
    "status", "Who owns the memory, and what it does", "status", "NoRequest", "StatusAnswer", method="GET"
)
HEALTH = Operation("health", "Whether it works", "health_with_sources", "NoRequest", "HealthAnswer", method="GET")
METRICS = Operation(
    "metrics",
    "Counts, sizes and durations for Prometheus",
    "metrics.text",
    "NoRequest",
    "MetricsText",
    answer="text",
    command=None,
    method="GET",
)
FACTS = Operation("facts", "A page of facts", "knowledge.facts", "FactsRequest", "FactPage", method="GET")
REFUSED_FACTS = Operation(
    "refused_facts",
    "A page of what readers proposed and no check let pass, with the reason",
    "knowledge.refused",
    "RefusedFactsRequest",
    "RefusedFactPage",
    command="facts",
    method="GET",
)
HISTORY = Operation(
    "history",
    "Every version of a fact and of those it superseded or that superseded it",
    "knowledge.history",
    "IdRequest",
    "FactHistory",
    "/v1/facts/{id}/history",
    method="GET",
)
BELIEF = Operation(
    "belief",
    "Whether the statements behind a fact or a run are believed",
    "knowledge.belief",
    "IdRequest",
    "BeliefAnswer",
    "/v1/undo/{id}",
    command="undo",
    method="GET",
)
UNDO = Operation(
    "undo",
    "Stop believing the statements behind a fact or a run, or believe them again",
    "knowledge.undo",
    "UndoRequest",
    "UndoReport",
)
UNDO_IMPORT = Operation(
    "undo_import",
    "Plan to take back what a run brought, or carry such a plan out",
    "imports.undo",
    "UndoImportRequest",
    "UndoImportReport",
    answer="lines",
    command="undo",
)
CHATS = Operation("chats", "Every chat", "knowledge.chats", "NoRequest", "ChatsAnswer", method="GET")
PEOPLE = Operation("people", "Everybody who wrote", "people.people", "NoRequest", "PeopleAnswer", method="GET")
PERSON = Operation(
    "person",
    "Contacts, topics and facts of a person, by name",
    "knowledge.person",
    "IdRequest",
    "PersonAnswer",
    "/v1/people/{id}",
    command="people",
    method="GET",
)
PROPOSALS = Operation(
    "proposals",
    "Who may be one person, with the evidence",
    "people.proposals",
    "NoRequest",
    "ProposalsAnswer",
    "/v1/people-proposals",
    command="people",
    method="GET",
)
DECISIONS = Operation(
    "decisions",
    "What was merged, split and taken back",
    "people.decisions",
    "NoRequest",
    "DecisionsAnswer",
    "/v1/people-decisions",
    command="people",
    method="GET",
)
MERGE_PEOPLE = Operation(
    "merge_people",
    "Plan to make one person of several, or do it",
    "people.merge",
    "MergePeopleRequest",
    "MergeReport",
    command="people",
)
SPLIT_PERSON = Operation(
    "split_person",
    "Plan to let names of a person stand by themselves again, or do it",
    "people.split",
    "SplitPersonRequest",
    "SplitReport",
    command="people",
)
UNDO_PEOPLE = Operation(
    "undo_people",
    "Take back a decision on people",
    "people.undo",
    "UndoPeopleRequest",
    "UndonePeople",
    command="people",
)
GRAPH = Operation(
    "graph",
    "Neighbours of a person, place, organisation or thing, or the paths between two, with the messages behind each edge",
    "graph.part",
    "GraphRequest",
    "GraphAnswer",
    reads=True,
)
AUDIT = Operation(
    "audit",
    "What was sent to a language model, the latest first",
    "knowledge.audit",
    "AuditRequest",
    "AuditPage",
    method="GET",
)
LEDGER = Operation(
    "ledger",
    "Calls, tokens and money of language models",
    "knowledge.spent",
    "LedgerRequest",
    "LedgerAnswer",
    command="audit",
    method="GET",
)
FORGET = Operation(
    "forget",
    "Plan a forgetting, or carry one out",
    "forgetting.forget",
    "ForgetRequest",
    "ForgetReport",
    answer="lines",
)
DOCTOR = Operation(
    "doctor",
    "Check what is stored, and repair what is derived",
    "doctor.check",
    "DoctorRequest",
    "DoctorReport",
    answer="lines",
)
REINDEX = Operation(
    "reindex",
    "Chunk and embed again what other settings made",
    "reindexing.run",
    "ReindexRequest",
    "ReindexReport",
    answer="lines",
)
MIGRATE = Operation(
    "migrate",
    "Fill another index from the store, and compare it",
    "migration.run",
    "MigrateRequest",
    "MigrateReport",
    answer="lines",
)
BACKUP = Operation(
    "backup",
    "Add a snapshot to the backups in a folder",
    "backups.add",
    "BackupRequest",
    "BackupReport",
    answer="lines",
)
SOURCES = Operation(
    "sources",
    "Sources that are read by schedule, and scheduled maintenance",
    "sources.listing",
    "NoRequest",
    "SourceListing",
    method="GET",
)
SOURCE = Operation(
    "source",
    "One source: settings, last runs, files that cannot be read",
    "sources.show",
    "IdRequest",
    "SourceAnswer",
    "/v1/sources/{id}",
    command="sources",
    method="GET",
)
ADD_SOURCE = Operation(
    "add_source", "Add a source", "sources.add", "AddSourceRequest", "SourceAnswer", "/v1/sources", command="sources"
)
CHECK_SOURCE = Operation(
    "check_source",
    "Log in to an account that is no source yet, and see what is in it",
    "accounts.check",
    "CheckSourceRequest",
    "AccountAnswer",
    answer="lines",
    command="sources",
)
LOGIN_SOURCE = Operation(
    "login_source",
    "Store what an account is logged in to with, after trying it",
    "accounts.login",
    "LoginSourceRequest",
    "AccountAnswer",
    answer="lines",
    command="sources",
)
CHANGE_SOURCE = Operation(
    "change_source",
    "Change settings of a source; what is known of it stays",
    "sources.change",
    "ChangeSourceRequest",
    "SourceAnswer",
    command="sources",
)
REMOVE_SOURCE = Operation(
    "remove_source",
    "Read a source no more; what was read of it stays",
    "sources.remove",
    "SourceRequest",
    "RemovedSource",
    command="sources",
)
PAUSE_SOURCE = Operation(
    "pause_source",
    "Pause a source, or resume it",
    "sources.pause",
    "PauseSourceRequest",
    "SourceAnswer",
    command="sources",
)
SYNC = Operation("sync", "Read sources now", "sync", "SyncRequest", "SyncReport", answer="lines")
RUNS = Operation("runs", "The history of runs", "sources.runs", "RunsRequest", "RunPage", method="GET")
RUN = Operation(
    "run",
    "One run with its receipt: what it read of which files, and what was left out",
    "sources.run",
    "IdRequest",
    "RunAnswer",
    "/v1/runs/{id}",
    command="runs",
    method="GET",
)
RECEIPT = Operation(
    "receipt",
    "Add to the receipt of a run what was read of which files",
    "sources.add_receipt",
    "ReceiptRequest",
    "ReceiptAnswer",
    command="ingest",
)
DEAD_LETTERS = Operation(
    "dead_letters",
    "Documents that were given up, the oldest first",
    "letters.listing",
    "DeadLettersRequest",
    "DeadLetterPage",
    command="retry",
    method="GET",
)
RETRY = Operation(
    "retry", "Put documents that were given up back into the queue", "letters.retry", "LettersRequest", "RetryReport"
)
DISCARD = Operation(
    "discard",
    "Remove documents that were given up",
    "letters.discard",
    "LettersRequest",
    "DiscardReport",
    command="retry",
)
TRY_MODEL = Operation(
    "try_model",
    "Show the language model some stored messages; stores nothing",
    "trials.try_model",
    "TrialRequest",
    "TrialReport",
    answer="lines",
    command="llm",
    reads=True,
)
OPERATIONS = tuple(each for each in list(globals().values()) if isinstance(each, Operation))
"""All operations, in the order of the documentation."""
