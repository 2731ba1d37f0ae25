"""`GET /v1/metrics`: counts, sizes and durations in the text format of Prometheus.

Rule 1: names have base units and labels hold words of ours or names that the user gave to sources; never text, names or ids of
what is stored.

`prometheus_client` takes a tenth of a second to import: the values are collected without it, and written by it in a thread.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

import anyio.to_thread

from ... import __version__
from ...memory.memory import EvolvingMemory
from ...memory.supervision import describe_error, is_recoverable
from ..config.paths import JOURNAL
from ..pipeline.measurements import BOUNDS, DurationHistogram
from ..pipeline.pipeline import Pipeline

if TYPE_CHECKING:
    from prometheus_client.core import Metric

    from ...memory.embedding.embedder import EmbeddingModel
    from ..config.settings import Settings

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Measured:
    """One metric family."""

    name: str
    """With its unit; a counter's without ``_total``, which the format adds."""
    help: str
    values: float | Mapping[str, float | DurationHistogram] | DurationHistogram
    """One value, or one for each value of the label."""
    label: str = ""
    kind: Literal["gauge", "counter", "histogram"] = "gauge"


Collector = Callable[[], Awaitable[Iterable[Measured]]]


class MetricsService:
    """Collects the metrics of one owner. Other parts of the daemon add theirs with `add`."""

    def __init__(self, settings: Settings, memory: EvolvingMemory, pipeline: Pipeline) -> None:
        self._settings = settings
        self._memory = memory
        self._pipeline = pipeline
        self._collectors: dict[str, Collector] = {"store": self._store, "journal": self._journal}
        self._cache_hits = 0
        self.embedder: EmbeddingModel | None = None
        """The embedder in use; None if nothing is embedded."""

    def add(self, name: str, collect: Collector) -> None:
        """Ask ``collect`` at each request. An error in it leaves its metrics out and shows in
        ``memd_collector_success{collector="name"}``.
        """
        self._collectors[name] = collect

    async def text(self) -> bytes:
        """All metrics, in the text format of Prometheus."""
        measured = list(self._of_process())
        success: dict[str, float] = {}
        for name, collect in self._collectors.items():
            try:
                measured += await collect()
            except BaseException as error:
                if not is_recoverable(error):
                    raise
                log.warning("metrics cannot be collected: %s", describe_error(error), extra={"collector": name})
                success[name] = 0
            else:
                success[name] = 1
        measured.append(
            Measured("memd_collector_success", "Whether a part could be asked for its metrics.", success, "collector")
        )
        return await anyio.to_thread.run_sync(_written, measured)

    def _of_process(self) -> Iterable[Measured]:
        """Yield the metrics that need neither the disk nor a database."""
        measurements, workers = self._pipeline.measurements, self._pipeline.workers
        yield Measured("memd_build_info", "Version of memd.", {__version__: 1.0}, "version")
        yield Measured("memd_degraded", "What does not take part at present.", self._degraded(), "part")
        yield Measured("memd_workers_failing", "Background workers that fail at present.", len(workers.failing()))
        yield Measured("memd_runs_active", "Runs that go on.", len(self._pipeline.runs.hub.active()))
        yield Measured("memd_runs", "Ended runs.", _floats(measurements.runs), "outcome", "counter")
        yield Measured(
            "memd_ingested_messages",
            "Messages that came in, by what became of them.",
            _floats(measurements.messages),
            "result",
            "counter",
        )
        yield Measured(
            "memd_stage_duration_seconds",
            "Duration of one batch in a stage of the pipeline.",
            measurements.stages,
            "stage",
            "histogram",
        )
        yield Measured("memd_query_duration_seconds", "Duration of a query.", measurements.queries, kind="histogram")
        loaded = self.embedder is not None and self.embedder.loaded
        yield Measured("memd_embedder_loaded", "Whether the embedder is ready.", float(loaded))
        yield Measured(
            "memd_embedder_failures",
            "Batches that the embedder failed to embed.",
            measurements.embedding_failures,
            kind="counter",
        )
        yield Measured("memd_embedded_texts", "Texts that were embedded.", self._memory.made, kind="counter")
        indexed = self._memory.indexed
        yield Measured(
            "memd_index_rebuilds",
            "How often an index was made anew.",
            _floats({"words": indexed.words.rebuilds, "vectors": indexed.vectors.rebuilds}),
            "index",
            "counter",
        )

    def _degraded(self) -> dict[str, float]:
        failing = {*self._memory.degraded(), *self._pipeline.degraded()}
        return {
            part: float(part in failing)
            for part in sorted({"index", "indexing", "vector", "embedder", "generation", "facts", "workers"} | failing)
        }

    async def _store(self) -> list[Measured]:
        stats: dict[str, Any] = dict(await self._memory.stats())
        unread = await self._memory.fact_service.pending_extraction_count()
        cache = stats["embedding_cache"]
        self._cache_hits = max(self._cache_hits, cache["hits"])
        hits = {"hit": float(self._cache_hits), "miss": float(cache["misses"])}
        return [
            Measured("memd_stored_documents", "Documents in the store.", stats["documents"]),
            Measured("memd_stored_messages", "Messages in the store.", stats["messages"]),
            Measured("memd_stored_chunks", "Chunks in the store.", stats["chunks"]),
            Measured("memd_stored_facts", "Facts in the store.", stats["facts"]),
            Measured("memd_vectors", "Chunks with a vector, and without one yet.", _floats(stats["vectors"]), "state"),
            Measured("memd_unread_documents", "Documents that await the extraction of facts.", unread),
            Measured("memd_embedding_cache", "Chunks whose text had a vector, or had none.", hits, "result", "counter"),
            Measured(
                "memd_index_lag_changes",
                "Changes of the store that an index does not know yet.",
                _floats(stats["index_lag"]),
                "index",
            ),
            Measured("memd_store_size_bytes", "Size on disk.", _floats(stats["bytes"]), "part"),
        ]

    async def _journal(self) -> list[Measured]:
        queue = await self._pipeline.journal.depth()
        folder = self._settings.data_dir
        size = await anyio.to_thread.run_sync(lambda: sum(path.stat().st_size for path in folder.glob(f"{JOURNAL}*")))
        return [
            Measured("memd_queue_messages", "Messages that wait to be stored.", queue.messages),
            Measured("memd_queue_documents", "Documents that wait to be stored.", queue.documents),
            Measured("memd_queue_oldest_age_seconds", "Age of the document that waits longest.", queue.oldest_s),
            Measured("memd_buffered_messages", "Of these, messages that a buffer holds back.", queue.buffered),
            Measured("memd_dead_letters", "Documents that were given up.", queue.dead),
            Measured("memd_journal_size_bytes", "Size of the journal on disk.", size),
        ]


