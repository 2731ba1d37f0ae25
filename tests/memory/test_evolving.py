"""The evolving memory on the store with the bundled model: stored, merged, found, degraded honestly."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import anyio
import numpy as np
import pytest
from numpy.typing import NDArray

from memd.memory import lookup
from memd.memory.embedding.bundled import BundledEmbedder
from memd.memory.embedding.embedder import Embedder
from memd.memory.indexing.indexed_store import IndexedStore, open_store
from memd.memory.memory import EvolvingMemory
from memd.memory.merge.plan import chat_key
from memd.memory.retrieval import known_names
from memd.memory.retrieval.search import Retriever
from memd.memory.store import documents_read
from memd.memory.store.vectors import generation_of
from memd.schemas import ConversationDocument, Document, Query, TextDocument
from memd.schemas.errors import EmbeddingError, NotFoundError

pytestmark = pytest.mark.anyio
START = datetime(2024, 1, 15, 12, 0, tzinfo=UTC)
TALK = (
    ("Alice", "Have you found a new flat?"),
    ("Bob", "Yes! In Porto, near the river"),
    ("Alice", "I love pizza, by the way"),
    ("Bob", "Then come on Friday, I bake one"),
)


class Counting:
    """The bundled embedder, counting the texts it is given; broken on demand."""

    def __init__(self) -> None:
        self.bundled = BundledEmbedder()
        self.texts = 0
        self.broken = False

    @property
    def name(self) -> str:
        """The model's name."""
        return self.bundled.name

    @property
    def dimension(self) -> int:
        """The model's dimension."""
        return self.bundled.dimension

    @property
    def max_tokens(self) -> int:
        """The model's window."""
        return self.bundled.max_tokens

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Count, then embed."""
        if self.broken:
            raise EmbeddingError("the embedder is broken")
        self.texts += len(texts)
        return await self.bundled.embed_documents(texts)

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        """Embed a question."""
        if self.broken:
            raise EmbeddingError("the embedder is broken")
        return await self.bundled.embed_query(text)


class Other(Counting):
    """An embedder by another name."""

    @property
    def name(self) -> str:
        """The name of no model."""
        return "other"


@asynccontextmanager
async def memory_in(folder: Path, embedder: Embedder | None) -> AsyncGenerator[tuple[EvolvingMemory, IndexedStore]]:
    """A memory on a store in a folder."""
    async with open_store(folder) as store:
        memory = EvolvingMemory(store, embedder, BundledEmbedder())
        await memory.start()
        yield memory, store


def talk(
    turns: Sequence[tuple[str, str]] = TALK, *, name: str = "chat", chat: str = "", **more: object
) -> ConversationDocument:
    """A conversation of these turns, a minute apart."""
    messages = [
        {"speaker": speaker, "content": words, "time": START + timedelta(minutes=n), **more}
        for n, (speaker, words) in enumerate(turns)
    ]
    people = tuple(dict.fromkeys(speaker for speaker, _ in turns))
    return ConversationDocument.model_validate(
        {
            "id": name,
            "conversation": {"source": "test", "people": people, "user": people[0], "conversation": messages},
            "metadata": {"chat": chat} if chat else {},
        }
    )


@pytest.mark.slow
async def test_a_question_finds_the_message_that_answers_it(tmp_path: Path) -> None:
    """Words, neighbourhood and vectors together; the hit is cited and has its context."""
    embedder = Counting()
    async with memory_in(tmp_path, embedder) as (memory, store):
        report = await memory.store([talk()])
        await store.refresh_indexes()
        assert (report.documents, report.added, report.unchanged) == (1, 4, 0)
        result = await memory.query(Query(text="Is the new flat in Porto near the river?", explain=True))
        hit = result.hits[0]
        assert (hit.speaker, hit.text, hit.document_id) == ("Bob", "Yes! In Porto, near the river", "chat")
        assert [line.text for line in hit.context] == ["Have you found a new flat?", "I love pizza, by the way"]
        assert hit.explain is not None
        assert hit.score == pytest.approx(sum(hit.explain.shares.values()), abs=1e-3)
        assert result.degraded == ()


@pytest.mark.slow
async def test_the_same_again_calls_the_embedder_zero_times(tmp_path: Path) -> None:
    """Unchanged input changes nothing; an extended one embeds only what is new."""
    embedder = Counting()
    async with memory_in(tmp_path, embedder) as (memory, _):
        await memory.store([talk()])
        before = embedder.texts
        report = await memory.store([talk()])
        assert (0, 0, 4, before) == (report.added, report.updated, report.unchanged, embedder.texts)
        await memory.store([talk([*TALK, ("Alice", "See you there")])])
        assert before + 1 == embedder.texts


async def test_a_document_comes_back_as_it_was_given(tmp_path: Path) -> None:
    """Verbatim, by its own id and by a message's id."""
    document = talk(time_precision="minute", priority="high")
    note = TextDocument(
        id="notes/a.md", content="Tomatoes want lime.\n", tags=("garden",), metadata={"source": "notes"}
    )
    async with memory_in(tmp_path, None) as (memory, store):
        await memory.store([document, note])
        await store.refresh_indexes()
        assert document == (await lookup.find(memory.database, "chat")).document
        assert note == (await lookup.find(memory.database, "notes/a.md")).document
        hit = (await memory.query("pizza")).hits[0]
        found = await lookup.find(memory.database, str(hit.id))
        assert found.message is not None
        assert (2, document) == (found.message.position, found.document)
        with pytest.raises(NotFoundError):
            await lookup.find(memory.database, "no such thing")


