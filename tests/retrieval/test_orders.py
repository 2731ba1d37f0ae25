"""Orders by time, numbers of messages, kinds of documents, days that messages mention, and what is said of it."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memd.memory.embedding.bundled import BundledEmbedder
from memd.memory.indexing.indexed_store import open_store
from memd.memory.memory import EvolvingMemory
from memd.schemas import ConversationDocument, Document, Query, QueryResult, TextDocument
from memd.tests.cases import check_all

pytestmark = pytest.mark.anyio
NOW = datetime(2026, 11, 26, 20, tzinfo=UTC)
START = datetime(2026, 3, 2, 9, tzinfo=UTC)


def chat(number: int, *lines: tuple[str, str], source: str = "chat", day: int = 0) -> ConversationDocument:
    """A talk with a message a minute."""
    messages = [
        {"speaker": who, "content": text, "time": START + timedelta(days=day, minutes=minute)}
        for minute, (who, text) in enumerate(lines)
    ]
    people = sorted({"Alice", *(who for who, _ in lines)})
    talk = {"source": source, "people": people, "user": "Alice", "conversation": messages}
    return ConversationDocument.model_validate({"id": f"{source}:{number}", "conversation": talk})


TALKS: tuple[Document, ...] = (
    chat(1, ("Bert", "the pump is broken again"), ("Alice", "oh no, mum will be cross"), day=0),
    chat(2, ("Bert", "I ordered a new pump"), ("Alice", "good"), ("Bert", "it costs 90 euros"), day=10),
    chat(3, ("Bert", "shall we sail on Sunday?"), ("Alice", "yes"), day=20),
    chat(4, ("Bert", "the new pump comes on the 15th of June"), source="mail", day=30),
    chat(5, ("Ann", "the pump, the pump, always the pump"), ("Alice", "Ann, stop it"), day=40),
    chat(6, ("Renate", "the roof leaks"), ("Alice", "Hi mum, I will call the roofer"), ("Renate", "thank you"), day=50),
    chat(7, ("Renate", "he came"), ("Alice", "good to hear, mum!"), day=51),
    TextDocument.model_validate(
        {
            "id": "n.md",
            "content": "Pump: bought at Jessen's.",
            "timestamp": "2026-04-20T10:00:00Z",
            "metadata": {"source": "notes", "title": "Boat"},
        }
    ),
)


@asynccontextmanager
async def asked(folder: Path) -> AsyncGenerator[EvolvingMemory]:
    """The memory of these talks, without vectors."""
    async with open_store(folder) as store:
        memory = EvolvingMemory(store, None, BundledEmbedder(), now=lambda: NOW)
        await memory.start()
        await memory.store(TALKS)
        await store.refresh_indexes()
        yield memory


async def test_the_first_hit_is_what_is_asked_for(tmp_path: Path) -> None:
    """The newest or the first of a person, of a topic, of a kind; the day that a message mentions; whom "mum" is."""
    first = {
        "latest message from Bert": "the new pump comes on the 15th of June",
        "when did Bert last write?": "the new pump comes on the 15th of June",
        "what was the first thing Bert said?": "the pump is broken again",
        "when did Bert first mention the pump?": "the pump is broken again",
        "when did Ann last mention the pump?": "the pump, the pump, always the pump",
        "what was the last thing Bert said about sailing?": "shall we sail on Sunday?",
        "the last mail from Bert": "the new pump comes on the 15th of June",
        "the note about the pump": "Pump: bought at Jessen's.",
        "what comes on June 15th?": "the new pump comes on the 15th of June",
        "what did mum say about the roof?": "the roof leaks",
        "when did mum last write?": "he came",
    }
    async with asked(tmp_path) as memory:
        answers = {question: await memory.query(Query(text=question, context=0)) for question in first}
    check_all(first.items(), lambda case: _begins(answers[case[0]], case[1]))


def _begins(answer: QueryResult, text: str) -> None:
    assert answer.hits[0].text == text, [hit.text for hit in answer.hits[:3]]


async def test_numbers_summaries_and_notices(tmp_path: Path) -> None:
    """In plain words, above the hits; a number of messages counts each message once."""
    async with asked(tmp_path) as memory:
        often = await memory.query(Query(text="how often did Bert mention the pump?"))
        assert (often.count, often.summary) == (3, "3 times: 2 March 2026, 09:00 to 1 April 2026, 09:00")
        all_of_ann = await memory.query(Query(text="how many messages did Ann send?"))
        assert (all_of_ann.count, all_of_ann.summary) == (1, "1 message: 11 April 2026, 09:00")
        in_march = await memory.query(Query(text="how often did Bert write in March?"))
        assert (in_march.count, in_march.summary) == (4, "4 times: 2 March 2026, 09:00 to 22 March 2026, 09:00")
        last = await memory.query(Query(text="when did Bert last write?"))
        assert (last.count, last.summary) == (None, "Bert last wrote on 1 April 2026, 09:00")
        nothing = await memory.query(Query(text="what did Bert say on 24 November?"))
        assert nothing.weak
        assert nothing.notices == ("nothing from Bert on Tuesday 24 November; the nearest:",)
        plain = await memory.query(Query(text="how often did Bert mention the pump?", ignore=("order",)))
        assert (plain.count, plain.summary) == (None, None)


async def test_the_nearest_in_time_follow_a_time_with_nothing(tmp_path: Path) -> None:
    """Of the person, whatever the scores; of a topic what the person wrote about it; of nobody anyone's."""
    nearest = {
        "what did Bert say on 11 March?": ["I ordered a new pump", "it costs 90 euros"],
        "what did Bert say on 21 March?": ["shall we sail on Sunday?"],
        "what did Bert say about the pump on 21 March?": [
            "I ordered a new pump",
            "it costs 90 euros",
        ],
        "what did Bert say about the pump on 30 March?": [
            "the new pump comes on the 15th of June",
            "it costs 90 euros",
        ],
        "what happened on 11 March?": ["I ordered a new pump", "good"],
    }
    async with asked(tmp_path) as memory:
        answers = {question: await memory.query(Query(text=question, context=0)) for question in nearest}
    shown = {question: [hit.text for hit in answer.hits] for question, answer in answers.items()}
    check_all(nearest.items(), lambda case: _same(sorted(shown[case[0]][: len(case[1])]), sorted(case[1])))
    notices = [answer.notices[0].rpartition("; ")[2] for answer in answers.values()]
    assert notices == ["the nearest:"] * len(nearest)


