"""From a request's plain values to a `Query` or a `Filter`: bare dates, all problems told at once. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, tzinfo
from typing import Any

from pydantic import ValidationError

from ..schemas import Query
from ..schemas.errors import InvalidError
from ..schemas.times import fixed_offset, localise

_TIMES = ("since", "until", "as_of")


def time_in(text: str, zone: tzinfo) -> datetime:
    """An RFC 3339 time, a time without a zone, or a bare date, which is the moment that day begins in ``zone``.

    Raises:
        ValueError: it is none of these.
    """
    if len(text) == 10:
        day = date.fromisoformat(text)
        return localise(datetime(day.year, day.month, day.day), zone)  # noqa: DTZ001 - the zone is given one call on
    time = datetime.fromisoformat(text)
    return localise(time, zone) if time.tzinfo is None else fixed_offset(time)


def query_from(body: Mapping[str, Any], zone: tzinfo) -> Query:
    """A question as the API and the command line pose it.

    Raises:
        InvalidError: a value breaks a rule, a key is unknown; all problems are in it.
    """
    query = _query_from(body, zone)
    if not query.text.strip():
        raise InvalidError("text must hold a word", hint="`memd documents` lists what is stored, with the same filters")
    return query


def _query_from(body: Mapping[str, Any], zone: tzinfo) -> Query:
    plain, problems = _with_times(body, zone)
    try:
        query = Query.model_validate(plain)
    except ValidationError as error:
        problems += problems_of(error)
    else:
        if query.since and query.until and query.since >= query.until:
            problems.append("since must be before until")
        if not problems:
            return query
    raise InvalidError("; ".join(problems), hint="`memd query --help` explains each", problems=tuple(problems))


def problems_of(error: ValidationError) -> list[str]:
    """Every problem of a request, in its public wording, without the values that were sent."""
    told: list[str] = []
    for detail in error.errors(include_url=False, include_input=False):
        place = ".".join(str(part) for part in detail["loc"])
        if detail["type"] == "value_error":
            told.append(str(detail.get("ctx", {}).get("error", detail["msg"])))
        elif detail["type"] == "extra_forbidden":
            told.append(f"{place}: unknown key")
        elif detail["type"] == "missing":
            told.append(f"{place}: is required")
        else:
            told.append(f"{place}: {detail['msg'][:1].lower()}{detail['msg'][1:]}" if place else detail["msg"])
    return told


def _with_times(body: Mapping[str, Any], zone: tzinfo) -> tuple[dict[str, Any], list[str]]:
    plain = dict(body)
    problems: list[str] = []
    for name in _TIMES:
        given = plain.get(name)
        if given is None:
            plain.pop(name, None)
        elif not isinstance(given, str):
            problems.append(f"{name} must be a day (2024-01-15) or an RFC 3339 time")
            del plain[name]
        else:
            try:
                plain[name] = time_in(given, zone)
            except (ValueError, OverflowError):
                problems.append(f"{name} must be a day (2024-01-15) or an RFC 3339 time")
                del plain[name]
    return plain, problems


FILTERS = ("speakers", "people", "sources", "tags", "kinds")


def filter_from(parameters: Sequence[tuple[str, str]], zone: tzinfo) -> Query:
    """The filters of a listing, from the parameters of its URL, as a `Query` without words.

    Raises:
        InvalidError: as ``query_from``; also for a parameter that is no filter.
    """
    body: dict[str, Any] = {"text": ""}
    for name, value in parameters:
        if name in FILTERS:
            body.setdefault(name, []).append(value)
        else:
            body[name] = value
    return _query_from(body, zone)


def number_from(value: str | None, name: str, default: int, highest: int) -> int:
    """A whole number from 1 to ``highest`` in a parameter.

    Raises:
        InvalidError: it is something else.
    """
    if value is None:
        return default
    if not value.isascii() or not value.isdigit() or len(value) > 9 or not 1 <= int(value) <= highest:
        raise InvalidError(f"{name} must be 1-{highest}")
    return int(value)