def _floats(values: Mapping[Any, int]) -> dict[str, float]:
    return {str(name): float(value) for name, value in values.items()}


def _written(measured: Iterable[Measured]) -> bytes:
    """The text format; for a thread, since it imports and reads files of the kernel."""
    from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest

    # A registry of this answer alone: nothing is shared with another service in the process.
    registry = CollectorRegistry(auto_describe=False)
    ProcessCollector(registry=registry)
    registry.register(_Families([_family(each) for each in measured]))
    return generate_latest(registry)


class _Families:
    """Families that have been collected, as `CollectorRegistry` wants them."""

    def __init__(self, families: list[Metric]) -> None:
        self._families = families

    def collect(self) -> list[Metric]:
        return self._families


def _family(measured: Measured) -> Metric:
    from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily

    labels = [measured.label] if measured.label else []
    values = measured.values if isinstance(measured.values, Mapping) else {"": measured.values}
    if measured.kind == "histogram":
        histogram = HistogramMetricFamily(measured.name, measured.help, labels=labels)
        for label, durations in values.items():
            durations = cast("DurationHistogram", durations)
            names = [*map(str, BOUNDS), "+Inf"]
            buckets = list(zip(names, map(float, durations.cumulative()), strict=True))
            histogram.add_metric([label] if labels else [], buckets, durations.seconds)
        return histogram
    make = CounterMetricFamily if measured.kind == "counter" else GaugeMetricFamily
    family = make(measured.name, measured.help, labels=labels)
    for label, value in values.items():
        family.add_metric([label] if labels else [], cast("float", value))
    return family
