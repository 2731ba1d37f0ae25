"""Annotations: keywords and links of a model lead to messages, are versions, stay in their scope, and go with what they rest on."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from memd.memory.embedding.bundled import BundledEmbedder
from memd.memory.forgetting.selection import ForgetSelection
from memd.memory.indexing.indexed_store import open_store
from memd.memory.llm.chat import ChatSettings
from memd.memory.llm.factory import LLM, LLMOptions
from memd.memory.llm.ledger import LedgerSettings, Limit
from memd.memory.llm.privacy import OptOut
from memd.memory.memory import EvolvingMemory
from memd.memory.retrieval.annotating import MOST_KEYWORDS, Annotator
from memd.memory.store import annotation_rows, expansions
from memd.schemas import ConversationDocument, Query
from memd.schemas.errors import BudgetError
from memd.tests.byte_scan import traces
from memd.tests.openai_server.chat import prompt_of
from memd.tests.openai_server.server import CHAT, Server

pytestmark = pytest.mark.anyio
START = datetime(2024, 1, 15, 12, 0, tzinfo=UTC)
KEYWORDS = {"pump": "quagmire", "boat": "flotsam", "kettle": "samovar"}
"""What the model says of a message with this word."""
Lines = Sequence[Sequence[str]]


def lines_of(request: Mapping[str, Any]) -> tuple[list[list[str]], list[list[str]]]:
    """(id, text) of the messages of a prompt, and of the near ones."""
    due, near = prompt_of(request).split("\nNear messages:")
    return tuple(
        [line.split("| ", 1) for line in part.split("\n") if re.match(r"[0-9a-f]{12}\| ", line)] for part in (due, near)
    )  # type: ignore[return-value]


def answering(each: Callable[[str, str, Lines], Any]) -> Callable[[Mapping[str, Any]], Any]:
    """A model that annotates each message by a function of its id, its text and the near messages."""

    def script(request: Mapping[str, Any]) -> Any:
        due, near = lines_of(request)
        return {"messages": [each(name, text, near) for name, text in due]}

    return script


def oracle(name: str, text: str, near: Lines) -> Any:
    """Its keywords, and a link to every near message, which gets a further keyword."""
    links = [
        {"id": other, "kind": "same-topic", "should_evolve": True, "keywords": [words_of(text)[::-1]]}
        for other, _ in near
    ]
    return {"id": name, "keywords": [words_of(text)], "links": links}


def unreadable(_: Mapping[str, Any]) -> Any:
    """No list of messages."""
    return {"messages": {"id": 1}}


def words_of(text: str) -> str:
    """The keyword of a text."""
    return next((keyword for word, keyword in KEYWORDS.items() if word in text), "nothing")


def talk(name: str, *texts: str, user: str = "", at: int = 0) -> ConversationDocument:
    """A day of a chat."""
    said = [
        {"speaker": "Bob", "content": text, "time": START + timedelta(days=at, minutes=minute)}
        for minute, text in enumerate(texts)
    ]
    body = {"source": "chat", "people": ("Ann", "Bob"), "user": "Ann", "conversation": said}
    tags = (f"user:{user}",) if user else ()
    return ConversationDocument.model_validate(
        {"id": f"chat:{name}", "conversation": body, "tags": tags, "metadata": {"chat": name, "title": name}}
    )


class House:
    """A memory with a model beside it."""

    def __init__(self, memory: EvolvingMemory, llm: LLM, server: Server, opt_out: OptOut) -> None:
        self.memory, self.llm, self.server = memory, llm, server
        self.annotator = Annotator(memory.database, llm.gateway, self._near, opt_out.covers_row)

    async def _near(self, query: Query) -> Sequence[UUID]:
        result = await self.memory.query(query.model_copy(update={"arms": ("lexical",)}))
        return [hit.id for hit in result.hits]

    async def annotate(self, *documents: ConversationDocument, run: str = "one") -> int:
        """Store documents, then annotate until nothing waits; returns the number of messages."""
        await self.memory.database.write(annotation_rows.prepare)
        await self.memory.store(documents)
        await self.memory.indexed.refresh_indexes()
        count = 0
        while step := await self.annotator.step(run):
            count += step
        await self.memory.indexed.refresh_indexes()
        return count

    async def found(self, word: str) -> list[str]:
        """The texts that a word finds."""
        await self.memory.indexed.refresh_indexes()
        hits = (await self.memory.query(Query(text=word, context=0, arms=("lexical",)))).hits
        return [hit.text for hit in hits if hit.scores.get("lexical", 0) > 0]

    async def annotation(self, text: str) -> Any:
        """The annotation of the message with this text."""
        (hit, *_) = (await self.memory.query(Query(text=f'"{text}"', context=0))).hits
        return await self.memory.database.read(annotation_rows.current, hit.id)

    async def undo(self, run: str, *, undone: bool) -> None:
        """Undo a run, or let it hold again."""

        def work(connection: Any) -> None:
            expansions.refresh(connection, annotation_rows.set_undone(connection, run, undone=undone))

        await self.memory.database.write(work)

    async def sound(self) -> bool:
        """Whether nothing is wrong."""
        return all(each.severity == "ok" for each in await self.memory.check())


@asynccontextmanager
async def house(
    folder: Path, script: Callable[[Mapping[str, Any]], Any], limit: Limit | None = None, private: str = ""
) -> AsyncGenerator[House]:
    """A memory of words alone, and a model that follows a script."""
    with Server(script=script) as server:
        settings = LLMOptions(ChatSettings("letters", server.base_url), LedgerSettings(per_run=limit or Limit()))
        llm = LLM(folder, settings, lambda: None)
        try:
            async with open_store(folder) as store:
                memory = EvolvingMemory(store, None, BundledEmbedder())
                await memory.start()
                yield House(memory, llm, server, OptOut(conversations=(private,) if private else ()))
        finally:
            await llm.aclose()


async def test_keywords_lead_to_their_message_and_are_versions(tmp_path: Path) -> None:
    """A message is found by its keywords, which are in no text; links show from both ends; a later message may change the
    keywords of a near one, which a run's undoing takes back; eight messages of a day take one call.
    """
    async with house(tmp_path, answering(oracle)) as here:
        fillers = [f"the old kettle whistles number {number}" for number in range(7)]
        assert await here.annotate(talk("a", "the pump is broken", *fillers)) == 8
        assert len([each for each in here.server.requests if each.path == CHAT]) <= 3  # two probe what it takes
        assert await here.found("quagmire") == ["the pump is broken"]
        await here.annotate(talk("b", "a boat needs an engine, is it broken?", at=1), run="two")
        first, second = await here.annotation("the pump is broken"), await here.annotation("a boat needs an engine")
        assert [link["kind"] for link in first["links"]] == ["same-topic"]
        assert second["links"][0]["id"] != first["links"][0]["id"]
        assert (first["run"], first["model"], len(first["version"])) == ("two", "letters", 8)
        assert await here.found("mastolf") == ["the pump is broken"]
        assert await here.found("quagmire") == []
        assert await here.sound()
        await here.undo("two", undone=True)
        assert await here.found("mastolf") == []
        assert await here.found("quagmire") == ["the pump is broken"]
        assert (await here.annotation("the pump is broken"))["links"] == []
        await here.undo("two", undone=False)
        assert await here.found("mastolf") == ["the pump is broken"]
        assert await here.sound()


async def test_a_hostile_answer_does_nothing_beyond_what_was_shown(tmp_path: Path) -> None:
    """Unknown ids, other messages' ids, thousands of keywords, endless ones, other kinds and forms are left out; without
    a list it counts as no answer.
    """
    seen: list[str] = []

    def hostile(name: str, text: str, near: Lines) -> Any:  # noqa: ARG001 - the form of a model
        seen.append(name)
        strange: list[Any] = [
            {"id": each, "kind": "same-topic", "should_evolve": True, "keywords": ["x"]} for each in (*seen, "0" * 12)
        ]
        strange += [{"id": each, "kind": "owns", "should_evolve": 1, "keywords": "x"} for each, _ in near]
        words: list[Any] = [*(f"word{number}" for number in range(10_000)), "y" * 10_000, 7, None, "12", "a\x00b"]
        strange += [1, None, {"id": list[str]()}]
        return {"id": name, "keywords": words, "links": strange}

    async with house(tmp_path, answering(hostile)) as here:
        await here.annotate(talk("a", "the pump is broken"))
        await here.annotate(talk("b", "the pump hums again", at=1))
        for text in ("the pump is broken", "the pump hums again"):
            found = await here.annotation(text)
            assert found["keywords"] in ([f"word{number}" for number in range(MOST_KEYWORDS)], ["x"])
            assert {link["kind"] for link in found["links"]} <= {"same-topic"}
        here.server.script = unreadable
        assert await here.annotate(talk("c", "the pump leaks oil", at=2)) == 1
        assert await here.annotation("the pump leaks oil") is None
        assert await here.sound()


async def test_no_request_holds_another_users_or_a_private_message(tmp_path: Path) -> None:
    """Near messages come from the same user, agent and session; a chat that is kept here is sent in neither list, and a
    link to its message by a guessed id is dropped.
    """
    async with house(tmp_path, answering(oracle), private="family") as here:
        await here.annotate(
            talk("a", "the pump of ann is broken", user="ann"),
            talk("b", "the pump of bea is broken", user="bea"),
            talk("family", "the secret pump is broken"),
            talk("c", "the open pump is broken"),
        )
        prompts = [json.dumps(each.body) for each in here.server.requests if "Near messages" in json.dumps(each.body)]
        assert len(prompts) == 3
        assert all(sum(word in each for word in ("ann is", "bea is", "open")) == 1 for each in prompts)
        assert all("secret" not in each for each in prompts)
        assert await here.annotation("the secret pump is broken") is None
        (hit,) = (await here.memory.query(Query(text='"the secret pump"', context=0))).hits
        here.server.script = answering(
            lambda name, _, __: {
                "id": name,
                "keywords": [],
                "links": [{"id": hit.id.hex[:12], "kind": "answers", "should_evolve": True, "keywords": ["mine"]}],
            }
        )
        await here.annotate(talk("d", "another pump is broken", at=1))
        assert await here.annotation("the secret pump is broken") is None


async def test_what_rests_on_a_forgotten_message_goes_with_it(tmp_path: Path) -> None:
    """Its keywords, its links and what it changed at others leave no byte; the others are annotated anew."""
    async with house(tmp_path, answering(oracle)) as here:
        await here.annotate(talk("a", "the pump is broken"))
        await here.annotate(talk("b", "a boat has that broken engine", at=1))
        assert await here.found("mastolf") == ["the pump is broken"]
        plan = await here.memory.forget_planner.plan(ForgetSelection(documents=("chat:b",)))
        await here.memory.forget(plan)
        await here.llm.forget([UUID(bytes=each.bytes) for each in plan.removal.documents])
        await here.memory.indexed.purge()
        assert traces(tmp_path, "mastolf", "flotsam", "that broken engine") == {}
        assert await here.sound()
        assert await here.found("mastolf") == []
        await here.annotate()
        assert await here.found("quagmire") == ["the pump is broken"]
        assert (await here.annotation("the pump is broken"))["links"] == []


async def test_cut_off_and_spent_it_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was answered and not stored is not asked again; without budget nothing is sent and the messages wait; an edited
    message is annotated anew; switched off, nothing is left of it.
    """
    async with house(tmp_path, answering(oracle), Limit(calls=2)) as here:

        def killed(*_: object) -> set[int]:
            raise KeyboardInterrupt

        with monkeypatch.context() as patched:
            patched.setattr(annotation_rows, "done", killed)
            with pytest.raises(KeyboardInterrupt):
                await here.annotate(talk("a", "the pump is broken"))
        asked = len(here.server.requests)
        assert await here.annotate() == 1
        assert len(here.server.requests) == asked
        await here.annotate(talk("b", "a kettle is hot today", at=1))
        with pytest.raises(BudgetError):
            await here.annotate(talk("c", "the boat is for sale", at=2))
        assert len(await here.memory.database.read(annotation_rows.due, 9)) == 1

        def off(connection: Any) -> None:
            expansions.refresh(connection, annotation_rows.remove(connection))

        await here.memory.database.write(off)
        assert await here.found("quagmire") == []
        assert not await here.memory.database.read(annotation_rows.exist)
        assert await here.sound()
