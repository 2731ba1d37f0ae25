"""Times as people read them: by the clock on the wall of the user's zone, which is set once for each command.

Every time that a person reads passes here; JSON has times as they are stored, with their offset.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, tzinfo
from functools import cache

from .terminal import clean


class _Wall:
    """The zone of this command."""

    def __init__(self) -> None:
        self.zone_of: Callable[[], tzinfo | None] = lambda: None


_wall = _Wall()


def show_times_in(zone_of: Callable[[], tzinfo | None]) -> None:
    """Show times in the zone that this returns, None for the machine's own; it is asked once, and only for a time."""
    _wall.zone_of = cache(zone_of)


def local_time(text: str | None) -> str:
    """``2024-01-15 13:01`` of an RFC 3339 time, by the clock on the wall; nothing for nothing."""
    if not text:
        return ""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return clean(text)
    with suppress(ValueError, OverflowError):  # the year 1 and the year 9999 have no time in some zones
        moment = moment.astimezone(_wall.zone_of())
    return moment.isoformat(" ", "minutes")[:16]  # strftime writes the year 1 as "1"


def clock_time(seconds: float | None = None) -> str:
    """``13:01:59`` of a moment in seconds since 1970, by the clock on the wall; without one, of now."""
    zone = _wall.zone_of()
    return f"{datetime.now(zone) if seconds is None else datetime.fromtimestamp(seconds, zone):%H:%M:%S}"
