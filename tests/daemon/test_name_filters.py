"""Filters by parts of names, at every operation that has them: one name is meant, or the answer tells which may be."""

from __future__ import annotations

from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from memd.connectors.reading.content_counts import ContentCounts
from memd.daemon.app import open_app
from memd.daemon.service.name_filters import NameFilters
from memd.daemon.service.requests import (
    ExportRequest,
    FactsRequest,
    ForgetRequest,
    ListingRequest,
    MergePeopleRequest,
    PartStatsRequest,
    SplitPersonRequest,
    parse,
)
from memd.memory.embedding.bundled import BundledEmbedder
from memd.memory.indexing.indexed_store import open_store
from memd.memory.memory import EvolvingMemory
from memd.schemas import ConversationDocument, EmailThreadDocument, Query, TextDocument
from memd.schemas.errors import InvalidError, NotFoundError
from memd.tests.daemon.house import wire
from memd.tests.daemon.test_forgetting import day, forget
from memd.tests.daemon.test_service import ingest, words_only

pytestmark = pytest.mark.anyio
CHAT = day(
    ("Lena Brandt", "the tumblewick"), ("Zoë Çelik", "I live in Rome"), ("Annabel", "a tumblewick"), ("Ann", "ok")
)
NOTE = TextDocument(id="n", content="the tumblewick", metadata={"source": "notes"}, tags=("garden plan",))


NAMED: list[tuple[dict[str, Any], int]] = [
    ({"speakers": ["lena"]}, 1),
    ({"speakers": ["LENA BRANDT", "annab"]}, 2),
    ({"people": ["celik"]}, 4),
    ({"sources": ["note"]}, 1),
    ({"tags": ["garden"]}, 1),
]
"""Filters by a part that means one name, and how many messages about the tumblewick pass them."""
REFUSED: list[tuple[dict[str, Any], str, str]] = [
    ({"speakers": ["an"]}, "'an' means several: Ann, Annabel", "give more of the name"),
    ({"speakers": ["lena brant"]}, "there is no speaker 'lena brant'", "did you mean Lena Brandt?"),
    ({"people": ["xyzzy"]}, "there is no person 'xyzzy'", "`memd people` lists everybody who wrote"),
    ({"sources": ["mail"]}, "there is no source 'mail'", "`memd chats` and `memd documents` tell the sources"),
    ({"tags": ["gardn plan"]}, "there is no tag 'gardn plan'", "did you mean garden plan?"),
]
"""Filters by a part that means several names or none, with the message and the hint."""


async def test_a_part_of_a_name_is_a_filter(tmp_path: Path) -> None:
    """A part stands for the one name that it means, in questions, lists and exports; one that means several names or none
    is refused with the names that it may mean: an empty answer would look as if nothing was said.
    """
    async with open_app(words_only(tmp_path / "d"), serve=False) as service:
        await ingest(service, CHAT, NOTE)
        for filters, found in NAMED:
            assert len((await service.query(Query(text="tumblewick", context=0, **filters))).hits) == found, filters
            assert (await service.listing(parse(ListingRequest, filters, UTC)))["documents"], filters
            lines = [line async for line in await service.exports.lines(parse(ExportRequest, filters, UTC))]
            assert len(lines) == 2, filters  # a document, and the last line
        for filters, told, hint in REFUSED:
            with pytest.raises(NotFoundError) as refused:
                await service.query(Query(text="tumblewick", context=0, **filters))
            assert (refused.value.message, refused.value.hint) == (told, hint)
            with pytest.raises(NotFoundError):
                await service.listing(parse(ListingRequest, filters, UTC))


