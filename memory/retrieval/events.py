"""Makes one hit of an event that repeats, and of several events of one title, and finds those of a named time by their
rules.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta

from ...schemas import Occurrences, Query
from ..indexing.indexed_store import IndexedStore
from ..question.kinds import sources_of
from ..question.plan import QuestionPlan
from ..question.times import NamedTime
from ..search_types import CompiledFilter
from ..store.event_rows import EventRow, events_of, repeating_events
from ..store.filters import passing
from ..text.analyzer import fold
from .candidates import compiled_filter
from .query_filters import answers_to
from .ranking import Ranked

MOST_OTHERS = 12
"""The most further dates that are told with an event, those nearest to now."""
LONGEST = timedelta(days=31)
"""The longest time for which events are found by their rules."""
NEAR = 1.0
"""The lag of an event behind the best one of its title within which its date decides, rather than its words."""
_SOURCES = sources_of(("event",))
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_BREAKS = re.compile(r"[\W_]+")


class RepeatingEvents:
    """The events with a rule, which are few. Caches them; call `forget` when the store changes."""

    def __init__(self, store: IndexedStore) -> None:
        self._store = store
        self._events: Sequence[EventRow] | None = None
        self._changes = 0

    def forget(self) -> None:
        """Read the events again at the next question that needs them."""
        self._events = None
        self._changes += 1

    async def rows_asked(self, plan: QuestionPlan, query: Query) -> frozenset[int]:
        """Return the rows of the events that take place at a time of the question, and pass the filters of the query;
        none if it asks for what somebody said, or for a long time, in which all of them take place.
        """
        times = [each for each in plan.times if each.end - each.start <= LONGEST]
        said = (plan.asks_words or plan.mention.preferred) and "event" not in plan.kinds and not plan.mention.asker
        events = () if said or not times else await self._all()
        if not events:
            return frozenset()
        where = await compiled_filter(self._store, answers_to(query, ()))
        # In the thread of the database: following a hundred rules for the first time takes 20 ms.
        return await self._store.database.read(_rows_in, events, times, where)

    async def _all(self) -> Sequence[EventRow]:
        while (events := self._events) is None:
            changes = self._changes
            events = await self._store.database.read(repeating_events, _SOURCES)
            if changes == self._changes:
                self._events = events
        return events


class SeriesOfEvents:
    """The events among the candidates of a question, and which of them are shown.

    Args:
        events: the events, by document.
        plan: the plan of the question.
        now: the instant of asking.
    """

    def __init__(self, events: Mapping[int, EventRow], plan: QuestionPlan, now: datetime) -> None:
        self._events = events
        self._plan = plan
        self._now = now
        self._times = plan.times or plan.years
        self._dates: dict[int, Occurrences] = {}

    @property
    def dates(self) -> Mapping[int, Occurrences]:
        """The dates of the events that `joined` has kept, by document."""
        return self._dates

    def joined(self, ranked: Sequence[Ranked], leading: Collection[int]) -> list[Ranked]:
        """Return the ranking with one hit for all events of one title, at the place of the best of them.

        Args:
            ranked: the candidates, best first.
            leading: the documents among the best few: one of them is shown, however many hits are requested.
        """
        groups: dict[tuple[str, str] | int, list[Ranked]] = {}
        for item in ranked:
            if (event := self._events.get(item.place.document)) is not None:
                groups.setdefault(_series_of(event), []).append(item)
        shown: dict[int, Ranked] = {}
        dropped: set[int] = set()
        for items in groups.values():
            documents = dict.fromkeys(item.place.document for item in items)
            chosen = self._chosen([item for item in items if item.place.document in leading] or items)
            events = [self._events[document] for document in documents]
            if dates := self._dates_of(self._events[chosen.place.document], events):
                self._dates[chosen.place.document] = dates
            if len(documents) > 1 or self._events[chosen.place.document].recurrence is not None:
                shown[items[0].place.row] = chosen
                dropped |= {item.place.row for item in items}
        return [
            shown.get(item.place.row, item)
            for item in ranked
            if item.place.row in shown or item.place.row not in dropped
        ]

    def _chosen(self, items: Sequence[Ranked]) -> Ranked:
        """Return the hit of the event that fits the question's time best: without a time the next one, else the last.

        An order of time is kept, and so is a lead of an event by its words.
        """
        best = items[0]
        if self._plan.order == "best":
            fitting = [item for item in items if _dates_in(self._events[item.place.document], self._times)] or items
            lead = max(item.score for item in fitting)
            best = min(
                (item for item in fitting if item.score >= lead - NEAR),
                key=lambda item: self._distance(self._events[item.place.document]),
            )
        # The first chunk has the title, further ones continue a list of dates.
        document = best.place.document
        first = self._events[document].row
        return next((item for item in items if item.place.row == first), best)

    def _distance(self, event: EventRow) -> tuple[bool, float]:
        """Return the order in which the events of one title are preferred."""
        if self._times and not _dates_in(event, self._times):
            gaps = [abs((event.time - edge).total_seconds()) for each in self._times for edge in (each.start, each.end)]
            return False, min(gaps)
        last, following = event.around(self._now)
        nearest = following or last or event.time
        return following is None, abs((nearest - self._now).total_seconds())

    def _dates_of(self, shown: EventRow, events: Sequence[EventRow]) -> Occurrences | None:
        """Return the dates of a series; None for one event with one date."""
        if len(events) == 1 and shown.recurrence is None:
            return None
        around = [event.around(self._now) for event in events]
        last = max((each.last for each in around if each.last is not None), default=None)
        following = min((each.next for each in around if each.next is not None), default=None)
        others = {event.time for event in events if event.recurrence is None}
        of_rules = {date for event in events if event.recurrence is not None for date in _dates_in(event, self._times)}
        if len(of_rules) <= MOST_OTHERS:
            others |= of_rules
        nearest = sorted(others - {shown.time, last, following}, key=lambda date: abs(date - self._now))
        return Occurrences(next=following, last=last, others=tuple(sorted(nearest[:MOST_OTHERS])))


async def series_of_events(
    store: IndexedStore, ranked: Sequence[Ranked], plan: QuestionPlan, now: datetime
) -> SeriesOfEvents:
    """Return the series among these candidates."""
    documents = {item.place.document for item in ranked if item.place.message is None}
    events = await store.database.read(events_of, documents, _SOURCES) if documents else {}
    return SeriesOfEvents(events, plan, now)


def _series_of(event: EventRow) -> tuple[str, str] | int:
    """Return the key of the events of one title in one calendar, whatever the year in the title."""
    title = _BREAKS.sub(" ", _YEAR.sub(" ", fold(event.title))).strip()
    return (event.calendar, title) if title else event.document


def _dates_in(event: EventRow, times: Sequence[NamedTime]) -> list[datetime]:
    return [date for each in times for date in event.times_in(each.start, each.end)]


def _rows_in(
    connection: sqlite3.Connection, events: Sequence[EventRow], times: Sequence[NamedTime], where: CompiledFilter | None
) -> frozenset[int]:
    rows = [event.row for event in events if _dates_in(event, times)]
    return frozenset(rows if where is None or where.by_kind_only else passing(connection, where, rows))
