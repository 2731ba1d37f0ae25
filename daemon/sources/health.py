"""Whether a source is well: flags from its runs and its schedule. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from ..journal.journal import EndedRun
from ..scheduler.schedule import Schedule, typical_gap
from .repository import JobState

SILENCE = 1.5
"""A source is silent when nothing new came for so many times its longest pause between two runs that brought something."""
GAPS_NEEDED = 3
"""Pauses that must be known before a silence can be told."""
GAPS = 10
"""The last pauses that count."""
OVERDUE = timedelta(minutes=15)
"""A due time that nothing ran for."""
INTERRUPTED = 3
"""Runs in a row that did not end: something in the source may end memd itself, and it is not resumed at a start."""


def brought_something(run: EndedRun) -> bool:
    """Whether anything new came with it."""
    return bool(run.counts.get("added", 0) + run.counts.get("updated", 0))


def flags_of(
    state: JobState, schedule: Schedule, runs: Sequence[EndedRun], unreadable: int, now: datetime, *, running: bool
) -> list[str]:
    """What is wrong with a source, worst first; empty when all is well.

    Args:
        state: what is remembered of its job.
        schedule: when it is due.
        runs: its last runs, the newest first.
        unreadable: number of its files that cannot be read.
        now: the time.
        running: a run is going on.
    """
    if state.paused:
        return ["paused"]
    found: list[str] = []
    due = schedule.next_after(state.due) if state.due is not None else None
    if due is not None and now - due > OVERDUE and not running:
        found.append("overdue")
    if state.interrupted >= INTERRUPTED:
        found.append("interrupted")
    if runs and runs[0].outcome == "failed":
        found.append("failing")
    elif runs and runs[0].detail:
        found.append("incomplete")
    if is_silent(runs, schedule, now):
        found.append("silent")
    if unreadable:
        found.append("unreadable")
    return found


def is_silent(runs: Sequence[EndedRun], schedule: Schedule, now: datetime) -> bool:
    """Whether nothing new has come for much longer than it used to take."""
    news = [_moment(run.begun) for run in runs if brought_something(run)]
    gaps = [later - earlier for later, earlier in pairwise(news)][:GAPS]
    if len(gaps) < GAPS_NEEDED:
        return False
    longest = max(*gaps, typical_gap(schedule, now))
    return now - news[0] > longest * SILENCE


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
