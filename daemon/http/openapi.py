"""Builds the OpenAPI description of the operations from their rows and models."""

from __future__ import annotations

from types import GenericAlias
from typing import Any

from pydantic import ConfigDict, TypeAdapter
from pydantic.json_schema import JsonSchemaMode

from ... import __version__, schemas
from ...schemas.errors import ErrorAnswer
from ..diagnostics import checks
from ..operations import OPERATIONS, Operation
from ..service.answers import facts, ingestion, people, questions, sources, status, upkeep
from ..service.requests import request_model
from .media_types import EVENTS, JSON, LINES, METRICS

_REF = "#/components/schemas/{model}"
_Refs = dict[str, dict[str, Any]]


_CLOSED = ConfigDict(extra="forbid", use_attribute_docstrings=True)


def answer_type(operation: Operation) -> TypeAdapter[Any]:
    """Return the type of an operation's answer, in a tuple: only a type around typed dicts can give them a configuration."""
    for module in (facts, ingestion, people, questions, sources, status, upkeep, checks, schemas):
        if (answer := vars(module).get(operation.response)) is not None:
            around: Any = GenericAlias(tuple, answer)
            return TypeAdapter(around, config=_CLOSED)
    raise LookupError(operation.response)


def openapi() -> dict[str, Any]:
    """Return the whole description."""
    types: dict[str, TypeAdapter[Any]] = {"error": TypeAdapter(tuple[ErrorAnswer], config=_CLOSED)}
    types |= {each.request: TypeAdapter(request_model(each.request)) for each in OPERATIONS}
    types |= {each.response: answer_type(each) for each in OPERATIONS}
    inputs: list[tuple[str, JsonSchemaMode, TypeAdapter[Any]]] = [(name, "validation", types[name]) for name in types]
    described, definitions = TypeAdapter.json_schemas(inputs, ref_template=_REF)
    refs: _Refs = {name: schema.get("prefixItems", [schema])[0] for (name, _), schema in described.items()}
    components: dict[str, Any] = definitions["$defs"]
    paths: dict[str, dict[str, Any]] = {}
    for operation in OPERATIONS:
        described = _described(operation, refs, _resolved(refs[operation.request], components))
        paths.setdefault(operation.path, {})[operation.method.lower()] = described
    return {
        "openapi": "3.1.0",
        "info": {"title": "memd", "version": __version__},
        "paths": paths,
        "components": {"schemas": components},
    }


def _described(operation: Operation, refs: _Refs, request: dict[str, Any]) -> dict[str, Any]:
    answer = refs[operation.response]
    error = {"description": "An error", "content": {JSON: {"schema": refs["error"]}}}
    described: dict[str, Any] = {
        "operationId": operation.name,
        "summary": operation.summary,
        "x-permission": operation.permission,
        "responses": {
            "202" if operation.upload else "200": {
                "description": _answered(operation),
                "content": _content(operation, answer),
            },
            "4XX": error,
            "5XX": error,
        },
    }
    if operation.upload:
        described["responses"]["200"] = {
            "description": "With `check=1`: nothing is stored",
            "content": {JSON: {"schema": answer}},
        }
        described["requestBody"] = {"required": True, "content": {LINES: {"schema": {"type": "string"}}}}
    elif operation.method == "POST":
        required = bool(request.get("required"))
        content = {JSON: {"schema": refs[operation.request]}}
        described["requestBody"] = {"required": required, "content": content}
    parameters = [
        {
            "name": name,
            "in": "path" if name in operation.path_fields else "query",
            "required": name in request.get("required", ()),
            "schema": {key: value for key, value in schema.items() if key != "title"},
        }
        for name, schema in request.get("properties", {}).items()
        if operation.method == "GET" or operation.upload
    ]
    return described | ({"parameters": parameters} if parameters else {})


def _answered(operation: Operation) -> str:
    return {
        "object": "An object",
        "lines": 'JSON lines: `{"progress": …}` or `{}` every 10 s at least, then `{"result": …}` or `{"error": …}`',
        "object or lines": "An object; JSON lines with progress where the client accepts them",
        "documents": 'Documents as JSON lines, then `{"result": …}` or `{"error": …}`',
        "events": "Server-sent events",
        "text": "Metrics in the text format of Prometheus",
    }[operation.answer]


def _content(operation: Operation, answer: dict[str, Any]) -> dict[str, Any]:
    """Return the content by media type. A schema describes a whole body, and JSON lines are many, so the model of their
    result is given beside it.
    """
    lines = {LINES: {"schema": {"type": "string"}, "x-result": answer}}
    return {
        "object": {JSON: {"schema": answer}},
        "lines": lines,
        "object or lines": {JSON: {"schema": answer}} | lines,
        "documents": lines,
        "events": {EVENTS: {"schema": {"type": "string"}, "x-data": answer}},
        "text": {METRICS: {"schema": answer}},
    }[operation.answer]


def _resolved(schema: dict[str, Any], components: dict[str, Any]) -> dict[str, Any]:
    return components[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
