"""Offsets of a zone, remembered by the day, are those that the zone itself gives."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone, tzinfo
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.connectors.chats.millisecond_times import USUAL, MillisecondTimes
from memd.connectors.times.zone_offsets import ZoneOffsets, in_zone
from memd.schemas.times import fixed_offset
from memd.tests.effort import examples

ZONES: list[tzinfo] = [
    UTC,
    ZoneInfo("Europe/Berlin"),
    ZoneInfo("America/St_Johns"),  # its clocks changed at a minute past the hour
    ZoneInfo("Australia/Lord_Howe"),  # by half an hour
    timezone(timedelta(hours=2)),
    timezone(timedelta(seconds=30)),
]


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe"])
def test_a_day_on_which_clocks_change_has_both_offsets(zone: str) -> None:
    """Each second around the change of 2007 has the zone's own offset, also after a second behind it was asked for."""
    found, own = ZoneOffsets(ZoneInfo(zone)), ZoneInfo(zone)
    begin = int(datetime(2007, 3, 1, tzinfo=UTC).timestamp())
    hours = [begin + 3600 * hour for hour in range(24 * 60)]
    change = next(one for one, two in pairwise(hours) if _offset(one, own) != _offset(two, own))
    for second in [change + 3599, *range(change, change + 3600, 7)]:
        assert found.at(second).utcoffset(None) == _offset(second, own)


def _offset(seconds: int, zone: tzinfo) -> timedelta | None:
    return datetime.fromtimestamp(seconds, zone).utcoffset()


@given(st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=-3))])), st.sampled_from(ZONES))
@settings(max_examples=examples(40))
def test_a_time_is_shown_as_the_zone_shows_it(time: datetime, zone: tzinfo) -> None:
    """The same instant, with the same fixed offset; where a zone has no name for it, the same error."""
    try:
        expected = fixed_offset(time.astimezone(zone))
    except OverflowError:
        with pytest.raises(OverflowError):
            in_zone(time, zone)
        return
    found = in_zone(time, zone)
    assert (found, found.utcoffset()) == (expected, expected.utcoffset())


@given(
    st.integers(USUAL.start - 10**8, USUAL.stop + 10**8),
    st.lists(st.integers(-(10**8), 10**8), max_size=4),
    st.sampled_from(ZONES),
)
@settings(max_examples=examples(60))
def test_many_milliseconds_have_the_offset_that_each_has(value: int, beside: list[int], zone: tzinfo) -> None:
    """Where they have one, it is that of each by itself."""
    times = MillisecondTimes(zone)
    values = [value, *(value + each for each in beside)]
    offset = times.offset_of_all(values)
    for each in values if offset is not None else []:
        found = times.instant(each)
        assert found is not None
        assert (found[0].tzinfo, found[1]) == (offset, each)


def test_times_of_one_usual_day_have_one_offset() -> None:
    """Not those around a change of clocks, nor what is no number, nor times out of the usual ones."""
    berlin = ZoneInfo("Europe/Berlin")
    noon = 1_705_316_400_000  # of 2024-01-15
    assert MillisecondTimes(berlin).offset_of_all([noon, noon + 1]) == timezone(timedelta(hours=1))
    for values in ([], [noon, noon + 180 * 86_400_000], [noon, True], [noon, str(noon)], [1, noon], [noon, 10**13]):
        assert MillisecondTimes(berlin).offset_of_all(values) is None
