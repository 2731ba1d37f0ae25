"""Every row of the table of operations leads somewhere, and answers of a real daemon are what its models describe."""

from __future__ import annotations

import json
from collections.abc import Mapping
from inspect import signature
from operator import attrgetter
from pathlib import Path
from typing import Any, get_type_hints

import anyio.to_thread
import pytest

from memd.daemon.app import open_app
from memd.daemon.cli.dispatch import build_parser
from memd.daemon.client import Client
from memd.daemon.http.openapi import openapi
from memd.daemon.http.openapi_components import answer_type
from memd.daemon.operations import ADD_SOURCE, OPERATIONS, RUNS, SYNC, Operation
from memd.daemon.service.account_service import AccountService
from memd.daemon.service.backups import Backups
from memd.daemon.service.dead_letters import DeadLetters
from memd.daemon.service.doctor import Doctor
from memd.daemon.service.export import Exports
from memd.daemon.service.forgetting import ForgettingService
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
from memd.tests.daemon.house import note, talk
from memd.tests.daemon.test_service import ingest, words_only

NAMES = [each.name for each in OPERATIONS]
PARTS: Mapping[str, type] = {
    "accounts": AccountService,
    "backups": Backups,
    "doctor": Doctor,
    "exports": Exports,
    "forgetting": ForgettingService,
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


@pytest.mark.slow
@pytest.mark.anyio
async def test_answers_are_what_their_models_describe(tmp_path: Path) -> None:
    """Each operation is asked over the socket; a field more or less than described is an error."""
    async with open_app(words_only(tmp_path / "data", socket=tmp_path / "s")) as service:
        await ingest(service, talk("a", 3), note("n", "I live in Berlin."))
        client = Client(str(tmp_path / "s"))
        try:
            answers = await anyio.to_thread.run_sync(lambda: _asked(client, tmp_path))
        finally:
            client.close()
    for operation in OPERATIONS:
        if operation.name not in answers:
            needs_more = {
                "ask",
                "try_model",
                "undo",
                "belief",
                "history",
                "progress",
                "metrics",
                "check_source",
                "login_source",
            }
            assert operation.name in needs_more, operation.name
            continue
        answer = answers[operation.name]
        answer_type(operation).validate_json(json.dumps([answer]))


def _asked(client: Client, folder: Path) -> dict[str, dict[str, Any]]:
    """An answer of each operation that needs neither a model nor a fact."""
    given: dict[str, dict[str, Any]] = {
        "query": {"text": "message", "explain": True},
        "messages": {"lists": [[{"role": "user", "content": "hello"}]]},
        "documents": {"limit": 1},
        "document": {"id": "note:n"},
        "show": {"id": "note:n"},
        "person": {"id": "Ann"},
        "part_stats": {"sources": ["tests"]},
        "merge_people": {"people": ["Ann", "Bob"], "dry_run": False},
        "split_person": {"person": "Ann"},
        "forget": {"documents": ["note:n"], "dry_run": True},
        "backup": {"directory": str(folder / "backups")},
        "source": {"id": "one"},
        "add_source": {"settings": {"name": "two", "path": str(folder / "two")}},
        "pause_source": {"name": "one", "paused": True},
        "change_source": {"name": "two", "settings": {"watch": True}},
        "remove_source": {"name": "two"},
        "sync": {"wait": True},
        "migrate": {"index": "embedded"},
    }
    for name in ("one", "two"):
        (folder / name).mkdir()
        (folder / name / "bad.md").write_bytes(b"\0\1\2\3" * 9)
    client.call(ADD_SOURCE, {"settings": {"name": "one", "path": str(folder / "one")}})
    (synced,) = client.operate(SYNC, {"wait": True})["sources"]
    brought = next(run["run"] for run in client.call(RUNS)["runs"] if run["added"])
    given |= {
        "run": {"id": synced["run"]},
        "receipt": {"run": synced["run"]},
        "undo_import": {"run": brought},
    }
    found: dict[str, dict[str, Any]] = {}
    told: list[Mapping[str, Any]] = []
    for operation in OPERATIONS:
        asked = given.get(operation.name, {})
        if operation.name == "run":
            asked = {"id": found["runs"]["runs"][0]["run"]}
        if operation.name in {"check_source", "login_source", "try_model"}:
            continue  # tests of accounts and of models have a server for them
        if operation.answer == "lines":
            found[operation.name] = client.operate(operation, asked)
        elif operation.answer == "object" and operation.name not in {"undo", "belief", "history", "store"}:
            found[operation.name] = client.call(operation, asked)
    list(client.documents({}, told.append))
    found["export"] = dict(told[0])
    found["store"] = client.ask("POST", "/v1/documents", b'{"id": "x", "content": "y"}\n{\n', "application/jsonl")
    return found
