"""A memory whose index is in a server that fails: everything is kept, and questions are answered by a plain search."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import anyio
import pytest

from memd.memory.embedding.bundled import BundledEmbedder
from memd.memory.index.embedded import EmbeddedIndexes
from memd.memory.index.errors import IndexServerError, UnreachableServerError
from memd.memory.index.ports import RowsOf
from memd.memory.index.tantivy_text import TantivyText
from memd.memory.indexing import indexed_store
from memd.memory.indexing.indexed_store import IndexedStore, open_store
from memd.memory.memory import EvolvingMemory
from memd.memory.store import documents_read, scan
from memd.memory.write_batches import Removal
from memd.schemas import ConversationDocument, Query, TextDocument
from memd.schemas.errors import StoreError
from memd.tests.daemon.house import Letters

pytestmark = pytest.mark.anyio
START = datetime(2024, 1, 15, 12, tzinfo=UTC)
LINES = ["the ferry leaves at seven", "the red lamp", "the blue lamp is broken", "the kayak, the cabin and the river"]


def talk() -> ConversationDocument:
    """A conversation of Ann's."""
    said = [{"speaker": "Ann", "content": text, "time": START + timedelta(minutes=n)} for n, text in enumerate(LINES)]
    return ConversationDocument.model_validate(
        {"id": "talk", "conversation": {"source": "test", "people": ("Ann",), "user": "Ann", "conversation": said}}
    )


class FailingText(TantivyText):
    """Words in a server that may be switched off, or may refuse a question."""

    switch: Switch

    async def search(self, *args: Any, **rest: Any) -> Any:
        """Fails where the switch says so."""
        self.switch.check()
        return await super().search(*args, **rest)

    async def holding(self, *args: Any, **rest: Any) -> Any:
        """Fails where the switch says so."""
        self.switch.check()
        return await super().holding(*args, **rest)

    async def purge(self, *args: Any, **rest: Any) -> bool:
        """Fails where the switch says so."""
        self.switch.check()
        self.switch.purges += 1
        return await super().purge(*args, **rest)

    @property
    def sequence(self) -> int:
        """Nothing is known of a server that was not reached."""
        return 0 if self.damaged else super().sequence

    async def open(self, newest: int) -> None:
        """Fails where the switch says so."""
        self.damaged = True
        self.switch.check()
        await super().open(newest)

    async def update(self, *args: Any, **rest: Any) -> None:
        """Fails where the switch says so."""
        self.switch.check()
        await super().update(*args, **rest)
        self.switch.updated.set()


class Switch(EmbeddedIndexes):
    """Indexes that fail as those of a server do, while ``error`` is set."""

    name = "weaviate"

    def __init__(self, directory: Path) -> None:
        server = directory / "server"  # not where the store has files of its own
        server.mkdir(exist_ok=True)
        self.updated = anyio.Event()
        super().__init__(server, read_only=False)
        self.error: IndexServerError | None = None
        self.purges = 0
        self.failures_left = -1
        """After so many the server is there; a negative number never ends."""
        self._words = server / "words"

    def check(self) -> None:
        """Raise what is set."""
        if self.error is not None:
            error, self.failures_left = self.error, self.failures_left - 1
            if self.failures_left == 0:
                self.error = None
            raise error

    def text(self, identity: str, rows_of: RowsOf, on_damage: Callable[[], None]) -> FailingText:
        """As embedded ones, with the switch."""
        text = FailingText(self._words, identity, rows_of, on_damage, read_only=False)
        text.switch = self
        return text


@asynccontextmanager
async def opened(folder: Path) -> AsyncGenerator[tuple[EvolvingMemory, IndexedStore, Switch]]:
    """An empty memory."""
    switch = Switch(folder)
    async with open_store(folder, indexes=switch) as store:
        memory = EvolvingMemory(store, Letters(), BundledEmbedder())
        await memory.start()
        yield memory, store, switch


async def test_a_server_that_fails_keeps_nothing_from_being_stored_and_asked(tmp_path: Path) -> None:
    """Documents are stored, a plain search answers and says so, the rarest words first; later the index has everything."""
    async with opened(tmp_path) as (memory, store, switch):
        switch.error = UnreachableServerError("the server does not answer")
        note = TextDocument(id="note", content="# Rivers\n\nAn otter lives in the river.", metadata={"source": "test"})
        await memory.store([talk(), note])
        answer = await memory.query(Query(text="is the lamp broken?", context=0))
        assert "index" in answer.degraded
        assert [hit.text for hit in answer.hits][:2] == [LINES[2], LINES[1]]
        assert answer.hits[0].scores.keys() == {"lexical"}
        answer = await memory.query('"red lamp"')
        assert [hit.text for hit in answer.hits] == [LINES[1]]
        answer = await memory.query(Query(text="otter", sources=("test",)))
        assert "otter" in answer.hits[0].text
        assert (await memory.query(Query(text="lamp", sources=("elsewhere",)))).hits == ()
        assert (await store.stats()).lag["words"] > 0
        switch.error = None
        await store.refresh_indexes()
        answer = await memory.query("is the lamp broken?")
        assert "index" not in answer.degraded
        assert answer.hits[0].text == LINES[2]
        assert answer.hits[0].scores.keys() >= {"lexical", "vector"}


