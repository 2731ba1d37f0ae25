"""Facts that programs state: made of their message, checked at the door, undone, read again, forgotten with it."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import anyio
import orjson
import pytest

from memd.daemon.app import open_app
from memd.daemon.service.requests import (
    AddFactRequest,
    DoctorRequest,
    ExportRequest,
    FactsRequest,
    MessagesRequest,
    RefusedFactsRequest,
    ReindexRequest,
    StoreRequest,
    UndoRequest,
)
from memd.daemon.service.service import Service
from memd.daemon.service.stated_facts import message_of, require_facts
from memd.memory.extraction.extractor import Extraction
from memd.memory.extraction.stated import with_stated_facts
from memd.memory.extraction.window import Window, windows_of
from memd.memory.merge.plan import plan_conversation
from memd.schemas import Query
from memd.schemas.errors import InvalidError
from memd.schemas.message_list import documents_of_messages
from memd.tests.cases import for_each
from memd.tests.daemon.test_scope import WAIT, forget, found_by_words, settings

pytestmark = pytest.mark.anyio
NOW = datetime(2024, 6, 1, 12, tzinfo=UTC)


def ignore(_step: object) -> None:
    """Take a step of an operation."""


def carrying(content: str, role: str = "user", **fact: Any) -> MessagesRequest:
    """One message with a fact, of which each field has a default."""
    stated = {"subject": "Ann", "attribute": "home", "value": "Porto"} | fact
    return MessagesRequest.model_validate(
        {"messages": [{"role": role, "content": content, "metadata": {"fact": stated}}]}
    )


async def facts(service: Service, *statuses: str) -> list[tuple[str, str, str]]:
    """Who, what and the reader's name, of all facts, as soon as all is read."""
    await found_by_words(service)
    assert service.pipeline.extraction_worker is not None
    with anyio.fail_after(WAIT):
        await service.pipeline.extraction_worker.caught_up()
    page = await service.knowledge.facts(FactsRequest.model_validate({"status": statuses or ("active",)}))
    return [(each["subject"], each["value"], each["extractor"]["name"]) for each in page["facts"]]


async def test_a_fact_is_added_and_forgotten_with_its_message(tmp_path: Path) -> None:
    """It cites the message, answers questions in its scope, evolves, and goes when the message goes."""
    async with open_app(settings(tmp_path / "d"), serve=False) as service:
        plain = {"subject": "Ann", "attribute": "home", "user": "ann", "time": "2024-01-15T12:00:00Z"}
        first = await service.add_fact(
            AddFactRequest.model_validate({**plain, "value": "Porto", "id": "m1"}, context={"zone": UTC})
        )
        assert first["message_id"] == "m1"
        assert await facts(service) == [("ann", "Porto", "stated")]
        result = await service.query(Query(text="where does Ann live?", users=("ann",)))
        (fact,) = result.facts
        assert [each.message_id for each in fact.evidence] == ["m1"]
        assert fact.evidence[0].quote in result.hits[0].text == "Ann home: Porto"
        assert fact.confirmed
        assert (await service.query(Query(text="where does Ann live?", users=("bob",)))).facts == ()
        later = await service.add_fact(AddFactRequest(subject="Ann", attribute="home", value="Lisbon", user="ann"))
        assert later["message_id"] != "m1"
        assert await facts(service) == [("ann", "Lisbon", "stated")]
        assert await forget(service, messages=[later["message_id"]]) == 1
        assert await facts(service, "all") == [("ann", "Porto", "stated")]


