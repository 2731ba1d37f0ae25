"""The named schemas and responses of the OpenAPI description: all models, the lines of streams, the errors."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from inspect import cleandoc, getsource
from itertools import pairwise
from sys import modules
from textwrap import dedent
from types import GenericAlias
from typing import Any, cast

from pydantic import ConfigDict, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode
from pydantic_core import core_schema

from ... import schemas
from ...schemas.errors import ERRORS, ErrorAnswer
from ..diagnostics import checks
from ..operations import OPERATIONS, Operation
from ..service.answers import facts, graph, ingestion, people, questions, sources, status, upkeep
from ..service.requests import request_model
from . import line_models
from .media_types import JSON

Schema = dict[str, Any]

_REF = "#/components/schemas/"
_CLOSED = ConfigDict(extra="forbid", use_attribute_docstrings=True)
_ANSWERS = (facts, graph, ingestion, people, questions, sources, status, upkeep, checks, schemas)
_LINES = ("ProgressLine", "HeartbeatLine", "ErrorLine", "PlaceLine", "DigestLine", "ProgressEvent")
_DOCUMENTS = ("ConversationDocument", "TextDocument")


def answer_type(operation: Operation) -> TypeAdapter[Any]:
    """Return the closed type of an operation's answer, in a tuple: see `_closed`."""
    for module in _ANSWERS:
        if (answer := vars(module).get(operation.response)) is not None:
            return _closed(answer)
    raise LookupError(operation.response)


def _closed(model: object) -> TypeAdapter[Any]:
    """Return the type in a tuple: only a type around typed dicts can give them a configuration."""
    around: Any = GenericAlias(tuple, model)
    return TypeAdapter(around, config=_CLOSED)


class _Described(GenerateJsonSchema):
    """Describes fields also by the docstrings of a parent, and of a struct, which pydantic does not read; omits the titles
    that repeat the names of fields.
    """

    def field_title_should_be_set(self, schema: object) -> bool:
        """Return False for every field."""
        del schema
        return False

    def typed_dict_schema(self, schema: core_schema.TypedDictSchema) -> Schema:
        """Return the schema of a typed dict with all its descriptions."""
        return _with_field_docstrings(super().typed_dict_schema(schema), schema.get("cls"))

    def model_schema(self, schema: core_schema.ModelSchema) -> Schema:
        """Return the schema of a model, or of the struct of which it was made, with all its descriptions."""
        model = schema["cls"]
        return _with_field_docstrings(super().model_schema(schema), vars(modules[model.__module__])[model.__name__])

    def dataclass_schema(self, schema: core_schema.DataclassSchema) -> Schema:
        """Return the schema of a dataclass with all its descriptions."""
        return _with_field_docstrings(super().dataclass_schema(schema), schema["cls"])


def _with_field_docstrings(schema: Schema, model: type | None) -> Schema:
    """Add the docstrings of fields to those of a schema's properties that have no description."""
    fields: dict[str, Schema] = schema.get("properties", {})
    if model is not None and any("description" not in field for field in fields.values()):
        docstrings = _field_docstrings(model)
        for name, field in fields.items():
            if name in docstrings:
                field.setdefault("description", docstrings[name])
    return schema


def _field_docstrings(model: type) -> dict[str, str]:
    """Return the docstrings of the annotated fields of a class, and of those that it inherits."""
    parents = (*model.__bases__, *getattr(model, "__orig_bases__", ()))  # a typed dict has its parents in the latter
    docstrings: dict[str, str] = {}
    for parent in parents:
        if isinstance(parent, type) and parent.__module__.startswith(__name__.partition(".")[0]):
            docstrings |= _field_docstrings(parent)
    body = cast("ast.ClassDef", ast.parse(dedent(getsource(model))).body[0]).body
    for field, after in pairwise(body):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(after, ast.Expr):
            docstrings[field.target.id] = cleandoc(str(cast("ast.Constant", after.value).value))
    return docstrings


def ref(name: str) -> Schema:
    """Return a reference to a named schema."""
    return {"$ref": f"{_REF}{name}"}


