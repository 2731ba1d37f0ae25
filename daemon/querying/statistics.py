"""Statistics of questions since the start: where they were answered, how fast, and whether that is well."""

from __future__ import annotations

from collections import Counter
from typing import Literal

from typing_extensions import TypedDict

from .histogram import Histogram, QueryTimes

Health = Literal["ok", "warn", "alert"]
ENOUGH = 50
"""Questions before which nothing is judged."""
_HIT_RATE = (0.7, 0.5)
"""The share of questions answered from the cache that is well, and below which it is an alert; all of these limits are
those of the design of a query buffer that memd took over (see docs/questions.md).
"""
_SLOWEST_MS = {"waiting": (15.0, 50.0), "all": (100.0, 500.0)}
"""By source, the 95th percentile in milliseconds up to which it is well, and above which it is an alert."""


class QueryCounts(TypedDict):
    """Questions since the start."""

    searches: int
    """Number of questions."""
    cache_hits: int
    """Questions that were answered by a kept answer."""
    cache_misses: int
    """Questions that were searched for, though answers are kept."""
    hit_rate: float | None
    """The share of the hits among both; null before the first question."""
    kept: int
    """Answers that are kept now."""
    by_source: dict[str, int]
    """Searches by source: `store`, `waiting` (what is not stored yet), and each mounted memory."""
    times_ms: dict[str, QueryTimes]
    """Times in milliseconds: of answers that were kept (`cache`), of searches by source, and of mounted memories."""
    prefetched: int
    """Answers that were prepared before anybody asked."""
    prefetch_used: int
    """Prepared answers that somebody asked for."""
    health: dict[str, Health]
    """The words `ok`, `warn` and `alert` for the hit rate and the times; empty before there are 50 questions."""


class QueryState(TypedDict):
    """The questions since the start, in short."""

    searches: int
    """Number of questions."""
    hit_rate: float | None
    """The share that a kept answer answered; null before the first question."""
    health: dict[str, Health]
    """As in the statistics."""


class QueryStatistics:
    """Counts questions. For one event loop."""

    def __init__(self) -> None:
        self.all = Histogram()
        """Times of all questions."""
        self.hits = 0
        self.misses = 0
        self.prefetched = 0
        self.prefetch_used = 0
        self._searches: Counter[str] = Counter()
        self._times: dict[str, Histogram] = {}

    def add(self, source: str, milliseconds: float) -> None:
        """Count a search of a source, or an answer by the cache."""
        self._searches[source] += 1
        self._times.setdefault(source, Histogram()).add(milliseconds)

    @property
    def searches(self) -> dict[str, int]:
        """Searches by source, without the cache."""
        return {name: count for name, count in sorted(self._searches.items()) if name != "cache"}

    @property
    def hit_rate(self) -> float | None:
        """The share of questions that a kept answer answered; None before the first."""
        count = self.hits + self.misses
        return round(self.hits / count, 4) if count else None

    def to_wire(self, kept: int) -> QueryCounts:
        """Return the statistics in the shape of ``memd stats --json``; ``kept``: the number of kept answers."""
        return {
            "searches": self.all.count,
            "cache_hits": self.hits,
            "cache_misses": self.misses,
            "hit_rate": self.hit_rate,
            "kept": kept,
            "by_source": self.searches,
            "times_ms": {name: times.to_wire() for name, times in sorted(self._times.items())},
            "prefetched": self.prefetched,
            "prefetch_used": self.prefetch_used,
            "health": self.health(),
        }

    def in_short(self) -> QueryState:
        """Return what ``memd status`` shows."""
        return {"searches": self.all.count, "hit_rate": self.hit_rate, "health": self.health()}

    def health(self) -> dict[str, Health]:
        """Return a word for the hit rate and for each time that has limits; nothing before `ENOUGH` questions."""
        words: dict[str, Health] = {}
        rate = self.hit_rate
        if rate is not None and self.hits + self.misses >= ENOUGH:
            well, alert = _HIT_RATE
            words["cache"] = "ok" if rate > well else "alert" if rate < alert else "warn"
        for name, (well, alert) in _SLOWEST_MS.items():
            times = self.all if name == "all" else self._times.get(name)
            slowest = times.percentile(0.95) if times is not None and times.count >= ENOUGH else None
            if slowest is not None:
                words[name] = "ok" if slowest < well else "alert" if slowest > alert else "warn"
        return words
