"""The times of one calendar, with their zones, and the state that all its events share. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import MAXYEAR, UTC, datetime, timedelta, tzinfo

from ....schemas.times import localise
from ...connector import ReadOptions
from ...text.calendar_lines import ContentLine
from .raw_event import RawEvent
from .zones import Zones

_DATE = re.compile(r"(\d{4})(-?)(\d\d)\2(\d\d)(?:T(\d\d):?(\d\d):?(\d\d)?(Z)?)?", re.ASCII)
_LAST_YEAR_OF_WRITING = 2100
"""The last year in which a stamp counts as a time of writing."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A time as a calendar writes it, on a wall clock with its zone."""

    wall: datetime
    """The time on the wall clock of its zone."""
    zone: tzinfo
    all_day: bool
    assumed: bool
    """True if nothing in the calendar states the zone."""
    clock: tzinfo
    """The zone in which the time is shown: the user's zone for a time in UTC, which programs write whatever zone the
    user chose; else its own zone.
    """

    def at(self, wall: datetime) -> datetime:
        """Return another wall-clock time in the zone of this one, as an instant."""
        return localise(wall, self.zone)

    def shown(self, instant: datetime) -> datetime:
        """Return an instant in the zone ``clock``; unchanged near the years 1 and 9999, where the conversion would
        overflow.
        """
        try:
            return instant.astimezone(self.clock)
        except OverflowError:
            return instant


@dataclass(slots=True)
class NoticeCounts:
    """Counts and names for the notices about one calendar."""

    assumed: int = 0
    unknown_zones: set[str] = field(default_factory=set[str])
    cut: int = 0
    unreadable_rules: int = 0


@dataclass(slots=True)
class Context:
    """The state that all events of a calendar share."""

    options: ReadOptions
    zones: Zones = field(default_factory=Zones)
    title: str = ""
    default_zone: tzinfo | None = None
    counts: NoticeCounts = field(default_factory=NoticeCounts)
    written: datetime | None = None
    """The latest wall-clock time at which the calendar was written or changed, from the stamps of its events."""

    def note_stamps(self, raw: RawEvent) -> None:
        """Set ``written`` to the latest plausible time at which an event was written, of this one and those before."""
        for name in ("DTSTAMP", "LAST-MODIFIED"):
            stamp = self.moment(raw.first(name))
            if stamp is None or stamp.wall.year > _LAST_YEAR_OF_WRITING:
                continue
            if self.written is None or stamp.wall > self.written:
                self.written = stamp.wall

    def horizon(self, start: Moment) -> datetime | None:
        """Return the time up to which a rule without an end is expanded; None if no stamp tells when the calendar was
        written.

        It is the end of the year after the calendar was written, so that an unchanged calendar gives the same documents
        whenever it is read.
        """
        if self.written is None:
            return None
        year = max(self.written.year, start.wall.year) + 1
        return None if year > MAXYEAR else start.wall.replace(year, 12, 31, 23, 59, 59)

    def moment(self, line: ContentLine | None, value: str | None = None) -> Moment | None:
        """Return the time of a line, or of a value of it; None if it has none."""
        if line is None:
            return None
        match = _DATE.fullmatch((line.value if value is None else value).strip())
        if match is None:
            return None
        hour, minute, second = int(match[5] or 0), int(match[6] or 0), int(match[7] or 0)
        midnight = (hour, minute, second) == (24, 0, 0)
        day = int(match[1]), int(match[3]), int(match[4])
        try:
            wall = datetime(*day, 0 if midnight else hour, minute, min(second, 59))  # noqa: DTZ001 - the zone comes next
            wall = wall + timedelta(days=1) if midnight else wall
        except (ValueError, OverflowError):
            return None
        name = line.parameters.get("TZID", "")
        moment_zone = UTC if match[8] else self.zones.get(name) if name else None
        if name and moment_zone is None and len(self.counts.unknown_zones) < 20:
            self.counts.unknown_zones.add(name[:60])
        readers = self.default_zone or self.options.zone
        zone = moment_zone or readers
        clock = readers if match[8] else zone
        return Moment(wall, zone, match[5] is None, moment_zone is None and self.default_zone is None, clock)