def line_name(operation: Operation) -> str:
    """Return the name of the schema of a line of an operation's answer: `ForgetLine`."""
    return f"{_camel(operation.name)}Line"


def streams_lines(operation: Operation) -> bool:
    """Return whether an operation can answer with JSON lines."""
    return operation.answer in ("lines", "object or lines", "documents")


def component_schemas(*, closed: bool = False) -> dict[str, Schema]:
    """Return all schemas by name.

    Answers are open, because a later version may add fields to them. Requests that no answer contains are closed.

    Args:
        closed: True to close answers as well, which is what tests compare them with.
    """
    types: dict[str, TypeAdapter[Any]] = {name: _closed(vars(line_models)[name]) for name in _LINES}
    types["ErrorAnswer"] = _closed(ErrorAnswer)
    types |= {name: _closed(vars(schemas)[name]) for name in _DOCUMENTS}
    types |= {each.request: TypeAdapter(request_model(each.request)) for each in OPERATIONS}
    types |= {each.response: answer_type(each) for each in OPERATIONS}
    inputs: list[tuple[str, JsonSchemaMode, TypeAdapter[Any]]] = [(name, "validation", types[name]) for name in types]
    described, definitions = TypeAdapter.json_schemas(
        inputs, ref_template=f"{_REF}{{model}}", schema_generator=_Described
    )
    named: dict[str, Schema] = definitions["$defs"]
    for (name, _), schema in described.items():
        inner = cast("Schema", schema.get("prefixItems", [schema])[0])
        if inner != ref(name):  # a union or a plain type has no name of its own
            named[name] = inner
    named |= _line_schemas()
    named = _with_short_names(named)
    _describe(named)
    if not closed:
        answers = (*(each.response for each in OPERATIONS), *map(line_name, filter(streams_lines, OPERATIONS)))
        for name in _reachable(named, (*answers, "ErrorAnswer", "ProgressEvent")) - {"HeartbeatLine"}:
            named[name].pop("additionalProperties", None)
    return dict(sorted(named.items()))


def _line_schemas() -> dict[str, Schema]:
    """Return the schemas of the lines of each stream, and of an upload."""
    named: dict[str, Schema] = {
        "StoreLine": {
            "description": "A line of an upload: a document, or the place of the documents behind it."
            " With `digests=1` the lines are `DigestLine`.",
            "anyOf": [ref(name) for name in (*_DOCUMENTS, "PlaceLine", "DigestLine")],
        }
    }
    for operation in filter(streams_lines, OPERATIONS):
        result = f"{_camel(operation.name)}ResultLine"
        named[result] = {
            "description": "The last line of an operation that succeeded.",
            "type": "object",
            "properties": {"result": ref(operation.response)},
            "required": ["result"],
            "additionalProperties": False,
        }
        before = _DOCUMENTS if operation.answer == "documents" else ("ProgressLine", "HeartbeatLine")
        named[line_name(operation)] = {
            "description": "A line of the answer; the last one has `result` or `error`.",
            "oneOf": [ref(name) for name in (*before, result, "ErrorLine")],
        }
    return named


def _describe(named: dict[str, Schema]) -> None:
    """Say of strings that contain JSON what it is, and of the types without a class what they are."""
    named["ProgressEvent"]["properties"]["data"] |= {
        "contentMediaType": JSON,
        "contentSchema": ref("ProgressUpdate"),
    }
    for name, description in {
        "DocumentAnswer": "A document as it is stored.",
        "MetricsText": "Metrics in the text format of Prometheus.",
        "DigestLine": "A line of a request with `digests=1`: the key of a day of a chat, the title of the chat, and the"
        " SHA-256 of the document's line without its end, in hexadecimal digits.",
    }.items():
        named[name] = {"description": description} | named[name]
    for name, schema in named.items():
        schema["title"] = name
        for field in schema.get("properties", {}).values():
            if field.get("default", 0) is None and "type" in field:
                del field["default"]  # it is left out, and null is refused