async def test_a_name_that_nobody_has_is_told(tmp_path: Path) -> None:
    """Unless a message names it, or it is a source; one like it is suggested."""
    async with asked(tmp_path) as memory:
        zebulon = await memory.query(Query(text="what did Rennate say on Sunday?"))
        assert (zebulon.notices[0], zebulon.did_you_mean) == ("nobody is called Rennate", ("Renate",))
        for question in ("what did Jessen say?", "latest message from Notes", "what did Renate say?"):
            answer = await memory.query(Query(text=question))
            assert (question, [each for each in answer.notices if "called" in each]) == (question, [])


def _same(shown: object, expected: object) -> None:
    assert shown == expected


async def test_each_quoted_phrase_is_tested_alone(tmp_path: Path) -> None:
    """One that stands nowhere takes nothing from another; both may stand, and never in one message."""
    async with asked(tmp_path) as memory:
        both = await memory.query(Query(text='"new pump" "blue door"', context=0))
        assert both.notices == ("“blue door” stands together nowhere; the words alone:",)
        assert {hit.text for hit in both.hits} == {"I ordered a new pump", "the new pump comes on the 15th of June"}
        apart = await memory.query(Query(text='"new pump" "the roof"', context=0))
        assert apart.notices == ("“new pump” and “the roof” stand in no message together; the words alone:",)
        assert "the roof leaks" in {hit.text for hit in apart.hits}
        never = await memory.query(Query(text='how often did Bert say "blue door"?'))
        assert (never.count, never.notices) == (None, ("“blue door” stands together nowhere; the words alone:",))
        none = await memory.query(Query(text='"blue door" "red roof"', context=0))
        assert none.notices == tuple(
            f"“{each}” stands together nowhere; the words alone:" for each in ("blue door", "red roof")
        )


async def test_what_is_sorted_newest_first(tmp_path: Path) -> None:
    """The same hits as by score, in another order; those without a time last."""
    async with asked(tmp_path) as memory:
        newest = (await memory.query(Query(text="the pump", sort="newest", context=0))).hits
        oldest = (await memory.query(Query(text="the pump", sort="time", context=0))).hits
    times = [hit.time for hit in newest if hit.time is not None]
    assert len(times) > 3
    assert times == sorted(times, reverse=True)
    assert [hit.id for hit in newest] == [hit.id for hit in reversed(oldest)]


async def test_few_of_many_by_time(tmp_path: Path) -> None:
    """Are the newest, or the first, of all that match; and an order has the same beginning, however many are shown."""
    async with asked(tmp_path) as memory:
        newest = (await memory.query(Query(text="the pump", sort="newest", context=0, limit=2))).hits
        oldest = (await memory.query(Query(text="the pump", sort="time", context=0, limit=1))).hits
        few, many = [
            (await memory.query(Query(text="latest message about the pump", context=0, limit=limit))).hits
            for limit in (3, 60)
        ]
    assert [hit.text for hit in newest] == ["Pump: bought at Jessen's.", "the pump, the pump, always the pump"]
    assert [hit.text for hit in oldest] == ["the pump is broken again"]
    assert [hit.id for hit in few] == [hit.id for hit in many[:3]]


async def test_i_without_a_user_is_told(tmp_path: Path) -> None:
    """In the plan alone: whoever shows the answer knows whether the question was asked before."""
    talk = {
        "id": "t:1",
        "conversation": {
            "source": "t",
            "people": ["(me)", "Bert"],
            "user": "(me)",
            "conversation": [{"speaker": "Bert", "content": "I live in Oslo", "time": START}],
        },
    }
    async with open_store(tmp_path) as store:
        memory = EvolvingMemory(store, None, BundledEmbedder(), now=lambda: NOW)
        await memory.start()
        await memory.store([ConversationDocument.model_validate(talk)])
        await store.refresh_indexes()
        answers = [await memory.query(text) for text in ("where do I live?", "where does Bert live?")]
        assert [each.notices for each in answers] == [(), ()]
        assert [each.understood and each.understood.anonymous for each in answers] == [True, False]


async def test_a_number_of_notes_has_those_without_a_date(tmp_path: Path) -> None:
    """Unless the question names a time; it is told by the name of the kind."""
    async with asked(tmp_path) as memory:
        metadata = {"source": "notes", "title": "Oars"}
        await memory.store([TextDocument(id="undated.md", content="Oars: in the shed.", metadata=metadata)])
        for question, count, summary in (
            ("how many notes do I have?", 2, "2 notes"),
            ("how many notes are there in April 2026?", 1, "1 note: 20 April 2026, 10:00"),
            ("how many notes mention oars?", 1, "1 note"),
            ("how many mails are there?", 1, "1 mail: 1 April 2026, 09:00"),
        ):
            result = await memory.query(Query(text=question))
            assert (question, result.count, result.summary) == (question, count, summary)
            assert not result.weak
