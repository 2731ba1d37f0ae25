"""Questions as the API and the command line pose them: dates, limits, all problems at once."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from memd.daemon.service.requests import (
    LONGEST_QUESTION,
    TIME_WORDING,
    ListingRequest,
    QueryRequest,
    from_parameters,
    parse,
    time_in,
)
from memd.schemas.errors import InvalidError
from memd.tests.cases import for_each

BERLIN = ZoneInfo("Europe/Berlin")


@for_each(
    [
        ("2024-01-15", datetime(2024, 1, 14, 23, tzinfo=UTC)),
        ("2024-07-15", datetime(2024, 7, 14, 22, tzinfo=UTC)),
        ("2024-01-15T12:00:00Z", datetime(2024, 1, 15, 12, tzinfo=UTC)),
        ("2024-01-15T12:00:00+05:30", datetime(2024, 1, 15, 6, 30, tzinfo=UTC)),
        ("2024-01-15T12:00", datetime(2024, 1, 15, 11, tzinfo=UTC)),
    ]
)
def test_a_time_is_read_in_the_configured_zone(text: str, instant: datetime) -> None:
    """A bare date is that day where the user lives, summer or winter; a zone that is given counts."""
    assert time_in(text, BERLIN) == instant


def test_a_full_question_is_read() -> None:
    """Every key of the API arrives in the query."""
    query = parse(
        QueryRequest,
        {
            "text": "flat",
            "limit": 3,
            "speakers": ["Bob"],
            "people": ["Ann"],
            "sources": ["whatsapp"],
            "tags": ["home"],
            "kinds": ["text", "media"],
            "users": ["ann ", "bob"],
            "agents": ["guide"],
            "sessions": ["7"],
            "since": "2024-01-01",
            "until": "2024-02-01",
            "sort": "time",
            "explain": True,
        },
        BERLIN,
    )
    assert (query.limit, query.speakers, query.kinds, query.sort) == (3, ("Bob",), ("text", "media"), "time")
    assert query.since == datetime(2023, 12, 31, 23, tzinfo=UTC)
    assert (query.users, query.agents, query.sessions) == (("ann", "bob"), ("guide",), ("7",))


@for_each(
    [
        ({"text": "x", "limit": 0}, "limit must be 1-100"),
        ({"text": "x", "limit": 101}, "limit must be 1-100"),
        ({}, "text: is required"),
        ({"text": " "}, "text must hold a word"),
        (
            {"text": "x", "kinds": ["text", "nosuch"]},
            "kinds must be text, system, call, poll, media, location, contact, event, deleted or unknown",
        ),
        ({"text": "x", "users": ["ann", " "]}, "users.1: must not be blank"),
        ({"text": "x", "colour": 1}, "colour: unknown key"),
        ({"text": "x", "since": "whenever"}, f"since must be {TIME_WORDING}"),
        ({"text": "x", "since": "2024-02-30"}, f"since must be {TIME_WORDING}"),
        ({"text": "x", "until": "9" * 5_000}, f"until must be {TIME_WORDING}"),
        ({"text": "x", "until": 7}, f"until must be {TIME_WORDING}"),
        ({"text": "x", "since": "2024-02-01", "until": "2024-01-01"}, "since must be before until"),
    ]
)
def test_a_wrong_question_says_what_is_wrong(body: dict[str, Any], problem: str) -> None:
    """Each rule has one wording."""
    with pytest.raises(InvalidError) as raised:
        parse(QueryRequest, body, BERLIN)
    assert problem in raised.value.problems


def test_all_problems_are_told_at_once() -> None:
    """Nobody has to mend a question twice."""
    with pytest.raises(InvalidError) as raised:
        parse(QueryRequest, {"text": "x", "limit": 0, "since": "?", "sort": "colour"}, BERLIN)
    assert len(raised.value.problems) == 3


def test_what_was_sent_is_not_in_the_error() -> None:
    """Questions are private: an error names the key and the rule, never the value."""
    with pytest.raises(InvalidError) as raised:
        parse(QueryRequest, {"text": ["a secret"], "kinds": ["a secret"], "since": "a secret"}, BERLIN)
    assert "a secret" not in str(raised.value)


def test_a_listing_takes_the_same_filters() -> None:
    """Repeated parameters are several values."""
    where = _listing(("sources", "whatsapp"), ("sources", "mail"), ("since", "2024-01-15"))
    assert where.sources == ("whatsapp", "mail")
    with pytest.raises(InvalidError):
        _listing(("source", "whatsapp"))


def test_numbers_of_a_listing() -> None:
    """A whole number within bounds, or a sentence."""
    assert _listing().limit == 20
    assert _listing(("limit", "7"), ("limit", "1000")).limit == 1000
    for wrong in ("0", "1001", "-1", "x", "1" * 5000, "١"):
        with pytest.raises(InvalidError, match="limit must be 1-1000"):
            _listing(("limit", wrong))


def _listing(*parameters: tuple[str, str]) -> ListingRequest:
    return parse(ListingRequest, from_parameters(ListingRequest, parameters), BERLIN)


def test_a_day_with_slashes_is_refused_with_what_to_write() -> None:
    """05/06 is a day of May to one person and of June to another."""
    with pytest.raises(InvalidError, match="since may be two days, by the order of day and month"):
        parse(ListingRequest, {"since": "05/06/2023"}, UTC)


def test_a_question_has_a_longest_length() -> None:
    """It would keep others waiting."""
    assert parse(QueryRequest, {"text": "a" * LONGEST_QUESTION}, UTC)
    with pytest.raises(InvalidError, match="text must have at most 10,000 characters"):
        parse(QueryRequest, {"text": "a" * (LONGEST_QUESTION + 1)}, UTC)
