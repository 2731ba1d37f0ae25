"""Instants that exports write as numbers since 1970 or as ISO 8601; anything that is no time counts as absent. Pure."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, tzinfo
from math import floor

from .zone_offsets import in_zone, offsets_of

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECONDS_FROM = 100_000_000_000
"""The limit above which a number of seconds since 1970 (the year 5138) is taken for milliseconds; so small numbers of
milliseconds are before 1973.
"""
_USUAL_SECONDS = (100_000_000, 4_000_000_000)
"""The range from 1973 to 2096, in which no zone's time is out of range."""
_DAY = re.compile(r"(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])")
"""A date of eight digits, as text. As seconds it would be a time of 1970, before any of the programs."""
_FIRST, _LAST = datetime(1, 1, 3, tzinfo=UTC), datetime(9999, 12, 29, tzinfo=UTC)
"""The range within which every zone has a name for the hour."""


def instant_of(value: object, zone: tzinfo) -> datetime | None:
    """Return a time as the clocks of ``zone`` show it, with a fixed offset; None if it cannot be read, is out of range, or
    is the first second of 1970, which programs write where no time was set.

    Args:
        value: seconds or milliseconds since 1970 (a number, or one as text), or ISO 8601, ``20240115`` included, with a
            zone; without one it is UTC.
        zone: in which the time is given.
    """
    instant: datetime | None = None
    try:
        if (type(value) is float or type(value) is int) and _USUAL_SECONDS[0] < value < _USUAL_SECONDS[1]:
            return datetime.fromtimestamp(value, offsets_of(zone).at(floor(value)))
        if isinstance(value, str):
            instant = _from_text(value.strip())
        elif isinstance(value, int | float) and not isinstance(value, bool):
            instant = _from_number(value)
        if instant is None or instant == _EPOCH or not _FIRST <= instant <= _LAST:
            return None
        return in_zone(instant, zone)
    except (ValueError, OverflowError):
        return None


def milliseconds_of(value: object, zone: tzinfo) -> datetime | None:
    """Return the time of a number of milliseconds since 1970, however small, in the form of `instant_of`."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 24:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        instant = _EPOCH + timedelta(milliseconds=value)
        return in_zone(instant, zone) if instant != _EPOCH and _FIRST < instant < _LAST else None
    except (ValueError, OverflowError):
        return None


def is_in_range(time: datetime) -> bool:
    """Return whether a time is so far within the years 1 to 9999 that its hour can be written in every zone."""
    return _FIRST <= time <= _LAST


def _from_text(text: str) -> datetime | None:
    if not text:
        return None
    if (
        text[4:5] != "-"
        and text.replace(".", "", 1).isdigit()
        and text.isascii()
        and len(text) < 24
        and not _DAY.fullmatch(text)
    ):
        return _from_number(float(text))
    instant = datetime.fromisoformat(text)
    return instant if instant.tzinfo is not None else instant.replace(tzinfo=UTC)


def _from_number(value: float) -> datetime:
    if value > _MILLISECONDS_FROM or value < -_MILLISECONDS_FROM:
        value /= 1000
    return _EPOCH + timedelta(seconds=value)
