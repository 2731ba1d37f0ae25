"""Scores by words and vectors are exact; vectors belong to texts and to one generation."""

from __future__ import annotations

from dataclasses import replace
from uuid import uuid4

import numpy as np
import pytest

from memd.memory.records import (
    Generation,
)
from memd.memory.search_types import Filter, QuestionVectors
from memd.memory.store.documents_write import apply_changes
from memd.memory.store.vectors import compared_chunks, generation_of, keep_vectors, pending_texts
from memd.memory.text import analyzer
from memd.memory.write_batches import WriteBatch
from memd.schemas.errors import EmbeddingError
from memd.schemas.keys import text_hash
from memd.tests.memory.store.samples import GENERATION, LINES, Opening, conversation, filled, group, keys_of, vector_of
from memd.tests.memory.store.searches import search_vectors, search_words


@pytest.mark.anyio
async def test_among_scores_exactly(opening: Opening) -> None:
    """The score among a few equals the score among all, in every arm; those without a term are left out."""
    changes = group(conversation("a"), [("Ann", f"lamp {'cabin ' * (n % 4)} {n}") for n in range(600)])
    async with filled(opening, changes) as store:
        some = [chunk.key for chunk in changes.chunks[50:550]]
        for arm in ("lexical", "near", "wide"):
            everything = {s.key: s.score for s in await search_words(store, arm, ["lamp", "cabin"], Filter(), 600)}
            found = await search_words(store, arm, ["lamp", "cabin"], Filter(), 600, some)
            assert set(keys_of(found)) == set(some)
            assert all(abs(scored.score - everything[scored.key]) < 1e-4 for scored in found)
            assert [s.score for s in found] == sorted((s.score for s in found), reverse=True)
        lacking = await search_words(store, "lexical", ["cabin"], Filter(), 600, some)
        assert len(lacking) == 375
        asked = vector_of("q")
        near = await search_vectors(store, asked, Filter(), 600, [*some, uuid4()])
        assert len(near) == 500
        exact = {c.key: float(asked @ vector_of(c.embed_text)) for c in changes.chunks}
        assert all(abs(scored.score - exact[scored.key]) < 2e-3 for scored in near)
        assert await search_words(store, "lexical", ["lamp"], Filter(), 10, []) == []
        assert await search_vectors(store, asked, Filter(), 10, []) == []


@pytest.mark.anyio
async def test_chunks_are_compared_with_the_question_and_with_their_mean(opening: Opening) -> None:
    """In the order they are asked for; NaN for those without a vector."""
    changes = group(conversation("a"), LINES[:3])
    async with filled(opening, changes) as store:
        rows = await store.database.read(
            lambda c: [row for (row,) in c.execute("SELECT id FROM chunks ORDER BY id DESC")]
        )
        compared = await store.database.read(
            compared_chunks, QuestionVectors(3 * vector_of("q")), [rows[0], 999, *rows[1:]]
        )
        units = np.stack([vector_of(chunk.embed_text) for chunk in reversed(changes.chunks)])
        units /= np.linalg.norm(units, axis=1, keepdims=True)
        mean = units.mean(axis=0)
        for told, other in ((compared.cosines, vector_of("q")), (compared.typical, mean)):
            assert np.isnan(told[1])
            expected = units @ (other / np.linalg.norm(other))
            assert np.delete(told, 1).tolist() == pytest.approx(expected.tolist(), abs=1e-5)
        nothing = await store.database.read(compared_chunks, QuestionVectors(vector_of("q")), [999])
        assert np.isnan(nothing.cosines).all()
        assert np.isnan(nothing.typical).all()


@pytest.mark.anyio
async def test_strange_terms_are_words_not_syntax(opening: Opening) -> None:
    """Unknown terms, query syntax, very long terms and thousands of terms are answered."""
    async with filled(opening, group(conversation("a"), LINES)) as store:
        for terms in (
            ["nothing"],
            ['what about (this: "'],
            ["*:*", "AND", "lexical:lamp"],
            ["x" * 70_000],
            ["\0", ""],
        ):
            assert await search_words(store, "lexical", terms, Filter(), 10) == []
        huge = [f"w{n}" for n in range(5_000)] + ["lamp"]
        assert len(await search_words(store, "lexical", huge, Filter(), 10)) == 2


@pytest.mark.anyio
async def test_bad_vectors_are_refused(opening: Opening) -> None:
    """Wrong dimension, zero or not finite: EmbeddingError, and nothing of that group is kept."""
    changes = group(conversation("a"), LINES[:2])
    good, bad = (text_hash(chunk.embed_text) for chunk in changes.chunks)
    async with opening() as store:
        await store.database.write(apply_changes, changes)
        with pytest.raises(EmbeddingError):
            await store.database.write(keep_vectors, {good: vector_of("g")})
        await store.set_generation(GENERATION)
        nan = np.full(16, np.nan, dtype=np.float32)
        inf = np.full(16, np.inf, dtype=np.float32)
        for vector in (vector_of("x", 8), np.zeros(16, dtype=np.float32), nan, inf):
            with pytest.raises(EmbeddingError):
                await store.database.write(keep_vectors, {good: vector_of("g"), bad: vector})
        assert len(await store.database.read(pending_texts, 10)) == 2
        await store.refresh_indexes()
        assert await search_vectors(store, vector_of("g"), Filter(), 10) == []


