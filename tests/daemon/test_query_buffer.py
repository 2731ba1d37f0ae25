"""Kept answers are those of now; what waits to be stored is found by its words; the statistics count both."""

# pyright: reportPrivateUsage=false
from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import anyio
import pytest

from memd.daemon.app import open_app
from memd.daemon.config.settings import QuerySettings, Settings
from memd.daemon.querying.query_buffer import QueryBuffer
from memd.daemon.service.name_filters import NameFilters
from memd.daemon.service.requests import ForgetRequest, MergePeopleRequest, MessagesRequest, UndoPeopleRequest
from memd.daemon.service.service import Service
from memd.schemas import ConversationDocument, Document, Query, QueryResult
from memd.schemas.errors import NotFoundError
from memd.tests.daemon.house import note, talk
from memd.tests.effort import examples

pytestmark = pytest.mark.anyio
QUESTIONS = (
    Query(text="message 3"),
    Query(text="what did Ann say about topic 101?", explain=True),
    Query(text="where does Bob live?"),
    Query(text="the latest message from Bob"),
    Query(text="speaks of topic", limit=3, speakers=("Ann",)),
    Query(text="how often did Ann mention topic?"),
    Query(text="lighthouse", sources=("tests",), include_messages=False),
    Query(text="harbour", sort="newest"),
)


def settings(folder: Path, buffer: str = "round", **query: Any) -> Settings:
    """Words and rules alone; what programs send waits until something else than time releases it."""
    return Settings.model_validate(
        {
            "data_dir": folder,
            "zone": "UTC",
            "embedding": {"enabled": False},
            "ingest": {"buffer": buffer, "buffer_idle_s": 3_600},
            "query": query,
        }
    )


def said(*texts: str, session: str = "s") -> MessagesRequest:
    """A list that a program sends."""
    lines = [{"role": "user", "content": text, "metadata": {"session_id": session}} for text in texts]
    return MessagesRequest.model_validate({"messages": lines, "user": "ann"})


async def store(service: Service, *documents: Document) -> None:
    """Store documents; returns when they are found."""
    run = await service.pipeline.begin("tests")
    await service.pipeline.accept(run, documents)
    await service.pipeline.finish(run)
    with anyio.fail_after(60):
        async with service.follow(run) as updates:
            async for _ in updates:
                pass


def told(_progress: object) -> None:
    """Nobody follows."""


def plain(result: QueryResult) -> dict[str, Any]:
    """An answer without what every answer has of its own: its time, and that it was kept."""
    return {name: value for name, value in result.to_wire().items() if name not in ("took_ms", "cached")}


async def answered(buffer: QueryBuffer, query: Query) -> object:
    """The answer, or that nobody has a name of the filters."""
    try:
        return plain(await buffer.query(query))
    except NotFoundError as error:
        return error.message


async def require_equal(kept: QueryBuffer, unkept: QueryBuffer) -> None:
    """Each question is answered twice as without keeping, unless something changed in between."""
    for query in QUESTIONS:
        answers: list[object] = []
        for _ in range(100):
            before = kept._state()
            answers = [await answered(buffer, query) for buffer in (kept, unkept, kept)]
            if kept._state() == before:
                break
            await anyio.sleep(0.02)
        first, expected, second = answers
        assert first == second == expected, query


async def forget(service: Service, **selection: Sequence[str]) -> None:
    """Plan, and carry out."""
    plan = await service.forgetting.forget(ForgetRequest.model_validate(selection), told)
    wanted = {**selection, "dry_run": False, "plan": plan.get("plan")}
    await service.forgetting.forget(ForgetRequest.model_validate(wanted), told)


async def change(service: Service, chance: random.Random, number: int) -> None:
    """Make one change of any kind."""
    kind = chance.choice(("talk", "note", "wait", "forget", "merge", "split", "home"))
    if kind == "talk":
        await store(service, talk(f"t{chance.randrange(3)}", chance.randrange(2, 9)))
    elif kind == "note":
        await store(service, note(f"n{chance.randrange(3)}", f"the lighthouse, visit {number}"))
    elif kind == "home":
        words = f"I live in {chance.choice(('Rome', 'Oslo', 'Lima'))}"
        await store(service, talk(f"h{number}", 2, words=f". {words}. No"))
    elif kind == "wait":
        await service.add_messages(said(f"the harbour, visit {number}", session=f"s{number % 2}"))
    elif kind == "forget":
        await forget(service, sources=[chance.choice(("tests", "messages"))])
        assert len(service.queries.cache) == 0
    elif kind == "merge":
        names = {name["name"] for name in (await service.people.people())["people"]}
        if {"Ann", "Bob"} <= names:
            await service.people.merge(MergePeopleRequest(people=("Ann", "Bob"), dry_run=False))
    elif any(each["stands"] for each in (await service.people.decisions())["decisions"]):
        await service.people.undo(UndoPeopleRequest())


