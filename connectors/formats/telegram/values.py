"""Typed access to the values of an export's JSON; a value of the wrong type counts as absent. Pure."""

from __future__ import annotations

import json
import re
from typing import Any, cast

import orjson

from ...text.json_parsing import parse_json

Object = dict[str, Any]

# The app writes control characters as \x0B, which is no JSON. A backslash before it must not be escaped itself.
_HEX_ESCAPE = re.compile(rb"(?<!\\)((?:\\\\)*)\\x([0-9A-Fa-f]{2})")
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_MOST_DIGITS = 18


def parse(raw: bytes) -> Any:  # noqa: ANN401 - JSON may be anything
    """Parse a JSON value as the app writes it. Invalid UTF-8 and lone surrogates become U+FFFD.

    Raises:
        ValueError: it is no JSON, also with its control characters repaired.
    """
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError:
        repaired = _HEX_ESCAPE.sub(rb"\1\\u00\2", raw) if b"\\x" in raw else raw
        value = parse_json(repaired).value
        return _without_surrogates(value) if _SURROGATE.search(repaired) else value


def _without_surrogates(value: Any) -> Any:  # noqa: ANN401
    # Pairs of escaped surrogates are joined to one character; lone surrogates are replaced.
    text = json.dumps(value, ensure_ascii=False).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return orjson.loads(text)


def text_of(value: object) -> str:
    """Return a string, or the empty string."""
    return value if isinstance(value, str) else ""


def integer_of(value: object) -> int | None:
    """Return an integer, also if written as a string; None for anything else."""
    if isinstance(value, str):
        digits = value.removeprefix("-")
        return int(value) if digits.isdigit() and digits.isascii() and len(digits) <= _MOST_DIGITS else None
    return None if isinstance(value, bool) or not isinstance(value, int) else value


def object_of(value: object) -> Object:
    """Return an object, or an empty one."""
    return cast("Object", value) if isinstance(value, dict) else {}


def list_of(value: object) -> list[Any]:
    """Return a list, or an empty one."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def number_of(value: object) -> str:
    """Return a number as text, a string unchanged; empty for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return ""
    return str(value)
