"""The rule of an event that repeats (RRULE) with its exceptions, and the times that they give. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from itertools import islice, takewhile
from typing import NamedTuple
from zoneinfo import ZoneInfo

from pydantic import NaiveDatetime

from .model import Model, Text
from .times import localise

_PARTS = frozenset(
    {"BYDAY", "BYHOUR", "BYMINUTE", "BYMONTH", "BYMONTHDAY", "BYSETPOS", "BYWEEKNO", "BYYEARDAY", "WKST"}
)
_RARE = frozenset({"BYMONTH", "BYMONTHDAY", "BYSETPOS", "BYWEEKNO", "BYYEARDAY"})
"""The parts that may contradict each other, so that a rule gives no time."""
_LATE = 9980
_FREQUENCIES = ("DAILY", "WEEKLY", "MONTHLY", "YEARLY")
_LONGEST = 300
_VALUE = re.compile(r"[A-Z0-9+,-]+", re.ASCII)
MALFORMED_RULE = (ValueError, OverflowError, KeyError, TypeError, IndexError)
"""The errors that a malformed rule causes, as `rule_times` raises them."""
MOST_STEPS = 5_000
"""The most times of a rule that are gone through for one answer, about 10 ms; in days more than 13 years."""
MOST_EXCEPTIONS = 400
"""The most times that a recurrence lists, of the times beside its rule and of those taken out."""
_DAYS_AROUND = 366
"""The days before a moment from which a rule is followed for its last time: a year, in which most rules give one."""


def rule_parts(rule: str) -> dict[str, str]:
    """Return the parts of a rule by name, both in capitals."""
    result: dict[str, str] = {}
    for part in rule.upper().split(";"):
        key, _, value = part.partition("=")
        result[key.strip()] = value.strip()
    return result


def rule_interval(parts: dict[str, str]) -> int:
    """Return the number of days, weeks, months or years between two periods of a rule.

    Raises:
        ValueError: it is no number, or not plausible.
    """
    interval = int(parts.get("INTERVAL", "1"))
    if not 1 <= interval <= 10_000:
        raise ValueError("interval")
    return interval


def rule_times(start: datetime, parts: dict[str, str], last: datetime) -> Iterator[datetime]:
    """Return the times of a rule on the wall clock up to ``last``, in ascending order; ``COUNT`` and ``UNTIL`` are left
    to the caller.

    Raises:
        ValueError: the rule is malformed.
        KeyError: the rule has no frequency.
    """
    if parts["FREQ"] not in _FREQUENCIES:
        raise ValueError("FREQ")
    if parts.get("BYSECOND", "0").lstrip("0") not in ("", str(start.second)):
        raise ValueError("BYSECOND")
    text = [f"FREQ={parts['FREQ']}"]
    for key in sorted(_PARTS & parts.keys()):
        if len(parts[key]) > _LONGEST or not _VALUE.fullmatch(parts[key]):
            raise ValueError(key)
        text.append(f"{key}={parts[key]}")
    if _RARE & parts.keys() and not _gives_times(";".join(text), start.replace(year=_LATE)):
        return iter(())
    text += [f"INTERVAL={rule_interval(parts)}", f"UNTIL={last:%Y%m%dT%H%M%S}"]
    from dateutil.rrule import rrulestr  # 16 ms, which only calendars need to pay

    return iter(rrulestr(";".join(text), dtstart=start))


@lru_cache(maxsize=1024)
def _gives_times(rule: str, start: datetime) -> bool:
    """Return whether a rule without an interval gives any time within 20 years.

    The library looks for the times of a rule until the year 9999: for 30 February every day that takes 5 s. From the
    year 9980 it is 12 ms, and that year begins a row of years as any other does.
    """
    from dateutil.rrule import rrulestr

    return next(iter(rrulestr(rule, dtstart=start)), None) is not None


class TimesAround(NamedTuple):
    """The times of an event that are nearest to a moment."""

    last: datetime | None
    """The latest one before it."""
    next: datetime | None
    """The earliest one that is not before it."""


class Recurrence(Model):
    """A rule with its exceptions, as the metadata of an event keep it; its times are those of the event's wall clock."""

    start: NaiveDatetime
    """The first time; the rule counts from it."""
    rule: Text = ""
    """An RRULE that gives at least one time; empty for none."""
    until: NaiveDatetime | None = None
    """The last time of the rule."""
    more: tuple[NaiveDatetime, ...] = ()
    """Times beside those of the rule, moved ones among them."""
    without: tuple[NaiveDatetime, ...] = ()
    """Times of the rule at which the event does not take place."""
    zone: Text = ""
    """The name of the zone of its clock; empty if it has no name."""

    def __hash__(self) -> int:
        """Return a hash of the parts that differ between events."""
        return hash((self.start, self.rule))

    def between(self, since: datetime, until: datetime, stored: datetime | None = None) -> tuple[datetime, ...]:
        """Return the times from ``since`` until before ``until``, in ascending order.

        Args:
            since: an instant, in the zone of a clock without a name.
            until: an instant.
            stored: the event's time as it is stored, which has the offset of a clock without a name.
        """
        zone = self._clock(since, stored)
        first, end = _on_wall(since, zone), _on_wall(until, zone)
        return tuple(localise(wall, zone) for wall in _walls_between(self, first, end))

    def around(self, moment: datetime, stored: datetime | None = None) -> TimesAround:
        """Return the last time before a moment, and the next one; the arguments are those of `between`."""
        zone = self._clock(moment, stored)
        wall = _on_wall(moment, zone)
        before, after = _walls_around(self, wall)
        last, following = (None if each is None else localise(each, zone) for each in (before, after))
        return TimesAround(last, following)

    def _clock(self, moment: datetime, stored: datetime | None) -> tzinfo:
        """Return the zone of the clock. Without a name it is that of the moment, unless the event is stored with another
        offset.
        """
        if self.zone:
            try:
                return ZoneInfo(self.zone)
            except (KeyError, ValueError, OSError):  # unknown here, or not a valid name
                pass
        zone = moment.tzinfo or UTC
        if stored is None or stored.tzinfo is None or stored.astimezone(zone).utcoffset() == stored.utcoffset():
            return zone
        return stored.tzinfo


