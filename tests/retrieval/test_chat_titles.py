"""Chats that a question names: which one, and what it is asked for."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from memd.memory.embedding.bundled import BundledEmbedder
from memd.memory.memory import EvolvingMemory
from memd.memory.retrieval.chat_titles import ChatTitles
from memd.memory.store.sqlite_store import SQLiteStore
from memd.schemas import ConversationDocument, Query

TITLES = ChatTitles(["Family Brandt", "Family", "Hike 2024", "Lena Brandt", "旅行"], ["lena brandt"])


@pytest.mark.parametrize(
    ("question", "title", "rest"),
    [
        ("what happened in Family Brandt last week?", "Family Brandt", "what happened in last week?"),
        ("what happened in the chat family brandt?", "Family Brandt", "what happened in ?"),
        ("what happened in the Family Brandt group?", "Family Brandt", "what happened in the ?"),
        ("was war in \u201eFamily Brandt\u201c los?", "Family Brandt", "was war in los?"),
        ("what was said in Family?", "Family", "what was said in ?"),
        ("what was said in Hike 2024 in July?", "Hike 2024", "what was said in in July?"),
        ("先週の旅行", "旅行", "先週の"),
        ("what did Lena Brandt say?", None, None),
        ("what do families eat?", None, None),
    ],
)
def test_a_question_names_a_chat_by_its_whole_title(question: str, title: str | None, rest: str | None) -> None:
    """The longest that stands there; a person of that name is the person."""
    named = TITLES.named_in(question)
    assert (named.title if named else None) == title
    assert named is None or " ".join(named.rest.split()) == rest


def day(chat: str, title: str, time: datetime, *said: str) -> ConversationDocument:
    """A day of a chat."""
    return ConversationDocument.model_validate(
        {
            "id": f"{chat}:{time:%Y-%m-%d}",
            "conversation": {
                "source": "test",
                "people": ("Lena Brandt", "Tom Becker"),
                "user": "Tom Becker",
                "conversation": [
                    {"speaker": ("Lena Brandt", "Tom Becker")[number % 2], "content": text, "time": time}
                    for number, text in enumerate(said)
                ],
            },
            "metadata": {"chat": chat, "title": title},
        }
    )


@pytest.mark.anyio
async def test_a_question_for_a_chat_and_a_time_alone_is_asked_of_that_chat(tmp_path: Path) -> None:
    """Whatever its title shares with names of people and with years."""
    days = [
        day("f", "Family Brandt", datetime(2026, 11, 18, tzinfo=UTC), "the boiler is back", "good"),
        day("f", "Family Brandt", datetime(2024, 6, 15, tzinfo=UTC), "we fly to Rome", "in June already"),
        day("h", "Hike 2024", datetime(2026, 11, 18, tzinfo=UTC), "new boots today", "which size?"),
        day("h", "Hike 2024", datetime(2024, 7, 22, tzinfo=UTC), "the hut is full", "the other one is free"),
    ]
    embedder = BundledEmbedder()
    async with SQLiteStore.open(tmp_path) as backend:
        memory = EvolvingMemory(backend, embedder, embedder, now=lambda: datetime(2026, 11, 27, tzinfo=UTC))
        await memory.start()
        await memory.store(days)
        for question, texts in (
            ("what happened in Family Brandt last week?", {"the boiler is back", "good"}),
            ("was war letzte Woche in Family Brandt los?", {"the boiler is back", "good"}),
            ("what was discussed in Family Brandt in June 2024?", {"we fly to Rome", "in June already"}),
            ("what was said in Hike 2024 in July 2024?", {"the hut is full", "the other one is free"}),
        ):
            result = await memory.query(Query(text=question, context=0))
            assert ({hit.text for hit in result.hits}, result.weak) == (texts, False), question
        then = await memory.query(Query(text="what was said in Hike 2024 in March 2020?", context=0))
        assert {hit.text for hit in then.hits} == {
            "the hut is full",
            "the other one is free",
            "new boots today",
            "which size?",
        }
        assert then.weak
        of_chat = await memory.query(Query(text="what happened in Family Brandt?", context=0))
        assert {hit.text for hit in of_chat.hits} == {"the boiler is back", "good", "we fly to Rome", "in June already"}
        # Whoever asks for more is answered from everywhere: "the family" need not be the chat of that name.
        assert len((await memory.query(Query(text="who needs boots in Family Brandt?", context=0))).hits) == 8
