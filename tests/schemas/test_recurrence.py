"""The times of events that repeat: near a moment and within a span, as if every time of the rule were looked at."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from itertools import islice
from zoneinfo import ZoneInfo

from hypothesis import given, settings
from hypothesis import strategies as some

from memd.schemas.recurrence import Recurrence, recurrence_of, rule_parts, rule_times
from memd.tests.cases import for_each

wall = datetime.fromisoformat
"""Returns the wall-clock time of a text."""
BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 26, 20, tzinfo=BERLIN)
START = wall("2024-03-04T18:30")
LATER = {"start": wall("2015-01-01T09:00")}


@for_each(
    [
        ({"rule": "FREQ=WEEKLY"}, "2026-11-23T18:30+01:00", "2026-11-30T18:30+01:00"),
        ({"rule": "FREQ=WEEKLY;BYDAY=TU,TH"}, "2026-11-26T18:30+01:00", "2026-12-01T18:30+01:00"),
        ({"rule": "FREQ=YEARLY"}, "2026-03-04T18:30+01:00", "2027-03-04T18:30+01:00"),
        (
            {"rule": "FREQ=YEARLY", "start": wall("1984-02-29T00:00")},
            "2024-02-29T00:00+01:00",
            "2028-02-29T00:00+01:00",
        ),
        ({"rule": "FREQ=MONTHLY;BYDAY=1FR"}, "2026-11-06T18:30+01:00", "2026-12-04T18:30+01:00"),
        ({"rule": "FREQ=DAILY;BYMONTH=1"}, "2026-01-31T18:30+01:00", "2027-01-01T18:30+01:00"),
        ({"rule": "FREQ=DAILY", "start": wall("1950-01-01T09:00")}, "2026-11-26T09:00+01:00", "2026-11-27T09:00+01:00"),
        (LATER | {"rule": "FREQ=WEEKLY;COUNT=4"}, "2015-01-22T09:00+01:00", None),
        (LATER | {"rule": "FREQ=DAILY", "until": wall("2016-01-05T00:00")}, "2016-01-04T09:00+01:00", None),
        ({"rule": "FREQ=WEEKLY", "start": wall("2026-12-07T08:00")}, None, "2026-12-07T08:00+01:00"),
        # The next one is moved, the one behind it does not take place.
        (
            {
                "rule": "FREQ=WEEKLY",
                "more": (wall("2026-12-02T08:00"),),
                "without": (wall("2026-11-30T18:30"), wall("2026-11-23T18:30")),
            },
            "2026-11-16T18:30+01:00",
            "2026-12-02T08:00+01:00",
        ),
        # In a zone of its own, and with a rule that nothing follows.
        ({"rule": "FREQ=WEEKLY", "zone": "America/New_York"}, "2026-11-23T18:30-05:00", "2026-11-30T18:30-05:00"),
        ({"rule": "every Monday"}, "2024-03-04T18:30+01:00", None),
        ({"rule": "FREQ=HOURLY;INTERVAL=0"}, "2024-03-04T18:30+01:00", None),
        ({"rule": "FREQ=SECONDLY"}, "2024-03-04T18:30+01:00", None),
        # The 30th of February, and the second Monday of a week: looked for until the year 9999, they take 5 s.
        ({"rule": "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30"}, "2024-03-04T18:30+01:00", None),
        ({"rule": "FREQ=WEEKLY;BYDAY=MO;BYSETPOS=2"}, "2024-03-04T18:30+01:00", None),
        ({"rule": "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29"}, "2024-03-04T18:30+01:00", "2028-02-29T18:30+01:00"),
        ({"rule": "FREQ=WEEKLY;COUNT=0"}, "2024-03-04T18:30+01:00", None),
        ({}, "2024-03-04T18:30+01:00", None),
    ]
)
def test_the_times_around_a_moment(fields: dict[str, object], last: str | None, following: str | None) -> None:
    """The wall clock counts: half past six stays half past six in summer."""
    around = Recurrence.model_validate({"start": START, **fields}).around(NOW)
    assert tuple(each and each.isoformat(timespec="minutes") for each in around) == (last, following)


def test_a_clock_without_a_name_is_that_of_the_stored_time() -> None:
    """That of the user, if both agree; else the offset with which the event is stored."""
    weekly = Recurrence(start=START, rule="FREQ=WEEKLY")
    july = NOW.replace(month=7, day=10)
    for stored, following in (
        (datetime(2024, 3, 4, 18, 30, tzinfo=timezone(timedelta(hours=1))), "2026-07-13T18:30:00+02:00"),
        (datetime(2024, 3, 4, 18, 30, tzinfo=timezone(timedelta(hours=-5))), "2026-07-13T18:30:00-05:00"),
    ):
        moment = weekly.around(july, stored).next
        assert moment is not None
        assert moment.isoformat() == following


def test_the_form_in_metadata_is_read_back() -> None:
    """Anything else is no recurrence."""
    weekly = Recurrence(start=START, rule="FREQ=WEEKLY", more=(START + timedelta(days=1),), zone="Europe/Berlin")
    assert recurrence_of(weekly.to_json().decode()) == weekly
    assert [recurrence_of(each) for each in (None, "", "FREQ=WEEKLY", "{}", '{"start": 1e99}', 5)] == [None] * 6


RULES = some.tuples(
    some.sampled_from(["DAILY", "WEEKLY", "MONTHLY", "YEARLY"]),
    some.integers(1, 5).map(str),
    some.sampled_from(["", ";BYDAY=MO,SA", ";BYDAY=WE;WKST=SU"]),
    some.sampled_from(["", ";BYMONTH=1,7"]),
).map(lambda parts: f"FREQ={parts[0]};INTERVAL={parts[1]}{parts[2]}{parts[3]}")
STARTS = some.datetimes(wall("2015-01-01T00:00"), wall("2024-12-31T00:00")).map(
    lambda each: each.replace(microsecond=0)
)


@settings(max_examples=40, deadline=None)
@given(RULES, STARTS, some.integers(0, 900), some.integers(1, 40))
def test_a_rule_that_is_followed_from_later_gives_the_same_times(
    rule: str, start: datetime, days: int, length: int
) -> None:
    """As from its beginning, whatever its interval."""
    since = datetime(2025, 1, 1, tzinfo=UTC) + timedelta(days=days)
    until = since + timedelta(days=length)
    event = Recurrence(start=start, rule=rule, zone="UTC")
    times = [
        each.replace(tzinfo=UTC)
        for each in islice(rule_times(start, rule_parts(rule), wall("2035-01-01T00:00")), 9_999)
    ]
    assert list(event.between(since, until)) == [each for each in times if since <= each < until]
    around = event.around(since)
    assert around.last == max((each for each in (start.replace(tzinfo=UTC), *times) if each < since), default=None)
    assert around.next == min((each for each in times if each >= since), default=None)
