"""Schedules: the times at which a job is due, by cron fields in a time zone or by an interval. Pure functions of time."""

# APScheduler has no types of its own.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportIncompatibleMethodOverride=false

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from ...schemas.errors import ConfigError

if TYPE_CHECKING:
    from apscheduler.triggers.cron import CronTrigger

MINUTE = timedelta(minutes=1)
_LONGEST = timedelta(days=366)
_HINT = 'five fields as in crontab(5), "0 3 * * *", one of @hourly @daily @weekly @monthly, or an interval, "6h"'
_MACROS = {"@hourly": "0 * * * *", "@daily": "0 0 * * *", "@weekly": "0 0 * * 0", "@monthly": "0 0 1 * *"}
_INTERVAL = re.compile(r"(?:every\s+)?(\d{1,6})\s*([smhdw])", re.IGNORECASE)
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_WEEKDAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
"""The weekdays in the order of crontab(5); APScheduler's numbers begin with Monday, so names are passed to it."""
_FIELDS = (
    ("minute", "0-59"),
    ("hour", "0-23"),
    ("day of the month", "1-31"),
    ("month", "1-12 or jan-dec"),
    ("day of the week", "0-7 or sun-sat"),
)
"""The five fields of crontab(5), and the allowed values of each."""
_ANY_TIME = datetime(2024, 1, 1, tzinfo=UTC)
"""The start of a year with a leap day."""
_STEPS = 1000
"""The number of candidates checked for one due time: more than there are repeated minutes when a clock is set back."""
_SHIFT = timedelta(hours=3)
"""An interval longer than any single change of a zone's clock."""
_WINDOWS = (timedelta(hours=1), timedelta(days=1), timedelta(days=32), None)
"""The intervals, tried in turn, in which the last of many missed due times is searched."""


# APScheduler reads the fields and finds the next wall time; `CronSchedule` alone corrects the following. APScheduler's
# triggers get UTC as their zone, which stands for the wall clock. With a local zone, they would be right for schedules of
# every hour of every day, and
# * skip the midnight after a night of 23 hours, and with "0 0 1 * *" the first of April, because they add absolute time
#   to local dates;
# * be due at 02:30 of the old offset when no 02:30 exists, and leave out a later minute of the same hour;
# * be due twice at 02:30 when it comes twice, also with fixed hours.
# In any zone, they number the weekdays from Monday, where crontab(5) begins with Sunday, and require a day of the month
# and a weekday together, where crontab(5) is content with either.


@dataclass(frozen=True)
class CronSchedule:
    """Due at the minutes that five cron fields name, by the wall clock of a zone.

    When clocks are set forward, a time that does not exist is due as long after midnight as on other days. When they are
    set back, a schedule of fixed hours is due once, at the first of the two equal times; one of every hour goes on.
    """

    fields: str
    zone: tzinfo

    @property
    def text(self) -> str:
        """Return the schedule as it was written."""
        return self.fields

    @cached_property
    def _triggers(self) -> tuple[CronTrigger, ...]:
        from apscheduler.triggers.cron import CronTrigger  # imported only if there is a schedule to follow

        minute, hour, day, month, weekday = self.fields.lower().split()
        common = {"minute": minute, "hour": hour, "month": month, "timezone": UTC}
        weekdays = _weekdays(weekday)
        # crontab(5): with both a day of the month and a weekday, either is enough, unless one of them begins with *.
        if not day.startswith("*") and not weekday.startswith("*"):
            return CronTrigger(day=day, **common), CronTrigger(day_of_week=weekdays, **common)
        return (CronTrigger(day=day, day_of_week=weekdays, **common),)

    def next_after(self, moment: datetime) -> datetime | None:
        """Return the first due time after this moment, in UTC; None when there is none any more."""
        candidates = [due for trigger in self._triggers if (due := self._next_of(trigger, moment)) is not None]
        return min(candidates, default=None)

    def _next_of(self, trigger: CronTrigger, moment: datetime) -> datetime | None:
        around = {(moment + shift).astimezone(self.zone).utcoffset() for shift in (-_SHIFT, timedelta(0), _SHIFT)}
        begin = moment.astimezone(self.zone).replace(tzinfo=None, fold=0)
        # Around a change the same wall time may come twice, and a later wall time before an earlier one.
        begin -= _SHIFT if len(around) > 1 else timedelta(0)
        best: datetime | None = None
        for _ in range(_STEPS):
            wall = trigger.get_next_fire_time(None, (begin + timedelta(microseconds=1)).replace(tzinfo=UTC))
            if wall is None:
                break
            begin = wall.replace(tzinfo=None)
            later = [due for due in self._moments_of(begin) if due > moment]
            best = min(later if best is None else [best, *later], default=None)
            if best is not None and (
                len(around) == 1 or begin > best.astimezone(self.zone).replace(tzinfo=None) + _SHIFT
            ):
                break
        return best

    def _moments_of(self, wall: datetime) -> tuple[datetime, ...]:
        """Return the moments, in UTC, at which the wall clock shows this time."""
        every_hour = self.fields.split()[1].startswith("*")
        first, second = (wall.replace(tzinfo=self.zone, fold=fold).astimezone(UTC) for fold in (0, 1))
        if first.astimezone(self.zone).replace(tzinfo=None, fold=0) != wall:  # the day has no such time
            return () if every_hour else (first,)
        return (first, second) if every_hour and first != second else (first,)


