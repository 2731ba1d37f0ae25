"""JSON as memd accepts it: orjson's strictness, but damaged text is replaced and numbers are never altered."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

import orjson

from .repeated_keys import repeated_key

NOT_JSON = "not valid JSON"

# orjson turns integers beyond 64 bits into floats; fewer digits than these always fit.
_LONG_NUMBER = re.compile(rb"[0-9]{19}")
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_MAX_DIGITS = 4000
_INT64 = range(-(2**63), 2**64)


@dataclass(frozen=True, slots=True)
class Parsed:
    """A JSON value."""

    value: Any
    replaced: bool = False
    """True if bytes that are not UTF-8 became U+FFFD."""
    repeated: str | None = None
    """A key that occurs twice in one of its objects; the last value is the one that was kept."""


def parse_json(raw: bytes) -> Parsed:
    """Parse one JSON value. Lone surrogates stay in it, for the reader of documents to replace and report.

    Raises:
        ValueError: it is not JSON, or holds NaN, an infinity or an integer beyond 64 bits, or is nested too deep.
    """
    replaced = False
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        text = raw.decode("utf-8", "replace")
        replaced = text.encode() != raw
        if not replaced and not _SURROGATE.search(raw):
            raise ValueError(_reason(error)) from None
        value = _parse_leniently(text)
    else:
        if _LONG_NUMBER.search(raw):
            _parse_leniently(raw.decode())
    return Parsed(value, replaced, repeated_key(raw, value))


def _parse_leniently(text: str) -> Any:  # noqa: ANN401 - JSON may be anything
    """Parse with the standard library, which keeps lone surrogates and shows each number as it is written."""
    try:
        return json.loads(text, parse_constant=_refuse, parse_int=_integer, parse_float=_number)
    except json.JSONDecodeError as error:
        raise ValueError(_reason(error)) from None
    except RecursionError:
        raise ValueError(f"{NOT_JSON}: nested too deep") from None


def _reason(error: json.JSONDecodeError) -> str:
    # Neither parser quotes the input in its message.
    return f"{NOT_JSON}: {error.msg} (at {error.pos})"


def _refuse(name: str) -> float:
    raise ValueError(f"{NOT_JSON}: {name}")


def _integer(digits: str) -> int:
    if len(digits) > _MAX_DIGITS or int(digits) not in _INT64:
        raise ValueError("an integer has more than 64 bits")
    return int(digits)


def _number(digits: str) -> float:
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise ValueError("a number is too large")
    return number
