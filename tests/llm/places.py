"""A desk at the test server, and windows of made-up chats."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid5

from memd.memory.extraction.window import Line, Window
from memd.memory.llm.audit import AuditLog
from memd.memory.llm.batch import BatchGateway
from memd.memory.llm.batch_journal import BatchJournal
from memd.memory.llm.cache import AnswerCache
from memd.memory.llm.chat import ChatSettings
from memd.memory.llm.gateway import LLMGateway
from memd.memory.llm.ledger import Ledger, LedgerSettings, LedgerStore
from memd.memory.llm.openai_chat import OpenAIChat
from memd.memory.llm.redaction import RedactionSettings, Redactor
from memd.memory.llm.store import LLMStore
from memd.tests.openai_server.chat import prompt_of
from memd.tests.openai_server.server import Server

SPACE = UUID("6f0e5b0e-0f5c-4b70-9d53-0f7c2f7a3c11")
NOON = datetime(2024, 1, 15, 12, 0, tzinfo=UTC)


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.at = NOON

    def __call__(self) -> datetime:
        """Now."""
        return self.at


class Place:
    """A desk and everything on it."""

    def __init__(
        self,
        server: Server,
        store: LLMStore,
        *,
        ledger: LedgerSettings | None = None,
        redaction: RedactionSettings | None = None,
        **options: Any,
    ) -> None:
        self.server = server
        self.store = store
        self.clock = Clock()
        settings = ChatSettings("small-model", server.base_url)
        self.model = OpenAIChat(replace(settings, **options), lambda: server.key)
        self.audit = AuditLog(store)
        self.gateway = LLMGateway(
            self.model,
            ledger=Ledger(LedgerStore(store), ledger, self.clock),
            cache=AnswerCache(store),
            audit=self.audit,
            redactor=Redactor(redaction or RedactionSettings()),
        )
        self.batches = BatchGateway(self.gateway, self.model, BatchJournal(store))


def window(*said: tuple[str, str], document: str = "chat:2024-01-15", **more: Any) -> Window:
    """A window of (speaker, text), a minute each."""
    lines = tuple(
        Line(
            number, uuid5(SPACE, f"{document}/{number}"), f"m{number}", speaker, text, NOON + timedelta(minutes=number)
        )
        for number, (speaker, text) in enumerate(said, start=1)
    )
    people = tuple(dict.fromkeys(speaker for speaker, _ in said))
    made = Window(uuid5(SPACE, document), document, "whatsapp", "Friends", people[0], people, lines)
    return replace(made, **more)


_LINE = re.compile(r"^(\d+)\| (.+?) \d{2}:\d{2}: (.*)$", re.MULTILINE)
_ENTRY = re.compile(r"^(\d+)\. ", re.MULTILINE)
_HOME = re.compile(r"I (?:now )?live in ([A-Z]\w+)")


def homes(request: Mapping[str, Any]) -> Any:
    """A model that understands where people live, and nothing else; it finds again whatever it is asked about."""
    if "says_so" in request["messages"][0]["content"]:
        numbers = _ENTRY.findall(prompt_of(request))
        return {"verdicts": [{"id": int(number), "says_so": "yes"} for number in numbers]}
    facts = [
        {
            "lines": [int(number)],
            "speaker": speaker,
            "subject": speaker,
            "attribute": "home",
            "value": found[1],
            "content": f"{speaker} lives in {found[1]}.",
            "quote": found[0],
            "mode": "own",
            "tense": "now",
            "negated": False,
            "valid_from": "",
            "valid_to": "",
            "category": "context",
            "importance": 3,
            "sensitivity": "low",
            "confidence": 0.9,
            "sentiment": 0.5,
            "keywords": [found[1]],
            "tags": [],
        }
        for number, speaker, text in _LINE.findall(prompt_of(request))
        if (found := _HOME.search(text))
    ]
    return {"facts": facts, "summary": "They talk about homes."}
