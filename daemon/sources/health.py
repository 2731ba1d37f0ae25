"""Whether a source, or scheduled maintenance, is well: flags from its runs and its schedule. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from ..journal.run_history import EndedRun, JobHistory
from ..scheduler.schedule import Schedule, typical_gap
from .repository import JobState

SILENCE = 1.5
"""A source is silent when nothing new came for so many times its longest pause between two runs that brought something."""
GAPS_NEEDED = 3
"""Pauses that must be known before a silence can be told."""
NEWS = 11
"""The last runs that brought something, between which the pauses count."""
OVERDUE = timedelta(minutes=15)
"""A due time that nothing ran for."""
INTERRUPTED = 3
"""Runs in a row that did not end: something in the source may end memd itself, and it is not resumed at a start."""


def flags_of(
    state: JobState, schedule: Schedule, history: JobHistory, unreadable: int, now: datetime, *, running: bool
) -> list[str]:
    """What is wrong with a source, worst first; empty when all is well.

    Args:
        state: what is remembered of its job.
        schedule: when it is due.
        history: its last run, and those that brought something new.
        unreadable: number of its files that cannot be read.
        now: the time.
        running: a run is going on.
    """
    if state.paused:
        return ["stopped" if state.stopped else "paused"]
    found: list[str] = []
    due = schedule.next_after(state.due) if state.due is not None else None
    if due is not None and now - due > OVERDUE and not running:
        found.append("overdue")
    if state.interrupted >= INTERRUPTED:
        found.append("interrupted")
    last = history.last[0] if history.last else None
    if last is not None and last.outcome == "failed":
        found.append("failing")
    elif last is not None and last.detail:
        found.append("incomplete")
    if is_silent(history.news, schedule, now):
        found.append("silent")
    if unreadable:
        found.append("unreadable")
    return found


def maintenance_flags(
    state: JobState, schedule: Schedule, last: EndedRun | None, now: datetime, *, running: bool
) -> list[str]:
    """What is wrong with scheduled maintenance, worst first; what it found itself is no fault of it.

    Args:
        state: what is remembered of its job.
        schedule: when it is due.
        last: its last run.
        now: the time.
        running: a run is going on.
    """
    history = JobHistory(() if last is None else (last,), ())
    return [each for each in flags_of(state, schedule, history, 0, now, running=running) if each != "incomplete"]


def is_silent(begun: Sequence[float], schedule: Schedule, now: datetime) -> bool:
    """Whether nothing new has come for much longer than it used to take.

    Args:
        begun: when the last runs began that brought something, in seconds since 1970, the newest first.
        schedule: when the source is due.
        now: the time.
    """
    news = [_moment(each) for each in begun]
    gaps = [later - earlier for later, earlier in pairwise(news)]
    if len(gaps) < GAPS_NEEDED:
        return False
    longest = max(*gaps, typical_gap(schedule, now))
    return now - news[0] > longest * SILENCE


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
