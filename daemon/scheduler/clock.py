"""The clock of the schedules; tests replace it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]
"""A function that returns the present time, in UTC."""


def system_clock() -> datetime:
    """Return the present time, in UTC."""
    return datetime.now(UTC)
