"""Typed access to the values of untrusted JSON; a value of the wrong type counts as empty. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

JSONObject = dict[str, Any]

_MOST_DIGITS = 12
"""The maximum number of digits of a time stamp's seconds: the year 9999 has twelve."""

_LARGEST = 1 << 62
_SECONDS, _USUAL = 10, 17
"""The number of digits of present-day seconds, and the length of a whole stamp."""


def text_of(record: Mapping[str, Any], key: str) -> str:
    """Return the string of a key, or the empty string."""
    value = record.get(key)
    return value if isinstance(value, str) else ""


def object_of(record: Mapping[str, Any], key: str) -> JSONObject:
    """Return the object of a key, or an empty one."""
    value = record.get(key)
    return cast("JSONObject", value) if isinstance(value, dict) else {}


def objects_of(record: Mapping[str, Any], key: str) -> list[JSONObject]:
    """Return the objects in the list of a key."""
    value = record.get(key)
    return [item for item in cast("list[Any]", value) if isinstance(item, dict)] if isinstance(value, list) else []


def texts_of(record: Mapping[str, Any], key: str) -> list[str]:
    """Return the strings in the list of a key that are not empty."""
    value = record.get(key)
    items = cast("list[Any]", value) if isinstance(value, list) else []
    return [item for item in items if isinstance(item, str) and item]


def number_of(record: Mapping[str, Any], key: str) -> int:
    """Return the positive integer of a key, also if written as a string; 0 for anything else."""
    value = record.get(key)
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= _MOST_DIGITS:
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < _LARGEST else 0


def microseconds_of(stamp: object) -> int | None:
    """Convert a time stamp (``"1700000000.123456"``: seconds since 1970 and a part that makes it unique) to
    microseconds.

    The result is exact, which a float would not be. Some tools write numbers. Returns None for other values.
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
