"""To whom messages were written: by the people of whole chats, of which a day names only its writers."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memd.memory.embedding.bundled import BundledEmbedder
from memd.memory.indexing.indexed_store import open_store
from memd.memory.memory import EvolvingMemory
from memd.memory.retrieval import in_order
from memd.schemas import ConversationDocument, Query

pytestmark = pytest.mark.anyio
NOW = datetime(2026, 11, 29, 12, tzinfo=UTC)


def day(chat: str, number: int, *lines: tuple[str, str]) -> ConversationDocument:
    """A day of November in a chat, a message a minute."""
    start = datetime(2026, 11, number, 18, tzinfo=UTC)
    return ConversationDocument.model_validate(
        {
            "id": f"{chat}#2026-11-{number:02}",
            "conversation": {
                "source": "whatsapp",
                "people": sorted({"Alice", *(who for who, _ in lines)}),
                "user": "Alice",
                "conversation": [
                    {"speaker": who, "content": text, "time": start + timedelta(minutes=minute)}
                    for minute, (who, text) in enumerate(lines)
                ],
            },
            "metadata": {"chat": chat, "title": chat.title()},
        }
    )


def mail(number: int, who: str, to: tuple[str, ...], text: str) -> ConversationDocument:
    """A mail of the user's, which is no day of a chat."""
    lines = [{"speaker": who, "content": text, "time": datetime(2026, 11, number, 9, tzinfo=UTC)}]
    talk = {"source": "mail", "people": sorted({who, "Alice", *to}), "user": "Alice", "conversation": lines}
    return ConversationDocument.model_validate({"id": f"mail:{number}", "conversation": talk})


TALKS = (
    day("ryan", 3, ("Ryan", "lunch today?"), ("Alice", "yes, the harbour")),
    day("ryan", 5, ("Alice", "where are you?")),
    day("ryan", 8, ("Ryan", "sorry, the pump broke")),
    day("crew", 4, ("Ryan", "who brings the cake?"), ("Tom", "me"), ("Alice", "I bring the pump")),
    day("crew", 20, ("Tom", "party at eight"), ("Alice", "coming")),
    mail(10, "Alice", ("Uma",), "The invoice of the pump."),
    mail(12, "Uma", ("Alice",), "Thank you."),
)


@asynccontextmanager
async def asked(folder: Path, talks: tuple[ConversationDocument, ...] = TALKS) -> AsyncGenerator[EvolvingMemory]:
    """The memory of these talks, without vectors."""
    async with open_store(folder) as store:
        memory = EvolvingMemory(store, None, BundledEmbedder(), now=lambda: NOW)
        await memory.start()
        await memory.store(talks)
        await store.refresh_indexes()
        yield memory


async def test_days_on_which_only_one_wrote_count(tmp_path: Path) -> None:
    """In a chat of two before groups, in a group where there is nothing else."""
    expected = {
        "when did I last write to Ryan?": (
            "where are you?",
            "you last wrote to Ryan on 5 November 2026, 18:00",
        ),
        "latest message to Ryan": ("where are you?", "you last wrote to Ryan on 5 November 2026, 18:00"),
        "when did I last talk to Ryan?": (
            "sorry, the pump broke",
            "you and Ryan last wrote on 8 November 2026, 18:00",
        ),
        "when did I last write to Tom?": ("coming", "you last wrote to Tom in a group on 20 November 2026, 18:01"),
        "when did I last write to Uma?": (
            "The invoice of the pump.",
            "you last wrote to Uma on 10 November 2026, 09:00",
        ),
        "last message to me": ("Thank you.", "Uma last wrote to you on 12 November 2026, 09:00"),
        "the first message to me": ("lunch today?", "Ryan first wrote to you on 3 November 2026, 18:00"),
        "how often did I write to Ryan?": (
            "where are you?",
            "2 times: 3 November 2026, 18:01 to 5 November 2026, 18:00",
        ),
    }
    async with asked(tmp_path) as memory:
        answers = {question: await memory.query(Query(text=question, context=0)) for question in expected}
    got = {question: (answer.hits[0].text, answer.summary) for question, answer in answers.items()}
    assert got == expected


async def test_what_the_user_told_somebody_comes_first(tmp_path: Path) -> None:
    """All of it, and nothing that was told to others."""
    async with asked(tmp_path) as memory:
        hits = (await memory.query(Query(text="what did I tell Ryan?", context=0))).hits
    assert {hit.text for hit in hits[:4]} == {"yes, the harbour", "where are you?", "I bring the pump", "coming"}


