"""The description by OpenAPI is valid and complete, answers of a real daemon keep to it, and docs/api.md shows them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import schemathesis

from memd.daemon.http.openapi import GROUPS, openapi
from memd.daemon.http.openapi_components import component_schemas, line_name, references, streams_lines
from memd.daemon.operations import OPERATIONS
from memd.tests import api_examples, api_fields
from memd.tests.api_story import Exchange, answers

pytestmark = pytest.mark.slow
SCHEMAS = "#/components/schemas/"


@pytest.fixture(scope="module")
def described() -> dict[str, Any]:
    """The description."""
    return openapi()


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the story."""
    return tmp_path_factory.mktemp("h")


@pytest.fixture(scope="module")
def exchanges(home: Path) -> dict[str, Exchange]:
    """One of each operation."""
    return answers(home)


@cache
def _closed_schemas() -> dict[str, Any]:
    return component_schemas(closed=True)


def _validator(name: str) -> jsonschema_rs.Draft202012Validator:
    """Return a validator of the closed schema of this name."""
    schema = {"$ref": f"{SCHEMAS}{name}", "components": {"schemas": _closed_schemas()}}
    return jsonschema_rs.Draft202012Validator(schema, validate_formats=True)


def test_the_description_is_valid(described: dict[str, Any]) -> None:
    """By OpenAPI 3.1, and each of its schemas by JSON Schema."""
    assert described["openapi"] == "3.1.0"
    schemathesis.openapi.from_dict(described).validate()
    for schema in described["components"]["schemas"].values():
        assert jsonschema_rs.meta.is_valid({"$schema": "https://json-schema.org/draft/2020-12/schema", **schema})


def test_every_body_has_a_named_schema(described: dict[str, Any]) -> None:
    """Requests, answers, lines, events and errors: no object stands where it is used."""
    named, responses = described["components"]["schemas"], described["components"]["responses"]
    bodies = [each for response in responses.values() for each in response["content"].values()]
    for operation in OPERATIONS:
        row = described["paths"][operation.path][operation.method.lower()]
        assert row["tags"][0] in GROUPS
        refused = {status: answer["$ref"] for status, answer in row["responses"].items() if "$ref" in answer}
        assert {"400", "401", "403", "404", "409", "500", "503"} <= set(refused)
        assert all(each.rpartition("/")[2] in responses for each in refused.values())
        parts = [row.get("requestBody", {}), *row["responses"].values()]
        bodies += [each for part in parts for each in part.get("content", {}).values()]
    names = [next(references(body.get("x-item-schema", body["schema"])), "") for body in bodies]
    assert len(names) > len(OPERATIONS)
    assert set(names) <= set(named)
    assert sorted(name for _, group in GROUPS.values() for name in group) == sorted(each.name for each in OPERATIONS)


def test_every_reference_leads_to_a_schema(described: dict[str, Any]) -> None:
    """Also those in schemas."""
    named = described["components"]["schemas"]
    assert set(references(described)) <= set(named)


def test_every_schema_and_field_is_described(described: dict[str, Any]) -> None:
    """In words; a field that is a named schema may leave that to it."""
    for name, schema in described["components"]["schemas"].items():
        assert schema.get("description"), name
        fields = schema.get("properties", {}).items()
        assert not [f"{name}.{field}" for field, each in fields if not each.keys() & {"description", "$ref"}]


def test_answers_may_grow_and_requests_may_not(described: dict[str, Any]) -> None:
    """A client that checks answers keeps working when a field is added; a mistyped field of a request is an error."""
    named = described["components"]["schemas"]
    assert "additionalProperties" not in named["QueryResult"]
    assert "additionalProperties" not in named["Hit"]
    assert named["QueryRequest"]["additionalProperties"] is False
    assert _closed_schemas()["Hit"]["additionalProperties"] is False


def test_nothing_that_was_promised_is_gone() -> None:
    """Every operation, field and value of the record is described; a new one is in the record, so that it stays."""
    present, recorded = api_fields.fields(), api_fields.recorded()
    assert len(recorded) > 1000
    gone = sorted(recorded - present)
    assert not gone, f"/v1 promises these, or promised another type: {gone}"
    new = sorted(present - recorded)
    assert not new, f"add them to the record: python -m memd.tests.api_fields: {new}"


def test_answers_are_what_their_schemas_describe(exchanges: Mapping[str, Exchange]) -> None:
    """Of each operation, over the socket; a field more or less than described is an error."""
    for operation in OPERATIONS:
        exchange = exchanges[operation.name]
        assert exchange.status in (200, 202), exchange.body
        lines = exchange.media_type == "application/jsonl"
        assert lines <= streams_lines(operation)
        validator = _validator(line_name(operation) if lines else operation.response)
        assert exchange.items() or exchange.media_type == "text/plain"
        for item in exchange.items():
            validator.validate(item)
        if lines:
            assert "result" in exchange.items()[-1], exchange.body


def test_requests_are_what_their_schemas_describe(exchanges: Mapping[str, Exchange]) -> None:
    """Those of the same story, with the lines of its upload."""
    for exchange in exchanges.values():
        if (body := exchange.operation.body(exchange.values)) is not None:
            _validator(exchange.operation.request).validate(body)
    line = _validator("StoreLine")
    for each in (*exchanges["store"].upload, {"read_at": "0/3"}):
        line.validate(each)
    assert not line.is_valid({"read_at": "first"})
    assert not line.is_valid({"id": "without content"})


def test_the_examples_are_those_of_a_run(exchanges: Mapping[str, Exchange], home: Path, checkout: Path) -> None:
    """Every operation has one in docs/api.md, as a daemon answers it now."""
    page = (checkout / "docs" / "api.md").read_text(encoding="utf-8")
    assert page.count("\n#### ") == len(OPERATIONS)
    assert page == api_examples.written(page, exchanges, home), "write it anew: python -m memd.tests.api_examples"