async def test_a_stated_fact_is_undone_and_read_again(tmp_path: Path) -> None:
    """Beside what rules read in the same message; a fact that was undone stays so when everything is read again."""
    async with open_app(settings(tmp_path / "d"), serve=False) as service:
        both = carrying("I live in Porto. I love sailing.", subject="I", attribute="likes", value="sailing")
        await service.add_messages(both)
        told = {("user", "Porto", "rules"), ("user", "sailing", "stated")}
        assert set(await facts(service)) == told
        checked = await service.doctor.check(DoctorRequest(), ignore)
        assert [each for each in checked["findings"] if each["severity"] == "error"] == []
        page = await service.knowledge.facts(FactsRequest.model_validate({"attribute": ("likes",)}))
        await service.knowledge.undo(UndoRequest(id=page["facts"][0]["id"]))
        assert set(await facts(service)) == {("user", "Porto", "rules")}
        await service.reindexing.run(ReindexRequest(wait=True), ignore)
        assert set(await facts(service)) == {("user", "Porto", "rules")}
        await service.knowledge.undo(UndoRequest(id=page["facts"][0]["id"]))
        assert set(await facts(service)) == told
        exported = [line async for line in await service.exports.lines(ExportRequest())]
    async with open_app(settings(tmp_path / "e"), serve=False) as service:
        lines = b"".join(line for line in b"".join(exported).splitlines(keepends=True) if b'"result"' not in line)
        await service.receive(StoreRequest(), lines)
        assert set(await facts(service)) == told


async def test_a_fact_of_a_document_passes_the_same_checks(tmp_path: Path) -> None:
    """Refused ones are listed; what is no fact under that key is only metadata."""
    stated = orjson.dumps({"subject": "Ann", "attribute": "home", "value": "Porto"}).decode()
    texts = [("Ann lives in Porto.", stated), ("Ann lives in Rome.", stated), ("Ann lives in Bonn.", "a word")]
    document = {
        "id": "talk",
        "conversation": {
            "source": "program",
            "people": ["Bob"],
            "user": "Bob",
            "conversation": [
                {"speaker": "Bob", "content": text, "time": f"2024-01-{day}T12:00:00Z", "metadata": {"fact": fact}}
                for day, (text, fact) in enumerate(texts, 10)
            ],
        },
    }
    async with open_app(settings(tmp_path / "d"), serve=False) as service:
        await service.receive(StoreRequest(), orjson.dumps(document))
        assert await facts(service) == [("Ann", "Porto", "stated")]
        page = await service.knowledge.refused(RefusedFactsRequest())
        assert [(each["reason"], each["value"]) for each in page["refused"]] == [("ungrounded-value", "Porto")]


async def test_a_fact_that_no_check_passes_is_refused_at_the_door(tmp_path: Path) -> None:
    """With nothing of its request kept; and every fact, where none is read."""
    async with open_app(settings(tmp_path / "d"), serve=False) as service:
        for content in ("Ann lives in Rome.", "Does Ann live in Porto?"):
            with pytest.raises(InvalidError, match=r"messages\.0\.metadata\.fact: the "):
                await service.add_messages(carrying(content))
        assert (await service.stats())["queue"]["depth"] == 0
    async with open_app(settings(tmp_path / "e", facts={"extractor": "off"}), serve=False) as service:
        with pytest.raises(InvalidError, match="facts are off"):
            await service.add_fact(AddFactRequest(subject="Ann", attribute="home", value="Porto"))
        await service.add_messages(MessagesRequest.model_validate({"messages": [{"role": "user", "content": "x"}]}))


@for_each(
    [
        ({"content": "Ann lives in Porto."}, ""),
        ({"content": "Ann lives in Porto since May 2023.", "valid_from": "2023-05"}, ""),
        ({"content": "Ann lives in Porto.", "valid_from": "2023-05"}, "valid_from is no day"),
        ({"content": "Ann lives in Rome."}, "the value does not stand in the content"),
        ({"content": "She lives in Porto."}, "the subject is neither a speaker nor named"),
        ({"content": "Ann lives in Porto.", "negated": True}, "the content does not deny it"),
        ({"content": "Ann no longer lives in Porto.", "negated": True}, ""),
        ({"content": "Ann no longer lives in Porto."}, "the content denies it"),
        ({"content": "If Ann lived in Porto, fine."}, "only supposes"),
        ({"content": "Porto", "subject": "I"}, "one word says nothing"),
        ({"content": "Ann lives in Porto.", "role": "assistant"}, "only messages of the role user"),
    ]
)
def test_the_words_of_the_message_carry_the_fact(given: dict[str, Any], problem: str) -> None:
    """Whatever the program says of them."""
    if not problem:
        require_facts(carrying(**given), NOW, extracted=True)
        return
    with pytest.raises(InvalidError) as raised:
        require_facts(carrying(**given), NOW, extracted=True)
    assert problem in raised.value.problems[0]


