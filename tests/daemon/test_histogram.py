"""The histogram of durations against the sorted values themselves."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from memd.daemon.querying.histogram import FIRST, GROWTH, Histogram


def test_nothing_measured_is_none() -> None:
    """Before the first value there is no percentile."""
    assert Histogram().to_wire() == {"mean": None, "p50": None, "p95": None, "p99": None}


@given(st.lists(st.floats(FIRST, 1e5), min_size=1, max_size=200), st.sampled_from([0.5, 0.95, 0.99, 1.0]))
def test_percentiles_are_off_by_a_bucket_at_most(values: list[float], share: float) -> None:
    """Within the growth of a bucket of the exact value."""
    histogram = Histogram()
    for value in values:
        histogram.add(value)
    exact = sorted(values)[math.ceil(len(values) * share) - 1]
    told = histogram.percentile(share)
    assert told is not None
    assert exact / GROWTH - 0.001 <= told <= exact * GROWTH + 0.001


def test_extremes_are_counted() -> None:
    """What is faster than the first bucket or slower than the last is in it."""
    histogram = Histogram()
    for value in (0.0, -1.0, 1e300):
        histogram.add(value)
    assert histogram.percentile(0.5) is not None
    assert histogram.percentile(1.0) is not None
