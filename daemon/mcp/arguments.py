"""Checks the arguments of a call against its tool's schema, in words that a model can correct itself by. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from .jsonrpc import Json, object_of
from .results import invalid

_NAMES = {"string": "a text", "integer": "a whole number", "boolean": "true or false", "array": "a list of texts"}


def checked(arguments: object, schema: Mapping[str, Any]) -> Json:
    """Return the arguments without those that are null.

    Raises:
        ToolError: one is missing, unknown, or of another type.
    """
    fields = object_of(arguments)
    if fields is None:
        raise invalid("arguments must be dict")
    values = {name: value for name, value in fields.items() if value is not None}
    properties: Mapping[str, Any] = schema.get("properties", {})
    if unknown := [name for name in values if name not in properties]:
        raise invalid(f"there is no argument {unknown[0][:64]!r}", f"arguments are {', '.join(properties)}")
    for name in schema.get("required", ()):
        if name not in values:
            raise invalid(f"Missing required field: {name}")
    for name, value in values.items():
        _check(name, value, properties[name])
    return values


def _check(name: str, value: object, schema: Mapping[str, Any]) -> None:
    kind = schema["type"]
    right = {
        "string": isinstance(value, str),
        "integer": isinstance(value, int) and not isinstance(value, bool),
        "boolean": isinstance(value, bool),
        "array": isinstance(value, list) and all(isinstance(each, str) for each in cast("list[object]", value)),
    }[kind]
    if not right:
        raise invalid(f"{name} must be {_NAMES[kind]}")
    if isinstance(value, str) and not value.strip():
        raise invalid(f"{name} cannot be empty")
    low, high = schema.get("minimum"), schema.get("maximum")
    if isinstance(value, int) and low is not None and high is not None and not low <= value <= high:
        raise invalid(f"{name} must be {low}-{high}")
