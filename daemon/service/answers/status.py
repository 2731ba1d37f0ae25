"""Answers about the daemon: its state, counts, health and metrics."""

from __future__ import annotations

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from ....memory.statistics import MemoryStats, VectorCounts, VectorModel
from ....memory.supervision import Failure
from ....schemas import ProgressUpdate
from .ingestion import RunWire
from .sources import SourceListing

MetricsText = str


class QueueState(TypedDict):
    """Messages that are acknowledged and not stored yet."""

    depth: int
    oldest_s: float
    buffered: int
    """The messages among them that wait for others of their session."""


class QueryTimes(TypedDict):
    """Mean and percentiles of the time of a query in milliseconds, since the start."""

    mean: float | None
    p50: float | None
    p95: float | None
    p99: float | None


class StatsAnswer(MemoryStats):
    """Counts, sizes and times."""

    query_ms: QueryTimes
    queue: QueueState
    dead_letters: int


class UnreadableDocument(TypedDict):
    """A document that cannot be read for facts."""

    id: str
    error: str


class ExtractionState(TypedDict):
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
    unreadable: list[UnreadableDocument]
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
    pid: int
    uptime_s: float
    config: str
    data_dir: str
    socket: str
    http: str
    """The loopback address where it listens, too; empty without one."""
    zone: str
    """The zone in which times are shown, and days begin."""
    generation: VectorModel | None
    degraded: list[str]
    failures: dict[str, str]
    """By stage of the pipeline (``storing``, ``searching``, ``embedding``), why it fails at present."""
    workers: list[Failure]
    vectors: VectorCounts
    index: IndexState
    reading: ExtractionState
    queue: QueueState
    dead_letters: int
    running: list[ProgressUpdate]
    last_runs: list[RunWire]


class HealthAnswer(TypedDict):
    """The health of the daemon, and the parts that do not work at present."""

    status: Literal["ok", "degraded"]
    degraded: list[str]
    version: str
    pid: int
