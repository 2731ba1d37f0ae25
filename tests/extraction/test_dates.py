"""Words of time against the message's own date."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.memory.extraction import dates
from memd.memory.extraction.calendar import MONTHS, NUMBERS, SEASONS, UNITS, WEEKDAYS
from memd.memory.extraction.dates import anniversary, moment, resolve_date
from memd.tests.cases import for_each

SAID = datetime(2024, 7, 10, 14, 30, tzinfo=timezone(timedelta(hours=2)))
"""A Wednesday."""
MOMENTS = st.integers(0, 200 * 365 * 24).map(lambda hours: datetime(1950, 1, 1, tzinfo=UTC) + timedelta(hours=hours))
"""Any hour of two centuries."""
TABLE = """
yesterday | 2024-07-09 | 2024-07-10
today | 2024-07-10 | 2024-07-11
tomorrow | 2024-07-11 | 2024-07-12
the day after tomorrow | 2024-07-12 | 2024-07-13
last Friday | 2024-07-05 | 2024-07-06
next Friday | 2024-07-12 | 2024-07-13
last Wednesday | 2024-07-03 | 2024-07-04
next Wednesday | 2024-07-17 | 2024-07-18
in two weeks | 2024-07-24 | 2024-07-25
3 days ago | 2024-07-07 | 2024-07-08
two years ago | 2022-01-01 | 2023-01-01
last week | 2024-07-01 | 2024-07-08
next month | 2024-08-01 | 2024-09-01
last month | 2024-06-01 | 2024-07-01
last year | 2023-01-01 | 2024-01-01
last summer | 2023-06-01 | 2023-09-01
last winter | 2023-12-01 | 2024-03-01
next summer | 2025-06-01 | 2025-09-01
this weekend | 2024-07-13 | 2024-07-15
since March | 2024-03-01 |
since October | 2023-10-01 |
since 2019 | 2019-01-01 |
since last week | 2024-07-01 |
since June 5, 2020 | 2020-06-05 |
for three years | 2021-07-10 |
until May | | 2025-05-01
until 2019 | | 2019-01-01
until Friday | | 2024-07-13
from 3 to 5 June | 2025-06-03 | 2025-06-06
from 3 to 5 August | 2024-08-03 | 2024-08-06
from 2015 to 2019 | 2015-01-01 | 2019-01-01
from November to February | 2024-11-01 | 2025-03-01
between May 2021 and June 2022 | 2021-05-01 | 2022-07-01
on 3 March | 2025-03-03 | 2025-03-04
on 3 March 2024 | 2024-03-03 | 2024-03-04
on March 3rd, 2024 | 2024-03-03 | 2024-03-04
29 February | 2028-02-29 | 2028-03-01
2024-02-29 | 2024-02-29 | 2024-03-01
2023 | 2023-01-01 | 2024-01-01
2023-05 | 2023-05-01 | 2023-06-01
gestern | 2024-07-09 | 2024-07-10
seit drei Jahren | 2021-07-10 |
seit 2019 | 2019-01-01 |
vor zwei Wochen | 2024-06-26 | 2024-06-27
letzten Sommer | 2023-06-01 | 2023-09-01
nächste Woche | 2024-07-15 | 2024-07-22
bis Mai | | 2025-05-01
vom 3. bis 5. Juni | 2025-06-03 | 2025-06-06
3.5.2023 | 2023-05-03 | 2023-05-04
ayer | 2024-07-09 | 2024-07-10
hace dos años | 2022-01-01 | 2023-01-01
desde marzo | 2024-03-01 |
hasta 2019 | | 2019-01-01
la semana pasada | 2024-07-01 | 2024-07-08
el mes que viene | 2024-08-01 | 2024-09-01
"""
ROWS = [tuple(part.strip() for part in row.split("|")) for row in TABLE.strip().splitlines()]


@for_each(ROWS)
def test_words_of_time(words: str, begin: str, end: str) -> None:
    """Each expression means these days, from midnight to midnight of the message's own offset."""
    span = resolve_date(words, SAID)
    assert span is not None
    found = tuple(each.date().isoformat() if each else "" for each in span)
    assert found == (begin, end)
    assert all(each.utcoffset() == SAID.utcoffset() and each.hour == 0 for each in span if each)


@for_each(["31 April", "2024-02-30", "30 February 2024", "since 31 June", "13.13.2020", "until the end of time", "soon", "", "1850", "from 5 to 3 June", "in 900 years", "3 potatoes ago"])  # fmt: skip
def test_what_cannot_be_is_none(words: str) -> None:
    """No such day, or nothing understood."""
    assert resolve_date(words, SAID) is None


@given(st.text(max_size=40))
def test_any_text_is_understood_or_not_but_never_breaks(text: str) -> None:
    """Whatever an extractor writes as a date."""
    resolve_date(text, SAID)
    moment(text, SAID)
    anniversary(text, SAID)


