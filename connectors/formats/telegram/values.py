"""Values of an export's JSON, taken for what they must be: anything else counts as absent. Pure."""

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
    """A JSON value as the app writes it. Bytes that are no UTF-8 and lone surrogates become U+FFFD.

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
    # Two halves of one character that were escaped one by one belong together; what is left alone is replaced.
    text = json.dumps(value, ensure_ascii=False).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return orjson.loads(text)


def text_of(value: object) -> str:
    """A text, or nothing."""
    return value if isinstance(value, str) else ""


def integer_of(value: object) -> int | None:
    """A whole number, written as one or as a text."""
    if isinstance(value, str):
        digits = value.removeprefix("-")
        return int(value) if digits.isdigit() and digits.isascii() and len(digits) <= _MOST_DIGITS else None
    return None if isinstance(value, bool) or not isinstance(value, int) else value


def object_of(value: object) -> Object:
    """An object, or an empty one."""
    return cast("Object", value) if isinstance(value, dict) else {}


def list_of(value: object) -> list[Any]:
    """A list, or an empty one."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def number_of(value: object) -> str:
    """A number as it is shown; a text as it stands."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return ""
    return str(value)