def test_a_short_answer_states_a_fact_with_its_question() -> None:
    """The messages of one scope are read together, those of another are not."""
    question = {"role": "assistant", "content": "Where do you live now?"}
    answer = {
        "role": "user",
        "content": "Porto",
        "metadata": {"fact": {"subject": "I", "attribute": "home", "value": "Porto"}},
    }
    require_facts(MessagesRequest.model_validate({"lists": [[], [question, answer]]}), NOW, extracted=True)
    elsewhere = question | {"metadata": {"session_id": "other"}}
    with pytest.raises(InvalidError, match=r"lists\.1\.1\.metadata\.fact"):
        require_facts(MessagesRequest.model_validate({"lists": [[], [elsewhere, answer]]}), NOW, extracted=True)


@for_each(
    [
        ({"attribute": "marital_status", "value": "married"}, "Ann marital status: married"),
        ({"attribute": "home", "value": "Porto", "negated": True}, "Ann home: not Porto"),
        ({"attribute": "Home", "value": "Porto", "valid_from": "2024-03-01"}, "Ann home: Porto since 2024-03-01"),
        ({"attribute": "plan", "value": "go to Rome", "content": "Ann will go to Rome."}, "Ann will go to Rome."),
        ({"subject": "Österreich", "attribute": "Hauptstadt", "value": "Wien"}, "Österreich hauptstadt: Wien"),
        ({"subject": "I", "attribute": "allergy", "value": "nuts", "speaker": "Ann"}, "I allergy: nuts"),
        ({"subject": "the deploy script", "attribute": "path", "value": "/opt/d"}, "the deploy script path: /opt/d"),
    ]
)
def test_the_message_of_a_fact_states_it(given: dict[str, Any], content: str) -> None:
    """So that the checks pass what memd itself words."""
    message = message_of(AddFactRequest.model_validate({"subject": "Ann", **given}), "new")
    assert (message.content, message.id, message.role) == (content, "new", "user")
    require_facts(MessagesRequest(messages=(message,)), NOW, extracted=True)


@for_each(
    [
        ("a word", "fact: is not allowed here"),
        ([], "fact: must be an object"),
        ({"subject": "Ann", "attribute": " "}, "fact.attribute: must not be blank; fact.value: is required"),
        ({"subject": "Ann", "attribute": "a", "value": "b", "since": 1}, "fact.since: unknown key"),
    ]
)
def test_what_is_no_fact_is_refused(fact: object, problem: str) -> None:
    """All problems at once, in plain words."""
    with pytest.raises(ValueError, match="metadata") as raised:
        MessagesRequest.model_validate({"messages": [{"role": "user", "content": "x", "metadata": {"fact": fact}}]})
    assert problem in str(raised.value)


def test_a_window_with_a_fact_is_another_window() -> None:
    """It is read again where a fact was added; a window that could not be read gives none of its facts yet."""
    windows: list[Window] = []
    for request in (carrying("Ann lives in Porto."), carrying("Ann lives in Porto.", attribute="city")):
        (document,) = documents_of_messages(request.messages, arrived=NOW, zone=UTC, new_id=lambda: "m1")
        plan = plan_conversation(None, document, b"", frozenset())
        assert plan is not None
        windows += windows_of(plan.document, plan.added, len)
    assert len({window.hash for window in windows}) == 2
    extraction = with_stated_facts(Extraction(rejected=Counter({"x": 1})), windows[0])
    assert [each.value for each in extraction.statements] == ["Porto"]
    assert extraction.rejected == {"x": 1}
    failed = Extraction(failure="refused")
    assert with_stated_facts(failed, windows[0]) is failed
