"""No silent loss: whatever a model answers in the place of facts leaves its window unread, until it is read or given up."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from memd.memory.forgetting.selection import ForgetSelection
from memd.memory.llm.store import LLMStore
from memd.memory.memory import EvolvingMemory
from memd.memory.store import unread_windows
from memd.schemas.errors import ExtractionError
from memd.tests.llm.places import Place, homes
from memd.tests.llm.test_reading import day, facts, memory_at
from memd.tests.openai_server.faults import (
    BROKEN,
    CUT,
    FILTERED,
    GARBLED,
    LONG,
    REFUSED,
    TOO_LONG,
    WRONG_SCHEMA,
    Fault,
    of_the_text,
)
from memd.tests.openai_server.server import CHAT, Server

pytestmark = pytest.mark.anyio
DAYS = 4


def _without_message(_: object) -> object:
    return {"choices": []}


def _about_kiel(body: object) -> bool:
    return "Kiel" in str(body)


BAD = {
    "refused": (REFUSED, "refused"),
    "filtered": (FILTERED, "refused"),
    "ends in the middle": (GARBLED, "unreadable"),
    "another schema": (WRONG_SCHEMA, "unreadable"),
    "entries that are no facts": (of_the_text(lambda _: '{"facts": ["Kiel", {"city": 1}]}'), "unreadable"),
    "empty": (of_the_text(lambda _: ""), "unreadable"),
    "an empty object": (of_the_text(lambda _: "{}"), "unreadable"),
    "an apology": (of_the_text(lambda _: "I am sorry, I cannot do that."), "unreadable"),
    "cut by length": (LONG, "truncated"),
    "too long": (TOO_LONG, "too-long"),
    "an error of the endpoint": (BROKEN, "failed"),
    "half a body": (CUT, "failed"),
    "no message": (Fault(change=_without_message), "failed"),
}


async def read(memory: EvolvingMemory) -> None:
    """Read what is queued."""
    while (await memory.fact_service.extract_pending("run")).documents:
        pass


@pytest.fixture(scope="module")
def wanted(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[object, ...]]:
    """What is known where nothing goes wrong."""
    folder = tmp_path_factory.mktemp("untroubled")

    async def untroubled(server: Server) -> list[tuple[object, ...]]:
        place = Place(server, LLMStore(folder))
        async with memory_at(folder / "memory", place) as memory:
            await memory.store([day(number) for number in range(DAYS)])
            await read(memory)
            known = await facts(memory)
        await place.model.aclose()
        place.store.close()
        return known

    with Server(key="sesame") as server:
        server.script = homes
        return anyio.run(untroubled, server)


@pytest.mark.slow
@pytest.mark.parametrize("kind", BAD)
async def test_a_bad_answer_leaves_its_window_unread_until_the_endpoint_heals(
    place: Place, server: Server, tmp_path: Path, wanted: list[tuple[object, ...]], kind: str
) -> None:
    """The other windows are read meanwhile; afterwards everything is known that would have been known at once."""
    server.script = homes
    fault, reason = BAD[kind]
    server.fail_always(replace(fault, when=_about_kiel), path=CHAT)
    async with memory_at(tmp_path / "memory", place) as memory:
        await memory.store([day(number) for number in range(DAYS)])
        await read(memory)
        assert "Kiel" not in {each[1] for each in await facts(memory)}
        assert len(await facts(memory)) == DAYS - 1
        (waiting,) = await memory.fact_service.unread_windows()
        assert await memory.fact_service.first_unread_windows(0) == ([], 1)
        assert await memory.fact_service.first_unread_windows(1) == ([waiting], 0)
        assert (waiting.document_id, waiting.reason, waiting.attempts) == ("chat:friends:2", reason, 1)
        assert await memory.fact_service.unread_window_counts() == (0, 1)
        server.heal()
        assert await memory.fact_service.queue_unread_windows() == 1
        await read(memory)
        assert await memory.fact_service.unread_windows() == []
        assert await facts(memory) == wanted


@pytest.mark.slow
async def test_an_endpoint_that_fails_at_everything_leaves_everything_unread(
    place: Place, server: Server, tmp_path: Path
) -> None:
    """It is no window's fault: no attempt is counted, and all of them stay queued."""
    server.script = homes
    server.fail_always(BROKEN, path=CHAT)
    async with memory_at(tmp_path / "memory", place) as memory:
        await memory.store([day(number) for number in range(DAYS)])
        with pytest.raises(ExtractionError):
            await read(memory)
        assert await memory.fact_service.unread_windows() == []
        assert await memory.fact_service.pending_extraction_count() == DAYS
        server.heal()
        await read(memory)
        assert len(await facts(memory)) == DAYS