async def test_numbers_of_several(tmp_path: Path) -> None:
    """Of people and of times; a filter narrows the times of the question; and what nobody ever wrote."""
    questions = {
        "how often did Ryan and Tom write?": 5,
        "how often did Ryan mention Tom?": None,
        "how often did Ryan write on 3 November and on 8 November?": 2,
        "how often did Ryan mention elephants?": 0,
        "how often did Ryan mention the pump?": 1,
        "how often did Ryan complain?": None,
        "how often did Ryan complain about elephants?": 0,
        "how often did Ryan yodel elephants?": None,  # the words that are left may ask, too
    }
    async with asked(tmp_path) as memory:
        answers = {question: await memory.query(Query(text=question, context=0)) for question in questions}
        since = datetime(2026, 11, 4, tzinfo=UTC)
        later = await memory.query(Query(text="how often did Ryan write in November?", since=since))
        never = await memory.query(Query(text="when did Ryan last mention elephants?"))
        complaint = await memory.query(Query(text="when did Ryan last complain?"))
        unsure = await memory.query(Query(text="when did Ryan last yodel?"))
    assert {question: answer.count for question, answer in answers.items()} == questions
    assert (later.count, later.summary) == (2, "2 times: 4 November 2026, 18:00 to 8 November 2026, 18:00")
    assert (never.weak, never.summary) == (True, "never: no message from Ryan has “elephants”")
    assert (unsure.summary, complaint.summary) == (None, None)


async def test_a_chat_that_the_question_names(tmp_path: Path) -> None:
    """Comes first, and restricts an order and a number."""
    async with asked(tmp_path) as memory:
        pump = await memory.query(Query(text="who brings the pump in the crew group?", context=0))
        newest = await memory.query(Query(text="the latest message in the crew chat", context=0))
        often = await memory.query(Query(text="how often did Ryan write in the crew group?", context=0))
        plain = await memory.query(Query(text="the pump in the crew group", context=0, ignore=("chat",)))
    assert {hit.chat for hit in pump.hits[:5]} == {"Crew"}
    assert pump.understood is not None
    assert pump.understood.chats == ("Crew",)
    assert newest.summary == "the newest in Crew: you, 20 November 2026, 18:01"
    assert (often.count, often.hits[0].text) == (1, "who brings the cake?")
    assert plain.understood is not None
    assert not plain.understood.chats


async def test_a_kind_decides(tmp_path: Path) -> None:
    """Where only its writer or its time is said besides; of a kind that is not there, this is told."""
    async with asked(tmp_path) as memory:
        mails = await memory.query(Query(text="mails I sent", context=0))
        of_day = await memory.query(Query(text="the mail of 12 November", context=0))
        none = await memory.query(Query(text="the PDF about the pump", context=0))
        some = await memory.query(Query(text="the mail about the pump", context=0))
    assert mails.hits[0].text == "The invoice of the pump."
    assert of_day.hits[0].text == "Thank you."
    assert none.notices == ("no file is stored as such; the nearest:",)
    assert none.hits
    assert not some.notices


async def test_the_newest_of_more_than_an_index_returns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Is the newest of all, not of the best; so is the first."""
    monkeypatch.setattr(in_order, "MOST_ROWS", 12)
    monkeypatch.setattr(in_order, "MOST", 3)
    days = (
        day("ryan", 2, ("Ryan", "when we sailed, the old pump of the boat was loud, and it leaked oil")),
        *(day("ryan", number, *[("Ryan", "pump, pump, pump")] * 4) for number in range(5, 25)),
        day("ryan", 26, ("Ryan", "after the long winter the pump of the boat is quiet, but it still leaks oil")),
    )
    async with asked(tmp_path, days) as memory:
        newest = await memory.query(Query(text="when did Ryan last mention the pump?", context=0))
        oldest = await memory.query(Query(text="when did Ryan first mention the pump?", context=0))
    assert (newest.hits[0].text[:5], newest.summary) == (
        "after",
        "the newest about pump: Ryan, 26 November 2026, 18:00",
    )
    assert (oldest.hits[0].text[:4], oldest.summary) == ("when", "the first about pump: Ryan, 2 November 2026, 18:00")
