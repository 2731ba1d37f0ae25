"""Every row of the table of operations leads somewhere, and answers of a real daemon are what its models describe."""

from __future__ import annotations

import json
from collections.abc import Mapping
from inspect import signature
from operator import attrgetter
from typing import Any, get_type_hints

import pytest

from memd.daemon.cli.dispatch import build_parser
from memd.daemon.http.openapi import openapi
from memd.daemon.http.openapi_components import answer_type
from memd.daemon.operations import OPERATIONS, Operation
from memd.daemon.service.account_service import AccountService
from memd.daemon.service.backups import Backups
from memd.daemon.service.dead_letters import DeadLetters
from memd.daemon.service.doctor import Doctor
from memd.daemon.service.export import Exports
from memd.daemon.service.forgetting import ForgettingService
from memd.daemon.service.graph import GraphService
from memd.daemon.service.import_undo import ImportUndo
from memd.daemon.service.index_migration import IndexMigration
from memd.daemon.service.knowledge import KnowledgeService
from memd.daemon.service.metrics import MetricsService
from memd.daemon.service.people import PeopleService
from memd.daemon.service.reindexing import Reindexing
from memd.daemon.service.requests import IdRequest, NoRequest, request_model
from memd.daemon.service.service import Service
from memd.daemon.service.source_service import SourceService
from memd.daemon.service.trials import ModelTrials
from memd.tests.cases import for_each

NAMES = [each.name for each in OPERATIONS]
PARTS: Mapping[str, type] = {
    "accounts": AccountService,
    "backups": Backups,
    "doctor": Doctor,
    "exports": Exports,
    "forgetting": ForgettingService,
    "graph": GraphService,
    "imports": ImportUndo,
    "knowledge": KnowledgeService,
    "letters": DeadLetters,
    "metrics": MetricsService,
    "migration": IndexMigration,
    "people": PeopleService,
    "reindexing": Reindexing,
    "sources": SourceService,
    "trials": ModelTrials,
}


def handler_of(operation: Operation) -> Any:
    """The method that carries it out."""
    part, _, name = operation.handler.rpartition(".")
    return attrgetter(name)(PARTS.get(part, Service))


@for_each(OPERATIONS)
@pytest.mark.slow
def test_a_row_names_what_there_is(operation: Operation) -> None:
    """A method of the service, which takes the request, models, a verb; what stands in the path is in the request."""
    handler, model = handler_of(operation), request_model(operation.request)
    assert answer_type(operation)
    if operation.answer not in {"documents", "events", "text"}:
        assert handler.__annotations__["return"] in {operation.response, f"{operation.response}Wire"}
    assert set(operation.path_fields) <= set(model.model_fields)
    parameters = list(signature(handler).parameters)[1:]
    assert len(parameters) == (model is not NoRequest) + operation.upload + (operation.answer == "lines")
    if parameters and operation.answer != "events":
        names = ("LLM", "Settings", operation.response, f"{operation.response}Wire")
        hints = get_type_hints(handler, localns=dict.fromkeys(names, object))
        assert issubclass(model, hints[parameters[0]]) or (model is IdRequest and hints[parameters[0]] is str)
    assert not operation.verb or build_parser().parse_args([operation.verb, *_words(operation.verb)])


def _words(command: str) -> list[str]:
    if command == "migrate":
        return ["--index", "weaviate"]
    if command == "llm":
        return ["test"]
    return ["x"] if command in {"ingest", "query", "show", "ask", "history", "undo", "people", "backup"} else []


def test_no_two_rows_are_alike() -> None:
    """By name, and by method and path."""
    assert len(set(NAMES)) == len(NAMES)
    assert len({(each.method, each.path) for each in OPERATIONS}) == len(OPERATIONS)


def test_the_description_has_every_row() -> None:
    """With its parameters or its body, and nothing that leads nowhere."""
    described = openapi()
    text = json.dumps(described)
    for operation in OPERATIONS:
        row = described["paths"][operation.path][operation.method.lower()]
        fields = set(request_model(operation.request).model_fields)
        told = {each["name"] for each in row.get("parameters", ())}
        assert told == (fields if operation.method == "GET" or operation.upload else set())
        assert ("requestBody" in row) == (operation.method == "POST")
    for reference in set(text.split('"$ref": "#/components/schemas/')[1:]):
        assert reference.partition('"')[0] in described["components"]["schemas"]
