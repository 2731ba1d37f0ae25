"""Every form of forgetting on every kind of document, stored, waiting in the journal, and beside damage, by the command."""

from __future__ import annotations

import argparse
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import pytest

from memd.daemon.app import open_app
from memd.daemon.cli import dispatch
from memd.daemon.cli.commands import forget
from memd.daemon.config.paths import JOURNAL
from memd.daemon.service.requests import ForgetRequest, LettersRequest, parse
from memd.daemon.service.service import Service
from memd.schemas import Document, Notice, Rejected
from memd.schemas.wire import document_from_wire
from memd.tests.byte_scan import traces
from memd.tests.daemon.house import note, wire
from memd.tests.daemon.test_forgetting import Refusing, drained, queued
from memd.tests.daemon.test_service import ingest, words_only

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

NOTHING = 7


def _conversation(number: int, **metadata: str) -> dict[str, Any]:
    """A message of one person, at a time and of a source that no other document has."""
    message = {
        "speaker": f"Bob {number}",
        "content": f"the wobblegate {number}",
        "time": f"{1900 + number}-05-05T10:00:00Z",
    }
    spoken = {"source": f"s{number}", "people": ["Ann", f"Bob {number}"], "user": "Ann", "conversation": [message]}
    return {"id": f"id-{number}", "conversation": spoken, "metadata": metadata}


def _text(number: int, **fields: Any) -> dict[str, Any]:
    metadata = {"source": f"s{number}", "title": f"Title {number}", "author": f"Bob {number}"}
    return {"id": f"id-{number}", "metadata": metadata, **fields}


def _timeline(number: int) -> dict[str, Any]:
    event = {"start": f"{1900 + number}-05-05T10:00:00Z", "title": f"the wobblegate {number}"}
    return _text(number, kind="timeline", events=[event])


def _mail(number: int) -> dict[str, Any]:
    return {**_conversation(number), "kind": "email_thread", "subject": f"Title {number}"}


KINDS: dict[str, Callable[[int], dict[str, Any]]] = {
    "chat": lambda number: _conversation(number, chat=f"chat-{number}", title=f"Title {number}"),
    "conversation without a chat": lambda number: _conversation(number, title=f"Title {number}"),
    "email_thread": _mail,
    "text": lambda number: _text(
        number, content=f"the wobblegate {number}", timestamp=f"{1900 + number}-05-05T10:00:00Z"
    ),
    "timeline": _timeline,
}
"""By name, a document of a kind with a number that all its names have."""

SELECTORS: dict[str, Callable[[int], list[str]]] = {
    "id": lambda n: ["--document", f"id-{n}"],
    "source": lambda n: ["--source", f"s{n}"],
    "title": lambda n: ["--chat", f"title {n}"],
    "person": lambda n: ["--person", f"bob {n}"],
    "speaker": lambda n: ["--speaker", f"Bob {n}"],
    "time": lambda n: ["--since", f"{1900 + n}-05-05", "--until", f"{1900 + n}-05-06"],
    "title of several": lambda n: ["--chat", f"Title {n}", "--chat", "Nothing"],
    "all": lambda n: ["--source", f"s{n}", "--document", f"id-{n}", "--person", f"Bob {n}", "--since", "1900"],
}
TEXTS = {"text", "timeline"}


class Case(NamedTuple):
    """What is forgotten by what, and whether it goes."""

    number: int
    kind: str
    selector: str

    @property
    def goes(self) -> bool:
        """Nobody speaks in a text, and its title is no chat's."""
        return not (self.kind in TEXTS and self.selector in {"speaker", "title", "title of several"})

    @property
    def words(self) -> str:
        """What stands in this document alone."""
        return f"the wobblegate {self.number}"

    @property
    def document(self) -> Document:
        """A document that this case alone has."""
        (document,) = document_from_wire(KINDS[self.kind](self.number), "here")
        assert not isinstance(document, (Notice, Rejected))
        return document


def _cases() -> Iterator[Case]:
    numbers = count(100)
    return (Case(next(numbers), kind, selector) for kind in KINDS for selector in SELECTORS)


class Command:
    """`memd forget` on a service of this process."""

    def __init__(self, service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
        self._service = service
        self.lines: list[str] = []
        monkeypatch.setattr(forget, "operate", self._operate)
        monkeypatch.setattr(forget, "say", self.lines.append)

    async def __call__(self, *words: str) -> int:
        """The exit code; `lines` holds what is told."""
        self.lines.clear()
        arguments = dispatch.build_parser().parse_args(["forget", *words])
        return await anyio.to_thread.run_sync(forget.run, arguments)

    def _operate(self, _: argparse.Namespace, __: object, body: dict[str, Any], **___: object) -> dict[str, Any]:
        request = parse(ForgetRequest, {name: value for name, value in body.items() if value}, UTC)
        request = request.model_copy(update={"dry_run": body["dry_run"]})
        return wire(anyio.from_thread.run(partial(self._service.forgetting.forget, request, lambda _: None)))


def _change_entries(data: Path, change: str) -> None:
    with closing(sqlite3.connect(data / JOURNAL)) as journal, journal:
        journal.execute(f"UPDATE entries SET {change}")


def _is_denied(line: str) -> bool:
    """Whether a line says that nobody has a name, which a document has."""
    return "there is no" in line and "Nothing" not in line


@pytest.mark.parametrize("state", ["stored", "queued", "damaged"])
async def test_every_form_of_forgetting_removes_every_kind_of_document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, state: str
) -> None:
    """What a case selects goes and stays out, and its names are known; the documents of all other cases stay."""
    data = tmp_path / "d"
    refusing = Refusing(monkeypatch)
    cases = list(_cases())
    failed: list[str] = []
    async with open_app(words_only(data, facts={"extractor": "off"}), serve=False) as service:
        if state == "stored":
            await ingest(service, *(case.document for case in cases))
        else:
            refusing.now = True
            if state == "damaged":
                await queued(service, note("n", "a tumblewick"))
                _change_entries(data, "crc = crc + 1")
            await queued(service, *(case.document for case in cases))
            if state == "damaged":
                _change_entries(data, "state = 'dead'")
        command = Command(service, monkeypatch)
        for case in cases:
            code = await command(*SELECTORS[case.selector](case.number), "--yes")
            left = traces(data, case.words)
            if code != (0 if case.goes else NOTHING) or bool(left) == case.goes:
                failed.append(f"{case}: exit {code}, left in {left}, {command.lines}")
            elif case.goes and ("1 message" not in command.lines[-1] or any(map(_is_denied, command.lines))):
                failed.append(f"{case}: {command.lines}")
        assert failed == []
        assert traces(data, "tumblewick") == {}
        refusing.now = False
        await service.letters.retry(LettersRequest())
        await drained(service)
        staying = [case for case in cases if not case.goes]
        assert (await service.stats())["documents"] == len(staying)
        assert (await ingest(service, *(case.document for case in cases))).added == 0
        assert (await service.stats())["documents"] == len(staying)
