"""Filters of a question: what it asks for, and what of that may be an answer. Pure."""

from __future__ import annotations

from dataclasses import replace

from ...schemas import Query
from ..search_types import APPS_OWN, Filter
from ..text.phrases import quoted


def filter_of(query: Query) -> Filter:
    """The filter that a query asks for."""
    return Filter(
        speakers=query.speakers,
        people=query.people,
        sources=query.sources,
        chats=query.chats,
        tags=query.tags,
        kinds=query.kinds,
        since=query.since,
        until=query.until,
    )


def answers_to(query: Query) -> Filter:
    """What may be an answer: what passes the filters, holds what stands in quotes, and was written by somebody."""
    hidden = () if query.kinds else APPS_OWN
    return replace(filter_of(query), without_kinds=hidden, phrases=quoted(query.text))
