"""Describes wrong values in plain words: the validator's own texts name types of a programming language. Pure."""

from __future__ import annotations

from typing import Any

from pydantic_core import ErrorDetails

OURS = ("rule", "type", "time")
"""The error types of memd's own validators, whose texts are kept."""
NOT_BLANK = r"[^\s\x1c-\x1f]"
"""The pattern of a text that is not blank: characters that `str.strip` removes and ``\\s`` leaves out are blank, too."""
_KINDS: dict[str, str] = {
    "int": "must be a whole number",
    "float": "must be a number",
    "finite": "must be a number, neither infinite nor NaN",
    "bool": "must be true or false",
    "string": "must be a text",
    "path": "must be the path of a file or folder, as a text",
    "tuple": "must be a list",
    "list": "must be a list",
    "dict": "must be {table}",
    "model": "must be {table}",
    "timezone": "must be a time with a zone, like 2024-01-15T12:00:00Z",
    "datetime": "must be a time as RFC 3339 writes it, 2024-01-15T12:00:00Z",
    "uuid": "must be an id as memd writes it",
    "missing": "is required",
    "extra": "unknown key",
}
"""The requirement for a value, by the first word of an error's type."""
_BOUNDS = {
    "greater_than": ("gt", "must be more than {}"),
    "greater_than_equal": ("ge", "must be at least {}"),
    "less_than": ("lt", "must be less than {}"),
    "less_than_equal": ("le", "must be at most {}"),
}


def wrong_value(detail: ErrorDetails, table: str = "an object") -> str:
    """Return the requirement that a refused value breaks, without its place and value: ``must be a whole number``.

    Args:
        detail: an error of pydantic.
        table: what the notation of the value calls a mapping: an object of JSON, a table of TOML.
    """
    kind = detail["type"]
    context: dict[str, Any] = detail.get("ctx", {})
    if kind == "value_error":
        return str(context.get("error", "is not allowed"))
    if kind == "literal_error":
        # Quotes would follow another language's notation than the value's.
        return "must be " + str(context.get("expected", "")).replace("'", "")
    if kind == "string_pattern_mismatch" and context.get("pattern") == NOT_BLANK:
        return "must not be blank"
    if kind in _BOUNDS:
        name, wording = _BOUNDS[kind]
        bound = context.get(name, "")
        return wording.format(int(bound) if isinstance(bound, float) and bound.is_integer() else bound)
    if kind in OURS:
        return detail["msg"]
    return _KINDS.get(kind.partition("_")[0], "is not allowed here").format(table=table)
