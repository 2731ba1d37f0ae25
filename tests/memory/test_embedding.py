"""The bundled embedder keeps the contract, and tells what is wrong with its files."""

from __future__ import annotations

import shutil
from itertools import pairwise
from pathlib import Path

import anyio
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.memory.embedding import bundled
from memd.memory.embedding.bundled import ENGLISH, MODELS, NAME, BundledEmbedder, BundledModel, bundled_model
from memd.memory.embedding.embedder import checked
from memd.memory.embedding.local import batches
from memd.schemas.errors import ConfigError, EmbeddingError
from memd.tests.cases import for_each
from memd.tests.contracts.embedder import EmbedderContract
from memd.tests.effort import examples

SHARED = BundledEmbedder()
SMALL = BundledEmbedder(model=ENGLISH)
BOTH = pytest.mark.parametrize("embedder", [SHARED, SMALL], ids=[NAME, ENGLISH])


class TestBundledEmbedder(EmbedderContract):
    """The model that ships with memd."""

    @pytest.fixture
    def embedder(self) -> BundledEmbedder:
        """One for all tests: loading takes most of a second."""
        return SHARED

    @pytest.mark.slow
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


class TestEnglishEmbedder(EmbedderContract):
    """The English one of its own package."""

    @pytest.fixture
    def embedder(self) -> BundledEmbedder:
        """One for all tests."""
        return SMALL


def test_its_names_and_sizes() -> None:
    """Name, dimension and window are those of the model's card; the prefix of documents takes two tokens."""
    assert (SHARED.name, SHARED.dimension, SHARED.max_tokens) == ("multilingual-e5-small-int8", 384, 508)
    assert (SMALL.name, SMALL.dimension, SMALL.max_tokens) == ("bge-small-en-v1.5-int8", 384, 510)


@pytest.mark.slow
@pytest.mark.anyio
async def test_a_question_finds_its_answer_in_another_language() -> None:
    """The answer is nearer than something else in the question's own language."""
    answers = await SHARED.embed_documents(["Bob: ich bin nach Lissabon gezogen", "Bob: the printer is out of toner"])
    for question in ("where does Bob live?", "ボブはどこに住んでいますか", "Bob nerede yaşıyor?"):
        near, far = answers @ await SHARED.embed_query(question)
        assert near > far, question


def test_a_model_that_is_not_there_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    """An unknown name tells those that are known; a package that is missing is named."""
    with pytest.raises(ConfigError, match="no bundled model 'bert'") as caught:
        BundledEmbedder(model="bert")
    assert ENGLISH in (caught.value.hint or "")
    lost = BundledModel("tokenizer.json", "memd_model_nowhere", "memd-model-nowhere")
    monkeypatch.setattr(bundled, "MODELS", {**MODELS, "lost": lost})
    with pytest.raises(ConfigError, match="the model lost is not installed") as caught:
        BundledEmbedder(model="lost")
    assert "memd-model-nowhere" in (caught.value.hint or "")


@pytest.mark.anyio
@pytest.mark.parametrize("model", MODELS)
async def test_a_missing_model_is_explained(tmp_path: Path, model: str) -> None:
    """Without its files the embedder fails by name of the file, with a next step."""
    embedder = BundledEmbedder(tmp_path, model=model)
    for attempt in (embedder.load(), embedder.embed_query("x"), embedder.embed_documents(["x"])):
        with pytest.raises(EmbeddingError, match=f"{MODELS[model].tokenizer} is missing") as caught:
            await attempt
        assert caught.value.hint


