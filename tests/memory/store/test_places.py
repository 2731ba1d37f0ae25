"""Where chunks stand: neighbourhoods end at the edge of their document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from uuid import UUID, uuid4

import numpy as np
import pytest

from memd.memory.search_types import CandidateSet, ChunkRef, Filter
from memd.memory.text import analyzer
from memd.schemas import Arm
from memd.tests.memory.store.samples import LINES, Opening, conversation, filled, group, keys_of, text_group, vector_of


def _best(seen: CandidateSet) -> dict[Arm, list[UUID]]:
    """By arm, the keys of its best."""
    return {arm: [seen.places[number].key for number in numbers] for arm, numbers in seen.best.items()}


def _scored(seen: CandidateSet) -> dict[Arm, dict[UUID, object]]:
    """By arm, the scores by key of the places that it gives one; cosines may differ in the last digits."""
    return {
        arm: {
            place.key: pytest.approx(float(score), rel=1e-5)
            for place, score in zip(seen.places, column, strict=True)
            if not np.isnan(score)
        }
        for arm, column in seen.scores.items()
    }


@pytest.mark.anyio
async def test_neighbourhoods_stop_at_the_documents_edge(opening: Opening) -> None:
    """The first and the last message have neighbours on one side only, and none in another document."""
    first, second = group(conversation("a"), LINES), group(conversation("b"), LINES)
    async with filled(opening, first, second) as backend:
        keys = [chunk.key for chunk in first.chunks]
        found = await backend.neighbours([keys[0]], 3, 1)
        assert {place.key for place in found} == {keys[1]}
        found = await backend.neighbours([keys[5]], 3, 1)
        assert {place.key for place in found} == set(keys[2:5])
        found = await backend.neighbours([keys[2], keys[3]], 1, 1)
        assert {place.key for place in found} == set(keys[1:5])
        assert len(found) == 4
        found = await backend.neighbours([keys[2]], 0, 0)
        assert found == []
        ordinals = [place.ordinal for place in (await backend.places(keys)).values()]
        assert sorted(ordinals) == list(range(6))


@pytest.mark.anyio
async def test_one_trip_gives_what_several_give(opening: Opening) -> None:
    """Surveys and `entries` with neighbours equal the single calls, with and without a filter."""
    changes = group(conversation("c"), LINES)
    async with filled(opening, changes) as backend:
        keys = [chunk.key for chunk in changes.chunks]
        terms, vector = ["lamp", "ferry"], vector_of("Bob: the lamp is broken")
        fields: list[Arm] = ["lexical", "near", "wide"]
        for where in (Filter(), Filter(speakers=("bob",))):
            some = {arm: await backend.search_words(arm, terms, where, 2) for arm in fields[1:]}
            words = await backend.survey_words(fields[1:], terms, where, 2)
            assert _best(words) == {arm: keys_of(hits) for arm, hits in some.items()}
            among = {place.key for place in words.places}
            assert among == {hit.key for hits in some.values() for hit in hits}
            assert words.found == len(words.places) == len(among)
            expected = {arm: await backend.search_words(arm, terms, where, 10, among) for arm in fields[1:]}
            assert _scored(words) == {arm: dict(hits) for arm, hits in expected.items()}
            nearest = await backend.search_vectors(vector, where, 2)
            union = {hit.key for hits in (*some.values(), nearest) for hit in hits}
            told: list[dict[Arm, list[UUID]]] = []

            def promising(
                places: Sequence[ChunkRef],
                best: Mapping[Arm, Sequence[int]],
                told: list[dict[Arm, list[UUID]]] = told,
            ) -> list[int]:
                told.append({arm: [places[n].key for n in numbers] for arm, numbers in best.items()})
                return [n for n, place in enumerate(places) if place.key == keys[0]]

            seen = await backend.survey(words, terms, vector, where, 2, promising)
            assert told == [_best(seen)]
            assert _best(seen) == {arm: keys_of(hits) for arm, hits in {**some, "vector": nearest}.items()}
            places = {place.key: place for place in seen.places}
            around = [place for place in await backend.neighbours(keys[:1], 1, 1) if keys[0] in union]
            assert places == {place.key: place for place in around} | await backend.places(union)
            assert {place.key for place in seen.places[: seen.found]} == union
            assert len(places) == len(seen.places)
            among = set(places)
            expected = {arm: await backend.search_words(arm, terms, where, 10, among) for arm in fields[1:]}
            expected["vector"] = await backend.search_vectors(vector, where, 10, among)
            assert _scored(seen) == {arm: dict(hits) for arm, hits in expected.items()}
            as_found = await backend.survey(CandidateSet(), terms, vector, where, 2, None)
            assert _scored(as_found) == {"vector": dict(nearest)}
        assert (await backend.survey(words, terms, None, Filter(), 2, None)).scores.keys() == {"near", "wide"}
        assert (await backend.entries(keys[1:2], 1)).keys() == set(keys[:3])
        nothing = await backend.survey(CandidateSet(), terms, None, Filter(), 2, None)
        assert (list(nothing.places), nothing.found, dict(nothing.scores)) == ([], 0, {})


@pytest.mark.anyio
async def test_a_place_tells_how_much_is_said_and_whether_it_asks(opening: Opening) -> None:
    """By the tokens of the chunk, and a question mark of any script at the end."""
    lines = [("Ann", "is it broken? "), ("Bob", "it is? no"), ("Ann", "\u58ca\u4e86\uff1f")]
    changes = group(conversation("c"), lines)
    async with filled(opening, changes) as backend:
        keys = [chunk.key for chunk in changes.chunks]
        places = await backend.places(keys)
        assert [(places[key].tokens, places[key].asks) for key in keys] == [(3, True), (3, False), (1, True)]
        beside = await backend.neighbours([keys[1]], 1, 1)
        assert {place.key: place for place in beside} == {key: places[key] for key in (keys[0], keys[2])}


@pytest.mark.anyio
async def test_texts_have_places_too(opening: Opening) -> None:
    """Pieces of a text neighbour each other; their owner is the document and they have no speaker."""
    changes = text_group("n", ["alpha one", "beta two", "gamma three"])
    async with filled(opening, changes) as backend:
        keys = [chunk.key for chunk in changes.chunks]
        place = (await backend.places(keys))[keys[1]]
        assert (place.owner, place.document, place.ordinal, place.speaker) == (place.document, place.owner, 1, "")
        assert {p.key for p in await backend.neighbours([keys[1]], 1, 1)} == {keys[0], keys[2]}
        assert set(keys_of(await backend.search_words("wide", ["alpha"], Filter(), 5))) == set(keys)
        assert keys_of(await backend.search_words("lexical", ["alpha"], Filter(), 5)) == [keys[0]]
        entry = (await backend.entries(keys))[keys[2]]
        assert (entry.text, entry.message) == ("gamma three", None)


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
    async with filled(opening, replace(changes, chunks=chunks)) as backend:
        places = await backend.places([half.key for half in halves])
        assert {place.ordinal for place in places.values()} == {2}
        beside = await backend.neighbours([halves[0].key], 1, 1)
        assert {place.key for place in beside} == {changes.chunks[1].key, changes.chunks[3].key}
        around = await backend.neighbours([changes.chunks[1].key], 0, 1)
        assert {place.key for place in around} == {half.key for half in halves}
        found = await backend.search_words("lexical", analyzer.terms("cabin"), Filter(), 5)
        assert keys_of(found) == [halves[1].key]
