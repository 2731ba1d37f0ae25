"""A words index made by another text analysis is made anew from SQLite when the store is opened."""

from __future__ import annotations

from pathlib import Path

import pytest

from memd.memory.indexing.indexed_store import open_store
from memd.memory.search_types import Filter
from memd.memory.store.documents_write import apply_changes
from memd.memory.text import analyzer
from memd.memory.text.stemmer import stemmers
from memd.tests.memory.store.samples import LINES, conversation, group, keys_of
from memd.tests.memory.store.searches import search_words

TALK = group(conversation("a"), LINES)


def old_terms(text: str) -> list[str]:
    """What an earlier analysis might have made."""
    return ["old"] if text else []


@pytest.mark.anyio
@pytest.mark.slow
async def test_other_terms_make_the_index_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After an update that analyses otherwise, old messages are found by the new terms without anybody's doing."""
    with monkeypatch.context() as before:
        before.setattr(analyzer, "VERSION", "terms-0")
        before.setattr(analyzer, "terms", old_terms)
        async with open_store(tmp_path) as store:
            await store.database.write(apply_changes, TALK)
            await store.refresh_indexes()
            assert len(await search_words(store, "lexical", ["old"], Filter(), 100)) == len(TALK.chunks)
    async with open_store(tmp_path) as store:
        await store.refresh_indexes()
        assert await search_words(store, "lexical", ["old"], Filter(), 100) == []
        lamps = {chunk.key for chunk in TALK.chunks if "lamp" in chunk.embed_text}
        assert lamps
        assert set(keys_of(await search_words(store, "lexical", ["lamp"], Filter(), 100))) == lamps


def test_the_version_names_the_stemmers() -> None:
    """Another release of the stemmers may cut otherwise, so it is part of the version."""
    assert stemmers() in analyzer.VERSION