@pytest.mark.slow
@pytest.mark.parametrize("text", ["", "   ", "?!", "xyzzy plugh", "x" * 10_000, 'what about (this: "', "東京 ☃"])
async def test_any_question_has_an_answer(tmp_path: Path, text: str) -> None:
    """Unknown words, an empty store, no words at all: never an error."""
    async with memory_in(tmp_path, None) as (memory, store):
        assert (await memory.query(text)).hits == ()
        await memory.store([talk()])
        await store.refresh_indexes()
        assert text == (await memory.query(text)).query


@pytest.mark.slow
async def test_filters_are_part_of_the_search(tmp_path: Path) -> None:
    """Speaker, source, time and kind narrow what can be found; an unknown name finds nothing."""
    async with memory_in(tmp_path, None) as (memory, store):
        await memory.store([talk()])
        await store.refresh_indexes()

        async def speakers(**where: object) -> set[str | None]:
            query = Query.model_validate({"text": "pizza Porto Friday bake flat", "context": 0, **where})
            return {hit.speaker for hit in (await memory.query(query)).hits}

        assert {"Alice", "Bob"} == await speakers()
        assert {"Bob"} == await speakers(speakers=("bob",))
        assert set() == await speakers(speakers=("Mallory",))
        assert set() == await speakers(sources=("other",))
        assert {"Bob"} == await speakers(since=START + timedelta(minutes=3))
        assert set() == await speakers(kinds=("call",))


async def test_a_failing_embedder_degrades_and_loses_nothing(tmp_path: Path) -> None:
    """Words work at once, the answer says what is missing, and vectors catch up."""
    embedder = Counting()
    embedder.broken = True
    async with memory_in(tmp_path, embedder) as (memory, store):
        await memory.write([talk()])
        await store.refresh_indexes()
        with pytest.raises(EmbeddingError):
            await memory.embed_pending()
        result = await memory.query("pizza")
        assert (result.degraded, result.hits[0].speaker) == (("vector",), "Alice")
        embedder.broken = False
        assert await memory.embed_pending() == 4
        assert (await memory.query("pizza")).degraded == ()


@pytest.mark.slow
async def test_an_answer_tells_that_vectors_are_still_made(tmp_path: Path) -> None:
    """Until the last one is there, also after a restart."""
    embedder = Counting()
    async with memory_in(tmp_path, embedder) as (memory, _):
        assert (await memory.query("pizza")).degraded == ()
        await memory.write([talk()])
        assert (await memory.query("pizza")).degraded == ("pending",)
        assert await memory.embed_pending(3) == 3
        assert (await memory.query("pizza")).degraded == ("pending",)
    async with memory_in(tmp_path, embedder) as (memory, store):
        await store.refresh_indexes()
        assert (await memory.query("pizza")).degraded == ("pending",)
        assert await memory.embed_pending(3) == 1
        assert (await memory.query("pizza")).degraded == ()


async def test_another_model_is_told_and_its_vectors_never_mix(tmp_path: Path) -> None:
    """A store made with one embedder, opened with another: words only, and the answer says so."""
    async with memory_in(tmp_path, Counting()) as (memory, _):
        await memory.store([talk()])
    other = Other()
    async with memory_in(tmp_path, other) as (memory, _):
        assert (await memory.query("pizza")).degraded == ("generation",)
        await memory.store([talk(name="more")])
        assert other.texts == 0


