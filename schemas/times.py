"""Times as memd keeps them: always with a fixed offset, in whole minutes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, SchemaValidator, core_schema

ZoneOrigin = Literal["explicit", "option", "configuration", "assumed"]
"""The origin of a time's zone: the source itself, a flag, the configuration, or the machine's own zone."""

TimePrecision = Literal["day", "minute", "second"]

# Go's zero time: documents written by a Go program have it where no time was set.
GO_ZERO_TIME = datetime(1, 1, 1, tzinfo=UTC)


@lru_cache(maxsize=4096)
def _fixed_zone(minutes: int) -> timezone:
    return UTC if minutes == 0 else timezone(timedelta(minutes=minutes))


def fixed_offset(time: datetime) -> datetime:
    """Return the same instant with a fixed offset in whole minutes.

    A zone with seconds in its offset (local mean time, before about 1900) keeps the instant; its wall clock
    moves by less than a minute, because RFC 3339 has no seconds in an offset.

    Raises:
        ValueError: the time is naive.
    """
    zone = time.tzinfo
    if zone is UTC or (type(zone) is timezone and not time.utcoffset() % _MINUTE):  # type: ignore[operator]
        return time
    offset = time.utcoffset()
    if offset is None:
        raise ValueError("time needs a zone")
    minutes, rest = divmod(round(offset.total_seconds()), 60)
    if rest:
        try:
            return time.astimezone(_fixed_zone(minutes))
        except OverflowError:  # within a minute of the year 1 or 9999: keep the wall clock instead
            return time.replace(tzinfo=_fixed_zone(minutes), fold=0)
    return time.replace(tzinfo=_fixed_zone(minutes), fold=0)


_MINUTE = timedelta(minutes=1)


def localise(naive: datetime, zone: tzinfo, *, fold: int = 0) -> datetime:
    """Give a wall-clock time of a naive source its zone; ``fold=1`` selects the second of two equal hours."""
    return fixed_offset(naive.replace(tzinfo=zone, fold=fold))


def wall_minute(time: datetime) -> str:
    """Return the wall-clock minute, for example ``2024-01-15T12:01``: part of the key in sources without ids."""
    return time.isoformat(timespec="minutes")[:16]


def utc_minute(time: datetime) -> str:
    """Return the minute in UTC. Times that would fall before year 1 or after 9999 keep their own offset."""
    try:
        return wall_minute(time.astimezone(UTC))
    except OverflowError:
        return wall_minute(time)


def utc_microseconds(time: datetime) -> int:
    """Return microseconds since 1970-01-01T00:00Z, exact for every year from 1 to 9999."""
    delta = time - _EPOCH
    return (delta.days * 86_400 + delta.seconds) * 1_000_000 + delta.microseconds


def from_microseconds(micros: int, offset_minutes: int = 0) -> datetime:
    """Return the time of ``utc_microseconds``, in the given offset."""
    zone = _fixed_zone(offset_minutes)
    naive = _NAIVE_EPOCH + timedelta(microseconds=micros, minutes=offset_minutes)
    return naive.replace(tzinfo=zone)


def in_utc(micros: int) -> datetime:
    """Return the time in UTC; a time before year 1 or after 9999 in UTC gets the nearest offset that can express it.

    Raises:
        ValueError: no offset brings this instant into the years 1 to 9999.
    """
    shown = min(max(micros, _FIRST_MICROSECOND), _LAST_MICROSECOND)
    if abs(shown - micros) > _DAY_MICROSECONDS:
        raise ValueError("the time is not within the years 1 to 9999")
    return _EPOCH + timedelta(microseconds=shown)


def rfc3339(time: datetime) -> str:
    """Return RFC 3339 with ``Z`` for UTC, as in all JSON of memd."""
    text = time.isoformat()
    return text[:-6] + "Z" if text.endswith("+00:00") else text


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NAIVE_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - arithmetic on the wall clock, the zone is added after
_FIRST_MICROSECOND = utc_microseconds(datetime.min.replace(tzinfo=UTC))
_LAST_MICROSECOND = utc_microseconds(datetime.max.replace(tzinfo=UTC))
_DAY_MICROSECONDS = 86_400_000_000
"""Longer than any offset of a zone."""


def _instant(value: object) -> datetime:
    """Accept a time in words; a bare number of seconds has no zone and no unit, so it is an error."""
    if type(value) is datetime and is_fixed_offset(value.tzinfo):
        return value
    if isinstance(value, datetime) or (isinstance(value, str) and value[10:11] in _BETWEEN):
        time = fixed_offset(_AWARE.validate_python(value))
        return time if type(time) is datetime else datetime.combine(time.date(), time.timetz())
    raise PydanticCustomError("time", "a time must be written as RFC 3339, 2024-01-15T12:00:00Z")


_BETWEEN = ("T", "t", " ")

_AWARE = SchemaValidator(core_schema.datetime_schema(tz_constraint="aware"))


@lru_cache(maxsize=4096)
def _is_whole_minutes(zone: timezone) -> bool:
    return not zone.utcoffset(None) % _MINUTE


def is_fixed_offset(zone: tzinfo | None) -> bool:
    """Return whether a zone is allowed in documents: a fixed offset in whole minutes."""
    return type(zone) is timezone and _is_whole_minutes(zone)


class _Instant:
    """Validates a time with a single call if it needs no change, since every message has one."""

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(_instant, serialization=_WRITTEN)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"type": "string", "format": "date-time"}


_WRITTEN = core_schema.simple_ser_schema("datetime")
Instant = Annotated[datetime, _Instant()]
"""A field type: RFC 3339 with a zone; naive input is an error; kept with a fixed offset."""