def _with_short_names(named: dict[str, Schema]) -> dict[str, Schema]:
    """Return the schemas with names of classes for names of modules and classes, which two classes of one name get.

    `memd__schemas__fact__Evidence` becomes `FactEvidence`.
    """
    short = {name: "".join(map(_camel, name.split("__")[-2:])) for name in named if "__" in name}
    if repeated := [name for name, count in Counter([*named, *short.values()]).items() if count > 1]:
        raise ValueError(f"two schemas have one name: {', '.join(repeated)}")
    renamed = {f"{_REF}{name}": f"{_REF}{new}" for name, new in short.items()}

    def with_refs(node: Any) -> Any:  # noqa: ANN401 - a JSON value
        if isinstance(node, dict):
            return {
                key: renamed.get(value, value) if key == "$ref" else with_refs(value)
                for key, value in cast("Schema", node).items()
            }
        return [with_refs(each) for each in cast("list[Any]", node)] if isinstance(node, list) else node

    return {short.get(name, name): with_refs(schema) for name, schema in named.items()}


def _reachable(named: dict[str, Schema], names: Iterable[str]) -> set[str]:
    """Return these names and those of all schemas that they contain."""
    reached: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += references(named[name])
    return reached


def references(node: object) -> Iterator[str]:
    """Yield the names of the schemas to which a JSON value refers."""
    if isinstance(node, dict):
        for key, value in cast("Schema", node).items():
            if key == "$ref" and isinstance(value, str) and value.startswith(_REF):
                yield value.removeprefix(_REF)
            else:
                yield from references(value)
    elif isinstance(node, list):
        for each in cast("list[object]", node):
            yield from references(each)


@dataclass(frozen=True)
class _Refusal:
    """A response that is no answer: its name, status, cause, and whether it depends on the size of a body."""

    name: str
    status: int
    cause: str
    upload: bool = False


_REFUSALS = (
    _Refusal("Invalid", 400, "The request breaks a rule"),
    _Refusal("Unauthorized", 401, "At the address of this machine, the token is missing or wrong"),
    _Refusal(
        "Forbidden",
        403,
        "The peer of the socket is another user, who is not in its group; or the Host or Origin of a request is foreign",
    ),
    _Refusal("NotFound", 404, "Nothing has that id or that name"),
    _Refusal("Busy", 409, "Too much at once; the same request may succeed in a moment"),
    _Refusal("TooLarge", 413, "The body is larger than 16 MiB", upload=True),
    _Refusal("Failed", 500, "The work failed"),
    _Refusal("Unavailable", 503, "A part that the work needs is not available"),
)
_OTHER_CODE = "VAL"
"""The code of refusals whose status is not in the table of errors."""


def component_responses() -> dict[str, Schema]:
    """Return the responses that report errors, by name."""
    content = {JSON: {"schema": ref("ErrorAnswer")}}
    headers = {
        "x-correlation-id": {
            "description": "The id under which the log has the details.",
            "schema": {"type": "string"},
        }
    }
    later = {"retry-after": {"description": "Seconds to wait.", "schema": {"type": "integer"}}}
    named: dict[str, Schema] = {}
    for each in _REFUSALS:
        codes = sorted({error.code for error in ERRORS if error.status == each.status})
        codes = codes or [_OTHER_CODE]
        named[each.name] = {
            "description": f"{each.cause}: {', '.join(codes)}.",
            "headers": headers | (later if each.name == "Busy" else {}),
            "content": content,
        }
    return named


def error_responses(operation: Operation) -> dict[str, Schema]:
    """Return the references to the error responses of an operation, by status."""
    return {
        str(each.status): {"$ref": f"#/components/responses/{each.name}"}
        for each in _REFUSALS
        if not each.upload or operation.method == "POST"
    }


def _camel(name: str) -> str:
    """Return `UndoImport` for `undo_import`; a name in camel case stays."""
    return re.sub(r"(?:^|_+)([a-zA-Z])", lambda match: match[1].upper(), name)