@pytest.mark.slow
async def test_a_strategy_that_came_later_changes_nothing_for_a_store(tmp_path: Path) -> None:
    """What was cut before is cut the same now, so the store takes the new strategy over and answers as before."""
    async with memory_in(tmp_path, Counting()) as (memory, store):
        await memory.store([talk()])
        await memory.embed_pending()
        made = await store.database.read(generation_of)
        assert made is not None
        assert any(version.startswith("headers-") for version in made.chunkers)
        older = tuple(version for version in made.chunkers if not version.startswith("headers-"))
        await store.set_generation(replace(made, chunkers=older))
    again = Counting()
    async with memory_in(tmp_path, again) as (memory, store):
        assert (await memory.query("pizza")).degraded == ()
        assert await store.database.read(generation_of) == made
        assert await memory.embed_pending() == 0
        assert again.texts == 0
        await store.set_generation(replace(made, chunkers=("recursive-0:1/1", *older)))
    async with memory_in(tmp_path, again) as (memory, store):
        assert (await memory.query("pizza")).degraded == ()
        assert await store.database.read(generation_of) == made


@pytest.mark.slow
async def test_a_strategy_that_changed_waits_where_something_was_cut_by_it(tmp_path: Path) -> None:
    """The store says so until it is taken over, which cuts only that again."""
    note = TextDocument(id="a.md", content="---\ntitle: Pasta\n---\nBoil it.\n# Sauce\nOil.\n")
    async with memory_in(tmp_path, Counting()) as (memory, store):
        await memory.store([talk(), note])
        await memory.embed_pending()
        made = await store.database.read(generation_of)
        assert made is not None
        older = tuple("headers-1:512/50" if name.startswith("headers-") else name for name in made.chunkers)
        await store.set_generation(replace(made, chunkers=older))
    with closing(sqlite3.connect(tmp_path / "memory.db")) as connection, connection:
        connection.execute("UPDATE makes SET version = 'headers-1:512/50' WHERE strategy = 'headers'")
    async with memory_in(tmp_path, Counting()) as (memory, store):
        assert (await memory.query("pizza")).degraded == ("generation",)
        assert await memory.rechunk() == 1
        assert "generation" not in (await memory.query("pizza")).degraded
        assert await store.database.read(generation_of) == made


@pytest.mark.slow
async def test_a_reindex_never_says_that_nothing_is_missing_before_the_vectors_are_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the model that is not in force straight to vectors that are pending, whenever an answer is asked for."""
    async with memory_in(tmp_path, Other()) as (memory, _):
        await memory.store([talk()])
    async with memory_in(tmp_path, Counting()) as (memory, store):
        told = [memory.degraded()]
        read = store.database.read

        async def watched(work: Callable[..., object], *arguments: object, **named: object) -> object:
            told.append(memory.degraded())
            rows = await read(work, *arguments, **named)
            told.append(memory.degraded())
            return rows

        monkeypatch.setattr(store.database, "read", watched)
        await memory.rechunk()
        told.append(memory.degraded())
        await memory.embed_pending()
        told.append(memory.degraded())
    # Whether the index is still being filled depends on the machine.
    missing = [tuple(name for name in each if name != "indexing") for each in told]
    assert list(dict.fromkeys(missing)) == [("generation",), ("pending",), ()]


async def test_front_matter_is_no_answer_by_itself(tmp_path: Path) -> None:
    """A note is found by its title and tags, and answers with what it says below them; one that says nothing else, with them."""
    documents = [
        TextDocument(id="pasta.md", content="---\ntitle: Spaghetti\ntags: [supper]\n---\n\nBoil it.\n# Sauce\nOil.\n"),
        TextDocument(id="rice.md", content="---\ntitle: Risotto\n---\n# Broth\nStir it.\n"),
        TextDocument(id="bread.md", content="---\ntitle: Focaccia\n---\n"),
    ]
    async with memory_in(tmp_path, None) as (memory, store):
        await memory.store(documents)
        await store.refresh_indexes()
        shown: dict[str, tuple[str, str]] = {}
        for word in ("spaghetti", "supper", "risotto", "focaccia"):
            (hit, *_) = (await memory.query(word)).hits
            part = hit.passage
            assert hit.chunk is not None
            assert all(part is None or part.start <= each.start for each in hit.highlights)
            shown[word] = (hit.chunk.section, hit.text if part is None else hit.text[part.start : part.end])
    assert shown == {
        "spaghetti": ("", "Boil it."),
        "supper": ("", "Boil it."),
        "risotto": ("Broth", "# Broth\nStir it."),
        "focaccia": ("", "---\ntitle: Focaccia\n---"),
    }


async def test_markdown_is_cut_at_its_headings(tmp_path: Path) -> None:
    """A hit names its section; the source says what is Markdown, else the ending of a path or id."""
    text = "# Garden\nbeds\n## Tomatoes\nThey want lime.\n"
    documents = [
        TextDocument(id="a", content=text, metadata={"media_type": "text/markdown"}),
        TextDocument(id="b.md", content=text.replace("lime", "chalk")),
        TextDocument(id="c.md", content=text.replace("lime", "marl"), metadata={"media_type": "text/plain"}),
    ]
    async with memory_in(tmp_path, None) as (memory, store):
        await memory.store(documents)
        await store.refresh_indexes()
        for word, section, alias in (
            ("lime", "Garden > Tomatoes", "a#Garden > Tomatoes#chunk_1"),
            ("chalk", "Garden > Tomatoes", "b.md#Garden > Tomatoes#chunk_1"),
            ("marl", "", "c.md#chunk_0"),
        ):
            chunk = (await memory.query(word)).hits[0].chunk
            assert chunk is not None
            assert (chunk.section, chunk.alias) == (section, alias)


async def test_edits_of_a_stored_message_replace_what_is_found(tmp_path: Path) -> None:
    """The new wording is found, the old one is not, and it is kept with the message."""
    async with memory_in(tmp_path, None) as (memory, store):
        await memory.store([talk(zone_origin="assumed")])
        edited = talk([*TALK[:2], ("Alice", "I love falafel, by the way"), TALK[3]], zone_origin="assumed")
        report = await memory.store([edited])
        await store.refresh_indexes()
        assert (report.added, report.updated) == (0, 1)
        assert (await memory.query("falafel")).hits[0].text == "I love falafel, by the way"
        assert not any("pizza" in hit.text for hit in (await memory.query("pizza")).hits)
        document = ((await lookup.find(memory.database, "chat")).document).as_conversation()
        assert document is not None
        assert [edit.content for edit in document.messages[2].edits] == ["I love pizza, by the way"]


async def test_a_day_that_tells_of_a_renamed_contact_tells_the_other_days(tmp_path: Path) -> None:
    """Alone, one file of somebody unknown in the only minute of a day may be somebody else's."""

    def days(bob: str) -> list[ConversationDocument]:
        about: dict[str, str] = {"chat": "c", "zone_origin": "assumed"}
        file = talk([(bob, "<Media omitted>")], name="c:1", kind="media", **about)
        return [file, talk([(bob, "on my way"), ("Alice", "ok")], name="c:2", **about)]

    async with memory_in(tmp_path, None) as (memory, _):
        await memory.store(days("Bob"))
        assert (await memory.store(days("Robert"))).added == 0


