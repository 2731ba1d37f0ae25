"""Typed reading of parsed JSON of which nothing is known: a field of the wrong type counts as absent. Pure."""

from __future__ import annotations

from typing import Any, cast


def text_of(value: object) -> str:
    """Return the value if it is a string, otherwise an empty string."""
    return value if isinstance(value, str) else ""


def words_of(value: object) -> str:
    """Return a string without blanks around it; empty for anything else. For names and ids, never for text that people
    wrote.
    """
    return value.strip() if isinstance(value, str) else ""


def id_of(value: object) -> str:
    """Return an id as text: a string, or a whole number; empty for anything else."""
    if isinstance(value, str):
        return value.strip()
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""


def object_of(value: object) -> dict[str, Any]:
    """Return the value if it is an object, otherwise an empty object."""
    return value if isinstance(value, dict) else {}  # type: ignore[return-value] - of any keys; a cast is a call


def list_of(value: object) -> list[Any]:
    """Return the value if it is a list, otherwise an empty list."""
    return value if isinstance(value, list) else []  # type: ignore[return-value]


def entries_of(value: object) -> list[object]:
    """Return the items of a list; for any other value, that value alone."""
    if isinstance(value, list):
        return cast("list[object]", value)
    return [] if value is None else [value]


def size_of(value: object) -> int | None:
    """Return a number of bytes, also from a string; None for anything else."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 18:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value < 2**63 else None
