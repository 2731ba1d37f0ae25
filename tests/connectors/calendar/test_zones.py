"""Offsets of zones that a calendar defines."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta

from memd.connectors.formats.calendar.zones import CalendarZone, Observance


def wall(year: int, month: int, day: int, hour: int = 0) -> datetime:
    """A time on the wall clock."""
    return datetime.combine(date(year, month, day), time(hour))


def observance(start: datetime, before: int, offset: int, month: int = 0, nth: int = 0) -> Observance:
    """Hours from UTC before and after it begins: once, or each year on a Sunday of a month."""
    return Observance(start, timedelta(hours=offset), timedelta(hours=before), month, nth, weekday=6)


def test_in_january_the_rule_that_began_last_autumn_holds() -> None:
    """Also where the zone names single changes of former decades, as calendars do that tell its whole history."""
    zone = CalendarZone(
        [
            observance(wall(1893, 4, 1), 0, 1),
            observance(wall(1945, 5, 24, 2), 2, 3),
            observance(wall(1981, 3, 29, 2), 1, 2, month=3, nth=-1),
            observance(wall(1996, 10, 27, 3), 2, 1, month=10, nth=-1),
        ]
    )
    days = [wall(2024, 1, 15), wall(2024, 7, 15), wall(2024, 12, 15), wall(2025, 2, 1)]
    assert [zone.utcoffset(day) for day in days] == [timedelta(hours=hours) for hours in (1, 2, 1, 1)]