async def test_a_part_that_means_one_of_a_chat(tmp_path: Path) -> None:
    """Several have it, and only one of them writes in the chat that is asked for: in questions and in plans."""
    async with open_app(words_only(tmp_path / "d"), serve=False) as service:
        await ingest(service, CHAT, day(("Lena Okafor", "a tumblewick"), name="two"))
        with pytest.raises(NotFoundError, match="'lena' means several"):
            await service.query(Query(text="tumblewick", speakers=("lena",)))
        for chat, speaker in (("one", "Lena Brandt"), ("TWO", "Lena Okafor")):
            found = await service.query(Query(text="tumblewick", speakers=("lena",), chats=(chat,)))
            assert {hit.speaker for hit in found.hits} == {speaker}
        asked = parse(ForgetRequest, {"speakers": ["lena"], "chats": ["two"]}, UTC)
        (taken,) = (await service.forgetting.forget(asked, _silent))["taken"]
        assert taken["name"] == "Lena Okafor"


async def test_people_and_subjects_by_a_part(tmp_path: Path) -> None:
    """`memd people zoe`, `memd facts --subject zoe`."""
    async with open_app(words_only(tmp_path / "d"), serve=False) as service:
        await ingest(service, CHAT)
        assert service.pipeline.extraction_worker is not None
        await service.pipeline.extraction_worker.caught_up()
        assert wire(await service.knowledge.person("zoe"))["names"] == ["Zoë Çelik"]
        for asked in ({"subject": ["zoe"]}, {"speaker": ["celik"]}):
            (fact,) = (await service.knowledge.facts(parse(FactsRequest, asked, UTC)))["facts"]
            assert fact["value"] == "Rome"
        with pytest.raises(NotFoundError, match="there is no subject 'bob'"):
            await service.knowledge.facts(parse(FactsRequest, {"subject": ["bob"]}, UTC))


@pytest.mark.slow
async def test_a_forgetting_by_a_part(tmp_path: Path) -> None:
    """The plan tells the whole name; a part that means several is refused, and one that means nobody selects nothing."""
    async with open_app(words_only(tmp_path / "d"), serve=False) as service:
        await ingest(service, CHAT)
        with pytest.raises(NotFoundError, match="'an' means several"):
            await forget(service, people=["an"])
        assert (await forget(service, speakers=["nobody"]))["messages"] == 0
        plan = await service.forgetting.forget(parse(ForgetRequest, {"people": ["zoe"]}, UTC), _silent)
        assert (plan["messages"], plan["names"]) == (1, ["zoë çelik"])
        with pytest.raises(NotFoundError, match="there is no person 'zoe'; it is a part of Zoë Çelik"):
            await forget(service, people=["zoe"])  # what is carried out is named whole
        done = await forget(service, people=["zoë çelik"])
        assert (done["messages"], done["names"]) == (1, ["zoë çelik"])
        assert (await forget(service, chats=["one"], speakers=["lena brandt"]))["messages"] == 1
        assert (await forget(service, sources=["CHAT"]))["messages"] == 2


async def test_a_name_that_is_gone_means_nobody_else(tmp_path: Path) -> None:
    """Where names are whole, a part of one stands for nothing; the plan tells whose part it is."""
    async with open_app(words_only(tmp_path / "d"), serve=False) as service:
        await ingest(service, day(("Bobby", "hello"), ("Ann", "hello")))
        asked = {"people": ["Bob"], "whole_names": True}
        plan = await service.forgetting.forget(parse(ForgetRequest, asked, UTC), _silent)
        assert (plan["messages"], plan["facts_about"]) == (0, 0)
        assert plan["taken"] == [{"kind": "person", "asked": "Bob", "nearest": ["Bobby"], "part_of": ["Bobby"]}]
        for field, part, whole in (("sources", "cha", "chat"), ("chats", "on", "One"), ("speakers", "an", "Ann")):
            plan = await service.forgetting.forget(
                parse(ForgetRequest, {field: [part], "whole_names": True}, UTC), _silent
            )
            assert (plan["messages"], [each["part_of"] for each in plan["taken"]]) == (0, [[whole]])


