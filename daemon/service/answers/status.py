"""Answers about the daemon: its state, counts, health and metrics."""

from __future__ import annotations

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from ....memory.statistics import FallbackVectors, MemoryStats, VectorCounts, VectorModel
from ....memory.supervision import Failure
from ....schemas import ProgressUpdate
from ...querying.histogram import QueryTimes
from ...querying.statistics import QueryCounts, QueryState
from .ingestion import RunWire
from .sources import SourceListing

MetricsText = str


class QueueState(TypedDict):
    """Messages that are acknowledged and not stored yet."""

    depth: int
    """Number of messages."""
    oldest_s: float
    """Seconds since the oldest of them came."""
    buffered: int
    """The messages among them that wait for others of their session."""


class StatsAnswer(MemoryStats):
    """Counts, sizes and times."""

    query_ms: QueryTimes
    """Times of queries."""
    queries: QueryCounts
    """Kept answers, searches by source, and whether that is well."""
    queue: QueueState
    """Messages that are not stored yet."""
    dead_letters: int
    """Number of documents that were given up."""


class UnreadableDocument(TypedDict):
    """A document that cannot be read for facts."""

    id: str
    """The id of the document."""
    error: str
    """The error, without private text."""


class ExtractionState(TypedDict):
    """The progress of reading documents for facts."""

    unread: int
    """Number of documents that are not read yet."""
    batches: int
    """Batches of questions that wait for a model's answers."""
    trouble: str
    """The reason why nothing is read at present, or why only rules read."""
    by_rules: int
    """Documents that the rules read while the language model failed; it reads them when it answers again."""
    stopped: str
    """The reason why the language model is asked no more; empty while it is asked."""
    unreadable: list[UnreadableDocument]
    """The documents at which reading fails at present."""
    silent_since: NotRequired[str]
    """The time of the language model's last answer, where messages have waited for more than a day since."""
    given_up: int
    """Windows that a language model could not read, and that are not tried again by themselves."""


class IndexState(TypedDict):
    """The index in use and its progress."""

    name: str
    """``embedded`` or ``weaviate``."""
    failure: str
    """The reason why its server does not answer at present; empty if it does."""
    lag: dict[str, int]
    """By index, how many changes of the store it does not contain yet."""
    other: NotRequired[str]
    """The other index, if it is kept."""


class StatusAnswer(SourceListing):
    """The owner of the memory, its paths, and what it does."""

    version: str
    """The version of memd that runs."""
    pid: int
    """The process id of the daemon."""
    uptime_s: float
    """Seconds since its start."""
    config: str
    """The path of the configuration file."""
    data_dir: str
    """The data directory."""
    socket: str
    """The path of the Unix socket."""
    http: str
    """The loopback address where it listens, too; empty without one."""
    zone: str
    """The zone in which times are shown, and days begin."""
    generation: VectorModel | None
    """The model that made the vectors; null before the first vector."""
    fallback: FallbackVectors | None
    """The model that stands in for it while the endpoint is away; null otherwise."""
    degraded: list[str]
    """Parts that do not work at present, as in the health."""
    failures: dict[str, str]
    """By stage of the pipeline (``storing``, ``searching``, ``embedding``), why it fails at present."""
    workers: list[Failure]
    """Background workers that fail at present."""
    vectors: VectorCounts
    """Number of vectors."""
    index: IndexState
    """The search index."""
    reading: ExtractionState
    """The reading of facts."""
    queue: QueueState
    """Messages that are not stored yet."""
    queries: QueryState
    """The questions since the start."""
    dead_letters: int
    """Number of documents that were given up."""
    running: list[ProgressUpdate]
    """The progress of the runs that go on."""
    last_runs: list[RunWire]
    """The last runs, the newest first."""


class HealthAnswer(TypedDict):
    """The health of the daemon, and the parts that do not work at present."""

    status: Literal["ok", "degraded"]
    """The state in one word."""
    degraded: list[str]
    """The parts that do not work at present; empty if all do."""
    version: str
    """The version of memd that runs."""
    pid: int
    """The process id of the daemon."""
