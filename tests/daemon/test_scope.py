"""Messages of a program by user, agent and session: who finds what, which facts, and what is forgotten."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import pytest

from memd.daemon.app import open_app
from memd.daemon.config.settings import Settings
from memd.daemon.service.requests import ForgetRequest, ListingRequest, MessagesRequest
from memd.daemon.service.service import Service
from memd.schemas import Query
from memd.tests.cases import check_all

pytestmark = pytest.mark.anyio
WAIT = 60
TIME = "2024-01-15T12:00:00Z"


def settings(folder: Path, **more: Any) -> Settings:
    """Words only, and no buffer."""
    plain = {"data_dir": folder, "zone": "UTC", "embedding": {"enabled": False}, "ingest": {"buffer": "none"}}
    return Settings.model_validate(plain | more)


async def add(service: Service, *messages: dict[str, Any] | str, **scope: str) -> None:
    """Send one list, and wait until it is stored."""
    plain = [{"role": "user", "content": each, "time": TIME} if isinstance(each, str) else each for each in messages]
    await service.add_messages(MessagesRequest.model_validate({"messages": plain, **scope}))
    await found_by_words(service)


async def found_by_words(service: Service) -> None:
    """Release what is held back, and wait until all of it can be found."""
    await service.messages.release_all()
    with anyio.fail_after(WAIT):
        await service.pipeline.drain()
        await service.pipeline.conclude()


async def contents(service: Service, text: str, **scope: tuple[str, ...]) -> set[str]:
    """The texts of all hits."""
    return {hit.text for hit in (await service.query(Query(text=text, limit=100, **scope))).hits}  # type: ignore[arg-type]


async def forget(service: Service, **given: Any) -> int:
    """Plan it, carry it out; returns how many messages went."""

    def ignore(_step: object) -> None: ...

    plan = await service.forgetting.forget(ForgetRequest.model_validate(given), ignore)
    asked = {**given, "dry_run": False, "plan": plan["plan"]}
    done = await service.forgetting.forget(ForgetRequest.model_validate(asked), ignore)
    assert (done["messages"], done["waiting"]) == (plan["messages"], plan["waiting"])
    return done["messages"] + done["waiting"]


async def test_each_is_asked_for_what_is_theirs(tmp_path: Path) -> None:
    """By user, agent and session, whole names alone; the request's scope counts where a message names none."""
    async with open_app(settings(tmp_path / "d"), serve=False) as service:
        own = {"role": "user", "content": "boat of bob", "time": TIME, "metadata": {"user_id": "bob"}}
        await add(service, "boat of ann, 1", own, user="ann", agent="guide", session="1")
        await add(service, "boat of ann, 2", user="ann", session="2")
        await add(service, "boat of nobody")
        ann = {"boat of ann, 1", "boat of ann, 2"}
        cases: list[tuple[dict[str, tuple[str, ...]], set[str]]] = [
            ({}, {*ann, "boat of bob", "boat of nobody"}),
            ({"users": ("ann",)}, ann),
            ({"users": ("ann", "bob")}, {*ann, "boat of bob"}),
            ({"users": ("an",)}, set()),
            ({"users": ("Ann",)}, set()),
            ({"agents": ("guide",)}, {"boat of ann, 1", "boat of bob"}),
            ({"users": ("ann",), "agents": ("guide",), "sessions": ("1",)}, {"boat of ann, 1"}),
            ({"users": ("ann",), "sessions": ("default",)}, set()),
            ({"sessions": ("default",)}, {"boat of nobody"}),
        ]
        found = [await contents(service, "boat", **scope) for scope, _ in cases]
        listed = [
            sum(line["messages"] for line in (await service.listing(ListingRequest.model_validate(scope)))["documents"])
            for scope, _ in cases
        ]

    def check(number: int) -> None:
        assert found[number] == cases[number][1]
        assert listed[number] == len(cases[number][1])

    check_all(range(len(cases)), check)