async def test_a_conversation_with_a_title_alone_is_a_chat_of_its_own(tmp_path: Path) -> None:
    """A mail thread that a program sends as JSON: listed, asked, counted and forgotten by its title, or a part of it."""
    message = {"speaker": "Ann", "content": "the tumblewick is sold", "time": "2025-04-07T14:31:00Z", "id": "a1"}
    conversation = {"source": "mail", "people": ["Ann", "Zed"], "user": "Ann", "conversation": [message]}
    thread = EmailThreadDocument.model_validate(
        {"id": "mail:a1", "kind": "email_thread", "subject": "The boat", "conversation": conversation}
    )
    async with open_app(words_only(tmp_path / "d"), serve=False) as service:
        await ingest(service, CHAT, thread)
        (chat,) = [each for each in wire(await service.knowledge.chats())["chats"] if each["source"] == "mail"]
        assert (chat["title"], chat["id"], chat["people"]) == ("The boat", "mail:a1", ["Ann", "Zed"])
        for name in ("the boat", "boat", "mail:a1"):
            (hit,) = (await service.query(Query(text="tumblewick", chats=(name,)))).hits
            assert (hit.document_id, hit.chat) == ("mail:a1", "The boat")
            listed = await service.listing(parse(ListingRequest, {"chats": [name]}, UTC))
            assert [each["id"] for each in listed["documents"]] == ["mail:a1"]
            part = wire(await service.knowledge.part_stats(parse(PartStatsRequest, {"chats": [name]}, UTC)))
            assert (part["documents"], part["messages"]) == (1, 1)
        counts = ContentCounts()
        counts.add(thread)
        assert counts.receipt()["chats"] == {"count": 1, "names": ["The boat"]}
        asked = {"chats": ["boat"], "whole_names": True}
        plan = await service.forgetting.forget(parse(ForgetRequest, asked, UTC), _silent)
        assert (plan["messages"], plan["taken"][0]["part_of"]) == (0, ["The boat"])
        assert (await forget(service, chats=["the boat"]))["messages"] == 1
        assert [each["source"] for each in wire(await service.knowledge.chats())["chats"]] == ["chat"]


async def test_who_only_received_is_no_speaker(tmp_path: Path) -> None:
    """Neither suggested nor searched as one, and a person all the same."""
    message = {"speaker": "Ann", "content": "the tumblewick", "time": "2025-04-07T14:31:00Z"}
    conversation = {"source": "mail", "people": ["Ann", "Zedekiah"], "user": "Ann", "conversation": [message]}
    letter = ConversationDocument.model_validate({"id": "l", "conversation": conversation})
    async with open_app(words_only(tmp_path / "d"), serve=False) as service:
        await ingest(service, letter)
        for field, nearest in (("speakers", []), ("people", ["zedekiah"])):
            asked = {field: ["Zedekia"], "whole_names": True}
            plan = await service.forgetting.forget(parse(ForgetRequest, asked, UTC), _silent)
            assert plan["taken"][0]["nearest"] == nearest
        with pytest.raises(NotFoundError, match="there is no speaker 'Zedekiah'"):
            await service.query(Query(text="tumblewick", speakers=("Zedekiah",)))
        assert len((await service.query(Query(text="tumblewick", people=("zede",)))).hits) == 1


async def test_chats_are_listed_and_asked_by_themselves(tmp_path: Path) -> None:
    """By a part of the title; every hit names its chat, and a text is in none."""
    other = day(("Bob", "another tumblewick"), name="two")
    async with open_app(words_only(tmp_path / "d"), serve=False) as service:
        await ingest(service, CHAT, other, NOTE)
        chats = wire(await service.knowledge.chats())["chats"]
        assert [(each["title"], each["messages"], each["documents"]) for each in chats] == [
            ("One", 4, 1),
            ("Two", 1, 1),
        ]
        hits = (await service.query(Query(text="tumblewick", chats=("tw",)))).hits
        assert [(hit.text, hit.chat) for hit in hits] == [("another tumblewick", "Two")]
        assert None in [hit.chat for hit in (await service.query(Query(text="tumblewick"))).hits]
        assert len((await service.listing(parse(ListingRequest, {"chats": ["one"]}, UTC)))["documents"]) == 1
        with pytest.raises(NotFoundError, match="there is no chat 'three'"):
            await service.query(Query(text="tumblewick", chats=("three",)))


def in_source(document: ConversationDocument, source: str) -> ConversationDocument:
    """The same day, told by another program."""
    conversation = document.conversation.model_copy(update={"source": source})
    return document.model_copy(update={"conversation": conversation})