@pytest.mark.slow
async def test_a_kept_answer_is_the_one_of_now(tmp_path: Path) -> None:
    """After any storing, waiting, forgetting, merging and undoing, an answer with keeping is the one without."""
    for seed in range(examples(4)):
        chance = random.Random(seed)
        async with open_app(settings(tmp_path / str(seed)), serve=False) as service:
            unkept = QueryBuffer(
                QuerySettings(cache_answers=0),
                service._memory,
                service.pipeline,
                lambda memory: NameFilters(memory).of_query,
            )
            service._memory.indexed.on_change = service.queries.cache.clear
            await store(service, talk("t0", 8), note("n0", "the lighthouse stands by the harbour"))
            for number in range(8):
                await require_equal(service.queries, unkept)
                await change(service, chance, number)
            await require_equal(service.queries, unkept)


async def test_the_same_question_is_answered_from_what_is_kept(tmp_path: Path) -> None:
    """It says so with `explain`, is counted, and ends with any write, with another day, and for a question of time with the minute."""
    async with open_app(settings(tmp_path / "d"), serve=False) as service:
        await store(service, talk("a", 5))
        now = [datetime(2026, 11, 29, 12, 0, 1, tzinfo=UTC)]
        service._memory.retriever._now = lambda: now[0]
        plain_question, timely = Query(text="message 3", explain=True), Query(text="message yesterday", explain=True)

        async def kept(query: Query) -> bool:
            return (await service.query(query)).cached

        assert [await kept(plain_question), await kept(plain_question)] == [False, True]
        assert [await kept(timely), await kept(timely)] == [False, True]
        now[0] = datetime(2026, 11, 29, 12, 1, 1, tzinfo=UTC)
        assert (await kept(plain_question), await kept(timely)) == (True, False)
        now[0] = datetime(2026, 11, 30, 12, 1, 1, tzinfo=UTC)
        assert not await kept(plain_question)
        await store(service, note("b", "the lighthouse"))
        assert not await kept(plain_question)
        counts = (await service.stats())["queries"]
        assert (counts["searches"], counts["cache_hits"], counts["cache_misses"]) == (8, 3, 5)
        assert counts["by_source"] == {"store": 5}
        assert counts["health"] == {}
        assert (await service.status())["queries"]["searches"] == 8


async def test_the_sizes_are_settings(tmp_path: Path) -> None:
    """The least recently used answer goes; an answer lives no longer than it may; 0 keeps none."""
    async with open_app(settings(tmp_path / "d", cache_answers=2), serve=False) as service:
        await store(service, talk("a", 5))
        cached: Callable[[str], Any] = lambda text: service.query(Query(text=text, explain=True))  # noqa: E731
        for text in ("message 1", "message 2", "message 1", "message 3"):
            await cached(text)
        assert len(service.queries.cache) == 2
        assert [(await cached(text)).cached for text in ("message 1", "message 2")] == [True, False]
        service.queries.cache._clock = lambda: 1e12
        assert not (await cached("message 2")).cached
    async with open_app(settings(tmp_path / "d", cache_answers=0), serve=False) as service:
        for _ in range(3):
            assert not (await service.query(Query(text="message 1", explain=True))).cached
        assert (await service.stats())["queries"]["hit_rate"] is None


async def test_what_waits_is_found_by_its_words(tmp_path: Path) -> None:
    """At once, by filters too, once beside what is stored, again after a restart, and no more when it is forgotten."""
    async with open_app(settings(tmp_path / "d"), serve=False) as service:
        await store(service, talk("a", 5), note("n", "the lighthouse stands by the harbour"))
        await service.add_messages(said("the harbour opens at nine", "bring the blue rope"))
        answer = await service.query(Query(text="harbour"))
        assert [(hit.waiting, hit.type) for hit in answer.hits] == [(False, "chunk"), (True, "message")]
        assert [hit.rank for hit in answer.hits] == [1, 2]
        assert [line.text for line in answer.hits[1].context] == ["bring the blue rope"]
        assert "queue" not in answer.degraded
        rope = (await service.query(Query(text="when do we bring the rope?"))).hits[0]
        assert rope.waiting
        for filters, count in (
            ({"sources": ("tests",)}, 0),
            ({"users": ("ann",)}, 1),
            ({"users": ("bob",)}, 0),
            ({"sessions": ("s",)}, 1),
            ({"since": "2100-01-01T00:00:00Z"}, 0),
            ({"since": "2000-01-01T00:00:00Z"}, 1),
            ({"kinds": ("call",)}, 0),
            ({"include_messages": False}, 0),
        ):
            hits = (await service.query(Query.model_validate({"text": "rope", **filters}))).hits
            assert sum(hit.waiting for hit in hits) == count, filters
    # The journal of a killed process: closing would have stored them.
    async with open_app(settings(tmp_path / "d"), serve=False) as service:
        with anyio.fail_after(60):
            while (hits := (await service.query(Query(text="rope"))).hits) and hits[0].waiting:
                await anyio.sleep(0.01)
        assert [hit.id for hit in hits] == [rope.id]
        await service.add_messages(said("the crabwhistle waits"))
        assert (await service.query(Query(text="crabwhistle"))).hits[0].waiting
        await forget(service, users=["ann"])
        assert not (await service.query(Query(text="crabwhistle"))).hits