async def test_names_of_others_are_not_suggested_in_a_scope(tmp_path: Path) -> None:
    """One user's contacts are no business of another's."""
    async with open_app(settings(tmp_path / "d"), serve=False) as service:
        message = {"role": "user", "name": "Renate", "content": "the boat is here", "time": TIME}
        await add(service, message, user="ann")
        await add(service, "no news of the boat", user="bob")
        text = "what did Rennate say of the boat?"
        assert (await service.query(Query(text=text))).did_you_mean == ("Renate",)
        assert (await service.query(Query(text=text, users=("bob",)))).did_you_mean == ()


async def test_equal_messages_of_two_users_are_two(tmp_path: Path) -> None:
    """With the same id, time, words and session."""
    async with open_app(settings(tmp_path / "d"), serve=False) as service:
        message = {"role": "user", "content": "boat", "time": TIME, "id": "m1"}
        for user in ("ann", "bob", "ann"):
            await add(service, message, user=user, session="1")
        page = await service.listing(ListingRequest(limit=100))
        assert sorted(line["id"] for line in page["documents"]) == [
            "messages/user=ann:1:2024-01-15",
            "messages/user=bob:1:2024-01-15",
        ]
        assert [line["messages"] for line in page["documents"]] == [1, 1]


async def test_facts_in_a_scope_rest_on_its_messages_alone(tmp_path: Path) -> None:
    """Also where one person said the same to two agents: a fact is not told with words from outside."""
    async with open_app(settings(tmp_path / "d"), serve=False) as service:
        await add(service, "I live in Porto.", user="ann", agent="guide")
        await add(service, "I live in Oslo.", user="bob", agent="guide")
        await add(service, "I live in Porto.", user="ann", agent="cook")
        assert service.pipeline.extraction_worker is not None
        await service.pipeline.extraction_worker.caught_up()

        async def told(text: str, **scope: tuple[str, ...]) -> set[tuple[str, str]]:
            result = await service.query(Query(text=text, **scope))  # type: ignore[arg-type]
            return {(fact.subject, fact.value) for fact in result.facts}

        assert await told("where does ann live?") == {("ann", "Porto")}
        assert await told("Porto Oslo", users=("ann",)) == {("ann", "Porto")}
        assert await told("Porto Oslo", users=("bob",)) == {("bob", "Oslo")}
        assert await told("Porto Oslo", agents=("guide",)) == {("bob", "Oslo")}
        assert await told("where does ann live?", users=("ann",)) == {("ann", "Porto")}
        assert await told("where does ann live?", users=("ann",), agents=("cook",)) == set()


@pytest.mark.parametrize("buffer", ["none", "round"])
async def test_a_scope_or_a_message_is_forgotten(tmp_path: Path, buffer: str) -> None:
    """Stored or held back in the journal: exactly that, and it does not come back."""
    async with open_app(settings(tmp_path / "d", ingest={"buffer": buffer}), serve=False) as service:

        async def send(text: str, **scope: str) -> None:
            message = {"role": "user", "content": text, "time": TIME, "id": text.rpartition(" ")[2]}
            await service.add_messages(MessagesRequest.model_validate({"messages": [message], **scope}))
            if buffer == "none":
                await found_by_words(service)

        async def everything() -> set[str]:
            await found_by_words(service)
            return await contents(service, "boat")

        sent = [("boat m1", "ann", "1"), ("boat m2", "ann", "1"), ("boat m1", "ann", "2"), ("boat m3", "bob", "1")]
        for text, user, session in sent:
            await send(text, user=user, session=session)
        assert await forget(service, users=["ann"], sessions=["1"], messages=["m1"]) == 1
        assert await forget(service, users=["bob"]) == 1
        assert await forget(service, messages=["m9"]) == 0
        assert await everything() == {"boat m2", "boat m1"}
        for text, user, session in sent:
            await send(text, user=user, session=session)
        assert await everything() == {"boat m2", "boat m1"}
        assert await contents(service, "boat", sessions=("2",)) == {"boat m1"}
        (hit,) = (await service.query(Query(text="boat m2", limit=1))).hits
        assert await forget(service, messages=[str(hit.id).upper()]) == 1
        assert await everything() == {"boat m1"}
