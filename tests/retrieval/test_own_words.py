"""The user's own words come before an assistant's reply that repeats them, unless the question asks for the reply."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from memd.memory.embedding.bundled import BundledEmbedder
from memd.memory.indexing.indexed_store import open_store
from memd.memory.memory import EvolvingMemory
from memd.memory.retrieval.own_words import asks_for_reply
from memd.memory.retrieval.ranking import rank
from memd.memory.retrieval.weights import DEFAULT
from memd.memory.search_types import ChunkRef, Column
from memd.schemas import Arm, ConversationDocument, Query
from memd.tests.cases import for_each

FOR_REPLY = {
    "which helmet did you suggest to me?": True,
    "what did the assistant say about helmets?": True,
    "what did ChatGPT recommend?": True,
    "welchen Helm hast du mir empfohlen?": True,
    "¿qué casco me recomendaste?": True,
    "hangi kaskı önerdin?": True,
    "どのヘルメットを勧めてくれましたか": True,
    "quel casque m'as-tu conseillé ?": True,
    "which helmet did I buy?": False,
    "quel casque ai-je acheté ?": False,
    "can you tell me which helmet I bought?": False,
    "weißt du, welchen Helm ich habe?": False,
    "welchen Helm habe ich gekauft?": False,
    "¿qué casco compré?": False,
    "hangi kaskı aldım?": False,
    "どのヘルメットを買いましたか": False,
}


@for_each(FOR_REPLY.items())
def test_a_question_for_a_reply_addresses_who_gave_it(question: str, expected: bool) -> None:
    """In each language; words that only ask memd something do not count."""
    assert asks_for_reply(question) is expected


def said(number: int, *, machine: int = 0, tokens: int = 40, ending: str = "end.", document: int = 1) -> ChunkRef:
    """A message of a chat with an assistant."""
    who = "assistant" if machine else "Mia"
    return ChunkRef(
        number, number.to_bytes(16), document, number, number, who, tokens=tokens, ending=ending, machine=machine
    )


@pytest.mark.parametrize(
    ("places", "cosines", "first"),
    [
        ([said(1), said(2, machine=1)], [0.85, 0.88], 1),
        ([said(1), said(2, machine=1), said(3, machine=1)], [0.85, 0.4, 0.88], 1),
        ([said(1, ending="is? ", tokens=9), said(2, machine=1)], [0.85, 0.88], 2),
        ([said(1, ending="is? "), said(2, machine=1)], [0.85, 0.88], 1),
        ([said(1), said(2, machine=1), *(said(n, document=2) for n in (8, 9, 10, 11, 12))], [0.2, *[0.88] * 6], 8),
    ],
    ids=["repeated", "after a tool", "only asked", "asked and told", "far from it"],
)
def test_own_words_come_first(places: list[ChunkRef], cosines: list[float], first: int) -> None:
    """If they are about as near to the question; a short question to the assistant tells nothing."""
    raw: dict[Arm, Column] = {"vector": np.array(cosines)}
    ranked = rank(places, raw, DEFAULT)
    assert ranked[0].place.row == first
    for item in ranked:
        assert item.score == pytest.approx(sum(item.shares.values()), abs=1e-4)


def test_a_reply_comes_first_if_it_is_asked_for() -> None:
    """Or if it contains the question word by word."""
    places = [said(1), said(2, machine=1)]
    raw: dict[Arm, Column] = {"vector": np.array([0.85, 0.88])}
    assert rank(places, raw, replace(DEFAULT, assistant=0))[0].place.row == 2
    assert rank(places, raw, DEFAULT, exact={2})[0].place.row == 2


@pytest.mark.anyio
@pytest.mark.parametrize(("speaker", "role"), [("assistant", None), ("ChatGPT", "assistant")])
async def test_replies_are_known_by_role_or_name(tmp_path: Path, speaker: str, role: str | None) -> None:
    """As programs store them; the reply repeats the question's words twice."""
    start = datetime(2025, 3, 4, 18, tzinfo=UTC)
    lines = (
        ("Mia", "user", "I found out last week that I'm allergic to hazelnuts."),
        (speaker, role, "Since you are allergic to hazelnuts, which nuts you are allergic to matters: nuts, nuts."),
        ("Mia", "user", "Thanks a lot."),
    )
    messages = [
        {"speaker": who, "content": text, "time": start + timedelta(minutes=minute), **({"role": kind} if kind else {})}
        for minute, (who, kind, text) in enumerate(lines)
    ]
    talk = {"source": "chatgpt", "people": ["Mia", speaker], "user": "Mia", "conversation": messages}
    async with open_store(tmp_path) as store:
        memory = EvolvingMemory(store, None, BundledEmbedder())
        await memory.start()
        await memory.store([ConversationDocument.model_validate({"id": "c", "conversation": talk})])
        await store.refresh_indexes()
        hits = (await memory.query(Query(text="which nuts am I allergic to?", context=0))).hits
        assert hits[0].text == lines[0][2]
        hits = (await memory.query(Query(text="which nuts did you say I am allergic to?", context=0))).hits
        assert hits[0].speaker == speaker
