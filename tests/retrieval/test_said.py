"""What somebody said at a time: a question that asks for it gets their messages of then first, in each language."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memd.memory.embedding.bundled import BundledEmbedder
from memd.memory.indexing.indexed_store import open_store
from memd.memory.memory import EvolvingMemory
from memd.memory.question.asking import asking_of, asks_what_was_said
from memd.schemas import ConversationDocument, Query
from memd.tests.cases import for_each

MANY = tuple(f"Tom {letter}x" for letter in "ABCDEFGHIJ")
PEOPLE = ("Ann", "Bob", "亮", "Lena Brandt", "live:lena", "May", "田中太郎", *MANY)
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
    async with open_store(tmp_path) as store:
        memory = EvolvingMemory(
            store, embedder if by_vectors else None, embedder, now=lambda: datetime(2024, 1, 1, tzinfo=UTC)
        )
        await memory.start()
        await memory.store(DAYS)
        await store.refresh_indexes()
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
        lived = await memory.query(Query(text="when did Bob live in Rome in May 2023?", explain=True))
        assert {hit.explain.shares["said"] for hit in lived.hits if hit.explain is not None} <= {0, 1}
        for other in ("what did Bob say?", "what was said in May 2023?"):
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


NAMESAKES = (
    day(4, ("live:lena", "the roof is paid"), ("Ann", "fine, Lena")),
    day(5, ("Lena Brandt", "the nails are rusty"), ("Bob", "go on, Lena")),
    *(
        day(month, ("Bob", f"Lena, what do you say of day {month}?"), ("Ann", "nothing to say"))
        for month in range(6, 12)
    ),
)


@pytest.mark.anyio
@pytest.mark.parametrize("by_vectors", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["words", "vectors"])
async def test_a_first_name_asks_of_all_who_have_it(tmp_path: Path, *, by_vectors: bool) -> None:
    """Before anybody merges them: their messages come first, and where nothing else is asked for they answer."""
    embedder = BundledEmbedder()
    async with open_store(tmp_path) as store:
        memory = EvolvingMemory(store, embedder if by_vectors else None, embedder)
        await memory.start()
        await memory.store(NAMESAKES)
        await store.refresh_indexes()
        for question, text in (
            ("what did Lena say in April 2023?", "the roof is paid"),
            ("what did Lena say in May 2023?", "the nails are rusty"),
        ):
            found = await memory.query(Query(text=question, context=0))
            assert (question, found.hits[0].text, found.weak) == (question, text, False)
        for question in ("what did Lena say in April and May 2023?", "what did Ann and Lena say in April 2023?"):
            found = await memory.query(Query(text=question, context=0))
            assert (question, found.weak) == (question, False)
        found = await memory.query(Query(text="what did Lena say in July 2023?"))
        assert found.weak


@pytest.mark.anyio
async def test_a_month_is_not_asked_for_what_it_said(tmp_path: Path) -> None:
    """Where somebody is called May, "in May 2023" is still a time, for her and for others."""
    async with open_store(tmp_path) as store:
        memory = EvolvingMemory(store, None, BundledEmbedder())
        await memory.start()
        lines = (("May", "the kettle sings"), ("Ann", "so it does"), ("田中太郎", "みずうみ"))
        await memory.store([*DAYS, day(5, *lines, number=20)])
        await store.refresh_indexes()
        for question, text in (
            ("what did Bob say in May 2023?", "ok then"),
            ("what did May say in May 2023?", "the kettle sings"),
            ("太郎は2023年5月に何と言いましたか", "みずうみ"),
        ):
            found = await memory.query(Query(text=question, context=0))
            assert (question, found.hits[0].text, found.weak) == (question, text, False)
        for question in ("what did Bob say in May 2021?", "太郎は2021年5月に何と言いましたか"):
            assert (question, (await memory.query(Query(text=question))).weak) == (question, True)


@pytest.mark.anyio
@pytest.mark.slow
async def test_a_name_alone_is_answered_by_any_who_have_it(tmp_path: Path) -> None:
    """However many they are; of something that nobody mentioned nothing is said to match."""
    embedder = BundledEmbedder()
    lines = [(who, f"the number of my locker is {number}") for number, who in enumerate(MANY)]
    async with open_store(tmp_path) as store:
        memory = EvolvingMemory(store, embedder, embedder)
        await memory.start()
        await memory.store([day(5, *lines)])
        await store.refresh_indexes()
        for question, weak in (
            ("Tom", False),
            ("what did Tom say?", False),
            ("what does Tom think of quantum physics?", True),
        ):
            assert (question, (await memory.query(Query(text=question))).weak) == (question, weak)


def asked(number: int, assistant: str, *lines: tuple[str, str]) -> ConversationDocument:
    """A chat of Ann and an assistant."""
    messages = [
        {"speaker": who, "content": text, "time": MAY + timedelta(days=number, minutes=minute)}
        for minute, (who, text) in enumerate(lines)
    ]
    conversation = {"source": assistant, "people": ("Ann", assistant), "user": "Ann", "conversation": messages}
    return ConversationDocument.model_validate(
        {"id": f"{assistant}:{number}", "conversation": conversation, "metadata": {"chat": f"{number}", "title": "T"}}
    )


@pytest.mark.anyio
@pytest.mark.parametrize("by_vectors", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["words", "vectors"])
async def test_what_the_user_asked_comes_before_the_answers(tmp_path: Path, *, by_vectors: bool) -> None:
    """Of the one who is named: not what the assistant said of it, not what the user asked another."""
    gemini = (("Ann", "Which wine goes with paella?"), ("Gemini", "You ask Gemini about wine: Gemini says Rioja wine."))
    claude = (("Ann", "Does red wine stain?"), ("Claude", "Red wine stains, as Gemini says."))
    later = (("Ann", "And how long does rice cook?"), ("Gemini", "Rice takes 18 minutes; ask me about wine again."))
    embedder = BundledEmbedder()
    async with open_store(tmp_path) as store:
        memory = EvolvingMemory(store, embedder if by_vectors else None, embedder)
        await memory.start()
        await memory.store(
            [asked(1, "Gemini", *gemini), asked(2, "Claude", *claude), asked(3, "Gemini", *later), *DAYS]
        )
        await store.refresh_indexes()
        for question in (
            "what did I ask Gemini about wine?",
            "Was habe ich Gemini zum wine gefragt?",
            "¿qué le pregunté a Gemini del wine?",
        ):
            first, *_ = (await memory.query(Query(text=question, context=0))).hits
            assert (question, first.text) == (question, "Which wine goes with paella?")
        found = (await memory.query(Query(text="what did I ask Gemini?", context=0, limit=2))).hits
        assert {hit.text for hit in found} == {"Which wine goes with paella?", "And how long does rice cook?"}
        for question in ("what did Gemini say about wine?", "what did Gemini say when I asked about wine?"):
            first, *_ = (await memory.query(Query(text=question, context=0))).hits
            assert (question, first.speaker) == (question, "Gemini")


@for_each(
    [
        ("What have I told Bob?", True),
        ("my questions to ChatGPT", True),
        ("Hatte ich Bob davon erzählt?", True),
        ("¿Qué le dije a Bob?", True),
        ("Bob'a ne sordum?", True),
        ("私はボブに何を聞いた？", True),
        ("what did Bob say when I asked?", False),
        ("what did Bob tell me?", False),
        ("where did I live?", False),
        ("what did Iris say?", False),
    ]
)
def test_a_question_for_what_the_user_said(question: str, *, mine: bool) -> None:
    """By the person of its verb."""
    assert asking_of(question).own_words is mine


@for_each(
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
    ]
)
def test_a_question_for_what_was_said(question: str, asks: bool) -> None:
    """By its verb, in any case and accent, and never by a part of another word."""
    assert asks_what_was_said(question) is asks
