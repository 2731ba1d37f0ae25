"""Where chunks stand: neighbourhoods end at the edge of their document."""

from __future__ import annotations

from dataclasses import replace
from uuid import uuid4

import pytest

from memd.memory.search_types import Filter
from memd.memory.store.hit_rows import HitPiece
from memd.memory.text import analyzer
from memd.tests.memory.store.samples import LINES, Opening, conversation, filled, group, keys_of, text_group
from memd.tests.memory.store.searches import beside, refs, search_words, shown


@pytest.mark.anyio
async def test_neighbourhoods_stop_at_the_documents_edge(opening: Opening) -> None:
    """The first and the last message have neighbours on one side only, and none in another document."""
    first, second = group(conversation("a"), LINES), group(conversation("b"), LINES)
    async with filled(opening, first, second) as store:
        keys = [chunk.key for chunk in first.chunks]
        assert set(await beside(store, [keys[0]], 1)) == {keys[1]}
        assert set(await beside(store, [keys[5]], 3)) == set(keys[2:5])
        assert set(await beside(store, [keys[2], keys[3]], 1)) == set(keys[1:5])
        assert await beside(store, [keys[2]], 0) == {}
        ordinals = [place.ordinal for place in (await refs(store, keys)).values()]
        assert sorted(ordinals) == list(range(6))


@pytest.mark.anyio
async def test_a_place_tells_how_much_is_said_and_whether_it_asks(opening: Opening) -> None:
    """By the tokens of the chunk, and a question mark of any script at the end."""
    lines = [("Ann", "is it broken? "), ("Bob", "it is? no"), ("Ann", "\u58ca\u4e86\uff1f")]
    changes = group(conversation("c"), lines)
    async with filled(opening, changes) as store:
        keys = [chunk.key for chunk in changes.chunks]
        places = await refs(store, keys)
        assert [(places[key].tokens, places[key].asks) for key in keys] == [(3, True), (3, False), (1, True)]
        assert await beside(store, [keys[1]], 1) == {key: places[key] for key in (keys[0], keys[2])}


@pytest.mark.anyio
async def test_texts_have_places_too(opening: Opening) -> None:
    """Pieces of a text neighbour each other; they have no message and no speaker."""
    changes = text_group("n", ["alpha one", "beta two", "gamma three"])
    async with filled(opening, changes) as store:
        keys = [chunk.key for chunk in changes.chunks]
        places = await refs(store, keys)
        assert (places[keys[1]].message, places[keys[1]].ordinal, places[keys[1]].speaker) == (None, 1, "")
        assert await beside(store, [keys[1]], 1) == {key: places[key] for key in (keys[0], keys[2])}
        assert set(keys_of(await search_words(store, "wide", ["alpha"], Filter(), 5))) == set(keys)
        assert keys_of(await search_words(store, "lexical", ["alpha"], Filter(), 5)) == [keys[0]]
        (piece,) = (await shown(store, [keys[2]])).found.values()
        assert isinstance(piece, HitPiece)
        assert (piece.key, piece.ordinal, piece.text) == (keys[2], 2, "gamma three")


@pytest.mark.anyio
async def test_all_chunks_of_a_long_message_share_its_place(opening: Opening) -> None:
    """Two chunks of one message have one ordinal, and neither neighbours the other."""
    document = conversation("a")
    changes = group(document, LINES)
    whole = changes.chunks[2]
    halves = [
        replace(whole, key=uuid4(), index=0, end=10, embed_text=f"Ann: {LINES[2][1][:10]}"),
        replace(whole, key=uuid4(), index=1, start=11, embed_text=f"Ann: {LINES[2][1][11:]}"),
    ]
    chunks = [*changes.chunks[:2], *halves, *changes.chunks[3:]]
    async with filled(opening, replace(changes, chunks=chunks)) as store:
        places = await refs(store, [half.key for half in halves])
        assert {place.ordinal for place in places.values()} == {2}
        assert set(await beside(store, [halves[0].key], 1)) == {changes.chunks[1].key, changes.chunks[3].key}
        around = await beside(store, [changes.chunks[1].key], 1)
        assert set(around) == {changes.chunks[0].key, *(half.key for half in halves)}
        found = await search_words(store, "lexical", analyzer.terms("cabin"), Filter(), 5)
        assert keys_of(found) == [halves[1].key]
