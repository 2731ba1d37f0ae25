"""A story that asks every operation of the API of a real daemon over its socket, for the examples of docs/api.md and for tests."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import anyio
import anyio.to_thread
import requests

from memd.daemon.app import open_app
from memd.daemon.config.settings import Settings
from memd.daemon.operations import OPERATIONS, Operation
from memd.memory.memory import EvolvingMemory
from memd.schemas import Document
from memd.tests.connectors.live.telegram.bot_api import TOKEN, BotApi
from memd.tests.fuzz.unixsession import BASE, session_at
from memd.tests.llm.places import homes
from memd.tests.openai_server.chat import prompt_of
from memd.tests.openai_server.server import Server

CHAT: dict[str, Any] = {
    "id": "chat:ann-bob:2024-01-15",
    "conversation": {
        "source": "chat",
        "people": ["Ann", "Bob Reed"],
        "user": "Ann",
        "conversation": [
            {"speaker": "Ann", "content": "Where do you live now?", "time": "2024-01-15T12:00:00Z", "id": "m1"},
            {"speaker": "Bob Reed", "content": "I live in Lisbon", "time": "2024-01-15T12:01:00Z", "id": "m2"},
        ],
    },
    "metadata": {"chat": "Bob", "title": "Bob"},
}
MAIL: dict[str, Any] = {
    "id": "mail:1",
    "conversation": {
        "source": "mail",
        "people": ["Ann", "Bob Reed"],
        "user": "Ann",
        "conversation": [
            {"speaker": "Bob Reed", "content": "The train leaves at nine.", "time": "2024-01-15T18:00:00Z"},
        ],
    },
    "metadata": {"title": "Train"},
}
NOTE: dict[str, Any] = {
    "id": "note:heating",
    "content": "The heating was repaired.",
    "timestamp": "2024-01-16T09:00:00Z",
    "metadata": {"source": "notes"},
}
UNREADABLE = {"id": "note:broken", "content": "The boiler is new.", "metadata": {"source": "notes"}}
"""A document that the store refuses, so that it is given up."""


@dataclass(frozen=True)
class Exchange:
    """A request and its answer."""

    operation: Operation
    values: Mapping[str, Any]
    upload: Sequence[Any]
    """The lines of an upload."""
    status: int
    media_type: str
    body: bytes

    def items(self) -> list[Any]:
        """Return the JSON values of the answer: one object, all lines, or the data of all events; none of a text."""
        if self.media_type == "application/json":
            return [json.loads(self.body)]
        if self.media_type == "application/jsonl":
            return [json.loads(line) for line in self.body.splitlines()]
        events = self.body.decode().splitlines() if self.media_type == "text/event-stream" else []
        return [json.loads(line.removeprefix("data: ")) for line in events if line.startswith("data: ")]


def answers(folder: Path) -> dict[str, Exchange]:
    """Return an exchange of each operation by its name; ``folder`` is empty, and its path short enough for a socket."""
    with _stand_ins() as (model, bot):
        return anyio.run(_asked, folder, model, bot)


async def _asked(folder: Path, model: Server, bot: BotApi) -> dict[str, Exchange]:
    settings = Settings.model_validate(
        {
            "data_dir": folder / "data",
            "socket": folder / "s",
            "config": folder / "config.toml",
            "zone": "UTC",
            "me": "Ann",
            "embedding": {"enabled": False},
            "facts": {"extractor": "llm"},
            "ingest": {"attempts": 1, "buffer": "none"},
            "llm": {
                "model": "small-model",
                "base_url": model.base_url,
                "api_key_env": "",
                "price_prompt": 1.0,
                "price_completion": 2.0,
            },
        }
    )
    with mock.patch.object(EvolvingMemory, "write", _refusing(EvolvingMemory.write)):
        async with open_app(settings):
            return await anyio.to_thread.run_sync(_told, folder, bot)


def _refusing(write: Callable[..., Any]) -> Callable[..., Any]:
    """Return a `write` that refuses one document."""

    async def refuse(memory: EvolvingMemory, documents: Sequence[Document], *rest: Any, **more: Any) -> Any:
        if any(document.id == UNREADABLE["id"] for document in documents):
            raise ValueError
        return await write(memory, documents, *rest, **more)

    return refuse


@contextmanager
def _stand_ins() -> Generator[tuple[Server, BotApi], None, None]:
    """Run a language model that reads homes right and once wrong, and a server of bots."""

    def script(request: Mapping[str, Any]) -> Any:
        if "You answer a question" in request["messages"][0]["content"]:
            line = next(each for each in prompt_of(request).splitlines() if "I live in Lisbon" in each)
            cited = int(line.partition("|")[0])
            return {"found": True, "sentences": [{"text": "Bob Reed lives in Lisbon.", "lines": [cited]}]}
        answer: dict[str, Any] = homes(request)
        facts: list[dict[str, Any]] = answer.get("facts", [])
        wrong = {"value": "Atlantis", "content": "Bob lives in Atlantis."}
        return answer | ({"facts": [*facts, *({**fact, **wrong} for fact in facts)]} if facts else {})

    with Server(script=script) as model, BotApi() as bot:
        yield model, bot


def _told(folder: Path, bot: BotApi) -> dict[str, Exchange]:
    """Ask every operation, in an order in which each has something to tell."""
    exchanges: dict[str, Exchange] = {}
    with session_at(str(folder / "s")) as session:
        for name, values in _requests(folder, bot, exchanges):
            if name == "dead_letters":
                _until_read(session)
            operation = next(each for each in OPERATIONS if each.name == name)
            upload: Sequence[Any] = values.pop("lines", ())
            body = operation.body(values)
            data = b"".join(json.dumps(line).encode() + b"\n" for line in upload) if operation.upload else None
            answer = session.request(
                operation.method, f"{BASE}{operation.target(values)}", data=data, json=body, timeout=120
            )
            media_type = answer.headers["content-type"].partition(";")[0]
            exchange = Exchange(operation, values, upload, answer.status_code, media_type, answer.content)
            exchanges.setdefault(name, exchange)
    return exchanges


def _until_read(session: requests.Session) -> None:
    """Wait until everything stored is read for facts: later answers count it."""
    deadline = time.monotonic() + 60
    while session.get(f"{BASE}/v1/status", timeout=60).json()["reading"]["unread"]:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def _requests(folder: Path, bot: BotApi, exchanges: Mapping[str, Exchange]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the name and the values of each request; later ones use the answers to earlier ones."""

    def last(name: str) -> Any:
        return exchanges[name].items()[-1]

    def result(name: str) -> Any:
        return last(name)["result"]

    yield "store", {"source": "example", "lines": [CHAT, MAIL, NOTE, UNREADABLE]}
    run = last("store")["run"]
    yield "progress", {"run": run}
    session = {"session_id": "s1"}
    yield (
        "messages",
        {
            "messages": [
                {
                    "role": "user",
                    "name": "Ann",
                    "content": "Tell me about Mars",
                    "time": "2024-01-17T10:00:00Z",
                    "metadata": session,
                },
                {
                    "role": "assistant",
                    "content": "Mars is the fourth planet.",
                    "time": "2024-01-17T10:00:01Z",
                    "metadata": session,
                },
            ]
        },
    )
    yield "progress", {"run": last("messages")["run"]}
    fact = {"subject": "Ann", "attribute": "allergy", "value": "nuts", "user": "ann", "session": "s1"}
    yield "add_fact", {**fact, "id": "f1", "time": "2024-01-17T10:00:02Z"}
    yield "progress", {"run": last("add_fact")["run"]}
    yield "query", {"text": "where does Bob live?", "limit": 1}
    yield "ask", {"text": "where does Bob live?", "limit": 1}
    yield "documents", {"limit": 1}
    yield "document", {"id": NOTE["id"]}
    yield "show", {"id": last("query")["hits"][0]["id"]}
    yield "export", {"documents": [NOTE["id"]]}
    yield "chats", {}
    yield "facts", {"subject": ["Bob Reed"]}
    fact = last("facts")["facts"][0]["id"]
    yield "refused_facts", {}
    yield "history", {"id": fact}
    yield "belief", {"id": fact}
    yield "undo", {"id": fact, "believe": False}
    yield "undo", {"id": fact, "believe": True}
    yield "try_model", {"limit": 1}
    yield "audit", {"limit": 1}
    yield "ledger", {"by": "purpose"}
    yield "people", {}
    yield "person", {"id": "Bob Reed"}
    yield "graph", {"name": "Bob Reed", "limit": 2}
    yield "proposals", {}
    yield "merge_people", {"people": ["chat:Bob Reed", "mail:Bob Reed"], "dry_run": False}
    yield "split_person", {"person": "chat:Bob Reed", "names": ["mail:Bob Reed"], "dry_run": True}
    yield "decisions", {}
    yield "undo_people", {}
    (folder / "notes").mkdir()
    (folder / "notes" / "garden.md").write_text("# Garden\n\nThe roses were cut.\n", encoding="utf-8")
    yield "add_source", {"settings": {"name": "notes", "path": str(folder / "notes")}}
    yield "sync", {"sources": ["notes"], "wait": True}
    yield "change_source", {"name": "notes", "settings": {"schedule": "1h"}}
    yield "pause_source", {"name": "notes", "paused": True}
    yield "source", {"id": "notes"}
    account = {"name": "bot", "kind": "telegram", "api_url": bot.url}
    yield "check_source", {"settings": account, "secrets": {"token": TOKEN}}
    yield "add_source", {"settings": account, "secrets": {"token": TOKEN}}
    yield "login_source", {"name": "bot", "secrets": {"token": TOKEN}}
    yield "remove_source", {"name": "bot"}
    yield "sources", {}
    yield "runs", {"limit": 1}
    yield "run", {"id": result("sync")["sources"][0]["run"]}
    export = {"format": "notes", "version": 1, "path": "/home/ann/roof.md", "documents": 1, "messages": 1}
    names: dict[str, Any] = {"count": 0, "names": []}
    yield "receipt", {"run": run, "exports": [{**export, "chats": names, "people": names}]}
    yield "undo_import", {"run": result("sync")["sources"][0]["run"]}
    yield "dead_letters", {}
    yield "retry", {}
    yield "progress", {"run": last("retry")["run"]}
    yield "discard", {}
    yield "forget", {"people": ["Bob Reed"], "dry_run": True}
    yield "doctor", {}
    yield "reindex", {}
    yield "migrate", {"index": "embedded"}
    yield "backup", {"directory": str(folder / "backups")}
    yield "stats", {}
    yield "part_stats", {"chats": ["Bob"]}
    yield "status", {}
    yield "health", {}
    yield "metrics", {}
