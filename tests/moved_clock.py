"""A clock of the tests for APScheduler, which reads the machine's own and takes no other."""

# APScheduler has no types of its own.
# pyright: reportMissingTypeStubs=false

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, tzinfo

import pytest
from apscheduler.schedulers import base


def move_timetable(monkeypatch: pytest.MonkeyPatch, clock: Callable[[], datetime]) -> None:
    """Let the timetables of APScheduler follow a clock."""

    class Moved(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # pyright: ignore[reportIncompatibleMethodOverride]
            """Return the time of the clock."""
            return clock().astimezone(tz)

    monkeypatch.setattr(base, "datetime", Moved)
