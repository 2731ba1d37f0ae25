"""Merges the hits of several sources into one list. Pure.

Scores of two sources cannot be compared: each is a weighted sum over what that source holds. So places are: hits are
taken in turns, the first of each source, then the second of each, the memory's own before what waits, and that before
other memories. Where a source says itself that nothing matches well, its hits come behind those of all others. In an
order of time the times decide. A message that several sources have is the hit of the first of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import Literal

from ...schemas import Hit, Query
from ...schemas.query import Understood


@dataclass(frozen=True, slots=True)
class FoundHits:
    """The hits of one source, in its order."""

    hits: Sequence[Hit]
    weak: bool = False
    """True if none of them matches well."""


MergeOrder = Literal["best", "newest", "oldest"]


def order_of(query: Query, understood: Understood | None) -> MergeOrder:
    """Return the order in which the hits of all sources stand: the one asked for, by the sort or by the question."""
    if query.sort != "score":
        return "newest" if query.sort == "newest" else "oldest"
    order = "best" if understood is None else understood.order
    return order if order in ("newest", "oldest") else "best"


def merged(sources: Sequence[FoundHits], order: MergeOrder, limit: int) -> tuple[Hit, ...]:
    """Return the first hits of all sources, ranked from 1; a single source keeps its list."""
    if sum(bool(source.hits) for source in sources) <= 1:
        hits = next((source.hits for source in sources if source.hits), ())
        return tuple(hits[:limit])
    kept: dict[object, Hit] = {}
    for hit in _in_turns(sources) if order == "best" else _by_time(sources, newest=order == "newest"):
        kept.setdefault(hit.id, hit)
    return tuple(hit.model_copy(update={"rank": number}) for number, hit in enumerate([*kept.values()][:limit], 1))


def _in_turns(sources: Sequence[FoundHits]) -> Iterator[Hit]:
    for weak in (False, True):
        tier = [source.hits for source in sources if source.weak == weak]
        for place in range(max(map(len, tier), default=0)):
            yield from (hits[place] for hits in tier if place < len(hits))


def _by_time(sources: Sequence[FoundHits], *, newest: bool) -> Iterator[Hit]:
    """Yield the hits by the times of those that lead: each source keeps its own order, behind which may stand what has none."""
    places = [0] * len(sources)
    while True:
        leading = [number for number, source in enumerate(sources) if places[number] < len(source.hits)]
        if not leading:
            return
        number = min(
            leading, key=lambda each: (sources[each].weak, _lag(sources[each].hits[places[each]], newest=newest))
        )
        yield sources[number].hits[places[number]]
        places[number] += 1


def _lag(hit: Hit, *, newest: bool) -> float:
    if hit.time is None:
        return inf
    return -hit.time.timestamp() if newest else hit.time.timestamp()