@dataclass(frozen=True)
class IntervalSchedule:
    """Due at a fixed interval from an anchor, regardless of changes of the wall clock."""

    every: timedelta
    anchor: datetime

    @property
    def text(self) -> str:
        """Return the schedule as it may be written."""
        seconds = int(self.every.total_seconds())
        unit = next(name for name in ("w", "d", "h", "m", "s") if seconds % _UNITS[name] == 0)
        return f"every {seconds // _UNITS[unit]}{unit}"

    def next_after(self, moment: datetime) -> datetime | None:
        """Return the first due time after this moment, in UTC."""
        anchor = self.anchor.astimezone(UTC)  # in UTC: within a local zone Python subtracts wall times
        steps = max(0, (moment.astimezone(UTC) - anchor) // self.every) + 1
        return anchor + steps * self.every


Schedule = CronSchedule | IntervalSchedule


def parse_schedule(text: str, zone: tzinfo, anchor: datetime) -> Schedule:
    """Parse a schedule.

    Args:
        text: ``0 3 * * *``, ``@daily``, ``6h``, ``every 30m``.
        zone: the time zone of cron fields.
        anchor: the start from which intervals are counted.

    Raises:
        ConfigError: it cannot be parsed, is never due, or is due more often than once a minute.
    """
    words = " ".join(text.split())
    if match := _INTERVAL.fullmatch(words):
        every = timedelta(seconds=int(match[1]) * _UNITS[match[2].lower()])
        if every < MINUTE:
            raise ConfigError(f"{text!r} is shorter than a minute", hint=_HINT)
        if every > _LONGEST:
            raise ConfigError(f"{text!r} is longer than a year", hint=_HINT)
        return IntervalSchedule(every, anchor)
    fields = _MACROS.get(words.lower(), words)
    if len(fields.split()) != 5:
        raise ConfigError(f"{text!r} is no schedule", hint=_HINT)
    try:
        due = _is_ever_due(fields)
    except (ValueError, TypeError):
        raise ConfigError(f"{text!r} is no schedule{_wrong_field(fields)}", hint=_HINT) from None
    if not due:
        raise ConfigError(f"{text!r} is never due: there is no such day", hint=_HINT)
    return CronSchedule(fields, zone)


@lru_cache(maxsize=256)  # a search for a schedule that is never due goes through years, and each status repeats it
def _is_ever_due(fields: str) -> bool:
    """Return whether there is any due time; the fields name no year, so the moment does not matter.

    Raises:
        ValueError, TypeError: a field cannot be read.
    """
    return CronSchedule(fields, UTC).next_after(_ANY_TIME) is not None


def _wrong_field(fields: str) -> str:
    """Return the name and the allowed values of the first invalid field, as the end of a message; empty if each is
    valid alone.
    """
    values = fields.lower().split()
    for number, (name, allowed) in enumerate(_FIELDS):
        alone = ["*"] * len(_FIELDS)
        alone[number] = values[number]
        try:
            CronSchedule(" ".join(alone), UTC).next_after(_ANY_TIME)
        except (ValueError, TypeError):
            return f": its {name} must be {allowed}, not {values[number]!r}"
    return ""


def latest_due(schedule: Schedule, after: datetime, until: datetime) -> datetime | None:
    """Return the last due time in ``(after, until]``; None when there is none."""
    for window in _WINDOWS:  # a year of missed minutes is half a million due times, and only the last is needed
        begin = max(after, until - window) if window else after
        last: datetime | None = None
        for due in _due_times(schedule, begin):
            if due > until:
                break
            last = due
        if last is not None or begin == after:
            return last
    return None


def typical_gap(schedule: Schedule, moment: datetime) -> timedelta:
    """Return the time between the next two due times after a moment."""
    times = _due_times(schedule, moment)
    first = next(times, moment)
    return max(next(times, first + timedelta(days=1)) - first, MINUTE)


def _due_times(schedule: Schedule, after: datetime) -> Iterator[datetime]:
    due = schedule.next_after(after)
    while due is not None:
        yield due
        due = schedule.next_after(due)


def _weekdays(field: str) -> str:
    """Convert a cron field of weekdays to names, separated by commas.

    Raises:
        ValueError: it is not valid.
    """
    if field == "*":
        return field
    return ",".join(_WEEKDAYS[number % 7] for part in field.split(",") for number in _weekday_range(part))


def _weekday_range(part: str) -> range:
    span, _, step = part.partition("/")
    if span == "*":
        first, last = 0, 6
    else:
        begin, dash, end = span.partition("-")
        first = _weekday(begin)
        last = _weekday(end) if dash else (6 if step else first)
    if last < first:
        last += 7
    return range(first, last + 1, int(step) if step else 1)


def _weekday(name: str) -> int:
    if name in _WEEKDAYS:
        return _WEEKDAYS.index(name)
    if name.isdecimal() and int(name) <= 7:
        return int(name)
    raise ValueError(f"{name!r} is no day of the week")
