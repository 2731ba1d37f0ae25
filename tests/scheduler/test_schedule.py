"""Schedules: crontab(5) in a time zone, intervals, both changes of the clocks, what is no schedule."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.daemon.scheduler.schedule import latest_due, parse_schedule, typical_gap
from memd.schemas.errors import ConfigError
from memd.tests.cases import for_each

BERLIN = ZoneInfo("Europe/Berlin")


def due_times(text: str, begin: datetime, count: int) -> list[str]:
    """The next due times, by the clock on the wall, with its offset."""
    schedule, found, moment = parse_schedule(text, BERLIN, begin), list[str](), begin
    for _ in range(count):
        due = schedule.next_after(moment)
        assert due is not None
        assert due > moment
        moment = due
        found.append(f"{due.astimezone(BERLIN):%m-%d %H:%M %z}")
    return found


def day(month: int, number: int, hour: int = 0) -> datetime:
    """A time of 2026 in Berlin."""
    return datetime(2026, month, number, hour, tzinfo=BERLIN)


@for_each(
    [
        ("0 3 * * *", day(1, 1), ["01-01 03:00 +0100", "01-02 03:00 +0100"]),
        ("30 2 * * *", day(3, 28), ["03-28 02:30 +0100", "03-29 03:30 +0200", "03-30 02:30 +0200"]),
        ("30 2 * * *", day(10, 24), ["10-24 02:30 +0200", "10-25 02:30 +0200", "10-26 02:30 +0100"]),
        ("*/30 2 * * *", day(10, 25), ["10-25 02:00 +0200", "10-25 02:30 +0200", "10-26 02:00 +0100"]),
        ("0 2,3 * * *", day(3, 29), ["03-29 03:00 +0200", "03-30 02:00 +0200", "03-30 03:00 +0200"]),
        ("0 0 * * *", day(3, 28), ["03-29 00:00 +0100", "03-30 00:00 +0200", "03-31 00:00 +0200"]),
        ("0 0 1 * *", day(3, 1), ["04-01 00:00 +0200", "05-01 00:00 +0200"]),
        ("0 0 * * *", day(10, 24), ["10-25 00:00 +0200", "10-26 00:00 +0100"]),
        ("15 */2 * * *", day(3, 29, 1), ["03-29 04:15 +0200", "03-29 06:15 +0200"]),
        (
            "*/30 * * * *",
            day(10, 25, 2),
            ["10-25 02:30 +0200", "10-25 02:00 +0100", "10-25 02:30 +0100", "10-25 03:00 +0100"],
        ),
        ("0 * * * *", day(3, 29), ["03-29 01:00 +0100", "03-29 03:00 +0200", "03-29 04:00 +0200"]),
        ("0 * * * *", day(10, 25, 1), ["10-25 02:00 +0200", "10-25 02:00 +0100", "10-25 03:00 +0100"]),
        ("0 0 * * 0", day(1, 1), ["01-04 00:00 +0100", "01-11 00:00 +0100"]),
        ("0 0 * * 7", day(1, 1), ["01-04 00:00 +0100", "01-11 00:00 +0100"]),
        (
            "0 0 * * 5-7",
            day(1, 1),
            ["01-02 00:00 +0100", "01-03 00:00 +0100", "01-04 00:00 +0100", "01-09 00:00 +0100"],
        ),
        ("0 0 * * SUN,wed", day(1, 1), ["01-04 00:00 +0100", "01-07 00:00 +0100"]),
        ("0 0 13 * fri", day(3, 1), ["03-06 00:00 +0100", "03-13 00:00 +0100", "03-20 00:00 +0100"]),
        ("@weekly", day(1, 1), ["01-04 00:00 +0100"]),
        ("@monthly", day(1, 2), ["02-01 00:00 +0100"]),
        ("every 6h", day(10, 25), ["10-25 05:00 +0100", "10-25 11:00 +0100"]),
        ("90m", day(1, 1), ["01-01 01:30 +0100", "01-01 03:00 +0100"]),
    ]
)
def test_due_times(text: str, begin: datetime, expected: list[str]) -> None:
    """As crontab(5) says; fixed hours once a day when clocks change, every hour every hour; a day or a weekday."""
    assert due_times(text, begin, len(expected)) == expected


@for_each(
    [
        "",
        "x",
        "0 3 * *",
        "0 3 * * * *",
        "61 * * * *",
        "* 24 * * *",
        "0 0 30 2 *",
        "30s",
        "0m",
        "* * * * 9",
        "0 3 * * mon-",
        "0 0 * * */0",
        "5-3 * * * *",
        "@never",
        "0 3 * * *; rm -rf",
        "\0",
        "０ ３ * * *x",
    ]
)
def test_what_is_no_schedule_is_refused(text: str) -> None:
    """With what one looks like."""
    with pytest.raises(ConfigError) as refused:
        parse_schedule(text, BERLIN, day(1, 1))
    assert "crontab" in refused.value.hint


@for_each(
    [
        ("0 0 30 2 *", "'0 0 30 2 *' is never due: there is no such day"),
        ("0 0 31 4,6,9,11 *", "'0 0 31 4,6,9,11 *' is never due: there is no such day"),
        ("61 * * * *", "'61 * * * *' is no schedule: its minute must be 0-59, not '61'"),
        ("0 x * * *", "'0 x * * *' is no schedule: its hour must be 0-23, not 'x'"),
        ("0 0 32 * *", "'0 0 32 * *' is no schedule: its day of the month must be 1-31, not '32'"),
        ("0 0 * foo *", "'0 0 * foo *' is no schedule: its month must be 1-12 or jan-dec, not 'foo'"),
        ("0 0 * * 9", "'0 0 * * 9' is no schedule: its day of the week must be 0-7 or sun-sat, not '9'"),
    ]
)
@pytest.mark.slow
def test_what_is_wrong_with_a_schedule_is_told_in_plain_words(text: str, told: str) -> None:
    """Which of the five fields it is, and what may stand there."""
    with pytest.raises(ConfigError) as refused:
        parse_schedule(text, BERLIN, day(1, 1))
    assert refused.value.message == told


@pytest.mark.parametrize("text", ["0 0 29 2 *", "0 0 31 2 1"])
def test_a_rare_day_is_a_schedule(text: str) -> None:
    """A leap day; a day of a month that there is not, or a weekday."""
    assert parse_schedule(text, BERLIN, day(1, 1)).text == text


@given(
    st.sampled_from(
        ["0 3 * * *", "*/7 * * * *", "15 */5 * * 1-5", "0 0 1 * *", "every 37m", "30 2 * * *", "0 1-3 * * *"]
    ),
    st.datetimes(datetime(2025, 1, 1), datetime(2027, 12, 31)),  # noqa: DTZ001 - made aware below
)
def test_due_times_rise_and_none_is_skipped(text: str, begin: datetime) -> None:
    """From any moment between two due times the next is the later of them, and the last the earlier."""
    schedule = parse_schedule(text, BERLIN, datetime(2025, 1, 1, tzinfo=UTC))
    moment = begin.replace(tzinfo=UTC)
    times = [moment]
    for _ in range(5):
        due = schedule.next_after(times[-1])
        assert due is not None
        times.append(due)
    for earlier, later in pairwise(times[1:]):
        assert earlier < later
        middle = earlier + (later - earlier) / 2
        assert schedule.next_after(middle) == later
        assert latest_due(schedule, moment, middle) == earlier
        assert latest_due(schedule, earlier, middle) is None


def test_a_year_of_missed_minutes_is_looked_through_at_once() -> None:
    """The last of half a million due times is found in a few hundred steps."""
    schedule = parse_schedule("* * * * *", BERLIN, day(1, 1))
    until = day(12, 31)
    assert latest_due(schedule, day(1, 1), until) == until
    yearly = parse_schedule("0 0 24 12 *", BERLIN, day(1, 1))
    assert latest_due(yearly, day(1, 1), until) == day(12, 24)
    assert typical_gap(yearly, day(1, 1)) == timedelta(days=365)


def test_a_field_that_begins_with_a_star_must_hold_as_well() -> None:
    """As crontab(5) has it: "every second day that is a Monday", not "every second day and every Monday"."""
    schedule = parse_schedule("0 3 */2 * 1", UTC, datetime(2026, 5, 1, tzinfo=UTC))
    due = datetime(2026, 5, 1, tzinfo=UTC)
    for _ in range(5):
        found = schedule.next_after(due)
        assert found is not None
        due = found
        assert (due.weekday(), due.day % 2) == (0, 1)


@pytest.mark.parametrize("text", ["999999w", "every 367d"])
def test_an_interval_has_an_end(text: str) -> None:
    """A due time must be a date."""
    with pytest.raises(ConfigError, match="longer than a year"):
        parse_schedule(text, UTC, datetime(2026, 5, 1, tzinfo=UTC))
