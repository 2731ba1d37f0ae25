"""The strategies of the settings: which cut what, what the embedder reads, and that no chunk keeps words that are gone."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from memd.memory.chunking.document_chunker import DocumentChunker
from memd.memory.chunking.semantic_similarity import SimilarityChunker
from memd.memory.chunking.settings import ChunkingSettings
from memd.memory.embedding.bundled import BundledEmbedder
from memd.memory.forgetting.selection import ForgetSelection
from memd.memory.indexing.indexed_store import open_store
from memd.memory.memory import EvolvingMemory, planned_changes
from memd.memory.records import StoredDocument
from memd.schemas import ConversationDocument, Query, TextDocument
from memd.schemas.errors import ConfigError

pytestmark = pytest.mark.anyio
START = datetime(2024, 1, 15, 12, 0, tzinfo=UTC)
TOKENIZER = BundledEmbedder()
KEY = UUID(int=1)
Line = tuple[int, str, str]
TALK: Sequence[Line] = (
    (0, "Ann", "Shall we buy the green sofa?"),
    (1, "Bob", "Yes"),
    (2, "Ann", "The password is swordfish"),
    (3, "Bob", "Noted"),
    (60, "Ann", "Good night"),
)


def talk(lines: Sequence[Line] = TALK, source: str = "chat") -> ConversationDocument:
    """A day of a chat; each message has the minute as its id."""
    messages = [
        {"id": f"m{minute}", "speaker": who, "content": words, "time": START + timedelta(minutes=minute)}
        for minute, who, words in lines
    ]
    conversation = {"source": source, "people": ("Ann", "Bob"), "user": "Ann", "conversation": messages}
    return ConversationDocument.model_validate({"id": "chat:sofa", "conversation": conversation})


@asynccontextmanager
async def memory_in(folder: Path, **chosen: Any) -> AsyncGenerator[EvolvingMemory]:
    """A memory with these settings, which makes no vectors."""
    async with open_store(folder) as store:
        memory = EvolvingMemory(store, None, TOKENIZER, chunking=ChunkingSettings(**chosen))
        await memory.start()
        yield memory


def embedded(folder: Path) -> list[str]:
    """All texts that the embedder reads for messages, in their order."""
    statement = """
    SELECT coalesce(c.embed, s.name || ': ' || substr(m.content, c.start + 1, c."end" - c.start))
    FROM chunks c JOIN messages m ON m.id = c.message JOIN speakers s ON s.id = m.speaker ORDER BY m.position, c.ordinal
    """
    with closing(sqlite3.connect(folder / "memory.db")) as connection:
        return [text for (text,) in connection.execute(statement)]


async def stored_anew(folder: Path, lines: Sequence[Line], **chosen: Any) -> list[str]:
    """What the embedder reads of a store that never held anything else."""
    async with memory_in(folder, **chosen) as memory:
        await memory.store([talk(lines)])
    return embedded(folder)


async def test_contextual_reads_what_was_said_before(tmp_path: Path) -> None:
    """The chunk is the message; its vector is that of the messages before it, too."""
    texts = await stored_anew(tmp_path, TALK, conversations="contextual")
    assert texts[0] == "Ann: Shall we buy the green sofa?"
    assert texts[1] == "Ann: Shall we buy the green sofa?\nBob: Yes"
    assert texts[4].splitlines() == [f"{who}: {words}" for _, who, words in TALK]


async def test_the_context_ends_where_it_is_full(tmp_path: Path) -> None:
    """So many tokens, whole messages, the nearest first."""
    texts = await stored_anew(tmp_path, TALK, conversations="contextual", context_tokens=16)
    assert texts[3] == "Bob: Yes\nAnn: The password is swordfish\nBob: Noted"


async def test_a_time_window_reads_both_sides(tmp_path: Path) -> None:
    """Those of the minutes around it, and no others."""
    texts = await stored_anew(tmp_path, TALK, conversations="time-window", window_minutes=1)
    assert texts[1] == "Ann: Shall we buy the green sofa?\nBob: Yes\nAnn: The password is swordfish"
    assert texts[4] == "Ann: Good night"


async def test_adaptive_gives_short_messages_their_question(tmp_path: Path) -> None:
    """A message that stands by itself is read alone."""
    long = (2, "Ann", "The meeting about the new office takes place on Thursday at nine in the large room upstairs")
    texts = await stored_anew(tmp_path, [*TALK[:2], long], conversations="adaptive")
    assert texts[1].startswith("Ann: Shall we")
    assert texts[2].startswith("Ann: The meeting")


EACH = pytest.mark.parametrize("strategy", ["contextual", "time-window", "adaptive"])
WITHOUT_SECRET = [line for line in TALK if line[0] != 2]


async def forget_secret(memory: EvolvingMemory) -> None:
    """Forget the message with the password."""
    await memory.forget(await memory.forget_planner.plan(ForgetSelection(messages=("m2",))))


@EACH
async def test_a_forgotten_message_leaves_every_context(tmp_path: Path, strategy: str) -> None:
    """Its words are in no text to be embedded, and the others are as if it had never been."""
    async with memory_in(tmp_path / "a", conversations=strategy) as memory:
        await memory.store([talk()])
        assert sum("swordfish" in text for text in embedded(tmp_path / "a")) > 1
        await forget_secret(memory)
    assert embedded(tmp_path / "a") == await stored_anew(tmp_path / "b", WITHOUT_SECRET, conversations=strategy)
    with closing(sqlite3.connect(tmp_path / "a/memory.db")) as connection:
        unused = "SELECT count(*) FROM texts WHERE id NOT IN (SELECT text FROM chunks)"
        assert connection.execute(unused).fetchone() == (0,)


@EACH
async def test_an_edited_and_an_inserted_message_change_every_context(tmp_path: Path, strategy: str) -> None:
    """Whatever the order in which messages come and change, the embedder reads what is stored now."""
    lines = [(minute, who, words.replace("swordfish", "secret")) for minute, who, words in TALK]
    lines.insert(2, (1, "Bob", "With pleasure"))
    lines[2] = (1, "Bob", "And a lamp")
    lines = [lines[0], (0, "Bob", "One moment"), *lines[3:]]
    lines[1] = (30, "Bob", "Still there?")
    lines.sort()
    async with memory_in(tmp_path / "a", conversations=strategy) as memory:
        await memory.store([talk()])
        await memory.store([talk(lines)])
        exported = embedded(tmp_path / "a")
    assert not any("swordfish" in text for text in exported)
    async with memory_in(tmp_path / "a", conversations=strategy) as memory:
        await memory.rechunk(force=True)
    assert embedded(tmp_path / "a") == exported


@EACH
async def test_an_undone_run_leaves_every_context(tmp_path: Path, strategy: str) -> None:
    """Undoing the second run gives what the first one gave."""
    async with memory_in(tmp_path, conversations=strategy) as memory:
        await memory.write([talk(WITHOUT_SECRET)], "first")
        before = embedded(tmp_path)
        await memory.write([talk()], "second")
        assert embedded(tmp_path) != before
        await memory.undo_runs("second")
    assert embedded(tmp_path) == before


@pytest.mark.parametrize("embedding", [True, False])
async def test_chunks_of_earlier_settings_are_cleaned_too(tmp_path: Path, *, embedding: bool) -> None:
    """Settings that changed since, and no reindex: forgetting removes the words from the contexts all the same."""
    async with memory_in(tmp_path, conversations="contextual") as memory:
        await memory.store([talk()])
    async with open_store(tmp_path) as store:
        memory = EvolvingMemory(store, TOKENIZER if embedding else None, TOKENIZER)
        await memory.start()
        await forget_secret(memory)
    texts = embedded(tmp_path)
    assert texts == [f"{who}: {words}" for _, who, words in WITHOUT_SECRET]


async def test_another_strategy_is_another_generation(tmp_path: Path) -> None:
    """The store says so until it is cut again; nothing changes for documents that the change does not concern."""
    async with open_store(tmp_path) as store:
        memory = EvolvingMemory(store, TOKENIZER, TOKENIZER)
        await memory.start()
        await memory.store([talk(), TextDocument(id="a.txt", content="One. Two.", metadata={"source": "notes"})])
    async with open_store(tmp_path) as store:
        chunking = ChunkingSettings(conversations="contextual", texts="headers", markdown="recursive")
        memory = EvolvingMemory(store, TOKENIZER, TOKENIZER, chunking=chunking)
        await memory.start()
        assert "generation" in memory.degraded()
        assert await memory.rechunk() == 2
        assert "generation" not in memory.degraded()
    async with open_store(tmp_path) as store:
        # The strategies in use are the same; only who has which is another.
        chunking = ChunkingSettings(conversations="contextual", texts="recursive", markdown="headers")
        memory = EvolvingMemory(store, TOKENIZER, TOKENIZER, chunking=chunking)
        await memory.start()
        assert "generation" in memory.degraded()
        assert await memory.rechunk() == 1


async def test_cutting_again_by_force_costs_no_vector(tmp_path: Path) -> None:
    """All documents are cut, and the same texts have their vectors."""
    async with open_store(tmp_path) as store:
        memory = EvolvingMemory(store, TOKENIZER, TOKENIZER)
        await memory.start()
        await memory.store([talk()])
        await memory.embed_pending()
        assert await memory.rechunk() == 0
        assert await memory.rechunk(force=True) == 1
        assert (await memory.vector_counts())[1] == 0


def test_a_source_has_its_strategy() -> None:
    """One for conversations concerns its conversations, one for texts its texts."""
    settings = ChunkingSettings(sources={"notes": "sentences", "chat": "contextual"})
    chunker = DocumentChunker(TOKENIZER, settings)

    def version(source: str, kind: Any, path: str = "") -> str:
        return chunker.version_of(StoredDocument(KEY, path, source, "", kind))

    assert version("notes", "text", "a.md").startswith("sentences-")
    assert version("files", "text", "a.md").startswith("headers-")
    assert version("chat", "conversation").startswith("contextual-")
    assert version("notes", "conversation").startswith("message-")
    assert "sources.notes: sentences-1:256" in chunker.versions


def test_parameters_reach_the_strategies_that_have_them() -> None:
    """A length of texts changes no message."""
    settings = ChunkingSettings(texts="semantic", max_tokens=100, overlap_tokens=10, min_tokens=3)
    versions = DocumentChunker(TOKENIZER, settings).versions
    assert versions == ("definitions-2:100/10", "headers-2:100/10", "message-1:160", "texts: semantic-1:100/10")


def test_the_defaults_are_the_generation_of_old() -> None:
    """A store that was made before there were settings needs no reindex."""
    assert DocumentChunker(TOKENIZER).versions == (
        "definitions-2:512/50", "headers-2:512/50", "message-1:160", "recursive-1:512/50",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        ({"texts": "message"}, "chunking.texts is 'message', a strategy for conversations"),
        ({"conversations": "semantic"}, "chunking.conversations is 'semantic', a strategy for texts"),
        ({"sources": {"notes": "syllables"}}, "chunking.sources.notes: there is no chunking strategy 'syllables'"),
    ],
)
def test_a_strategy_that_does_not_fit_is_refused(chosen: dict[str, Any], words: str) -> None:
    """At the start, with the names that may stand there."""
    with pytest.raises(ConfigError, match=words) as caught:
        DocumentChunker(TOKENIZER, ChunkingSettings(**chosen))
    assert "one of: " in caught.value.hint


async def test_what_waits_is_cut_by_quick_strategies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A question looks through texts that are not stored yet without waiting for a strategy that embeds each sentence."""

    def never(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(SimilarityChunker, "spans_many", never)
    note = TextDocument(id="a.txt", content="One is here. Two is there. Three is away.", metadata={"source": "notes"})
    async with memory_in(tmp_path, texts="semantic-similarity") as memory:
        changes = await planned_changes(memory, [note])
    assert [chunk.strategy for chunk in changes.chunks] == ["recursive"]


async def test_the_chunks_of_a_hit_are_shown(tmp_path: Path) -> None:
    """Of a long message each passage that was found, in a single hit; of a text the piece that is the hit."""
    sentence = "The sofa is green and stands by the window of the large room, where the cat likes to sleep. "
    other = "Much else was said that evening about the weather, the trains and the price of butter in town. "
    long = (5, "Ann", sentence + other * 20 + sentence)
    note = TextDocument(id="a.md", content=f"# Furniture\n{sentence}", metadata={"source": "notes"})
    async with memory_in(tmp_path) as memory:
        await memory.store([talk([long]), note])
        result = await memory.query(Query(text="green sofa", show_chunks=True))
        plain = await memory.query(Query(text="green sofa"))
    hits = {hit.type: hit for hit in result.hits}
    assert len(result.hits) == len(plain.hits) == 2
    passages = hits["message"].chunks or ()
    assert len(passages) > 1
    assert [chunk.index for chunk in passages] == sorted(chunk.index for chunk in passages)
    assert [sentence.strip() in long[2][chunk.start : chunk.end] for chunk in (passages[0], passages[-1])] == [True] * 2
    assert passages[0].alias == "chat:sofa#m5#chunk_0"
    assert hits["chunk"].chunks == (hits["chunk"].chunk,)
    assert all("chunks" in hit for hit in result.to_wire()["hits"])
    assert not any("chunks" in hit for hit in plain.to_wire()["hits"])
