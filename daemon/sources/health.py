"""Computes the health flags of a source, or of scheduled maintenance, from its runs and its schedule. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from ..journal.run_history import EndedRun, JobHistory
from ..scheduler.schedule import Schedule, typical_gap
from .repository import JobState

SILENCE = 1.5
"""A source is silent after this multiple of its longest pause between two runs that brought something new."""
GAPS_NEEDED = 3
"""The number of pauses that must be known before a source can count as silent."""
NEWS = 11
"""The number of latest runs with new documents whose pauses are compared."""
OVERDUE = timedelta(minutes=15)
"""The time after which a due run that has not started counts as overdue."""
INTERRUPTED = 3
"""The number of interrupted runs in a row that raises the flag: the source may crash memd, and is not resumed at a
start.
"""


def flags_of(
    state: JobState, schedule: Schedule, history: JobHistory, unreadable: int, now: datetime, *, running: bool
) -> list[str]:
    """Return the problems of a source as flags, worst first; empty when all is well.

    Args:
        state: the stored state of its job.
        schedule: when it is due.
        history: its last run, and the runs that brought something new.
        unreadable: number of its files that cannot be read.
        now: the time.
        running: a run is in progress.
    """
    if state.paused:
        return ["stopped" if state.stopped else "paused"]
    flags: list[str] = []
    due = schedule.next_after(state.due) if state.due is not None else None
    if due is not None and now - due > OVERDUE and not running:
        flags.append("overdue")
    if state.interrupted >= INTERRUPTED:
        flags.append("interrupted")
    last = history.last[0] if history.last else None
    if last is not None and last.outcome == "failed":
        flags.append("failing")
    elif last is not None and last.detail:
        flags.append("incomplete")
    if is_silent(history.news, schedule, now):
        flags.append("silent")
    if unreadable:
        flags.append("unreadable")
    return flags


def maintenance_flags(
    state: JobState, schedule: Schedule, last: EndedRun | None, now: datetime, *, running: bool
) -> list[str]:
    """Return the problems of scheduled maintenance as flags, worst first; problems that it found in the data do not
    count.

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
    """Return whether nothing new has come for much longer than usual.

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
