"""Values out of JSON that anybody may have written: each is what its place demands, or empty. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

JSONObject = dict[str, Any]

_MOST_DIGITS = 12
"""Of the seconds of a time stamp: the year 9999 has twelve."""

_LARGEST = 1 << 62
_SECONDS, _USUAL = 10, 17
"""Digits of the seconds of our time, and of a whole stamp."""


def text_of(record: Mapping[str, Any], key: str) -> str:
    """The string of that key, or the empty string."""
    value = record.get(key)
    return value if isinstance(value, str) else ""


def object_of(record: Mapping[str, Any], key: str) -> JSONObject:
    """The object of that key, or an empty one."""
    value = record.get(key)
    return cast("JSONObject", value) if isinstance(value, dict) else {}


def objects_of(record: Mapping[str, Any], key: str) -> list[JSONObject]:
    """The objects in the list of that key."""
    value = record.get(key)
    return [item for item in cast("list[Any]", value) if isinstance(item, dict)] if isinstance(value, list) else []


def texts_of(record: Mapping[str, Any], key: str) -> list[str]:
    """The strings in the list of that key that are not empty."""
    value = record.get(key)
    items = cast("list[Any]", value) if isinstance(value, list) else []
    return [item for item in items if isinstance(item, str) and item]


def number_of(record: Mapping[str, Any], key: str) -> int:
    """The whole number of that key, also where it is written as a string; 0 for anything else and below 0."""
    value = record.get(key)
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= _MOST_DIGITS:
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < _LARGEST else 0


def microseconds_of(stamp: object) -> int | None:
    """A time stamp (``"1700000000.123456"``: seconds since 1970, and a part that makes it unique) in microseconds.

    Exact, which a float would not be. Some tools write numbers. None for what is no time stamp.
    """
    if type(stamp) is str and len(stamp) == _USUAL and stamp[_SECONDS] == "." and stamp.isascii():
        seconds, part = stamp[:_SECONDS], stamp[_SECONDS + 1 :]
        if seconds.isdigit() and part.isdigit():
            return int(seconds) * 1_000_000 + int(part) or None
    if isinstance(stamp, float):
        return round(stamp * 1_000_000) if 0 < stamp < 10**_MOST_DIGITS else None
    if isinstance(stamp, int) and not isinstance(stamp, bool):
        return stamp * 1_000_000 if 0 < stamp < 10**_MOST_DIGITS else None
    if not isinstance(stamp, str):
        return None
    seconds, _, part = stamp.partition(".")
    if not (seconds.isascii() and seconds.isdigit() and len(seconds) <= _MOST_DIGITS):
        return None
    if part and not (part.isascii() and part.isdigit()):
        return None
    return int(seconds) * 1_000_000 + int(part[:6].ljust(6, "0")) or None
