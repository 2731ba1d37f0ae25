"""Converts the times of Apple's databases: nanoseconds or seconds since 2001. Pure."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo

from ...times.instants import instant_of

_EPOCH = datetime(2001, 1, 1, tzinfo=UTC)
NANOSECONDS_FROM = 10**12
"""The least number that counts nanoseconds: as seconds it would be the year 33,690. macOS before 10.13 stores seconds."""


def apple_time(value: object, zone: tzinfo) -> datetime | None:
    """Return the time in ``zone``; None for 0, which means no time, and for an invalid value."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not value:
        return None
    try:
        if abs(value) >= NANOSECONDS_FROM:
            instant = _EPOCH + timedelta(microseconds=value // 1000)
        else:
            instant = _EPOCH + timedelta(seconds=value)
        return instant_of(instant.isoformat(), zone)
    except (OverflowError, ValueError):
        return None
