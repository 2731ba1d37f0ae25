"""Indexes that are made anew hold the rows in another order, and find the same rows all the same."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memd.memory.embedding.bundled import BundledEmbedder
from memd.memory.index.embedded import EmbeddedIndexes
from memd.memory.indexing.filling import Filling
from memd.memory.indexing.indexed_store import IndexedStore, open_store
from memd.memory.memory import EvolvingMemory
from memd.memory.text.analyzer import terms
from memd.schemas import Arm, ConversationDocument
from memd.tests.daemon.house import Letters

pytestmark = [pytest.mark.anyio, pytest.mark.slow]
START = datetime(2024, 1, 15, 12, tzinfo=UTC)
MESSAGES, AT_ONCE, TOPICS = 900, 15, 13
ARMS: tuple[Arm, ...] = ("lexical", "near", "wide")
QUESTIONS = [
    *(
        f"which message speaks of topic {topic}?" for topic in range(TOPICS)
    ),  # 70 are equal for it, and all for the rest
    "who speaks of a topic?",
    "a message",
    "coffee",
]


def days() -> Iterator[ConversationDocument]:
    """Messages that many questions cannot tell apart; some are equal to the letter."""
    for first in range(0, MESSAGES, AT_ONCE):
        said = [
            {
                "speaker": "Ann" if n % 2 else "Bob",
                "content": f"message {n} speaks of topic {n % TOPICS}" if n % 5 else "more coffee",
                "time": START + timedelta(minutes=n),
            }
            for n in range(first, first + AT_ONCE)
        ]
        talk = {"source": "test", "people": ("Ann", "Bob"), "user": "Ann", "conversation": said}
        yield ConversationDocument.model_validate({"id": f"day:{first}", "conversation": talk})


def told(*_: object) -> None:
    """Nobody looks at the progress."""


async def found(store: IndexedStore) -> list[list[int]]:
    """The rows that each arm finds for each question, in their order. Scores count removed rows until files are merged."""
    vectors = store.vectors.index
    assert vectors is not None
    given: list[list[int]] = []
    for question in QUESTIONS:
        words = await store.text.search(ARMS, list(terms(question)), None, 30)
        near = await vectors.search(await Letters().embed_query(question), None, 30)
        given.extend([row for row, _ in hits] for hits in (*words.values(), near))
    return given


async def test_equal_scores_come_in_one_order(tmp_path: Path) -> None:
    """Also at the end of what is looked at, where not all that are equal have room, many or few."""
    (tmp_path / "other").mkdir()
    others = EmbeddedIndexes(tmp_path / "other", read_only=False)
    async with open_store(tmp_path) as store:
        memory = EvolvingMemory(store, Letters(), BundledEmbedder())
        await memory.start()
        for day in days():  # many small segments, which are merged in any order
            await memory.store([day])
        before = await found(store)
        filling = Filling(others)
        while (findings := await store.fill(filling, told)) is None:
            pass
        assert {each.severity for each in findings} == {"ok"}
    async with open_store(tmp_path, indexes=others) as store:
        assert await found(store) == before
