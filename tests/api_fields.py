"""The record of all operations, fields and allowed values of /v1: none may go. `python -m memd.tests.api_fields` adds new ones."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memd.daemon.http.openapi import openapi

RECORD = Path(__file__).parent / "daemon" / "api_fields.txt"

Schemas = dict[str, dict[str, Any]]


def fields() -> set[str]:
    """Return a line for each operation, and for each field of its requests (`<`) and answers (`>`) one with its type and
    one for each value of an enumeration. A question mark stands behind what may be absent, `[]` for items of a list.

    Names of schemas are not in it: no program sees them in an answer.
    """
    described = openapi()
    schemas: Schemas = described["components"]["schemas"]
    lines: set[str] = set()
    for path, methods in described["paths"].items():
        for method, row in methods.items():
            name = row["operationId"]
            lines.add(f"{name}: {method.upper()} {path}")
            for each in row.get("parameters", ()):
                place = f"{name} < {each['name']}{'' if each['required'] else '?'}"
                lines |= set(_leaves(each["schema"], place, schemas))
            for media in row.get("requestBody", {}).get("content", {}).values():
                lines |= set(_leaves(_item(media), f"{name} <", schemas))
            for response in row["responses"].values():
                for media in response.get("content", {}).values():
                    lines |= set(_leaves(_item(media), f"{name} >", schemas))
    return lines | set(_leaves(schemas["ErrorAnswer"], "error >", schemas))


def _item(media: dict[str, Any]) -> dict[str, Any]:
    return media.get("x-item-schema", media["schema"])


def _leaves(
    schema: dict[str, Any], place: str, schemas: Schemas, around: frozenset[str] = frozenset()
) -> Iterator[str]:
    """Yield the lines of a schema at this place; ``around`` are the schemas that contain it."""
    if "$ref" in schema:
        name = str(schema["$ref"]).rpartition("/")[2]
        if name not in around and name != "ErrorAnswer":  # it is the same everywhere
            yield from _leaves(schemas[name], place, schemas, around | {name})
        return
    parts: list[tuple[dict[str, Any], str]] = [(each, place) for each in schema.get("anyOf", schema.get("oneOf", ()))]
    parts += [(schema["items"], f"{place}[]")] if "items" in schema else []
    parts += [(schema["contentSchema"], place)] if "contentSchema" in schema else []
    required = schema.get("required", ())
    for name, each in schema.get("properties", {}).items():
        parts.append((each, f"{place} {name}{'' if name in required else '?'}"))
    for each, inner in parts:
        yield from _leaves(each, inner, schemas, around)
    if not parts:
        kind = str(schema.get("type", "any"))
        yield f"{place}: {kind} {schema['format']}" if "format" in schema else f"{place}: {kind}"
    values = schema.get("enum", [schema["const"]] if "const" in schema else [])
    yield from (f"{place} = {value}" for value in values)


def recorded() -> set[str]:
    """Return the lines of the record."""
    return set(RECORD.read_text(encoding="utf-8").splitlines()) if RECORD.exists() else set()


if __name__ == "__main__":
    RECORD.write_text("".join(f"{line}\n" for line in sorted(recorded() | fields())), encoding="utf-8")