@pytest.mark.slow
async def test_a_chat_is_another_one_where_a_day_says_so_and_none_says_otherwise(tmp_path: Path) -> None:
    """A piece in a gap of a stored day says nothing, beside another day and alone."""
    words = "abcdefghi"

    def day(who: str, said: str, date: int = 15) -> ConversationDocument:
        lines = [(who[words.index(word) % 2], f"{word} of {who} on {date}") for word in said]
        found = talk(lines, name=f"d{date}", chat="Friends", zone_origin="assumed").model_dump()
        found["conversation"] |= {"user": "A", "people": ("A", *who)}
        for message in found["conversation"]["conversation"]:
            place = words.index(message["content"][0])
            message["time"] = START + timedelta(days=date - 15, minutes=place)
        return ConversationDocument.model_validate(found)

    async with memory_in(tmp_path, None) as (memory, _):
        await memory.store([day("AB", "ab"), day("AB", "abcdefghi", 16)])
        await memory.store([day("AB", "hi")])
        assert await memory.conflicts([day("AB", "def")]) == []
        assert await memory.conflicts([day("AC", "def")]) == ["Friends"]
        assert await memory.conflicts([day("AB", "def"), day("CD", "def", 16)]) == ["Friends"]
        assert await memory.conflicts([day("CD", "def"), day("AB", "def", 16)]) == []


async def test_a_renamed_contact_is_found_under_both_names(tmp_path: Path) -> None:
    """The rename needs no new vectors."""
    embedder = Counting()
    async with memory_in(tmp_path, embedder) as (memory, store):
        await memory.store([talk(chat="c", zone_origin="assumed")])
        before = embedder.texts
        renamed = [("Robert" if speaker == "Bob" else speaker, words) for speaker, words in TALK]
        await memory.store([talk(renamed, chat="c", zone_origin="assumed")])
        await store.refresh_indexes()
        assert before == embedder.texts
        for name in ("Bob", "Robert"):
            hits = (await memory.query(Query(text="Porto river", speakers=(name,)))).hits
            assert hits[0].speaker == "Robert"