@pytest.mark.slow
async def test_a_server_that_comes_an_hour_late_gets_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Asked every five seconds, it fails 720 times; nobody gives up, and it then has every message once."""
    monkeypatch.setattr(indexed_store, "RETRY_AFTER", 0.0)
    async with opened(tmp_path) as (memory, store, switch):
        switch.error, switch.failures_left = UnreachableServerError("the server does not answer"), 720
        await memory.store([talk()])
        with anyio.fail_after(60):
            await switch.updated.wait()
        await store.refresh_indexes()
        assert len(await store.text.rows()) == len(LINES)
        assert not any((await store.stats()).lag.values())
        assert "index" not in (await memory.query("is the lamp broken?")).degraded


async def test_too_much_is_not_looked_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The question fails with an error that may be tried again; a filter that lets little pass is answered."""
    async with opened(tmp_path) as (memory, _, switch):
        await memory.store([talk()])
        monkeypatch.setattr(scan, "MOST", 3)
        switch.error = IndexServerError("refused")
        with pytest.raises(StoreError, match="too much is stored") as refused:
            await memory.query("lamp")
        assert refused.value.meaning.retryable
        narrow = Query(text="lamp", since=START + timedelta(minutes=1), until=START + timedelta(minutes=2))
        assert [hit.text for hit in (await memory.query(narrow)).hits] == [LINES[1]]


def holding(folder: Path, word: bytes) -> set[str]:
    """The files that hold a word."""
    return {path.name for path in folder.rglob("*") if path.is_file() and word in path.read_bytes()}


@pytest.mark.slow
async def test_what_is_forgotten_leaves_this_machine_while_the_server_fails(tmp_path: Path) -> None:
    """Its words leave memory.db at once, and files of an index of before; the server's part is done when it answers again."""
    async with open_store(tmp_path) as store:  # found by files first
        memory = EvolvingMemory(store, Letters(), BundledEmbedder())
        await memory.start()
        await memory.store([talk(), TextDocument(id="note", content="a zugzwang", metadata={"source": "test"})])
    assert "memory.db" in holding(tmp_path, b"zugzwang")
    assert (tmp_path / "words").exists()
    async with opened(tmp_path) as (_, store, switch):
        await store.refresh_indexes()
        (found,) = await store.database.read(documents_read.find, "note")
        switch.error = UnreachableServerError("the server does not answer")
        await store.forget(Removal(documents=[found.key]))
        with pytest.raises(UnreachableServerError):
            await store.purge()
        assert holding(tmp_path, b"zugzwang") <= {path.name for path in (tmp_path / "server").rglob("*")}
        assert not (tmp_path / "words").exists()
        switch.error = None
        await store.purge()
        assert holding(tmp_path, b"zugzwang") == set()
        answer = await EvolvingMemory(store, None, BundledEmbedder()).query("kayak")
        assert answer.hits[0].text == LINES[3]


@pytest.mark.slow
async def test_what_was_forgotten_while_a_server_was_not_in_use_leaves_it_when_it_answers(tmp_path: Path) -> None:
    """It was away at the start, too: each opening of its index looks at how far it had come."""
    note = TextDocument(id="note", content="a zugzwang", metadata={"source": "test"})
    switch = Switch(tmp_path)
    async with open_store(tmp_path, indexes=switch) as store:
        await EvolvingMemory(store, None, BundledEmbedder()).store([talk(), note])
    async with open_store(tmp_path) as store:  # found by files meanwhile
        (found,) = await store.database.read(documents_read.find, "note")
        await store.forget(Removal(documents=[found.key]))
        await store.purge()
    switch = Switch(tmp_path)
    switch.error = UnreachableServerError("the server does not answer")
    async with open_store(tmp_path, indexes=switch) as store:
        assert not switch.purges
        switch.error = None
        await store.refresh_indexes()
        await store.purge()
        assert switch.purges == 1
    async with open_store(tmp_path, indexes=switch) as store:
        await store.purge()
        assert switch.purges == 1