async def test_attempts_end_and_begin_anew(
    place: Place, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the last pause a window is given up; an import tries it once, too often is too often, and `retry` counts anew."""
    monkeypatch.setattr(unread_windows, "PAUSES", (0.0, 0.0))
    monkeypatch.setattr(unread_windows, "MOST_ATTEMPTS", 4)
    server.script = homes
    server.fail_always(REFUSED, path=CHAT)
    async with memory_at(tmp_path / "memory", place) as memory:
        service = memory.fact_service
        await memory.store([day(2)])
        await read(memory)
        while await service.queue_due_windows() == 0:
            await read(memory)
        (given_up,) = await service.unread_windows()
        assert (given_up.attempts, given_up.due) == (3, None)
        assert await service.unread_window_counts() == (1, 0)
        assert await service.unfinished_among([given_up.document]) == set()
        assert len(server.requests) == 3
        assert await service.queue_unread_windows() == 1
        await read(memory)
        assert (await service.unread_windows())[0].attempts == 4
        assert await service.queue_unread_windows() == 0
        assert await service.retry_windows([given_up.hash]) == 1
        await read(memory)
        assert (await service.unread_windows())[0].attempts == 1
        assert await service.unfinished_among([given_up.document]) == {given_up.document}
        assert await service.close_given_up([given_up.document]) == 0
        assert await service.give_up_windows([given_up.hash]) == 1
        assert await service.unread_windows() == []
        assert await service.unfinished_among([given_up.document]) == set()
        assert await memory.stats() | {"facts_rejected": {"refused": 1}} == await memory.stats()


async def test_a_document_that_is_forgotten_takes_its_windows_along(
    place: Place, server: Server, tmp_path: Path
) -> None:
    """Nothing waits for it any more."""
    server.script = homes
    server.fail_always(REFUSED, path=CHAT)
    async with memory_at(tmp_path / "memory", place) as memory:
        await memory.store([day(2)])
        await read(memory)
        assert await memory.fact_service.unread_window_counts() == (0, 1)
        await memory.forget(await memory.forget_planner.plan(ForgetSelection(documents=("chat:friends:2",))))
        assert await memory.fact_service.unread_window_counts() == (0, 0)


@pytest.mark.slow
async def test_what_is_refused_is_listed_and_goes_with_its_words(place: Place, server: Server, tmp_path: Path) -> None:
    """By reason and by run; reading again replaces it; forgetting the document, or a person, removes it."""

    def lying(request: object) -> object:
        answer = homes(request)  # type: ignore[arg-type] - the body of a request
        return {
            **answer,
            "facts": [{**fact, "value": "Atlantis", "content": "Ann rules Atlantis."} for fact in answer["facts"]],
        }

    server.script = lying
    async with memory_at(tmp_path / "memory", place) as memory:
        await memory.store([day(number) for number in range(2)])
        await read(memory)
        found = [line for _, line in await memory.fact_reader.refused()]
        assert [each.document_id for each in found] == ["chat:friends:0", "chat:friends:1"]
        assert {(each.refusal.reason, each.refusal.value, each.run) for each in found} == {
            ("ungrounded-value", "Atlantis", "run")
        }
        assert len(await memory.fact_reader.refused(limit=1)) == 1
        assert await memory.fact_reader.refused(reasons=["question"]) == []
        assert len(await memory.fact_reader.refused(reasons=["ungrounded-value"], run="run")) == 2
        assert (await memory.stats())["facts_rejected"] == {"ungrounded-value": 2}
        await memory.forget(await memory.forget_planner.plan(ForgetSelection(documents=("chat:friends:1",))))
        (left,) = await memory.fact_reader.refused()
        assert left[1].document_id == "chat:friends:0"
        await memory.forget(await memory.forget_planner.plan(ForgetSelection(people=("Ben",))))
        assert await memory.fact_reader.refused() == []
