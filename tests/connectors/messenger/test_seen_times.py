"""Times are counted alike in lists and one by one, and as a table of all of them would count."""

from __future__ import annotations

from unittest.mock import patch

from hypothesis import given, settings
from hypothesis import strategies as st

from memd.connectors.formats.messenger import seen_times
from memd.connectors.formats.messenger.seen_times import SeenTimes
from memd.tests.effort import examples

REMEMBERED = 7
TIMES = st.lists(st.integers(0, 12), max_size=5)
LISTS = st.lists(TIMES | TIMES.map(sorted) | TIMES.map(lambda times: sorted(times, reverse=True)), max_size=8)


def _by_table(times: list[int]) -> list[int]:
    counts: dict[int, int] = {}
    found: list[int] = []
    for time in times:
        if time not in counts and len(counts) >= REMEMBERED:
            counts.clear()
        counts[time] = counts.get(time, 0) + 1
        found.append(counts[time])
    return found


@given(LISTS)
@settings(max_examples=examples(40))
def test_times_are_counted_as_a_table_counts_them(lists: list[list[int]]) -> None:
    """Whatever their order is, and when all are forgotten."""
    seen = SeenTimes()
    found: list[int] = []
    with patch.object(seen_times, "_REMEMBERED", REMEMBERED):
        for times in lists:
            if seen.are_new(times):
                seen.add_all(times)
                found += [1] * len(times)
            else:
                found += map(seen.count, times)
    assert found == _by_table([time for times in lists for time in times])