async def test_an_older_export_does_not_bring_an_old_name_back(tmp_path: Path) -> None:
    """The chat knows which of two names is the newer, also where the export reaches as far."""
    async with memory_in(tmp_path, None) as (memory, store):
        old = talk(chat="c", zone_origin="assumed")
        new = talk([("Robert" if who == "Bob" else who, words) for who, words in TALK], chat="c", zone_origin="assumed")
        again = talk(chat="c", zone_origin="assumed", priority="low")
        for document in (old, new, again):
            await memory.store([document])
        stored = ((await lookup.find(memory.database, "chat")).document).as_conversation()
        assert stored is not None
        assert (
            {message.speaker for message in stored.messages} == {"Alice", "Robert"} == set(stored.conversation.people)
        )
        assert {message.priority for message in stored.messages} == {"low"}
        assert [
            (rename.old, rename.new)
            for rename in await store.database.read(documents_read.renames, {chat_key("test", "", "c")})
        ] == [("Bob", "Robert")]


@pytest.mark.slow
async def test_a_cancelled_store_leaves_no_half_batch(tmp_path: Path) -> None:
    """Whatever instant it is cancelled at, the next run completes it: every message once."""
    turns = [("Alice" if n % 2 else "Bob", f"message number {n}") for n in range(1200)]
    documents: list[Document] = [talk(turns[n : n + 100], name=f"part {n}") for n in range(0, 1200, 100)]
    async with memory_in(tmp_path, None) as (memory, store):
        for delay in (0.0, 0.002, 0.01, 0.03, 0.06):
            with anyio.move_on_after(delay):
                await memory.store(documents)
            assert (await store.stats()).messages % 100 == 0
        await memory.store(documents)
        stats = await store.stats()
        assert (stats.documents, stats.messages, stats.chunks) == (12, 1200, 1200)


class Poisoned(Counting):
    """Makes a vector of nothing but zeros for some texts."""

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Zeros where the text says so."""
        vectors = await super().embed_documents(texts)
        vectors[[index for index, text in enumerate(texts) if "poison" in text]] = 0
        return vectors


async def test_a_text_without_a_usable_vector_holds_up_no_other(tmp_path: Path) -> None:
    """It is found by its words; the others get their vectors; it waits for the next start."""
    embedder = Poisoned()
    turns = (("Alice", "this is poison"), *TALK)
    async with open_store(tmp_path) as store:
        memory = EvolvingMemory(store, embedder, embedder.bundled)
        await memory.start()
        await memory.write([talk(turns)])
        assert memory.degraded() == ("pending",)
        while await memory.embed_pending(2):
            pass
        stats = await store.stats()
        assert (stats.vectors_done, stats.vectors_pending) == (len(TALK), 1)
        assert memory.degraded() == ()
        assert "this is poison" in {hit.text for hit in (await memory.query("poison")).hits}


async def test_an_embedder_that_makes_nothing_usable_has_failed(tmp_path: Path) -> None:
    """Then it is the embedder, not the texts."""
    embedder = Poisoned()
    async with open_store(tmp_path) as store:
        memory = EvolvingMemory(store, embedder, embedder.bundled)
        await memory.start()
        await memory.write([talk((("Alice", "poison"), ("Bob", "more poison")))])
        with pytest.raises(EmbeddingError, match="zero"):
            await memory.embed_pending()
        assert (await store.stats()).vectors_pending == 2


@pytest.mark.slow
async def test_a_message_that_waits_for_its_vector_is_not_last(tmp_path: Path) -> None:
    """It holds the words of the question: it comes first, not behind all vectors that know nothing of them."""
    embedder = Poisoned()
    turns = (
        *((("Ann", "Bob")[n % 2], f"we could take the {n}th train to the sea") for n in range(40)),
        ("Bob", "the poison is in the blue box behind the shed"),
    )
    async with open_store(tmp_path) as store:
        memory = EvolvingMemory(store, embedder, embedder.bundled)
        await memory.start()
        await memory.store([talk(turns)])
        assert "poison" in (await memory.query("poison")).hits[0].text


async def test_names_that_change_while_they_are_read_are_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody who is forgotten in between is not kept among the names."""
    async with open_store(tmp_path) as store:
        retriever = Retriever(store, None)
        answers = [{"Ann": 1, "Bob": 1}, {"Ann": 1}]

        def names(_: sqlite3.Connection) -> dict[str, int]:
            told = answers.pop(0)
            if answers:
                retriever.forget_names()  # as by a removal that ends just now
            return told

        monkeypatch.setattr(known_names, "speaker_counts", names)
        for _ in range(2):
            known = await retriever._names.read()  # pyright: ignore[reportPrivateUsage] - what questions are read with
            assert known.matcher.mention("what did Bob and Ann say?").speakers == {"Ann"}
        assert answers == []
