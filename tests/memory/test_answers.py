"""What an answer shows: no line twice, nothing that nobody wrote, the part of a long message that was found."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memd.memory import lookup
from memd.memory.embedding.bundled import BundledEmbedder
from memd.memory.indexing.indexed_store import open_store
from memd.memory.memory import EvolvingMemory
from memd.memory.retrieval.search import Retriever
from memd.memory.retrieval.weights import DEFAULT
from memd.schemas import ConversationDocument, Query, QueryResult, TextDocument
from memd.schemas.errors import NotFoundError
from memd.tests.retrieval.labelled import cross, documents, held_out

pytestmark = pytest.mark.anyio
START = datetime(2024, 1, 15, 12, tzinfo=UTC)
FILLING = "Then we talked about the weather, the garden and the neighbours for quite a while. " * 12
Line = tuple[str, str, str]
"""Speaker, text, kind."""


def talk(lines: Sequence[Line], name: str = "chat") -> ConversationDocument:
    """A conversation of these lines, a minute apart."""
    messages = [
        {"speaker": who, "content": text, "kind": kind, "time": START + timedelta(minutes=number)}
        for number, (who, text, kind) in enumerate(lines)
    ]
    people = tuple(dict.fromkeys(who for who, _, _ in lines))
    return ConversationDocument.model_validate(
        {"id": name, "conversation": {"source": "test", "people": people, "user": people[0], "conversation": messages}}
    )


@asynccontextmanager
async def filled(
    folder: Path, *documents: ConversationDocument | TextDocument, vectors: bool = True
) -> AsyncGenerator[EvolvingMemory]:
    """A memory that holds these."""
    embedder = BundledEmbedder()
    async with open_store(folder) as store:
        memory = EvolvingMemory(store, embedder if vectors else None, embedder)
        await memory.start()
        await memory.store(list(documents))
        await store.refresh_indexes()
        yield memory


def texts(result: QueryResult) -> list[str]:
    """Of the hits, in their order."""
    return [hit.text for hit in result.hits]


@pytest.mark.slow
async def test_a_hit_that_is_shown_around_another_is_not_shown_again(tmp_path: Path) -> None:
    """It is marked where it is shown, and others come in its place."""
    lines = [("Ann", f"the boiler is broken, part {number}", "text") for number in range(8)]
    async with filled(tmp_path, talk(lines)) as memory:
        for context, most in ((0, 8), (1, 5), (2, 4)):
            result = await memory.query(Query(text="the broken boiler", limit=8, context=context))
            shown = {hit.id for hit in result.hits}
            beside = {line.id for hit in result.hits for line in hit.context}
            assert not shown & beside
            assert len(shown | beside) == 8
            assert len(shown) <= most
            assert all(line.matches for hit in result.hits for line in hit.context)
        few = await memory.query(Query(text="the broken boiler", limit=2, context=1))
        assert len(few.hits) == 2


async def test_a_program_finds_around_the_hits_what_are_hits_without_context(tmp_path: Path) -> None:
    """The lines around a hit name their messages as the hits do; together they hold every hit of ``context: 0``."""
    lines = [("Ann", f"the boiler is broken, part {number}", "text") for number in range(30)]
    body = talk(lines).model_dump(mode="json")
    for number, message in enumerate(body["conversation"]["conversation"]):
        message.update({"id": f"m{number}"} if number % 2 else {})
    async with filled(tmp_path, ConversationDocument.model_validate(body), vectors=False) as memory:
        alone, default = [await memory.query(Query(text="boiler", limit=10, context=each)) for each in (0, 1)]
    shown = {each for hit in default.hits for part in (hit, *hit.context) for each in part.message_ids}
    assert len(default.hits) == len(alone.hits) == 10
    assert {each for hit in alone.hits for each in hit.message_ids} <= shown
    assert any(each.startswith("m") for each in shown)
    for line in (line for hit in default.hits for line in hit.context):
        number = int(line.text.rpartition(" ")[2])
        assert line.message_ids == ((f"m{number}",) if number % 2 else (str(line.id),))


@pytest.mark.slow
async def test_what_nobody_wrote_is_no_answer(tmp_path: Path) -> None:
    """Lines of the app are found when their kind is asked for; they stay where they stand around a hit."""
    lines = [
        ("Ann", "Ann changed the group name to Boiler", "system"),
        ("Ann", "the boiler man comes on Friday", "text"),
        ("Bob", "Missed boiler call", "call"),
        ("Bob", "This boiler message was deleted", "deleted"),
        ("Bob", "boiler photo", "media"),
    ]
    for vectors in (True, False):
        async with filled(tmp_path / str(vectors), talk(lines), vectors=vectors) as memory:
            result = await memory.query(Query(text="boiler", context=0))
            assert {hit.kind for hit in result.hits} == {"text", "media"}
            result = await memory.query(Query(text="when does the man come on Friday", limit=1, context=1))
            assert [line.text for line in result.hits[0].context] == [lines[0][1], lines[2][1]]
            for kind in ("system", "call", "deleted"):
                result = await memory.query(Query(text="boiler", kinds=(kind,)))
                assert [hit.kind for hit in result.hits] == [kind]


@pytest.mark.parametrize("vectors", [True, False])
@pytest.mark.slow
async def test_words_in_quotes_stand_together(tmp_path: Path, *, vectors: bool) -> None:
    """Only what holds all phrases, in messages and texts, with filters, however many others are near."""
    others = [("Ann", f"a code for the wifi of flat {number}", "text") for number in range(60)]
    lines = [*others, ("Bob", f"{FILLING} The WiFi code: is 4477.", "text"), ("Ann", "wifi-code again", "text")]
    note = TextDocument.model_validate(
        {"id": "n.md", "content": "My wifi code lies in the drawer.", "metadata": {"source": "notes"}}
    )
    async with filled(tmp_path, talk(lines), note, vectors=vectors) as memory:
        found = await memory.query(Query(text='what is the "wifi code"?', limit=20, context=0))
        assert {hit.text[-24:] for hit in found.hits} == {
            lines[60][1][-24:],
            "wifi-code again",
            "code lies in the drawer.",
        }
        assert texts(await memory.query(Query(text='"wifi code" "again"', context=0))) == ["wifi-code again"]
        bobs = await memory.query(Query(text='"wifi code"', speakers=("Bob",)))
        assert [hit.speaker for hit in bobs.hits] == ["Bob"]
        scattered = await memory.query('the "code wifi"')
        assert scattered.hits
        assert scattered.notices == ("“code wifi” stands together nowhere; the words alone:",)


async def test_a_long_message_shows_the_passage_that_was_found(tmp_path: Path) -> None:
    """The whole text is there, with where in it the answer stands, and which words match; a short one has no passage."""
    long = f"{FILLING}The key of the shed hangs behind the mirror.{' ' + FILLING}"
    async with filled(tmp_path, talk([("Ann", long, "text"), ("Bob", "ok, the shed then", "text")])) as memory:
        (hit, *_) = (await memory.query(Query(text="where is the key of the shed?", context=0))).hits
        assert (hit.text, hit.passage is not None) == (long, True)
        assert hit.passage is not None
        passage = long[hit.passage.start : hit.passage.end]
        assert "behind the mirror" in passage
        assert len(passage) < len(long) / 2
        assert {long[mark.start : mark.end] for mark in hit.highlights} == {"key", "shed"}
        short = (await memory.query(Query(text="the shed then", context=0, speakers=("Bob",)))).hits[0]
        assert short.passage is None
        assert [short.text[mark.start : mark.end] for mark in short.highlights] == ["shed"]


@pytest.mark.slow
async def test_a_sentence_of_a_long_message_finds_it_first(tmp_path: Path) -> None:
    """Though shorter messages are nearer to it in meaning."""
    sentence = "the neighbours keep the spare key of the shed"
    near = [("Ann", f"the neighbours keep a spare key for the shed {number}", "text") for number in range(20)]
    long = f"{FILLING}By the way, {sentence}, they said. {FILLING}"
    async with filled(tmp_path, talk([*near, ("Bob", long, "text")])) as memory:
        result = await memory.query(Query(text=sentence.upper(), context=0, explain=True))
        assert result.hits[0].speaker == "Bob"
        assert result.hits[0].explain is not None
        assert result.hits[0].explain.shares["exact"] > 0


@pytest.mark.slow
async def test_whom_and_when_a_question_names_takes_part(tmp_path: Path) -> None:
    """However many messages of others and of other times are nearer; within the filters of the question."""
    many = talk([("Ann", f"the boiler {number}", "text") for number in range(60)])
    other = talk([("Bob", "Tuesday suits me", "text")], "other")
    late = [{"speaker": "Ann", "content": "cheese and bread", "time": datetime(2024, 3, 5, 12, tzinfo=UTC)}]
    said = {"source": "test", "people": ("Ann",), "user": "Ann", "conversation": late}
    march = ConversationDocument.model_validate({"id": "late", "conversation": said})
    embedder = BundledEmbedder()
    async with open_store(tmp_path) as store:
        memory = EvolvingMemory(store, embedder, embedder)
        await memory.start()
        await memory.store([many, other, march])
        await store.refresh_indexes()
        retriever = Retriever(store, embedder, replace(DEFAULT, speaker=99, time=99))
        for question, first in (
            ("what about the boiler, Bob?", "Tuesday suits me"),
            ("the boiler in March 2024", "cheese and bread"),
        ):
            assert texts(await retriever.query(Query(text=question, limit=5, context=0)))[0] == first
            among = Query(text=question, limit=5, context=0, speakers=("Ann",), until=datetime(2024, 2, 1, tzinfo=UTC))
            assert first not in texts(await retriever.query(among))


async def test_a_question_for_a_number_prefers_what_holds_one(tmp_path: Path) -> None:
    """In messages and in texts; the explanation says so."""
    lines = [("Ann", "the rent is far too high", "text"), ("Bob", "the rent is 980 euros", "text")]
    note = TextDocument(id="note", content="The rent: 980 euros.", metadata={"source": "notes"})
    async with filled(tmp_path, talk(lines), note) as memory:
        result = await memory.query(Query(text="how much is the rent?", context=0, explain=True))
        shares = {hit.text: hit.explain.shares.get("number", 0) for hit in result.hits if hit.explain}
        assert [text for text, share in shares.items() if not share] == ["the rent is far too high"]
        plain = await memory.query(Query(text="where is the rent?", context=0, explain=True))
        assert all("number" not in hit.explain.shares for hit in plain.hits if hit.explain)


@pytest.mark.slow
async def test_an_answer_says_when_nothing_matches_well(tmp_path: Path) -> None:
    """No word in common and nothing near; a paraphrase is near, a word in common is a match."""
    lines = [("Ann", "I bought a bicycle yesterday", "text"), ("Bob", "Dinner is at eight", "text")]
    async with filled(tmp_path, talk(lines)) as memory:
        assert (await memory.query("スペインの首都はどこ")).weak
        assert not (await memory.query("when did Ann get her new bike?")).weak
        assert not (await memory.query("bicycle")).weak
    async with filled(tmp_path / "words", talk(lines), vectors=False) as memory:
        assert not (await memory.query("スペインの首都はどこ")).weak


@pytest.mark.slow
async def test_nonsense_matches_nothing_well(tmp_path: Path) -> None:
    """It is hardly nearer to the nearest message than to any; what means the same in other words is."""
    async with filled(tmp_path, *documents("en")) as memory:
        for question in ("asdkjh qwe", "xqzt blorf", "zzzz zzzz", "qwertyuiop"):
            assert (await memory.query(question)).weak, question
        asked = [question.text for question in cross("en") if not held_out(question)]
        assert sum([(await memory.query(text)).weak for text in asked]) <= len(asked) / 2


async def test_the_beginning_of_an_id_is_enough(tmp_path: Path) -> None:
    """As it may be copied from an answer; several that begin alike are told, what begins none is not found."""
    async with filled(tmp_path, talk([("Ann", f"part {number}", "text") for number in range(40)])) as memory:
        whole = str((await memory.query(Query(text="part 7", context=0))).hits[0].id)
        for beginning in (whole, whole[:13], whole[:13].upper(), f"{whole[:10]}…"):
            found = await lookup.find(memory.database, beginning)
            assert found.message is not None
            assert str(found.message.key) == whole
        for wrong in ("zzzz", "", whole[:3], whole[:-1] + ("0" if whole[-1] != "0" else "1"), "*"):
            with pytest.raises(NotFoundError):
                await lookup.find(memory.database, wrong)


async def test_beginnings_of_several_ids_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the ids that may be meant."""
    monkeypatch.setattr("memd.schemas.id_prefixes.SHORTEST_KEY", 1)
    async with filled(
        tmp_path, talk([("Ann", f"part {number}", "text") for number in range(40)]), vectors=False
    ) as memory:
        hits = (await memory.query(Query(text="part", context=0, limit=40))).hits
        first = Counter(str(hit.id)[0] for hit in hits).most_common(1)[0][0]
        with pytest.raises(NotFoundError) as raised:
            await lookup.find(memory.database, first)
        assert str(min(hit.id for hit in hits if str(hit.id)[0] == first)) in str(raised.value.hint)


async def test_punctuation_asks_for_nothing(tmp_path: Path) -> None:
    """An emoji does."""
    async with filled(tmp_path, talk([("Ann", "see you 🎉", "text")])) as memory:
        assert (await memory.query('"')).hits == (await memory.query(" ?! …")).hits == ()
        assert (await memory.query("🎉")).hits