async def test_a_chat_is_looked_up_in_the_source_that_is_named(tmp_path: Path) -> None:
    """Two programs number their chats alike, and title them alike: the part of a title that means two chats means one of
    a source, and an id is another chat in each.
    """
    lake = day(("Ann", "a tumblewick"), name="42")
    hill = day(("Bob", "another tumblewick"), name="42")
    lake = in_source(lake, "telegram").model_copy(update={"metadata": {"chat": "42", "title": "The lake house"}})
    hill = in_source(hill, "discord").model_copy(update={"metadata": {"chat": "42", "title": "The lake tower"}})
    async with open_app(words_only(tmp_path / "d"), serve=False) as service:
        await ingest(service, lake, hill, in_source(day(("Cleo", "hello"), name="solo"), "slack"))
        for source, text in (("telegram", "a tumblewick"), ("discord", "another tumblewick")):
            for chat in ("42", "lake"):
                found = await service.query(Query(text="tumblewick", sources=(source,), chats=(chat,)))
                assert [hit.text for hit in found.hits] == [text]
        with pytest.raises(NotFoundError, match="'lake' means several: The lake"):
            await service.query(Query(text="tumblewick", chats=("lake",)))
        for filters in ({"sources": ["slack"], "chats": ["42"]}, {"sources": ["slack"], "chats": ["lake"]}):
            with pytest.raises(NotFoundError, match="there is no chat '"):
                await service.listing(parse(ListingRequest, filters, UTC))
        plan = parse(ForgetRequest, {"sources": ["telegram"], "chats": ["lake"]}, UTC)
        told = await service.forgetting.forget(plan, _silent)
        assert (told["messages"], told["taken"][0]["name"]) == (1, "The lake house")


async def test_a_chat_or_a_source_is_counted_by_itself(tmp_path: Path) -> None:
    """Its documents, messages, people and facts, and nothing of any other; both filters together mean both."""
    async with open_app(words_only(tmp_path / "d"), serve=False) as service:
        await ingest(service, CHAT, in_source(day(("Bob", "I live in Oslo"), ("Ann", "ok"), name="one"), "slack"), NOTE)
        assert service.pipeline.extraction_worker is not None
        await service.pipeline.extraction_worker.caught_up()
        whole = await service.stats()

        async def counted(**asked: Any) -> tuple[Any, ...]:
            told = wire(await service.knowledge.part_stats(parse(PartStatsRequest, asked, UTC)))
            return tuple(told[name] for name in ("documents", "messages", "people", "facts", "chunks"))

        assert await counted(chats=["ONE"], sources=["chat"]) == (1, 4, 4, 1, 4)
        assert await counted(chats=["on"], sources=["slack"]) == (1, 2, 2, 1, 2)
        assert await counted(chats=["one"]) == (2, 6, 5, 2, 6)
        assert await counted(sources=["note"]) == (1, 0, 0, 0, 1)
        assert (whole["documents"], whole["messages"], whole["facts"], whole["chunks"]) == (3, 6, 2, 7)
        told = wire(await service.knowledge.part_stats(parse(PartStatsRequest, {"chats": ["on"]}, UTC)))
        assert (told["chats"], told["first"], told["last"]) == (
            ["One"],
            "2024-01-15T12:00:00Z",
            "2024-01-15T12:03:00Z",
        )
        for wrong, hint in (({"chats": ["onne"]}, "did you mean One?"), ({"sources": ["slak"]}, "did you mean slack?")):
            with pytest.raises(NotFoundError) as refused:
                await counted(**wrong)
            assert refused.value.hint == hint
        with pytest.raises(InvalidError, match="chats or sources must name something"):
            parse(PartStatsRequest, {}, UTC)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("asked", "taken"),
    [
        ({"speakers": ["celik"]}, {"kind": "speaker", "asked": "celik", "name": "Zoë Çelik"}),
        ({"speakers": ["lena brant"]}, {"kind": "speaker", "asked": "lena brant", "nearest": ["Lena Brandt"]}),
        ({"people": ["xyzzy"]}, {"kind": "person", "asked": "xyzzy", "nearest": []}),
        ({"people": ["ZOË ÇELIK"]}, None),
    ],
)
async def test_a_plan_tells_what_names_were_taken_for(
    tmp_path: Path, asked: dict[str, Any], taken: dict[str, Any] | None
) -> None:
    """What is forgotten is gone: a part of a name says whose messages go, and a misspelled one whose may be meant."""
    async with open_app(words_only(tmp_path / "d"), serve=False) as service:
        await ingest(service, CHAT)
        plan = await service.forgetting.forget(parse(ForgetRequest, asked, UTC), _silent)
        assert plan["taken"] == ([] if taken is None else [taken])


