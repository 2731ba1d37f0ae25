"""Makes one hit of an event that repeats, and of several events of one title, and finds those of a named time by their
rules.
"""

from __future__ import annotations

import re
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import NamedTuple

import numpy as np

from ...schemas import Arm, Occurrences, Query
from ..indexing.indexed_store import IndexedStore
from ..question.kinds import sources_of
from ..question.plan import QuestionPlan
from ..question.times import NamedTime, silent_words
from ..search_types import CandidateSet, Column, CompiledFilter
from ..store.event_rows import EventRow, events_from, rows_of_times
from ..store.filters import passing
from ..text.analyzer import fold, spaceless, words
from .candidates import compiled_filter
from .query_filters import answers_to
from .ranking import Ranked

MOST_OTHERS = 12
"""The most further dates that are told with an event, those nearest to now."""
LONGEST = timedelta(days=31)
"""The longest time for which events are found by their rules."""
MOST_UPCOMING = 30
"""The most events from now on that are put in order."""
LEAST = 3
"""The least letters of a word by which an event that repeats is found."""
NEAR = 1.0
"""The lag of an event behind the best one of its title within which its date decides, rather than its words."""
_SOURCES = sources_of(("event",))
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_BREAKS = re.compile(r"[\W_]+")


Series = Mapping[int, tuple[EventRow, Sequence[EventRow]]]
"""Each event with all events of its title, by document."""


class Upcoming(NamedTuple):
    """The events from now on, if a question asks for the next one."""

    rows: Sequence[int] = ()
    """Their row ids, the soonest first."""
    certain: bool = True
    """False if none has a word of the question's topic, so that their scores decide."""


@dataclass(frozen=True, slots=True)
class _Events:
    """The events of a store that repeat, or share their title with others."""

    series: Series
    repeating: Sequence[EventRow]
    """The events with a rule."""
    every: Sequence[EventRow] = ()
    rows_of_times: frozenset[int] = frozenset()
    """The chunks that hold nothing but their further times."""


class EventSeries:
    """The series of events in a store. Caches them; call `forget` when the store changes."""

    def __init__(self, store: IndexedStore) -> None:
        self._store = store
        self._events: _Events | None = None
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
        events = () if said or not times else (await self._all()).repeating
        if not events:
            return frozenset()
        where = await compiled_filter(self._store, answers_to(query, plan.phrases))
        # In the thread of the database: following a hundred rules for the first time takes 5 ms.
        return await self._store.database.read(_rows_in, events, times, where)

    async def upcoming(self, plan: QuestionPlan, query: Query, now: datetime) -> Upcoming:
        """Return the events from now on, at the times of the question if it names some, the soonest first;
        none unless it asks for the next one. Only those with a word of its topic or a name in it, if there are some; else
        none if it names somebody.
        """
        if plan.order != "next":
            return Upcoming()
        dates = {event.row: date for event in (await self._all()).every if (date := _next_of(event, plan.times, now))}
        where = await compiled_filter(self._store, answers_to(query, plan.phrases))
        if where is not None and not where.by_kind_only:
            passed = await self._store.database.read(passing, where, list(dates))
            dates = {row: date for row, date in dates.items() if row in passed}
        named = {event.row for event in (await self._all()).every if event.row in dates and _has_word(event, plan)}
        if not named and plan.mention.said:
            return Upcoming()
        rows = sorted(named or dates, key=lambda row: (dates[row], row))[:MOST_UPCOMING]
        return Upcoming(rows, certain=bool(named) or not plan.subject)

    async def without_times(
        self, candidates: CandidateSet, plan: QuestionPlan, of_time: Collection[int]
    ) -> CandidateSet:
        """Return the candidates with the events that repeat scored by what is said of them: the list of their further
        times has all days and numbers, and is near to any question for a time.

        Args:
            candidates: those of the question.
            plan: its plan.
            of_time: the result of `rows_asked`: without a word of the question they rank behind the
                events of one day, unless it asks for events.
        """
        if all(place.message is not None for place in candidates.places):
            return candidates
        events = await self._all()
        repeating = {event.row: event for event in events.repeating}
        kept = [number for number, each in enumerate(candidates.places) if each.row not in events.rows_of_times]
        places = [
            # Of equal messages a longer one is preferred, but not for its list of times.
            place if event is None else place._replace(tokens=min(place.tokens, len(words(event.text))))
            for place in map(candidates.places.__getitem__, kept)
            for event in [repeating.get(place.row)]
        ]
        wordless = np.array(
            [(event := repeating.get(each.row)) is not None and not _has_word(event, plan) for each in places],
            dtype=bool,
        )
        by_time = np.array([each.row in of_time and "event" not in plan.kinds for each in places], dtype=bool)

        def scored(arm: Arm, column: Column) -> Column:
            return np.where(wordless & by_time if arm == "vector" else wordless, np.nan, column[kept])

        return replace(
            candidates,
            places=places,
            found=sum(number < candidates.found for number in kept),
            best={},
            scores={arm: scored(arm, column) for arm, column in candidates.scores.items()},
            typical=None if candidates.typical is None else candidates.typical[kept],
            spaces=None if candidates.spaces is None else candidates.spaces[kept],
        )

    async def among(self, ranked: Sequence[Ranked], plan: QuestionPlan, now: datetime) -> SeriesOfAnswer:
        """Return the series to which candidates of a question belong."""
        events = await self._all() if any(item.place.message is None for item in ranked) else None
        return SeriesOfAnswer({} if events is None else events.series, plan, now)

    async def _all(self) -> _Events:
        while (events := self._events) is None:
            changes = self._changes
            events = await self._store.database.read(_read)
            if changes == self._changes:  # else they may include an event forgotten in the meantime
                self._events = events
        return events


