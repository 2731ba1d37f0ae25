"""The owner's measurements since it started: durations of stages and queries, runs and messages by result."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Generator
from contextlib import contextmanager
from itertools import accumulate
from typing import Literal, get_args

from ...memory.tracing import span
from ...schemas import Outcome, StoreReport

PipelineStage = Literal["journal", "store", "index", "embed", "extract"]
"""The stages that are timed, one batch each: commit to the journal, commit to the store, index update, vectors, facts.
"""
STAGES: tuple[PipelineStage, ...] = get_args(PipelineStage)
MESSAGE_RESULTS = ("added", "updated", "unchanged", "rejected", "failed", "forgotten")
"""The counts of messages in a `StoreReport`."""
BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
"""The upper bounds of the buckets, in seconds; one more bucket holds longer durations."""


class DurationHistogram:
    """Durations in seconds, counted by `BOUNDS`. For one thread."""

    def __init__(self) -> None:
        self._counts = [0] * (len(BOUNDS) + 1)
        self.seconds = 0.0
        """The sum of all durations."""

    def add(self, seconds: float) -> None:
        """Count one duration."""
        self._counts[bisect_left(BOUNDS, seconds)] += 1
        self.seconds += seconds

    def cumulative(self) -> list[int]:
        """Return, for each bound, the number of durations up to it; the last item is the number of all."""
        return list(accumulate(self._counts))


class Measurements:
    """Counters that only grow. For one event loop."""

    def __init__(self) -> None:
        self.stages = {stage: DurationHistogram() for stage in STAGES}
        self.queries = DurationHistogram()
        self.runs: dict[Outcome, int] = dict.fromkeys(get_args(Outcome), 0)
        """The number of ended runs by outcome."""
        self.messages = dict.fromkeys(MESSAGE_RESULTS, 0)
        """The number of messages by result."""
        self.embedding_failures = 0
        """The number of batches that the embedder failed to embed."""

    @contextmanager
    def timing(self, stage: PipelineStage) -> Generator[None]:
        """Measure the block, if it ends without an error; a trace shows it in any case."""
        began = time.perf_counter()
        with span(stage):
            yield
        self.stages[stage].add(time.perf_counter() - began)

    def count(self, report: StoreReport) -> None:
        """Count the messages of a report."""
        for result in MESSAGE_RESULTS:
            self.messages[result] += getattr(report, result)
