"""Describes invalid values of the configuration in plain words: ``config.toml:4: query.limit: must be a whole number
from 1 to 100, not "many"``.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from datetime import date, datetime, time
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from ...schemas.wording import wrong_value

_TABLE = "a table"
_LONGEST = 40
"""The maximum number of characters of a value that are shown."""
_NO_BOUND = 2**31 - 1
"""The upper bound of settings that have no other limit."""


def value_problems(
    error: ValidationError, origins: Mapping[str, str], sections: Collection[str], model: type[BaseModel]
) -> Iterator[str]:
    """Yield a line for each problem: the origin of the value, the setting's name, what is allowed, and the value.

    Args:
        error: of the settings.
        origins: the origins of values, by dotted name.
        sections: the names of settings that are tables of settings.
        model: of the settings.
    """
    schema = model.model_json_schema()
    for detail in error.errors(include_url=False):
        parts = [str(part) for part in detail["loc"]]
        name = ".".join(parts[:2] if parts[0] in sections else parts[:1])
        where = origins.get(".".join(parts)) or origins.get(".".join(parts[:2])) or origins.get(name, "default")
        yield f"{where}: {'.'.join(parts)}: {_told(detail, _schema_of(schema, parts))}"


def _told(detail: ErrorDetails, schema: Mapping[str, Any]) -> str:
    kind = detail["type"]
    if detail["loc"] == ("sources",) and kind == "tuple_type":
        return "each source is a table of its own, under a line [[sources]]"
    wording = wrong_value(detail, _TABLE)
    if kind == "value_error":  # raised by memd's own validators, whose message is complete
        return f"{wording[:1].lower()}{wording[1:]}"
    if kind in ("missing", "extra_forbidden"):
        return wording
    return f"{_range(schema) or wording}, not {shown(detail['input'])}"


def _range(schema: Mapping[str, Any]) -> str:
    """Return the phrase for a number with all its bounds; empty if the schema is not that of a number."""
    allowed: list[Mapping[str, Any]] = [schema, *schema.get("anyOf", ())]
    number = next((each for each in allowed if each.get("type") in ("integer", "number")), None)
    if number is None:
        return ""
    what = "a whole number" if number["type"] == "integer" else "a number"
    low, above, high = (number.get(name) for name in ("minimum", "exclusiveMinimum", "maximum"))
    if high is None or high == _NO_BOUND:
        bound = f"of at least {low:.0f}" if low is not None else f"above {above:.0f}" if above is not None else ""
    else:
        bound = f"from {low:.0f} to {high:.0f}" if low is not None else f"above {above or 0:.0f}, at most {high:.0f}"
    return f"must be {what} {bound}".rstrip()


def _schema_of(schema: Mapping[str, Any], parts: list[str]) -> Mapping[str, Any]:
    """Return the part of a JSON schema that describes the value at this place; empty if there is none."""
    here: Mapping[str, Any] = schema
    for part in parts:
        here = _resolved(schema, here)
        in_list = part.isdecimal() and "items" in here
        models = [here, *(_resolved(schema, each) for each in here.get("anyOf", ()))]
        properties = [model["properties"] for model in models if part in model.get("properties", {})]
        here = here["items"] if in_list else properties[0][part] if properties else {}
    return _resolved(schema, here)


def _resolved(schema: Mapping[str, Any], here: Mapping[str, Any]) -> Mapping[str, Any]:
    reference = str(here.get("$ref", ""))
    return schema["$defs"][reference.rpartition("/")[2]] if reference else here


def shown(value: object) -> str:
    """Return a value as it is written, shortened; lists and tables are only named as such."""
    if isinstance(value, dict):
        return _TABLE
    if isinstance(value, list | tuple):
        return "a list"
    if isinstance(value, datetime | date | time):
        return "a date or a time"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str) and len(value) > _LONGEST:
        value = value[: _LONGEST - 1] + "…"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else str(value)[:_LONGEST]
