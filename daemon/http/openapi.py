"""Builds the OpenAPI description of the operations from their rows and models."""

from __future__ import annotations

from typing import Any

from ... import __version__
from ..operations import OPERATIONS, Operation
from .media_types import EVENTS, JSON, LINES, METRICS
from .openapi_components import (
    Schema,
    component_responses,
    component_schemas,
    error_responses,
    line_name,
    ref,
    streams_lines,
)

DESCRIPTION = """\
A memory of chats, mail and notes that can be asked.

HTTP/1.1 over a Unix socket, for example `curl --unix-socket ~/.local/share/memd/memd.sock http://memd/v1/health`.

Within `v1`, fields are added, and never removed, renamed or given another meaning. Ignore fields that you do not know.

A schema describes a whole body. Of JSON lines, `x-item-schema` describes one line; of server-sent events, one event.
"""

GROUPS = {
    "questions": ("Questions and their answers.", ("query", "ask")),
    "documents": (
        "What is stored.",
        ("store", "messages", "add_fact", "documents", "document", "show", "export", "chats"),
    ),
    "facts": ("What was understood.", ("facts", "refused_facts", "history", "belief", "undo", "graph")),
    "people": (
        "Who wrote, under which names.",
        ("people", "person", "proposals", "decisions", "merge_people", "split_person", "undo_people"),
    ),
    "sources": (
        "What is read by schedule.",
        (
            *("sources", "source", "add_source", "check_source", "login_source", "change_source", "remove_source"),
            *("pause_source", "sync"),
        ),
    ),
    "runs": (
        "What was read, and what could not be.",
        ("progress", "runs", "run", "receipt", "undo_import", "dead_letters", "retry", "discard"),
    ),
    "removal": ("What is forgotten.", ("forget",)),
    "models": ("What language models were sent, and cost.", ("audit", "ledger", "try_model")),
    "state": ("How the daemon is.", ("stats", "part_stats", "status", "health", "metrics")),
    "upkeep": ("Checks, repairs, backups.", ("doctor", "reindex", "migrate", "backup")),
}
"""Tags with their descriptions, and the names of the operations that have them: each has one."""


def openapi(*, closed: bool = False) -> dict[str, Any]:
    """Return the whole description; `closed` is as in `component_schemas`."""
    schemas = component_schemas(closed=closed)
    tags = {name: tag for tag, (_, names) in GROUPS.items() for name in names}
    paths: dict[str, dict[str, Any]] = {}
    for operation in OPERATIONS:
        described = _described(operation, tags[operation.name], schemas[operation.request])
        paths.setdefault(operation.path, {})[operation.method.lower()] = described
    schemas.pop("NoRequest")
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "memd",
            "summary": "A memory of your conversations that can be asked.",
            "description": DESCRIPTION,
            "version": __version__,
        },
        "servers": [{"url": "http://memd", "description": "The Unix socket, where the host does not matter."}],
        "security": [{}, {"token": []}],
        "tags": [{"name": tag, "description": description} for tag, (description, _) in GROUPS.items()],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "responses": component_responses(),
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "The text of the file `http.token` of the data directory, for `server.http` alone.",
                }
            },
        },
    }


def _described(operation: Operation, tag: str, request: Schema) -> Schema:
    answer = {"description": _answered(operation), "content": _content(operation)}
    described: Schema = {
        "operationId": operation.name,
        "tags": [tag],
        "summary": operation.summary,
        "x-permission": operation.permission,
        "responses": {"202" if operation.upload else "200": answer, **error_responses(operation)},
    }
    if operation.upload:
        described["responses"]["200"] = {
            "description": "With `check=1` or `digests=1`: nothing is stored",
            "content": {JSON: {"schema": ref(operation.response)}},
        }
        described["requestBody"] = {
            "description": "Documents as JSON lines, at most 16 MiB",
            "required": True,
            "content": {LINES: _stream("StoreLine", "binary")},
        }
    elif operation.method == "POST":
        content = {JSON: {"schema": ref(operation.request)}}
        described["requestBody"] = {"required": bool(request.get("required")), "content": content}
    if operation.method == "GET" or operation.upload:
        described["parameters"] = [
            _parameter(
                name, schema, in_path=name in operation.path_fields, required=name in request.get("required", ())
            )
            for name, schema in request.get("properties", {}).items()
        ]
    return described


def _parameter(name: str, schema: Schema, *, in_path: bool, required: bool) -> Schema:
    """Return a parameter; null, which no query string can contain, is the same as leaving it out."""
    schema = dict(schema)
    alternatives = [each for each in schema.pop("anyOf", []) if each != {"type": "null"}]
    if len(alternatives) == 1:
        schema = alternatives[0] | schema
    elif alternatives:
        schema["anyOf"] = alternatives
    if schema.get("default", 0) is None:
        del schema["default"]
    description = schema.pop("description", "")
    parameter: Schema = {"name": name, "in": "path" if in_path else "query", "required": required, "schema": schema}
    return parameter | ({"description": description} if description else {})


def _answered(operation: Operation) -> str:
    return {
        "object": "An object",
        "lines": 'JSON lines: `{"progress": …}` or `{}` every 10 s at least, then `{"result": …}` or `{"error": …}`',
        "object or lines": "An object; JSON lines with progress where the client accepts them",
        "documents": 'Documents as JSON lines, then `{"result": …}` or `{"error": …}`',
        "events": "Server-sent events; with `run` until the run ends",
        "text": "Metrics in the text format of Prometheus",
    }[operation.answer]


def _content(operation: Operation) -> Schema:
    """Return the content by media type."""
    if operation.answer == "events":
        return {EVENTS: _stream("ProgressEvent")}
    if operation.answer == "text":
        return {METRICS: {"schema": ref(operation.response)}}
    content = {JSON: {"schema": ref(operation.response)}} if operation.answer in ("object", "object or lines") else {}
    if streams_lines(operation):
        content[LINES] = _stream(line_name(operation), "binary")
    return content


def _stream(item: str, form: str = "") -> Schema:
    """Return a media type whose body is a sequence of items; generators of clients take `binary` for bytes as they are."""
    return {"schema": {"type": "string"} | ({"format": form} if form else {}), "x-item-schema": ref(item)}
