"""The candidates for an answer: what single searches find, and the neighbours of some of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from uuid import UUID

import numpy as np
import pytest

from memd.memory.retrieval.candidates import NearHits, WordHits, compiled_filter, find_candidates, find_near, find_words
from memd.memory.search_types import CandidateSet, ChunkRef, Filter, QuestionVectors
from memd.schemas import Arm
from memd.tests.memory.store.samples import LINES, Opening, conversation, filled, group, keys_of, vector_of
from memd.tests.memory.store.searches import beside, refs, search_vectors, search_words, shown


def _best(seen: CandidateSet) -> dict[Arm, list[UUID]]:
    """By arm, the keys of its best."""
    return {arm: [UUID(bytes=seen.places[number].key) for number in numbers] for arm, numbers in seen.best.items()}


def _scored(seen: CandidateSet) -> dict[Arm, dict[UUID, object]]:
    """By arm, the scores by key of the places that it gives one; cosines may differ in the last digits."""
    return {
        arm: {
            UUID(bytes=place.key): pytest.approx(float(score), rel=1e-5)
            for place, score in zip(seen.places, column, strict=True)
            if not np.isnan(score)
        }
        for arm, column in seen.scores.items()
    }


@pytest.mark.anyio
async def test_candidates_are_what_single_searches_find(opening: Opening) -> None:
    """Candidates equal the single searches, with and without a filter."""
    changes = group(conversation("c"), LINES)
    async with filled(opening, changes) as store:
        keys = [chunk.key for chunk in changes.chunks]
        terms, vector = ["lamp", "ferry"], vector_of("Bob: the lamp is broken")
        fields: list[Arm] = ["lexical", "near", "wide"]
        for where in (Filter(), Filter(speakers=("bob",))):
            some = {arm: await search_words(store, arm, terms, where, 2) for arm in fields[1:]}
            compiled = await compiled_filter(store, where)
            words = await find_words(store, fields[1:], terms, compiled, 2)
            alone = await find_candidates(store, words, NearHits(), terms, compiled, None)
            assert _best(alone) == {arm: keys_of(hits) for arm, hits in some.items()}
            among = {UUID(bytes=place.key) for place in alone.places}
            assert among == {hit.key for hits in some.values() for hit in hits}
            assert alone.found == len(alone.places) == len(among)
            expected = {arm: await search_words(store, arm, terms, where, 10, among) for arm in fields[1:]}
            assert _scored(alone) == {arm: dict(hits) for arm, hits in expected.items()}
            nearest = await search_vectors(store, vector, where, 2)
            union = {hit.key for hits in (*some.values(), nearest) for hit in hits}
            told: list[dict[Arm, list[UUID]]] = []

            def promising(
                places: Sequence[ChunkRef],
                best: Mapping[Arm, Sequence[int]],
                told: list[dict[Arm, list[UUID]]] = told,
            ) -> list[int]:
                told.append({arm: [UUID(bytes=places[n].key) for n in numbers] for arm, numbers in best.items()})
                return [n for n, place in enumerate(places) if place.key == keys[0].bytes]

            near = await find_near(store, QuestionVectors(vector), compiled, 2)
            seen = await find_candidates(store, words, near, terms, compiled, promising)
            assert told == [_best(seen)]
            assert _best(seen) == {arm: keys_of(hits) for arm, hits in {**some, "vector": nearest}.items()}
            places = {UUID(bytes=place.key): place for place in seen.places}
            around = await beside(store, keys[:1], 1) if keys[0] in union else {}
            assert places == around | await refs(store, union)
            assert {UUID(bytes=place.key) for place in seen.places[: seen.found]} == union
            assert len(places) == len(seen.places)
            among = set(places)
            expected = {arm: await search_words(store, arm, terms, where, 10, among) for arm in fields[1:]}
            expected["vector"] = await search_vectors(store, vector, where, 10, among)
            assert _scored(seen) == {arm: dict(hits) for arm, hits in expected.items()}
            as_found = await find_candidates(store, WordHits(), near, terms, compiled, None)
            assert _scored(as_found) == {"vector": dict(nearest)}
        by_words = await find_candidates(store, words, NearHits(), terms, None, None)
        assert by_words.scores.keys() == {"near", "wide"}
        ((document, lines),) = (await shown(store, keys[1:2], 1)).lines.items()
        assert document == seen.places[0].document
        assert [lines[position].text for position in range(3)] == [text for _, text in LINES[:3]]
        nothing = await find_candidates(store, WordHits(), NearHits(), terms, None, None)
        assert (list(nothing.places), nothing.found, dict(nothing.scores)) == ([], 0, {})