@given(
    st.sampled_from([row[0] for row in ROWS]),
    MOMENTS,
    st.booleans(),
)
def test_a_span_never_ends_before_it_begins(words: str, said: datetime, past: bool) -> None:
    """Whenever it was said."""
    span = resolve_date(words, said, past=past)
    if span is not None and span.start is not None and span.end is not None:
        assert span.start < span.end


@given(st.dates(date(1901, 1, 1), date(2199, 12, 31)), MOMENTS)
def test_a_full_date_does_not_depend_on_the_message(day: date, said: datetime) -> None:
    """An ISO date is that day for everybody, as a beginning and, with the midnight after it, as an end."""
    aware = said.replace(tzinfo=SAID.tzinfo)
    span = resolve_date(day.isoformat(), aware)
    assert span is not None
    assert span.start == moment(day.isoformat(), aware)
    assert span.end == moment(day.isoformat(), aware, end=True)
    assert span.start is not None
    assert span.start.date() == day


@given(st.integers(-400, 400).map(lambda days: SAID + timedelta(days=days)))
def test_last_and_next_are_on_their_sides(said: datetime) -> None:
    """Last Monday is within the seven days before the message's day, next Monday within the seven after it."""
    today = said.date()
    for weekday in ("Monday", "Thursday", "Sunday"):
        last, following = resolve_date(f"last {weekday}", said), resolve_date(f"next {weekday}", said)
        assert last is not None
        assert following is not None
        assert last.start is not None
        assert following.start is not None
        assert 1 <= (today - last.start.date()).days <= 7
        assert 1 <= (following.start.date() - today).days <= 7


def test_moments_of_models() -> None:
    """ISO times keep their zone, a naive one has the message's, and what cannot be is told from what is not said."""
    assert moment("2024-05-01T10:00:00Z", SAID) == datetime(2024, 5, 1, 10, tzinfo=UTC)
    assert moment("2024-05-01T10:00:00", SAID) == datetime(2024, 5, 1, 10, tzinfo=SAID.tzinfo)
    assert moment("2024-13-01", SAID) == "impossible"
    assert moment("0001-01-01T00:00:00", SAID) == "impossible"
    assert moment("recently", SAID) is None
    assert moment("", SAID) is None
    assert moment("2019", SAID, end=True) == datetime(2019, 1, 1, tzinfo=SAID.tzinfo)


def test_birthdays() -> None:
    """With the year where it was said, else without."""
    assert anniversary("12 March", SAID) == "--03-12"
    assert anniversary("4 July 1988", SAID) == "1988-07-04"
    assert anniversary("12. März", SAID) == "--03-12"
    assert anniversary("March", SAID) is None


def every_rule() -> list[str]:
    """Expressions for every rule of `dates`, and with every word of the calendar that a rule may name."""
    kinds = [*UNITS, *WEEKDAYS, *MONTHS, *SEASONS, "weekend", "wochenende", "fin de semana"]
    relative = [f"{which} {kind}" for which in ("last", "this", "next") for kind in kinds]
    spoken = [f"la {kind} {which}" for which in ("pasada", "que viene") for kind in kinds]
    apart = [
        words.format(number, unit)
        for words in ("{} {} ago", "in {} {}", "hace {} {}", "for {} {}", "seit {} {}")
        for number in ("1", "999", *list(NUMBERS)[:12])
        for unit in UNITS
    ]
    points = (
        [row[0] for row in ROWS]
        + ["on March 3rd", "2023-05", "in 2019", "on monday", "summer 2020"]
        + list(vars(dates)["_DAYS"])
        + relative
        + spoken
        + kinds
    )
    borders = [f"{border} {point}" for border in ("since", "from", "until", "bis") for point in points]
    ranges = [f"from {first} to {last}" for first in ("monday", "today", "3") for last in ("tomorrow", "friday")]
    return list(dict.fromkeys(points + apart + borders + ranges))


BORDERS = ("RANGE", "LONG", "OPEN", "CLOSED")
ENDS = [
    datetime(year, month, day, 12, 59, tzinfo=timezone(timedelta(hours=offset)))
    for year, month, day, offset in [
        (1, 1, 1, 14),
        (1, 1, 8, 0),
        (9998, 12, 31, 0),
        (9999, 12, 24, -14),
        (9999, 12, 31, -14),
    ]
]
"""Days at both ends of the calendar; some of these moments have no name in UTC."""


@pytest.mark.slow
@for_each(ENDS)
def test_no_time_of_a_message_is_too_early_or_too_late(said: datetime) -> None:
    """At the ends of the calendar a rule finds days that exist, or none."""
    for words in every_rule():
        for past in (True, False):
            span = resolve_date(words, said, past=past)
            assert span is None or span.start is None or span.end is None or span.start < span.end
            moment(words, said, end=past)
        anniversary(words, said)


def test_every_rule_is_tried_at_the_ends_of_the_calendar() -> None:
    """The expressions of the test above leave no rule out."""
    tried = every_rule()
    rules = vars(dates)
    for pattern in [each for each, _ in rules["_POINTS"]] + [rules[f"_{name}"] for name in BORDERS]:
        assert any(re.fullmatch(pattern, words.casefold()) for words in tried), pattern
