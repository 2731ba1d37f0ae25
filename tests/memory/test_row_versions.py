"""A changed row of an extractor: only windows with a word of it are read again, whatever was interrupted; facts are the same."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from memd.memory.embedding.bundled import BundledEmbedder
from memd.memory.extraction.extractor import Extraction, RowVersioned, RowVersions, changed_words, versioned_name
from memd.memory.extraction.rules.deferred import DeferredRulesExtractor
from memd.memory.extraction.rules.patterns import PATTERNS
from memd.memory.extraction.rules.prefilter import word_sums
from memd.memory.extraction.window import Window
from memd.memory.memory import EvolvingMemory
from memd.memory.store import fact_rows
from memd.memory.store.sqlite_store import SQLiteStore
from memd.schemas.keys import document_key
from memd.tests.contracts.knowledge import Homes, day, essence, known, read_all

pytestmark = pytest.mark.anyio
BUNDLED = BundledEmbedder()
LIVES, LIKES, LIKES_MORE = "lives-1", "likes-1", "likes-2"
ROWS = {LIVES: "live lived", LIKES: "like", LIKES_MORE: "like adore"}
CHAT = (
    day(0, ("Ann", "I live in Rome")),
    day(1, ("Ann", "I like tea")),
    day(2, ("Bob", "I live in Oslo"), ("Ann", "I like rain")),
    day(3, ("Bob", "I adore snow")),
)


class Rows(Homes):
    """Reads by rows: who lives where by one, who likes what by another."""

    name = "rows"

    def __init__(self, *rows: str, base: str = "base") -> None:
        super().__init__("+".join((base, *rows)))
        self.rows = RowVersions(base, {row: ROWS[row] for row in rows})
        self.read: list[str] = []

    def row_versions(self) -> RowVersions:
        """Of these rows."""
        return self.rows

    def is_touched(self, window: Window, words: AbstractSet[str]) -> bool:
        """Whether a line has one of the words."""
        return any(not words.isdisjoint(re.findall(r"\w+", line.text.casefold())) for line in window.lines)

    async def extract(self, windows: Sequence[Window], run: str = "") -> list[Extraction]:
        """As the rows do: what no row is for is not read."""
        self.read += [line.text for window in windows for line in window.lines]
        found = await super().extract(windows, run)
        attributes = {row.partition("-")[0] for row in self.rows.rows}
        kept = {"lives": "home", "likes": "likes"}
        return [
            Extraction(tuple(each for each in one.statements if each.attribute in {kept[name] for name in attributes}))
            for one in found
        ]


@asynccontextmanager
async def opened(folder: Path, extractor: Rows) -> AsyncGenerator[tuple[EvolvingMemory, SQLiteStore]]:
    """A memory that reads with it."""
    async with SQLiteStore.open(folder) as backend:
        memory = EvolvingMemory(backend, None, BUNDLED, extractor)
        await memory.start()
        yield memory, backend


KEYS = [document_key("chat", "", each.id) for each in CHAT]


async def readers(backend: SQLiteStore) -> set[str]:
    """Who read the windows, as it is noted."""
    return {note.extractor for each in (await backend.extractions(KEYS)).values() for note in each.windows}


async def facts_of(folder: Path, extractor: Rows) -> list[tuple[object, ...]]:
    """What a new memory knows that reads all of it with this extractor."""
    async with opened(folder, extractor) as (memory, _):
        await memory.store(CHAT)
        await read_all(memory)
        return essence(await known(memory))


async def test_only_windows_with_a_word_of_a_changed_row_are_read_again(tmp_path: Path) -> None:
    """All of them count as read by the new version, and what is known is what a new memory would know."""
    async with opened(tmp_path / "m", Rows(LIVES, LIKES)) as (memory, backend):
        await memory.store(CHAT)
        await read_all(memory)
    later = Rows(LIVES, LIKES_MORE)
    async with opened(tmp_path / "m", later) as (memory, backend):
        assert await memory.fact_service.pending_extraction_count() == len(CHAT)
        await read_all(memory)
        assert set(later.read) == {"I like tea", "I live in Oslo", "I like rain", "I adore snow"}
        assert await readers(backend) == {versioned_name(later)}
        assert essence(await known(memory)) == await facts_of(tmp_path / "new", Rows(LIVES, LIKES_MORE))


@pytest.mark.parametrize(
    "later", [Rows(LIVES, LIKES, base="other"), Homes("2")], ids=["what rows share", "an extractor without rows"]
)
async def test_where_more_than_rows_changed_all_is_read_again(tmp_path: Path, later: Homes) -> None:
    """Another base, or an extractor of another kind."""
    async with opened(tmp_path, Rows(LIVES, LIKES)) as (memory, _):
        await memory.store(CHAT)
        await read_all(memory)
        await memory.fact_service.set_extractor(later)
        await read_all(memory)
    assert later.windows == len(CHAT)


@pytest.mark.slow
async def test_a_version_that_comes_before_all_is_read_again_counts_from_each_version_that_read(tmp_path: Path) -> None:
    """The first two days are read by the second version, the others still by the first."""
    async with opened(tmp_path / "m", Rows(LIVES)) as (memory, _):
        await memory.store(CHAT)
        await read_all(memory)
        second = Rows(LIVES, LIKES)
        await memory.fact_service.set_extractor(second)
        await memory.fact_service.extract_documents("run", KEYS[:2])
    third = Rows(LIVES, LIKES_MORE)
    async with opened(tmp_path / "m", third) as (memory, _):
        await read_all(memory)
        assert set(third.read) == {"I like tea", "I live in Oslo", "I like rain", "I adore snow"}
        assert essence(await known(memory)) == await facts_of(tmp_path / "new", Rows(LIVES, LIKES_MORE))


async def test_the_rows_of_the_last_versions_are_kept(tmp_path: Path) -> None:
    """And no more of them, whatever comes."""
    versions = [Rows(LIVES), Rows(LIKES), Rows(LIVES, LIKES), Rows(LIKES_MORE), Rows(LIVES, LIKES_MORE)]
    async with opened(tmp_path, versions[0]) as (memory, backend):
        for each in versions[1:]:
            await memory.fact_service.set_extractor(each)
        kept: Mapping[str, RowVersions] = await backend.read(fact_rows.row_versions_of)
    assert kept == {versioned_name(each): each.rows for each in versions[-fact_rows.VERSIONS_KEPT :]}


async def test_a_version_that_comes_again_is_the_last_that_is_kept(tmp_path: Path) -> None:
    """As when an older memd is tried once more: what it read is what most windows are compared with."""
    first, second, third, last = Rows(LIVES), Rows(LIKES), Rows(LIVES, LIKES), Rows(LIVES, LIKES_MORE)
    async with opened(tmp_path, first) as (memory, backend):
        for each in (second, third, first, last):
            await memory.fact_service.set_extractor(each)
        kept: Mapping[str, RowVersions] = await backend.read(fact_rows.row_versions_of)
    assert list(kept) == [versioned_name(each) for each in (third, first, last)]


async def test_what_a_row_reads_that_moved_among_the_others_is_read_again(tmp_path: Path) -> None:
    """The first of two rows that read the same words is the one whose statement counts."""
    async with opened(tmp_path, Rows(LIVES, LIKES)) as (memory, _):
        await memory.store(CHAT)
        await read_all(memory)
    later = Rows(LIKES, LIVES)
    async with opened(tmp_path, later) as (memory, _):
        await read_all(memory)
    assert "I like tea" in later.read or "I live in Rome" in later.read


def test_of_rows_that_are_moved_the_fewest_count_as_changed() -> None:
    """One that goes to the end does not touch what only the others read."""
    rows = {LIVES: "live", LIKES: "like", LIKES_MORE: "adore"}
    moved = {LIKES: "like", LIKES_MORE: "adore", LIVES: "live"}
    assert changed_words(RowVersions("base", rows), RowVersions("base", moved)) == {"live"}


def test_the_rules_have_a_version_for_each_row() -> None:
    """With its cue words; a row that is left out touches what has one of them, and nothing else."""
    rules = DeferredRulesExtractor()
    assert isinstance(rules, RowVersioned)
    now = rules.row_versions()
    assert set(now.rows.values()) == {" ".join(sorted(word_sums(row.cues))) for row in PATTERNS}
    gone, *rest = now.rows.items()
    assert changed_words(now, RowVersions(now.base, dict(rest))) == frozenset(gone[1].split())
    assert changed_words(now, RowVersions("another", now.rows)) is None
    assert changed_words(now, now) == frozenset()


async def test_no_word_of_the_rules_is_stored(tmp_path: Path) -> None:
    """Whoever looks for a word in the files of a store finds none that nobody wrote."""
    async with SQLiteStore.open(tmp_path) as backend:
        await EvolvingMemory(backend, None, BUNDLED, DeferredRulesExtractor()).start()
        kept = await backend.read(fact_rows.row_versions_of)
    assert len(next(iter(kept.values())).rows) > 500
    held = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert not [word for word in (b"harbour", b"vegetarian", b"divorced", b"hermana") if word in held]
