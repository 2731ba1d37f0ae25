"""What somebody said at a time: a question that asks for it gets their messages of then first, in each language."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memd.memory.embedding.bundled import BundledEmbedder
from memd.memory.memory import EvolvingMemory
from memd.memory.retrieval.question_forms import asks_what_was_said
from memd.memory.store.sqlite_store import SQLiteStore
from memd.schemas import ConversationDocument, Query

PEOPLE = ("Ann", "Bob", "亮")
MAY = datetime(2023, 5, 7, 9, tzinfo=UTC)
QUESTIONS = {
    "what did Bob say in May 2023?": "ok then",
    "what did bob write in may 2023?": "ok then",
    "Was hat Bob im Mai 2023 gesagt?": "ok then",
    "Was schrieb Bob im Mai 2023?": "ok then",
    "¿Qué dijo Bob en mayo de 2023?": "ok then",
    "Bob Mayıs 2023'te ne dedi?": "ok then",
    "亮は2023年5月に何と言いましたか？": "みかん",
    "2023年5月に亮が言ったことは？": "みかん",
}


def day(month: int, *lines: tuple[str, str], number: int = 7) -> ConversationDocument:
    """A day of one chat, a message a minute."""
    start = MAY.replace(month=month, day=number)
    messages = [
        {"speaker": who, "content": text, "time": start + timedelta(minutes=minute)}
        for minute, (who, text) in enumerate(lines)
    ]
    conversation = {"source": "chat", "people": PEOPLE, "user": "Ann", "conversation": messages}
    return ConversationDocument.model_validate(
        {"id": f"chat:{month}:{number}", "conversation": conversation, "metadata": {"chat": "c", "title": "C"}}
    )


DAYS = (
    day(
        5,
        ("Ann", "what did you say in May about the party?"),
        ("Ann", "May is the best month of 2023, everybody says so"),
        ("Bob", "ok then"),
        ("Ann", "did Bob tell you what he said in May 2023?"),
        ("Ann", "he said it in May"),
    ),
    day(5, ("亮", "みかん"), ("Ann", "I wrote down what was said in May 2023"), number=17),
    *(
        day(
            month,
            ("Bob", "I said a lot of things in May 2023, what did you say?"),
            ("Ann", "you did"),
            ("Bob", f"the flat costs {month}00 euros, as I wrote in May"),
            ("亮", "5月に何と言いましたか"),
        )
        for month in range(6, 12)
    ),
)


@pytest.mark.anyio
@pytest.mark.parametrize("by_vectors", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["words", "vectors"])
async def test_their_messages_of_then_come_first(tmp_path: Path, *, by_vectors: bool) -> None:
    """Others speak of the same, of then, and use the very words of the question; `--explain` tells the share."""
    embedder = BundledEmbedder()
    async with SQLiteStore.open(tmp_path) as backend:
        memory = EvolvingMemory(
            backend, embedder if by_vectors else None, embedder, now=lambda: datetime(2024, 1, 1, tzinfo=UTC)
        )
        await memory.start()
        await memory.store(DAYS)
        await backend.refresh_indexes()
        for question, text in QUESTIONS.items():
            first, *others = (await memory.query(Query(text=question, limit=5, explain=True))).hits
            assert (question, first.text) == (question, text)
            assert first.explain is not None
            assert first.explain.shares["said"] == 10
            assert all(other.explain is not None and not other.explain.shares["said"] for other in others)
        about = await memory.query(Query(text="what did Bob write about the flat in July 2023?", explain=True))
        assert (about.hits[0].text, about.hits[0].explain is not None) == (
            "the flat costs 700 euros, as I wrote in May",
            True,
        )
        for other in (
            "what did Bob write about the flat in July 2023?",
            "when did Bob live in Rome in May 2023?",
            "what did Bob say?",
            "what was said in May 2023?",
        ):
            found = await memory.query(Query(text=other, explain=True))
            assert all(hit.explain is not None and "said" not in hit.explain.shares for hit in found.hits)
        for question, weak in (
            ("what did Bob say in July 2023?", False),
            ("what did 亮 say in April 2023?", True),
            ("what did Bob say in 2021?", True),
            ("what was said in July 2023?", False),
        ):
            found = await memory.query(Query(text=question))
            assert (question, found.weak, bool(found.hits)) == (question, weak, True)


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("What did Ann tell Bob?", True),
        ("Was hat Bob erzählt?", True),
        ("¿Qué escribió Ana?", True),
        ("Ayşe ne söyledi?", True),
        ("ボブは何て言ってた？", True),
        ("where does Bob live?", False),
        ("der Sagten", True),
        ("essays of Bob", False),
        ("何時に着いた？", False),
    ],
)
def test_a_question_for_what_was_said(question: str, asks: bool) -> None:
    """By its verb, in any case and accent, and never by a part of another word."""
    assert asks_what_was_said(question) is asks
