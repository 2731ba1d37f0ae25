"""Latency statistics: a histogram of constant size, and percentiles from it."""

from __future__ import annotations

import math

from typing_extensions import TypedDict

GROWTH = 1.05
"""Each bucket is 5 % wider than the one before: a percentile is off by no more than that."""
FIRST = 0.01
"""Milliseconds; all that is faster falls into the first bucket."""
BUCKETS = 360
"""The last begins at 0.01 ms * 1.05^359, about 7 minutes, and takes all that is slower."""


class QueryTimes(TypedDict):
    """Mean and percentiles of the time of a query in milliseconds, since the start."""

    mean: float | None
    """The mean in milliseconds; null before the first query."""
    p50: float | None
    """The median in milliseconds; null before the first query."""
    p95: float | None
    """The 95th percentile in milliseconds; null before the first query."""
    p99: float | None
    """The 99th percentile in milliseconds; null before the first query."""


class Histogram:
    """Durations in milliseconds, counted in buckets that grow by `GROWTH`. For one thread."""

    def __init__(self) -> None:
        self._counts = [0] * BUCKETS
        self._total = 0
        self._sum = 0.0

    @property
    def count(self) -> int:
        """The number of durations."""
        return self._total

    def add(self, milliseconds: float) -> None:
        """Count one."""
        steps = math.log(max(milliseconds, FIRST) / FIRST) / math.log(GROWTH)
        self._counts[min(int(steps), BUCKETS - 1)] += 1
        self._total += 1
        self._sum += milliseconds

    def percentile(self, share: float) -> float | None:
        """The duration that ``share`` (0 to 1) of all do not exceed, within 5 %; None before the first."""
        wanted = math.ceil(self._total * share)
        if not wanted:
            return None
        seen = 0
        for index, count in enumerate(self._counts):
            seen += count
            if seen >= wanted:
                # The middle of the bucket, as growth goes.
                return round(FIRST * GROWTH ** (index + 0.5), 3)
        raise AssertionError("the buckets hold as many as were counted")

    def to_wire(self) -> QueryTimes:
        """``mean``, ``p50``, ``p95``, ``p99``, as ``memd stats --json`` shows them."""
        return {
            "mean": round(self._sum / self._total, 3) if self._total else None,
            "p50": self.percentile(0.5),
            "p95": self.percentile(0.95),
            "p99": self.percentile(0.99),
        }