@pytest.mark.anyio
async def test_a_chunk_without_a_text_to_embed_waits_for_no_vector(opening: Opening) -> None:
    """It is found by its words, and nothing is pending for it, also under another model."""
    plain = group(conversation("a"), [("Ann", "omitted"), ("Ann", "hello")])
    bare = replace(plain, chunks=[replace(plain.chunks[0], embed_text=""), plain.chunks[1]])
    async with opening() as store:
        await store.set_generation(GENERATION)
        await store.database.write(apply_changes, bare)
        assert [text.text for text in await store.database.read(pending_texts, 10)] == ["Ann: hello"]
        await store.set_generation(replace(GENERATION, model="another"))
        assert [text.text for text in await store.database.read(pending_texts, 10)] == ["Ann: hello"]
        await store.refresh_indexes()
        found = await search_words(store, "lexical", analyzer.terms("omitted"), Filter(), 10)
        assert [hit.key for hit in found] == [bare.chunks[0].key]


@pytest.mark.anyio
async def test_pending_texts_are_distinct_and_in_order(opening: Opening) -> None:
    """Equal texts wait once, the oldest first; what has its vector or lost its chunk waits no more."""
    first = group(conversation("a"), [("Ann", "one"), ("Ann", "two"), ("Ann", "one")])
    second = group(conversation("b"), [("Ann", "two"), ("Ann", "three")])
    async with opening() as store:
        await store.set_generation(GENERATION)
        await store.database.write(apply_changes, first)
        await store.database.write(apply_changes, second)
        waiting = await store.database.read(pending_texts, 10)
        assert [text.text for text in waiting] == ["Ann: one", "Ann: two", "Ann: three"]
        assert [text.hash for text in waiting] == [text_hash(text.text) for text in waiting]
        assert await store.database.read(pending_texts, 1) == waiting[:1]
        await store.database.write(keep_vectors, {waiting[0].hash: vector_of("Ann: one")})
        assert await store.database.read(pending_texts, 10) == waiting[1:]
        await store.database.write(apply_changes, WriteBatch(dropped_chunks=[second.chunks[1].key]))
        assert await store.database.read(pending_texts, 10) == waiting[1:2]
        await store.database.write(apply_changes, WriteBatch(dropped_chunks=[second.chunks[0].key]))
        assert await store.database.read(pending_texts, 10) == waiting[1:2]
        await store.refresh_indexes()
        found = await search_vectors(store, vector_of("Ann: one"), Filter(), 10)
        assert set(keys_of(found)) == {first.chunks[0].key, first.chunks[2].key}


@pytest.mark.anyio
async def test_a_known_vector_serves_a_new_chunk(opening: Opening) -> None:
    """A new chunk with a known text is found by its vector without being embedded again."""
    first, second = group(conversation("a"), LINES), group(conversation("b"), LINES)
    async with filled(opening, first) as store:
        await store.database.write(apply_changes, second)
        assert await store.database.read(pending_texts, 10) == []
        await store.refresh_indexes()
        found = await search_vectors(store, vector_of(first.chunks[0].embed_text), Filter(), 2)
        assert set(keys_of(found)) == {first.chunks[0].key, second.chunks[0].key}


@pytest.mark.anyio
async def test_another_models_vectors_are_not_searched(opening: Opening) -> None:
    """A new generation starts without vectors; going back finds the old ones again."""
    changes = group(conversation("a"), LINES)
    other = Generation("other", 8, ("message-2", "recursive-1"))
    async with filled(opening, changes) as store:
        await store.set_generation(other)
        assert await store.database.read(generation_of) == other
        assert len(await store.database.read(pending_texts, 10)) == len(LINES)
        await store.refresh_indexes()
        assert await search_vectors(store, vector_of("q", 8), Filter(), 10) == []
        text = changes.chunks[0].embed_text
        await store.database.write(keep_vectors, {text_hash(text): vector_of(text, 8)})
        await store.refresh_indexes()
        assert keys_of(await search_vectors(store, vector_of(text, 8), Filter(), 10)) == [changes.chunks[0].key]
        await store.set_generation(GENERATION)
        await store.refresh_indexes()
        assert await store.database.read(pending_texts, 10) == []
        assert len(await search_vectors(store, vector_of("q"), Filter(), 10)) == len(LINES)
