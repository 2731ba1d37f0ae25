"""Answers about the daemon: its state, counts, health and metrics."""

from __future__ import annotations

from typing import Literal

from pydantic import RootModel

from ....schemas import Instant, ProgressUpdate
from .answer import Answer
from .ingestion import EndedRun
from .sources import SourceStatus
from .upkeep import MaintenanceStatus


class MetricsText(RootModel[str]):
    """Metrics in the text format of Prometheus."""


class VectorCounts(Answer):
    """Vectors that are made, and that are not made yet."""

    done: int
    pending: int


class QueueState(Answer):
    """Messages that are acknowledged and not stored yet."""

    depth: int
    oldest_s: float
    buffered: int
    """The messages among them that wait for others of their session."""


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
    """The time of the first message, or of the first text that has a time."""
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
    """The progress of reading documents for facts."""

    unread: int
    batches: int
    """Batches of questions that wait for a model's answers."""
    trouble: str
    """The reason why nothing is read at present, or why only rules read."""
    by_rules: int
    """Documents that the rules read while the language model failed; it reads them when it answers again."""
    stopped: str
    """The reason why the language model is asked no more; empty while it is asked."""
    unreadable: tuple[UnreadableDocument, ...]
    given_up: int
    """Windows that a language model could not read, and that are not tried again by themselves."""


class IndexState(Answer):
    """The index in use and its progress."""

    name: str
    """``embedded`` or ``weaviate``."""
    failure: str
    """The reason why its server does not answer at present; empty if it does."""
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
    """True if a daemon reads sources and does maintenance by schedule."""
    sources: tuple[SourceStatus, ...]
    maintenance: tuple[MaintenanceStatus, ...]


class HealthAnswer(Answer):
    """The health of the daemon, and the parts that do not work at present."""

    status: Literal["ok", "degraded"]
    degraded: tuple[str, ...]
    version: str
    pid: int