def recurrence_of(text: object) -> Recurrence | None:
    """Return the recurrence that the metadata of an event contain; None if this is none."""
    if not isinstance(text, str) or not text:
        return None
    try:
        return Recurrence.from_json(text)
    except ValueError:  # no JSON, or another form
        return None


@lru_cache(maxsize=4096)
def _walls_between(each: Recurrence, since: datetime, until: datetime) -> tuple[datetime, ...]:
    rule = takewhile(lambda wall: wall < until, _rule_walls(each, since, until))
    walls = {each.start, *rule}.difference(each.without).union(each.more)
    return tuple(sorted(wall for wall in walls if since <= wall < until))


def _walls_around(each: Recurrence, moment: datetime) -> tuple[datetime | None, datetime | None]:
    without = {*each.without}
    before = after = None
    # The rule is followed from a year before; if it gives no time in that year, from its beginning.
    near = _plus_days(moment if each.until is None else min(moment, each.until), -_DAYS_AROUND)
    for begin in (near, each.start):
        for wall in _rule_walls(each, begin, datetime.max):  # noqa: DTZ901 - a wall clock
            if wall in without:
                continue
            if wall >= moment:
                after = wall
                break
            before = wall
        if before is not None or begin <= each.start:
            break
    walls = [wall for wall in (each.start, before, after) if wall is not None and wall not in without]
    walls += each.more
    return (
        max((wall for wall in walls if wall < moment), default=None),
        min((wall for wall in walls if wall >= moment), default=None),
    )


def _rule_walls(each: Recurrence, since: datetime, until: datetime) -> Iterator[datetime]:
    """Yield times of the rule in ascending order, with all from ``since`` to ``until``; nothing of a malformed rule."""
    last = until if each.until is None else min(until, each.until)
    if not each.rule or last < max(each.start, since):
        return
    try:
        parts = rule_parts(each.rule)
        count = parts.get("COUNT", "")
        begin = each.start if count.isdecimal() else _nearer(each.start, parts, since)
        yield from islice(rule_times(begin, parts, last), min(int(count or MOST_STEPS), MOST_STEPS))
    except MALFORMED_RULE:
        return


def _nearer(start: datetime, parts: dict[str, str], since: datetime) -> datetime:
    """Return a later start, at least a period before ``since``, from which the rule gives the same times."""
    interval = rule_interval(parts)
    days = {"DAILY": 1, "WEEKLY": 7}.get(parts["FREQ"])
    if days is not None:
        steps = (since - start).days // (days * interval) - 1
        return start + timedelta(days=steps * days * interval) if steps > 0 else start
    steps = (since.year - start.year) // interval - 1
    # 29 February, the 30th and the 31st are in some years and months only, but in the same months of every year.
    if steps <= 0 or (start.month, start.day) == (2, 29):
        return start
    return start.replace(year=start.year + steps * interval)


def _plus_days(wall: datetime, days: int) -> datetime:
    try:
        return wall + timedelta(days=days)
    except OverflowError:
        return wall


def _on_wall(moment: datetime, zone: tzinfo) -> datetime:
    try:
        return moment.astimezone(zone).replace(tzinfo=None)
    except (ValueError, OverflowError):  # near the years 1 and 9999
        return moment.replace(tzinfo=None)
