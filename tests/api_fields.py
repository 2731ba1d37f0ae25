"""The record of all operations, fields and allowed values of /v1: none may go. `python -m memd.tests.api_fields` adds new ones."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from memd.daemon.http.openapi import openapi

RECORD = Path(__file__).parent / "daemon" / "api_fields.txt"


def fields() -> set[str]:
    """Return a line for each operation, each field with its type (a question mark: it may be absent), and each value."""
    described = openapi()
    lines: set[str] = set()
    for path, methods in described["paths"].items():
        for method, row in methods.items():
            lines.add(f"{row['operationId']}: {method.upper()} {path}")
            for each in row.get("parameters", ()):
                name = f"{row['operationId']}({each['name']}{'' if each['required'] else '?'})"
                lines |= {f"{name}: {_type(each['schema'])}", *_values(name, each["schema"])}
    for name, schema in described["components"]["schemas"].items():
        if "properties" not in schema:
            lines |= {f"{name}: {_type(schema)}", *_values(name, schema)}
        for field, each in schema.get("properties", {}).items():
            place = f"{name}.{field}{'' if field in schema.get('required', ()) else '?'}"
            lines |= {f"{place}: {_type(each)}", *_values(place, each)}
    return lines


def _type(schema: dict[str, Any]) -> str:
    """Return the type in short: `string`, `integer | null`, `[Hit]` for a list, `{integer}` for an object of any keys."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return " | ".join(sorted(map(_type, schema[key])))
    if schema.get("type") == "array":
        return (
            f"[{_type(schema['items'])}]" if "items" in schema else f"[{', '.join(map(_type, schema['prefixItems']))}]"
        )
    if isinstance(inner := schema.get("additionalProperties"), dict):
        return f"{{{_type(cast('dict[str, Any]', inner))}}}"
    kind = str(schema.get("type", "any"))
    return f"{kind} {schema['format']}" if "format" in schema else kind


def _values(place: str, schema: object) -> Iterator[str]:
    """Yield a line for each value of an enumeration, also of one in a list or an alternative."""
    if not isinstance(schema, dict):
        return
    plain = cast("dict[str, Any]", schema)
    for value in plain.get("enum", ()):
        yield f"{place} = {value}"
    if "const" in plain:
        yield f"{place} = {plain['const']}"
    for each in (*plain.get("anyOf", ()), plain.get("items")):
        yield from _values(place, each)


def recorded() -> set[str]:
    """Return the lines of the record."""
    return set(RECORD.read_text(encoding="utf-8").splitlines()) if RECORD.exists() else set()


if __name__ == "__main__":
    RECORD.write_text("".join(f"{line}\n" for line in sorted(recorded() | fields())), encoding="utf-8")
