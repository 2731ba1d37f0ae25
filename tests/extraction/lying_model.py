"""A scripted model that lies, and one that tells the truth: chats, proposals, and what a stored lie must not say.

The form is told in labels/README.md.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from memd.memory.extraction.attributes import ATTRIBUTES
from memd.memory.extraction.extractor import Extraction
from memd.memory.extraction.llm import LLMExtractor
from memd.memory.extraction.statement import Statement
from memd.memory.extraction.window import Window
from memd.memory.llm.chat import ChatSettings
from memd.memory.llm.factory import LLM, LLMOptions
from memd.tests.extraction.cases import windows_of_wire
from memd.tests.extraction.labelled_conversations import HERE, LabelledMessage, blocks, day_of, message_of, wire_of
from memd.tests.openai_server.server import Server

LIES = HERE / "labels" / "lies.txt"
DAY = day_of("2024-07-10")
FIELDS: Mapping[str, Any] = {
    "valid_from": "", "valid_to": "", "category": "", "importance": 2, "sensitivity": "", "confidence": 0.9,
    "sentiment": None, "keywords": [], "tags": [],
}  # fmt: skip
"""What the file leaves out of a fact; category and sensitivity are those of the attribute."""


@dataclass(frozen=True, slots=True)
class Proposed:
    """One answer of the model about one chat: a fact, or a summary."""

    name: str
    window: Window
    true: bool
    fact: Mapping[str, Any] | None
    summary: str
    false_when: tuple[tuple[str, str], ...]
    """Field and what it must not say; empty: nothing of the lie may be stored."""

    @property
    def answer(self) -> dict[str, Any]:
        """As a model writes it."""
        return {"facts": [] if self.fact is None else [self.fact], "summary": self.summary}

    @property
    def shown(self) -> str:
        """It in short."""
        if self.fact is None:
            return self.summary
        return " | ".join(str(self.fact[name]) for name in ("subject", "attribute", "value", "content", "quote"))

    def right(self, extraction: Extraction) -> bool:
        """Whether the truth was kept, or nothing false of the lie."""
        if self.fact is None:
            return bool(extraction.summary) == self.true
        if self.true:
            return bool(extraction.statements)
        return not any(self._false(statement) for statement in extraction.statements)

    def _false(self, statement: Statement) -> bool:
        assert self.fact is not None
        if not self.false_when:
            return statement.negated == self.fact["negated"]
        return any(_says(statement, name, words) for name, words in self.false_when)


def proposed() -> list[Proposed]:
    """All answers."""
    found: list[Proposed] = []
    for head, lines in blocks(LIES):
        found += _block(head, lines)
    return found


async def read_all(answers: Sequence[Proposed]) -> list[tuple[Proposed, Extraction]]:
    """What the extractor makes of each answer, with all that stands between a model and a statement."""
    found: list[tuple[Proposed, Extraction]] = []
    with tempfile.TemporaryDirectory() as folder, Server() as server:
        llm = LLM(Path(folder), LLMOptions(ChatSettings("liar", server.base_url)), lambda: None)
        extractor = LLMExtractor(llm.gateway)
        for each in answers:
            server.script = _always(each.answer)
            (extraction,) = await extractor.extract([each.window])
            found.append((each, extraction))
        await llm.aclose()
    return found


def _always(answer: Mapping[str, Any]) -> Callable[[Any], Any]:
    return lambda _: answer


def _says(statement: Statement, name: str, words: str) -> bool:
    if name == "present":
        later = statement.valid_from is not None and statement.valid_from > statement.observed_at + timedelta(days=1)
        return not (statement.negated or later or statement.valid_to is not None or statement.attribute == "plan")
    said = getattr(statement, name)
    if name in ("valid_from", "valid_to"):
        return said is not None and said.isoformat().startswith(words)
    return words in said


def _block(head: Sequence[str], lines: Sequence[str]) -> list[Proposed]:
    name, _, *more = head
    said: list[LabelledMessage] = []
    answers: list[tuple[bool, Mapping[str, Any] | None, str, list[tuple[str, str]]]] = []
    for line in lines:
        sign, _, rest = line.partition(" ")
        if sign in ("+", "-"):
            answers.append((sign == "+", _fact(json.loads(rest)), "", []))
        elif sign in ("s+", "s-"):
            answers.append((sign == "s+", None, rest, []))
        elif sign == "!":
            field, _, words = rest.partition(": ")
            answers[-1][3].append((field, words))
        else:
            said.append(message_of(line, len(said) + 1, DAY))
    user = next((each.removeprefix("user=") for each in more), said[0].speaker)
    found: list[Proposed] = []
    for number, (true, fact, summary, false_when) in enumerate(answers, start=1):
        wire = wire_of(f"{name}:{number}", user, tuple(said))
        wire["metadata"] = {
            "title": f"{name} {number}"
        }  # so that no two prompts are equal, and none is answered from a cache
        (window,) = windows_of_wire(wire)
        found.append(Proposed(f"{name} {number}", window, true, fact, summary, tuple(false_when)))
    return found


def _fact(fact: Mapping[str, Any]) -> dict[str, Any]:
    known = ATTRIBUTES[fact["attribute"]]
    return {**FIELDS, "category": known.category, "sensitivity": known.sensitivity, **fact}
