"""The clock by which schedules go; tests bring their own."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]
"""Tells the time now, in UTC."""


def system_clock() -> datetime:
    """Now, in UTC."""
    return datetime.now(UTC)