class SeriesOfAnswer:
    """The events among the candidates of a question, and which of them are shown.

    Args:
        series: each event with its series, by document.
        plan: the plan of the question.
        now: the instant of asking.
    """

    def __init__(self, series: Series, plan: QuestionPlan, now: datetime) -> None:
        self._series = series
        self._plan = plan
        self._now = now
        self._times = plan.times or plan.years

    def takes_part(self, ranked: Sequence[Ranked]) -> bool:
        """Return whether a candidate belongs to a series."""
        return bool(self._series) and any(item.place.document in self._series for item in ranked)

    def joined(self, ranked: Sequence[Ranked], leading: Collection[int]) -> list[Ranked]:
        """Return the ranking with one hit for all events of one title, at the place of the best of them.

        Args:
            ranked: the candidates, best first.
            leading: the documents among the best few: one of them is shown, however many hits are requested.
        """
        groups: dict[int, list[Ranked]] = {}
        for item in ranked:
            if (entry := self._series.get(item.place.document)) is not None:
                groups.setdefault(entry[1][0].document, []).append(item)
        shown: dict[int, Ranked] = {}
        for items in groups.values():
            shown[items[0].place.row] = self._chosen(
                [item for item in items if item.place.document in leading] or items
            )
        dropped = {item.place.row for items in groups.values() for item in items}
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
        if self._plan.order in ("best", "next") and any(item.place.document != best.place.document for item in items):
            fitting = [item for item in items if _dates_in(self._event(item.place.document), self._times)] or items
            lead = max(item.score for item in fitting)
            best = min(
                (item for item in fitting if item.score >= lead - NEAR),
                key=lambda item: self._distance(self._event(item.place.document)),
            )
        # The first chunk has the title, further ones continue a list of dates.
        document = best.place.document
        first = self._event(document).row
        return next((item for item in items if item.place.row == first), best)

    def _distance(self, event: EventRow) -> tuple[bool, float]:
        """Return the order in which the events of one title are preferred."""
        if self._times and not _dates_in(event, self._times):
            gaps = [abs((event.time - edge).total_seconds()) for each in self._times for edge in (each.start, each.end)]
            return False, min(gaps)
        last, following = event.around(self._now)
        nearest = following or last or event.time
        return following is None, abs((nearest - self._now).total_seconds())

    def _event(self, document: int) -> EventRow:
        return self._series[document][0]

    def time(self, document: int) -> datetime | None:
        """Return the time under which an event that repeats is shown: its first one at the question's time, else the
        next one, else the last; None for any other document.
        """
        event = self._series[document][0] if document in self._series else None
        if event is None or event.recurrence is None:
            return None
        last, following = event.around(self._now)
        return next(iter(_dates_in(event, self._times)), following or last or event.time)

    def dates(self, document: int) -> Occurrences | None:
        """Return the dates of the series to which an event belongs; None for any other document."""
        if document not in self._series:
            return None
        event, events = self._series[document]
        around = [each.around(self._now) for each in events]
        last = max((each.last for each in around if each.last is not None), default=None)
        following = min((each.next for each in around if each.next is not None), default=None)
        others = {each.time for each in events if each.recurrence is None}
        of_rules = {date for each in events if each.recurrence is not None for date in _dates_in(each, self._times)}
        if len(of_rules) <= MOST_OTHERS:
            others |= of_rules
        nearest = sorted(
            others - {None if event.recurrence else event.time, last, following}, key=lambda date: abs(date - self._now)
        )
        return Occurrences(next=following, last=last, others=tuple(sorted(nearest[:MOST_OTHERS])))


def _read(connection: sqlite3.Connection) -> _Events:
    events = events_from(connection, _SOURCES)
    groups: defaultdict[tuple[str, str] | int, list[EventRow]] = defaultdict(list)
    for event in events:
        groups[_series_of(event)].append(event)
    repeating = [event for event in events if event.recurrence is not None]
    several = (group for group in groups.values() if len(group) > 1 or group[0].recurrence is not None)
    return _Events(
        {event.document: (event, group) for group in several for event in group},
        repeating,
        events,
        rows_of_times(connection, repeating),
    )


def _series_of(event: EventRow) -> tuple[str, str] | int:
    """Return the key of the events of one title in one calendar, whatever the year in the title."""
    title = _BREAKS.sub(" ", _YEAR.sub(" ", fold(event.title))).strip()
    return (event.calendar, title) if title else event.document


def _has_word(event: EventRow, plan: QuestionPlan) -> bool:
    """Return whether a word of the question stands in what is said of an event, its rule and its first time aside."""
    terms = {*plan.subject, *plan.mention.said, *plan.terms} - silent_words()
    terms = {word for word in terms if not any(map(str.isdigit, word)) and (len(word) >= LEAST or spaceless(word))}
    text = fold(" ".join([event.title, *(line for line in event.text.splitlines() if not line.startswith("["))]))
    said = words(text)
    return any(word in text if spaceless(word) else any(each.startswith(word) for each in said) for word in terms)


def _next_of(event: EventRow, times: Sequence[NamedTime], now: datetime) -> datetime | None:
    """Return the first time of an event from now on, within the named times if there are some."""
    if times:
        return min((date for date in _dates_in(event, times) if date >= now), default=None)
    return event.around(now).next


def _dates_in(event: EventRow, times: Sequence[NamedTime]) -> list[datetime]:
    return [date for each in times for date in event.times_in(each.start, each.end)]


def _rows_in(
    connection: sqlite3.Connection, events: Sequence[EventRow], times: Sequence[NamedTime], where: CompiledFilter | None
) -> frozenset[int]:
    rows = [event.row for event in events if _dates_in(event, times)]
    return frozenset(rows if where is None or where.by_kind_only else passing(connection, where, rows))
