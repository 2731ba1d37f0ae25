"""The title of a text and the subject of a mail are among the words by which it is found; the name of a chat is not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from memd.memory.indexing.indexed_store import open_store
from memd.memory.search_types import Filter
from memd.memory.store.documents_write import apply_changes
from memd.memory.write_batches import WriteBatch
from memd.schemas import Arm
from memd.tests.memory.store.samples import conversation, group, keys_of, text_group
from memd.tests.memory.store.searches import search_words

NEIGHBOURHOODS: tuple[Arm, ...] = ("near", "wide")
LINES = [("Ann", "see you at three"), ("Bob", "with cake")]


def _titled(changes: WriteBatch, title: str) -> WriteBatch:
    return replace(changes, documents=[replace(changes.documents[0], metadata={"title": title})])


@pytest.mark.anyio
async def test_titles_are_among_the_words(tmp_path: Path) -> None:
    """All of a document is in the neighbourhood of its title, which is a word of its beginning alone; a changed title
    counts at once.
    """
    mail = _titled(group(conversation("a", source="mail"), LINES), "Kayak party")
    note = _titled(text_group("b", ["one piece", "and another", "and the kayak"]), "About the kayak")
    async with open_store(tmp_path) as store:

        async def found(arm: Arm, word: str) -> set[object]:
            await store.refresh_indexes()
            return set(keys_of(await search_words(store, arm, [word], Filter(), 100)))

        for changes in (mail, note, _titled(group(conversation("c"), LINES), "Kayak")):
            await store.database.write(apply_changes, changes)
        chunks = [chunk.key for chunk in (*mail.chunks, *note.chunks)]
        for arm in NEIGHBOURHOODS:
            assert await found(arm, "kayak") == set(chunks), arm
        assert await found("lexical", "kayak") == {chunks[0], chunks[2], chunks[4]}
        await store.database.write(apply_changes, _titled(mail, "Boat party"))
        assert await found("lexical", "kayak") == {chunks[2], chunks[4]}
        assert await found("lexical", "boat") == {chunks[0]}
