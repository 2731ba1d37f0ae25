"""Flags of sources: silent, failing, overdue, interrupted; and nothing where all is well."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from memd.daemon.journal.run_history import EndedRun, JobHistory
from memd.daemon.scheduler.schedule import parse_schedule
from memd.daemon.sources.health import NEWS, flags_of, maintenance_flags
from memd.daemon.sources.repository import JobState
from memd.tests.cases import for_each

START = datetime(2024, 1, 1, 3, 0, tzinfo=UTC)
NIGHTLY = parse_schedule("0 3 * * *", UTC, START)


def run(night: int, added: int = 1, outcome: str = "ok", detail: str = "") -> EndedRun:
    """The run of a night."""
    begun = (START + timedelta(days=night)).timestamp()
    return EndedRun(
        str(night), "x", begun, begun + 60, outcome, "source:x", "schedule", begun, detail, None, {"added": added}
    )


def flags(runs: Sequence[EndedRun], hours: float, state: JobState | None = None, unreadable: int = 0) -> list[str]:
    """So many hours after the last run."""
    last = datetime.fromtimestamp(runs[-1].begun, UTC) if runs else START
    news = tuple(run.begun for run in runs[::-1] if run.counts["added"])
    history = JobHistory(tuple(runs[-1:]), news[:NEWS])
    return flags_of(
        state or JobState(due=last), NIGHTLY, history, unreadable, last + timedelta(hours=hours), running=False
    )


def test_all_is_well() -> None:
    """New things every night, or now and then, or never yet."""
    assert flags([run(night) for night in range(10)], 5) == []
    assert flags([run(night, added=night % 3 == 0) for night in range(12)], 5) == []
    assert flags([run(night, added=0) for night in range(12)], 5) == []
    assert flags([], 1) == []


@pytest.mark.parametrize(
    ("missed", "hours", "expected"), [(0, 20, []), (1, 5, []), (1, 13, ["silent"]), (2, 1, ["silent"])]
)
def test_a_source_that_brought_something_every_night_is_silent_within_one_missed_run(
    missed: int, hours: float, expected: list[str]
) -> None:
    """Half a day after the first night without anything new."""
    runs = [run(night) for night in range(10)] + [run(10 + night, added=0) for night in range(missed)]
    assert flags(runs, hours) == expected


def test_a_source_with_pauses_is_silent_later() -> None:
    """It used to bring something every third night."""
    runs = [run(night, added=night % 3 == 0) for night in range(10)]
    assert flags([*runs, *(run(night, added=0) for night in range(10, 13))], 1) == []
    assert flags([*runs, *(run(night, added=0) for night in range(10, 14))], 13) == ["silent"]


def test_what_is_wrong_is_told() -> None:
    """A run that failed, or was incomplete; one that did not come; those that did not end; files; a pause hides all."""
    good = [run(night) for night in range(3)]
    assert flags([*good, run(3, 0, "failed", "no such folder")], 1) == ["failing"]
    assert flags([*good, run(3, 1, "partial", "x.bin: no format")], 1, unreadable=1) == ["incomplete", "unreadable"]
    assert flags(good, 24.1) == []
    assert flags(good, 24.5) == ["overdue"]
    assert flags(good, 1, JobState(due=START + timedelta(days=2), interrupted=3)) == ["interrupted"]
    assert flags(good, 50, replace(JobState(), paused=True), unreadable=3) == ["paused"]


@for_each(
    [
        (20.0, "ok", JobState(due=START), False, []),
        (20.0, "partial", JobState(due=START), False, []),
        (25.0, "ok", JobState(due=START), False, ["overdue"]),
        (25.0, "ok", JobState(due=START), True, []),
        (25.0, "ok", JobState(), False, []),
        (20.0, "failed", JobState(due=START, interrupted=3), False, ["interrupted", "failing"]),
        (25.0, "ok", JobState(due=START, paused=True), False, ["paused"]),
    ]
)
def test_maintenance_is_overdue_like_a_source(
    hours: float, outcome: str, state: JobState, running: bool, expected: list[str]
) -> None:
    """A quarter of an hour after its time, unless it is under way; what a check finds is no fault of the check."""
    last = run(0, 0, outcome, "" if outcome == "ok" else "store: damaged")
    assert maintenance_flags(state, NIGHTLY, last, START + timedelta(hours=hours), running=running) == expected