@pytest.mark.slow
@pytest.mark.anyio
@pytest.mark.parametrize(("model", "name"), [(each, name) for each in MODELS for name in ("model.onnx", "tokenizer")])
async def test_a_damaged_model_is_explained(tmp_path: Path, model: str, name: str) -> None:
    """A file that was cut off is reported, not crashed on."""
    name = MODELS[model].tokenizer if name == "tokenizer" else name
    for file in ("model.onnx", MODELS[model].tokenizer):
        whole = (bundled_model(model) / file).read_bytes()
        (tmp_path / file).write_bytes(whole[: len(whole) // 2] if file == name else whole)
    with pytest.raises(EmbeddingError, match="is damaged") as caught:
        await BundledEmbedder(tmp_path, model=model).load()
    assert name in str(caught.value)
    assert caught.value.hint


@pytest.mark.slow
@pytest.mark.anyio
async def test_weights_that_are_cut_off_or_missing_are_explained(tmp_path: Path) -> None:
    """They lie in a file of their own, which is mapped: reading behind its end would end the process."""
    for file in bundled_model().iterdir():
        shutil.copy(file, tmp_path)
    weights = tmp_path / "model.onnx.data"
    with weights.open("r+b") as file:
        file.truncate(weights.stat().st_size // 2)
    with pytest.raises(EmbeddingError, match=r"model\.onnx is damaged"):
        await BundledEmbedder(tmp_path).load()
    weights.unlink()
    with pytest.raises(EmbeddingError, match=r"model\.onnx is damaged"):
        await BundledEmbedder(tmp_path).load()


def test_loading_waits_until_needed(tmp_path: Path) -> None:
    """Constructing an embedder touches no file."""
    assert BundledEmbedder(tmp_path / "nowhere").dimension == 384


@BOTH
@given(text=st.text())
@settings(max_examples=examples(30), deadline=None)
def test_offsets_lie_in_the_text_and_ascend(embedder: BundledEmbedder, text: str) -> None:
    """Spans are of characters of the text, in order, as many as are counted."""
    spans = embedder.token_offsets(text)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(a[0] <= b[0] and a[1] <= b[1] for a, b in pairwise(spans))
    assert embedder.count_many([text, text]) == [len(spans)] * 2


@BOTH
@pytest.mark.parametrize("special", ["[SEP]", "</s>", "<s>"])
def test_special_tokens_in_a_text_are_plain_text(embedder: BundledEmbedder, special: str) -> None:
    """Somebody who writes [SEP] cannot end the text for the model."""
    assert len(embedder.token_offsets(special)) > 1


def test_pieces_are_spans_of_the_text_as_it_was_written() -> None:
    """Characters that are normalised or composed keep their places; the blank before a word is in no span."""
    text = "\uff28ello \ufb01ne caf" + "e\N{COMBINING ACUTE ACCENT} " + "\u6771\u4eac"
    assert [text[start:end] for start, end in SHARED.token_offsets(text)] == [
        "\uff28ello", "\ufb01ne", "caf" + "e\N{COMBINING ACUTE ACCENT}", " ", "\u6771\u4eac"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("Hello world, wie geht's?", [35378, 8999, 4, 1225, 8644, 25, 7, 32]),
        ("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", [383, 140113]),
        ("\U0001f468\u200d\U0001f469", [6, 244314, 6, 244785]),
        ("x\u200by", [1022, 113]),
    ],
)
def test_ids_are_those_of_the_model(text: str, ids: list[int]) -> None:
    """As tokenizers reads its tokenizer.json: with joiners as blanks."""
    assert SHARED._ids([text], "") == [[0, *ids, 2]]  # pyright: ignore[reportPrivateUsage]


def test_batches_respect_the_limit() -> None:
    """Count times longest stays below the limit, nothing is lost, and what is too long goes alone."""
    lengths = [5, 900, 5, 7, 100, 2, 90]
    cut = list(batches(lengths, 200))
    assert sorted(index for batch in cut for index in batch) == list(range(len(lengths)))
    assert all(len(batch) * max(lengths[i] for i in batch) <= 200 for batch in cut if len(batch) > 1)
    assert [1] in cut


@for_each(
    [
        np.full((1, 3), np.nan, np.float32),
        np.array([[np.inf, 0, 0]], np.float32),
        np.zeros((1, 3), np.float32),
        np.ones((1, 4), np.float32),
        np.ones((2, 3), np.float32),
        np.ones(3, np.float32),
    ]
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


@pytest.mark.slow
@BOTH
@pytest.mark.anyio
async def test_a_model_for_one_question_goes_after_it(embedder: BundledEmbedder) -> None:
    """And comes again for another, which has the same vector."""
    alone = BundledEmbedder(model=embedder.name)
    alone.unloads_after_question = True
    first = await alone.embed_query("where is the red bicycle?")
    assert not alone.loaded
    assert np.array_equal(await alone.embed_query("where is the red bicycle?"), first)
    assert np.array_equal(first, await embedder.embed_query("where is the red bicycle?"))