def _silent(step: object) -> None:
    del step


async def test_a_name_of_two_people_who_were_split_is_told_apart_by_source(tmp_path: Path) -> None:
    """Forgetting one leaves the messages of the other, also where the name alone would mean both."""
    other = day(("Lena Brandt", "of another source"), ("Ann", "hello"), name="two")
    conversation = other.conversation.model_copy(update={"source": "slack"})
    async with open_app(words_only(tmp_path / "d"), serve=False) as service:
        await ingest(service, CHAT, other.model_copy(update={"conversation": conversation}))
        names = {"people": ["chat:Lena Brandt", "slack:Lena Brandt"], "dry_run": False}
        await service.people.merge(parse(MergePeopleRequest, names, UTC))
        assert (await service.forgetting.forget(parse(ForgetRequest, {"people": ["lena"]}, UTC), _silent))[
            "messages"
        ] == 2
        split = {"person": "slack:Lena Brandt", "names": ["slack:Lena Brandt"], "dry_run": False}
        await service.people.split(parse(SplitPersonRequest, split, UTC))
        for asked in ({"people": ["lena"]}, {"speakers": ["Lena Brandt"], "whole_names": True}):
            with pytest.raises(NotFoundError, match="means several people who were split") as refused:
                await service.forgetting.forget(parse(ForgetRequest, asked, UTC), _silent)
            assert sorted(refused.value.hint.removeprefix("add ").split(" or ")) == ["--source chat", "--source slack"]
        assert (await forget(service, people=["Lena Brandt"], sources=["slack"]))["messages"] == 1
        left = {each["name"]: each["names"] for each in wire(await service.people.people())["people"]}
        assert left["Lena Brandt"] == {"chat": ["Lena Brandt"]}


async def test_people_of_one_name_who_were_not_merged_are_told_apart(tmp_path: Path) -> None:
    """`memd people NAME` counts them together, and says so until they are merged."""
    other = in_source(day(("Lena Brandt", "of another source"), name="two"), "slack")
    async with open_app(words_only(tmp_path / "d"), serve=False) as service:
        await ingest(service, CHAT, other)
        told = wire(await service.knowledge.person("lena"))
        assert (sorted(told["apart"]), told["messages"]) == (["chat:Lena Brandt", "slack:Lena Brandt"], 2)
        assert "apart" not in await service.knowledge.person("annabel")
        names = {"people": ["chat:Lena Brandt", "slack:Lena Brandt"], "dry_run": False}
        await service.people.merge(parse(MergePeopleRequest, names, UTC))
        assert "apart" not in await service.knowledge.person("lena")


async def test_a_part_of_two_names_of_one_person_is_no_question(tmp_path: Path) -> None:
    """Whoever was merged is one, by whichever name."""
    async with open_app(words_only(tmp_path / "d"), serve=False) as service:
        await ingest(
            service, day(("Tom Becker", "the tumblewick"), ("tom@example.org", "I live in Rome"), ("Ann", "ok"))
        )
        with pytest.raises(NotFoundError, match="'tom' means several"):
            await service.query(Query(text="tumblewick", speakers=("tom",)))
        names = {"people": ["Tom Becker", "tom@example.org"], "dry_run": False}
        await service.people.merge(parse(MergePeopleRequest, names, UTC))
        assert (await service.query(Query(text="tumblewick", context=0, speakers=("tom",)))).hits
        assert (await service.query(Query(text="tumblewick", context=0, people=("tom",)))).hits
        assert await service.knowledge.facts(parse(FactsRequest, {"subject": ["tom"]}, UTC))
        assert (await service.forgetting.forget(parse(ForgetRequest, {"people": ["tom"]}, UTC), _silent))[
            "messages"
        ] == 2


