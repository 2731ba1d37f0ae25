"""Keys that occur twice in one JSON object: parsers silently keep only the last value. Pure."""

from __future__ import annotations

import json
import re
from typing import Any, cast

import orjson

_KEY_END = re.compile(rb'"[ \t\r\n]*:')


def repeated_key(raw: bytes, value: object) -> str | None:
    """Return a key that occurs twice in one object of a JSON text; None if there is none.

    Args:
        raw: the text.
        value: what a reader made of it.
    """
    try:
        if orjson.dumps(value) == raw.strip():  # as programs write it
            return None
    except TypeError:  # nested deeper than is written, or half characters
        pass
    # Each key ends with a quote and a colon, which may occur in texts as well: a higher count than that of keys is no
    # proof yet.
    if sum(1 for _ in _KEY_END.finditer(raw)) == _count_keys(value):
        return None
    try:
        json.loads(raw.decode("utf-8", "replace"), object_pairs_hook=_unique, parse_int=str)
    except _RepeatedKeyError as error:
        return error.key
    except (ValueError, RecursionError):  # it is told elsewhere why this is not read
        return None
    return None


class _RepeatedKeyError(Exception):
    def __init__(self, key: str) -> None:
        super().__init__()
        self.key = key


def _unique(pairs: list[tuple[str, Any]]) -> None:
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            raise _RepeatedKeyError(key)
        seen.add(key)


def _count_keys(value: object) -> int:
    count = 0
    left: list[object] = [value]
    while left:
        each = left.pop()
        if isinstance(each, dict):
            inner = cast("dict[str, object]", each)
            count += len(inner)
            left.extend(inner.values())
        elif isinstance(each, list):
            left.extend(cast("list[object]", each))
    return count
