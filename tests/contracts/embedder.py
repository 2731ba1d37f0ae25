"""What every embedder must keep. A test file subclasses the suite and gives the embedder."""

from __future__ import annotations

from collections.abc import Sequence

import anyio
import numpy as np
import pytest
from numpy.typing import NDArray

from memd.memory.embedding.embedder import Embedder

ODD_TEXTS = [
    "",
    " \n\t ",
    "word",
    "[CLS] [SEP] [PAD] [MASK]",
    "\x00\x01\x1b[31m",
    "\ud800 lone \udfff surrogates \ud83d",
    "\N{FAMILY}\N{ZERO WIDTH JOINER}\N{VARIATION SELECTOR-16}",
    "東京に行きます、明日。",
    "ﷺ e\N{COMBINING ACUTE ACCENT}" * 20,
    "x" * 10_000,
    "many words " * 1_000,
    "\N{REPLACEMENT CHARACTER}",
]


class EmbedderContract:
    """Subclass it, and give a fixture ``embedder``."""

    @pytest.mark.slow
    @pytest.mark.anyio
    async def test_vectors_have_shape_type_and_unit_length(self, embedder: Embedder) -> None:
        """Documents give (n, dimension), a question (dimension,), all float32 of length one."""
        documents = await embedder.embed_documents(["Alice: see you at noon", "Bob: ok"])
        question = await embedder.embed_query("when do they meet?")
        assert documents.shape == (2, embedder.dimension)
        assert question.shape == (embedder.dimension,)
        assert documents.dtype == question.dtype == np.float32
        assert np.allclose(np.linalg.norm(documents, axis=1), 1, atol=1e-5)
        assert np.isclose(np.linalg.norm(question), 1, atol=1e-5)

    @pytest.mark.anyio
    async def test_no_texts_give_no_vectors(self, embedder: Embedder) -> None:
        """An empty list is answered by an empty matrix of the right width."""
        assert (await embedder.embed_documents([])).shape == (0, embedder.dimension)

    @pytest.mark.slow
    @pytest.mark.anyio
    async def test_any_text_has_a_vector(self, embedder: Embedder) -> None:
        """Empty, endless, broken and foreign texts are embedded like any other."""
        documents = await embedder.embed_documents(ODD_TEXTS)
        questions = [await embedder.embed_query(text) for text in ODD_TEXTS]
        assert np.isfinite(documents).all()
        assert np.allclose(np.linalg.norm(documents, axis=1), 1, atol=1e-5)
        assert np.isfinite(np.stack(questions)).all()

    @pytest.mark.slow
    @pytest.mark.anyio
    async def test_order_is_that_of_the_texts(self, embedder: Embedder) -> None:
        """However an embedder groups texts inside, each vector comes back in its text's place."""
        texts = [f"{word} " * count for word in ("tomato", "invoice", "violin") for count in (90, 1, 30)]
        together = await embedder.embed_documents(texts)
        for text, vector in zip(texts, together, strict=True):
            alone = (await embedder.embed_documents([text]))[0]
            others = together @ alone
            assert float(vector @ alone) > 0.97
            assert float(vector @ alone) >= float(others.max()) - 0.03

    @pytest.mark.anyio
    async def test_related_texts_are_nearer(self, embedder: Embedder) -> None:
        """An answer lies nearer to its question than a text about something else."""
        answer, other = await embedder.embed_documents(
            ["Bob: I moved to a flat in Lisbon last year", "Alice: the printer is out of toner again"]
        )
        question = await embedder.embed_query("where does Bob live?")
        assert _cosine(question, answer) > _cosine(question, other) + 0.05

    @pytest.mark.slow
    @pytest.mark.anyio
    async def test_a_cancelled_embedding_can_be_followed_by_another(self, embedder: Embedder) -> None:
        """Cancelled in the midst of many texts, it stops long before their end and goes on working."""
        texts = [f"number {index} of very many texts about gardens and trains" for index in range(20_000)]
        finished = False

        async def embed_all() -> None:
            nonlocal finished
            await embedder.embed_documents(texts)
            finished = True

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(embed_all)
            await anyio.sleep(0.1)
            tasks.cancel_scope.cancel()
        assert not finished
        assert (await embedder.embed_documents(["afterwards"])).shape == (1, embedder.dimension)

    @pytest.mark.anyio
    async def test_questions_and_documents_at_the_same_time(self, embedder: Embedder) -> None:
        """Callers do not get each other's vectors."""
        topics: Sequence[str] = ("my sister plays the cello", "the tax form is due in May", "goats on the mountain")
        alone = [await embedder.embed_query(topic) for topic in topics]
        found: dict[int, NDArray[np.float32]] = {}

        async def ask(index: int) -> None:
            found[index] = await embedder.embed_query(topics[index])

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(embedder.embed_documents, [*topics] * 20)
            for index in range(len(topics)):
                tasks.start_soon(ask, index)
        assert all(_cosine(found[index], alone[index]) > 0.97 for index in range(len(topics)))


def _cosine(a: NDArray[np.float32], b: NDArray[np.float32]) -> float:
    return float(a @ b)