async def test_what_waits_is_found_by_names_that_only_it_has(tmp_path: Path) -> None:
    """By a whole name of a source, chat, person or tag; a name that nobody has is refused as ever."""
    async with open_app(settings(tmp_path / "d"), serve=False) as service:
        await store(service, talk("a", 3))
        await service.add_messages(said("the harbour opens at nine"))
        for name, value in (
            ("sources", "messages"),
            ("chats", "s"),
            ("speakers", "ann"),
            ("people", "ann"),
            ("tags", "user:ann"),
        ):
            answer = await service.query(Query.model_validate({"text": "harbour", name: (value,)}))
            assert [hit.waiting for hit in answer.hits] == [True], name
            with pytest.raises(NotFoundError):
                await service.query(Query.model_validate({"text": "harbour", name: ("nobody",)}))


async def test_what_waits_stands_in_the_order_asked_for(tmp_path: Path) -> None:
    """The newest of all that match and not of the best ones; in the order that the question asks for, too."""
    async with open_app(settings(tmp_path / "d"), serve=False) as service:
        for session, text in (("a", "rope anchor buoy"), ("b", "rope"), ("c", "rope anchor")):
            await service.add_messages(said(text, session=session))

        async def texts(text: str, **query: Any) -> list[str]:
            return [hit.text for hit in (await service.query(Query.model_validate({"text": text, **query}))).hits]

        assert await texts("rope anchor", sort="newest", limit=1) == ["rope anchor"]
        assert await texts("rope anchor", sort="time", limit=1) == ["rope anchor buoy"]
        assert await texts("the latest message about rope") == ["rope anchor", "rope", "rope anchor buoy"]


async def test_an_edit_that_waits_is_shown(tmp_path: Path) -> None:
    """In the place of what it edits, once."""
    async with open_app(settings(tmp_path / "d"), serve=False) as service:
        await store(service, edited_talk("nine"))
        async with service.pipeline.paused():
            run = await service.pipeline.begin("tests")
            await service.pipeline.accept(run, [edited_talk("ten")])
            await service.pipeline.finish(run)
            hits = (await service.query(Query(text="harbour opens"))).hits
        assert [(hit.text, hit.waiting) for hit in hits] == [("the harbour opens at ten", True)]


def edited_talk(hour: str) -> Document:
    """A talk of one message, in its version of that hour."""
    message = {"id": "m", "speaker": "Ann", "content": f"the harbour opens at {hour}", "time": "2024-01-15T12:00:00Z"}
    talk = {"source": "tests", "people": ("Ann", "Bob"), "user": "Ann", "conversation": (message,)}
    return ConversationDocument.model_validate({"id": "c", "conversation": talk})


async def test_what_waits_is_not_counted(tmp_path: Path) -> None:
    """The answer says so, and no sentence says that there is no such message."""
    async with open_app(settings(tmp_path / "d"), serve=False) as service:
        await service.add_messages(said("the harbour opens at nine"))
        answer = await service.query(Query(text="how often was harbour mentioned?"))
        assert (answer.count, answer.summary, answer.degraded) == (0, None, ("vector", "queue"))
        assert [hit.waiting for hit in answer.hits] == [True]


async def test_what_was_not_looked_at_is_said(tmp_path: Path) -> None:
    """More than the setting allows: the newest are found, and the answer says that something waits."""
    async with open_app(settings(tmp_path / "d", waiting_messages=2), serve=False) as service:
        for number in range(3):
            await service.add_messages(said(f"the harbour, visit {number}", session=f"s{number}"))
        answer = await service.query(Query(text="harbour"))
        assert [hit.text for hit in answer.hits] == ["the harbour, visit 2", "the harbour, visit 1"]
        assert "queue" in answer.degraded
    async with open_app(settings(tmp_path / "e", waiting_messages=0), serve=False) as service:
        await service.add_messages(said("the harbour"))
        answer = await service.query(Query(text="harbour"))
        assert (answer.hits, answer.degraded[-1]) == ((), "queue")
