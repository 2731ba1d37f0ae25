"""Builds filters from a query: the requested ones, and the stricter ones for answers. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ...schemas import HitType, Query
from ...schemas.scope import tag_groups
from ..question.times import NamedTime
from ..search_types import APPS_OWN, Filter


def filter_of(query: Query) -> Filter:
    """Return the filter that a query requests."""
    return Filter(
        speakers=query.speakers,
        people=query.people,
        sources=query.sources,
        chats=query.chats,
        tags=query.tags,
        kinds=query.kinds,
        since=query.since,
        until=query.until,
        scope=tag_groups(query.users, query.agents, query.sessions),
    )


def answers_to(query: Query, phrases: Sequence[str] = ()) -> Filter:
    """Return the filter of possible answers: they pass the requested filter, are of a requested type, contain the
    phrases, and are not apps' own messages.
    """
    hidden = () if query.kinds else APPS_OWN
    return replace(filter_of(query), without_kinds=hidden, phrases=tuple(phrases), only=only_type(query))


def only_type(query: Query) -> HitType | None:
    """Return the one type of hits that is requested; None for both, and for neither, which finds facts by all of them."""
    if query.include_messages == query.include_chunks:
        return None
    return "message" if query.include_messages else "chunk"


def times_within(query: Query, times: Iterable[NamedTime]) -> list[NamedTime]:
    """Return the parts of these times within the query's filter, in order, joined where they overlap."""
    joined: list[NamedTime] = []
    for time in sorted(times, key=lambda each: each.start):
        start = time.start if query.since is None else max(time.start, query.since)
        end = time.end if query.until is None else min(time.end, query.until)
        if start < end and joined and start <= joined[-1].end:
            joined[-1] = joined[-1]._replace(end=max(end, joined[-1].end))
        elif start < end:
            joined.append(time._replace(start=start, end=end))
    return joined
