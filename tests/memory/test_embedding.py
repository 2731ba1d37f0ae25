"""The bundled embedder keeps the contract, and tells what is wrong with its files."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import anyio
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.memory.embedding.bundled import BundledEmbedder, bundled_model
from memd.memory.embedding.embedder import checked
from memd.memory.embedding.local import batches
from memd.schemas.errors import EmbeddingError
from memd.tests.contracts.embedder import EmbedderContract

SHARED = BundledEmbedder()


class TestBundledEmbedder(EmbedderContract):
    """The model that ships with memd."""

    @pytest.fixture
    def embedder(self) -> BundledEmbedder:
        """One for all tests: loading takes most of a second."""
        return SHARED

    @pytest.mark.anyio
    async def test_a_question_does_not_wait_for_documents(self, embedder: BundledEmbedder) -> None:
        """A question asked in the midst of a long import is answered before the import ends."""
        events: list[str] = []

        async def import_documents() -> None:
            await embedder.embed_documents([f"text {index} of an import" for index in range(600)])
            events.append("documents")

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(import_documents)
            await anyio.sleep(0.05)
            await embedder.embed_query("who is waiting?")
            events.append("question")
        assert events == ["question", "documents"]


def test_its_names_and_sizes() -> None:
    """Name, dimension and window are those of the model's card."""
    assert (SHARED.name, SHARED.dimension, SHARED.max_tokens) == ("bge-small-en-v1.5-int8", 384, 510)


@pytest.mark.anyio
async def test_a_missing_model_is_explained(tmp_path: Path) -> None:
    """Without its files the embedder fails by name of the file, with a next step."""
    embedder = BundledEmbedder(tmp_path)
    for attempt in (embedder.load(), embedder.embed_query("x"), embedder.embed_documents(["x"])):
        with pytest.raises(EmbeddingError, match=r"tokenizer\.json is missing") as caught:
            await attempt
        assert caught.value.hint


@pytest.mark.anyio
@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
async def test_a_damaged_model_is_explained(tmp_path: Path, name: str) -> None:
    """A file that was cut off is reported, not crashed on."""
    for file in ("model.onnx", "tokenizer.json"):
        whole = (bundled_model() / file).read_bytes()
        (tmp_path / file).write_bytes(whole[: len(whole) // 2] if file == name else whole)
    with pytest.raises(EmbeddingError, match="is damaged") as caught:
        await BundledEmbedder(tmp_path).load()
    assert name in str(caught.value)
    assert caught.value.hint


def test_loading_waits_until_needed(tmp_path: Path) -> None:
    """Constructing an embedder touches no file."""
    assert BundledEmbedder(tmp_path / "nowhere").dimension == 384


@given(st.text())
def test_offsets_lie_in_the_text_and_ascend(text: str) -> None:
    """Spans are of characters of the text, in order, as many as are counted."""
    spans = SHARED.token_offsets(text)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(a[0] <= b[0] and a[1] <= b[1] for a, b in pairwise(spans))
    assert SHARED.count_many([text, text]) == [len(spans)] * 2


def test_special_tokens_in_a_text_are_plain_text() -> None:
    """Somebody who writes [SEP] cannot end the text for the model."""
    assert len(SHARED.token_offsets("[SEP]")) > 1


def test_batches_respect_the_limit() -> None:
    """Count times longest stays below the limit, nothing is lost, and what is too long goes alone."""
    lengths = [5, 900, 5, 7, 100, 2, 90]
    cut = list(batches(lengths, 200))
    assert sorted(index for batch in cut for index in batch) == list(range(len(lengths)))
    assert all(len(batch) * max(lengths[i] for i in batch) <= 200 for batch in cut if len(batch) > 1)
    assert [1] in cut


@pytest.mark.parametrize(
    "vectors",
    [
        np.full((1, 3), np.nan, np.float32),
        np.array([[np.inf, 0, 0]], np.float32),
        np.zeros((1, 3), np.float32),
        np.ones((1, 4), np.float32),
        np.ones((2, 3), np.float32),
        np.ones(3, np.float32),
    ],
    ids=["nan", "infinite", "zero", "wide", "many", "flat"],
)
def test_unusable_vectors_are_refused(vectors: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> None:
    """Not finite, zero or of the wrong shape: refused before it can harm an index."""
    with pytest.raises(EmbeddingError):
        checked(vectors, 1, 3)


def test_usable_vectors_become_unit_length() -> None:
    """Also the tiniest and the largest keep their direction."""
    tiny, large = np.float32(1e-30), np.float32(1e30)
    found = checked(np.array([[tiny, 0], [0, large]], np.float32), 2, 2)
    assert np.allclose(found, np.eye(2))