async def test_of_several_people_one_name_each_is_told(tmp_path: Path) -> None:
    """Two names of one person are no choice."""
    async with open_app(words_only(tmp_path / "d"), serve=False) as service:
        await ingest(service, day(("Mia Hall", "hi"), ("M Hall", "hello"), ("Noah Hall", "ok"), ("Ann", "yes")))
        names = {"people": ["Mia Hall", "M Hall"], "dry_run": False}
        await service.people.merge(parse(MergePeopleRequest, names, UTC))
        with pytest.raises(NotFoundError, match=r"'hall' means several: (Mia|M) Hall, Noah Hall$"):
            await service.query(Query(text="hi", speakers=("hall",)))
        with pytest.raises(NotFoundError, match=r"'hall' means several: chat:(Mia|M) Hall, chat:Noah Hall$"):
            await service.people.merge(parse(MergePeopleRequest, {"people": ["hall", "Ann"]}, UTC))


async def test_the_history_of_a_fact_by_the_beginning_of_its_id(tmp_path: Path) -> None:
    """As `memd show` takes it; what begins none is refused."""
    async with open_app(words_only(tmp_path / "d"), serve=False) as service:
        await ingest(service, CHAT)
        assert service.pipeline.extraction_worker is not None
        await service.pipeline.extraction_worker.caught_up()
        (fact,) = (await service.knowledge.facts(parse(FactsRequest, {}, UTC)))["facts"]
        whole = await service.knowledge.history(fact["id"])
        assert await service.knowledge.history(fact["id"][:8]) == whole
        for wrong in ("ffffffff", "nonsense"):
            with pytest.raises(NotFoundError, match="there is no such fact"):
                await service.knowledge.history(wrong)
        with pytest.raises(NotFoundError, match="an id needs 4 characters at least"):
            await service.knowledge.history(fact["id"][:3])


async def test_what_is_somebodys_is_not_meant_where_they_are(tmp_path: Path) -> None:
    """Nora is asked for, not her sister; also where very many have one first name."""
    many = [f"Nora N{number:05}" for number in range(20_000)]
    theirs = [f"{each}'s sister's dog" for each in many]
    known = ["Nora Lee", "Nora Lee's sister"]

    async def names() -> list[str]:
        return known

    async with open_store(tmp_path) as store:
        filters = NameFilters(EvolvingMemory(store, None, BundledEmbedder()))
        assert await filters.whole("subject", ["nora"], names) == ("Nora Lee",)
        known += many + theirs
        with pytest.raises(NotFoundError, match="and 19996 more"):
            await filters.whole("subject", ["nora"], names)


async def test_the_beginning_of_a_key_names_a_document_to_forget(tmp_path: Path) -> None:
    """In a plan that somebody sees, which tells the whole key; where names must be whole it selects nothing."""
    async with open_app(words_only(tmp_path / "d"), serve=False) as service:
        await ingest(service, CHAT, NOTE)
        key = str((await service.listing(ListingRequest()))["documents"][0]["key"])
        for beginning in (key[:8], f"{key[:8].upper()}…"):
            asked = parse(ForgetRequest, {"documents": [beginning]}, UTC)
            plan = await service.forgetting.forget(asked, _silent)
            assert plan["documents"] == {"whole": 1, "partly": 0}
            assert plan["taken"] == [{"kind": "document", "asked": beginning, "name": key}]
        asked = parse(ForgetRequest, {"documents": [key[:8]], "whole_names": True}, UTC)
        assert (await service.forgetting.forget(asked, _silent))["messages"] == 0
        plan = await service.forgetting.forget(parse(ForgetRequest, {"documents": [key]}, UTC), _silent)
        assert plan["taken"] == []
