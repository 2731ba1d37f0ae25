"""Models in folders: small ones of our own keep the contract, and folders that cannot be used are explained."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from memd.memory.embedding.bundled import ENGLISH, BundledEmbedder, bundled_model
from memd.memory.embedding.local import LocalEmbedder, pooled
from memd.memory.embedding.model_config import load_model_config
from memd.memory.embedding.tokenizer import tokenizer_in
from memd.schemas.errors import ConfigError, EmbeddingError
from memd.tests.contracts.embedder import EmbedderContract
from memd.tests.memory.small_models import FIRST_OF_BERT, write_bundled, write_model, write_tokenizer

POOLING = "1_Pooling/config.json"


def embedder_of(folder: Path, **options: Any) -> LocalEmbedder:
    """An embedder of a folder."""
    return LocalEmbedder(load_model_config(folder, **options), threads=1)


class TestMeanPooling(EmbedderContract):
    """The bundled network without its last steps, pooled by the mean, as a usual export lies in a folder."""

    @pytest.fixture(scope="class")
    @classmethod
    def embedder(cls, tmp_path_factory: pytest.TempPathFactory) -> LocalEmbedder:
        """One for all tests."""
        folder = tmp_path_factory.mktemp("mean")
        write_bundled(folder, "mean")
        return embedder_of(folder)


class TestClsPooling(EmbedderContract):
    """The same, pooled by the first token, with prefixes."""

    @pytest.fixture(scope="class")
    @classmethod
    def embedder(cls, tmp_path_factory: pytest.TempPathFactory) -> LocalEmbedder:
        """One for all tests."""
        folder = tmp_path_factory.mktemp("cls")
        write_bundled(folder, "cls")
        return embedder_of(folder, query_prefix="question: ", document_prefix="text: ")


class TestSmallModel(EmbedderContract):
    """A network of one table, a tokenizer by bytes without special tokens, every input there is, in int32."""

    @pytest.fixture(scope="class")
    @classmethod
    def embedder(cls, tmp_path_factory: pytest.TempPathFactory) -> LocalEmbedder:
        """One for all tests."""
        folder = tmp_path_factory.mktemp("small")
        write_tokenizer(folder)
        write_model(
            folder / "onnx" / "model.onnx", inputs=("attention_mask", "token_type_ids", "position_ids"), small=True
        )
        return embedder_of(folder, pooling="mean")


@pytest.mark.slow
@pytest.mark.anyio
async def test_pooling_the_first_token_gives_the_bundled_vectors(tmp_path: Path) -> None:
    """What the bundled model does inside its network is done outside of it alike."""
    write_bundled(tmp_path, "cls")
    texts = ["Ann: see you at noon", "a somewhat longer text about the weather in spring"]
    bundled = await BundledEmbedder(model=ENGLISH, threads=1).embed_documents(texts)
    assert np.allclose(await embedder_of(tmp_path).embed_documents(texts), bundled, atol=1e-5)
    with pytest.raises(EmbeddingError, match="not one vector a token"):  # this network computes the first one's alone
        await embedder_of(tmp_path, pooling="mean").embed_documents(texts)


@pytest.mark.slow
@pytest.mark.anyio
async def test_the_bundled_model_in_a_folder_gives_its_own_vectors(tmp_path: Path) -> None:
    """Copied elsewhere it needs no setting but the folder, and has another name: nobody vouches for a copy."""
    for file in ("model.onnx", "tokenizer.json"):
        shutil.copy(bundled_model(ENGLISH) / file, tmp_path)
    copied, bundled = embedder_of(tmp_path), BundledEmbedder(model=ENGLISH, threads=1)
    assert np.allclose(await copied.embed_query("what?"), await bundled.embed_query("what?"), atol=1e-6)
    assert copied.name.startswith(f"{tmp_path.name}@")
    assert (copied.dimension, copied.max_tokens) == (384, 510)


def test_means_leave_padding_out() -> None:
    """Of tokens that count, and of those alone; half precision becomes single."""
    tokens = np.array([[[1, 0], [3, 4], [99, 99]]], np.float16)
    mask = np.array([[1, 1, 0]])
    found = pooled(tokens, mask, "mean")
    assert found.dtype == np.float32
    assert found.tolist() == [[2, 2]]
    assert pooled(tokens, mask, "cls").tolist() == [[1, 0]]


@pytest.mark.anyio
async def test_padding_changes_no_vector(tmp_path: Path) -> None:
    """A short text beside a long one has the vector that it has alone."""
    write_tokenizer(tmp_path)
    write_model(tmp_path / "model.onnx")
    (tmp_path / "config.json").write_text(json.dumps({"pad_token_id": 1}))
    embedder = embedder_of(tmp_path, pooling="mean")
    together = await embedder.embed_documents(["ab", "a much longer text"])
    assert np.allclose(together[0], (await embedder.embed_documents(["ab"]))[0])


@pytest.mark.anyio
async def test_what_the_folder_says_is_used(tmp_path: Path) -> None:
    """Pooling, prompts, window and dimension from the files of sentence-transformers; settings go over them."""
    write_tokenizer(tmp_path)
    write_model(tmp_path / "model.onnx")
    for name, content in {
        POOLING: {"word_embedding_dimension": 16, "pooling_mode_mean_tokens": True, "pooling_mode_cls_token": False},
        "config_sentence_transformers.json": {"prompts": {"query": "q: ", "passage": "p: "}},
        "sentence_bert_config.json": {"max_seq_length": 40},
        "config.json": {"max_position_embeddings": 514, "model_type": "roberta", "pad_token_id": 1},
        "tokenizer_config.json": {"model_max_length": 10**30},
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(json.dumps(content))
    recipe = load_model_config(tmp_path)
    assert (recipe.pooling, recipe.query_prefix, recipe.document_prefix) == ("mean", "q: ", "p: ")
    assert (recipe.window, recipe.dimension, recipe.pad_id) == (40, 16, 1)
    over = load_model_config(tmp_path, pooling="cls", query_prefix="", document_prefix="x", max_tokens=20)
    assert (over.pooling, over.query_prefix, over.document_prefix, over.window) == ("cls", "", "x", 20)
    embedder = LocalEmbedder(recipe)
    assert embedder.max_tokens == 40 - 2 - 2  # the blank behind the prefix may be part of a token or none
    prefixed = await embedder.embed_documents(["text"])
    plain = await embedder_of(tmp_path, document_prefix="").embed_documents(["p: text"])
    assert np.allclose(prefixed, plain)


@pytest.mark.parametrize(
    ("files", "window"),
    [
        ({}, 512),
        ({"config.json": {"max_position_embeddings": 514, "model_type": "xlm-roberta"}}, 512),
        ({"config.json": {"max_position_embeddings": 8192}}, 1024),
        ({"config.json": {"max_position_embeddings": 128}, "sentence_bert_config.json": {"max_seq_length": 256}}, 128),
        ({"tokenizer_config.json": {"model_max_length": 77}}, 77),
        ({"sentence_bert_config.json": {"max_seq_length": None}, "tokenizer_config.json": {"model_max_length": 9}}, 9),
    ],
)
def test_the_window_is_the_smallest_limit(tmp_path: Path, files: dict[str, Any], window: int) -> None:
    """Of positions and of what the tokenizer is told; a very long one is not used unless asked for."""
    (tmp_path / "model.onnx").touch()
    (tmp_path / "tokenizer.json").touch()
    for name, content in files.items():
        (tmp_path / name).write_text(json.dumps(content))
    assert load_model_config(tmp_path).window == window


def test_names_tell_models_apart(tmp_path: Path) -> None:
    """Bytes of network and tokenizer, pooling and document prefix make the name; question prefix and window do not."""
    for folder in ("one", "two", "three"):
        (tmp_path / folder).mkdir()
        write_tokenizer(tmp_path / folder)
        write_model(tmp_path / folder / "model.onnx", seed=2 if folder == "two" else 1)
    one = tmp_path / "one"
    names = {
        load_model_config(one).name,
        load_model_config(tmp_path / "two", name="one").name,
        load_model_config(one, pooling="mean").name,
        load_model_config(one, document_prefix="d: ").name,
    }
    assert len(names) == 4
    assert load_model_config(one, query_prefix="q: ", max_tokens=30).name == load_model_config(one).name
    assert load_model_config(tmp_path / "three", name="one").name == load_model_config(one).name
    tokenizer = one / "tokenizer.json"
    before = load_model_config(one).name
    tokenizer.write_text(tokenizer.read_text() + " ")
    assert load_model_config(one).name != before


def test_large_files_are_told_apart_by_samples(tmp_path: Path) -> None:
    """Of ten megabytes, others in their weights, length or weights of their own file, none has the name of another."""
    (tmp_path / "tokenizer.json").touch()
    model, weights = tmp_path / "model.onnx", tmp_path / "model.onnx_data"
    names: set[str] = set()
    for fill, size in ((b"a", 10_000_000), (b"b", 10_000_000), (b"a", 10_000_001)):
        model.write_bytes(fill * size)
        names.add(load_model_config(tmp_path).name)
    for content in (b"1", b"2"):
        weights.write_bytes(content)
        names.add(load_model_config(tmp_path).name)
    assert len(names) == 5


def test_one_network_of_several_is_named(tmp_path: Path) -> None:
    """A lone network is found whatever its name; of several the setting names one."""
    write_tokenizer(tmp_path)
    quantized = tmp_path / "onnx" / "model_quantized.onnx"
    write_model(quantized)
    assert load_model_config(tmp_path).model == quantized
    write_model(tmp_path / "onnx" / "model_fp16.onnx")
    with pytest.raises(ConfigError, match=r"several models: onnx/model_fp16\.onnx, onnx/model_quantized\.onnx"):
        load_model_config(tmp_path)
    recipe = load_model_config(quantized)
    assert (recipe.model, recipe.tokenizer) == (quantized, tmp_path / "tokenizer.json")
    write_model(tmp_path / "onnx" / "model.onnx")
    assert load_model_config(tmp_path).model.name == "model.onnx"


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({}, "no model.onnx"),
        ({"model.onnx": b""}, "no tokenizer.json"),
        ({"model.onnx": b"", "tokenizer.json": b"", "config.json": b"{"}, "config.json is not JSON"),
        ({"model.onnx": b"", "tokenizer.json": b"", POOLING: b'{"pooling_mode_lasttoken": true}'}, "lasttoken"),
        ({"model.onnx": b"", "tokenizer.json": b"", POOLING: b'{"pooling_mode": "max"}'}, "pools by max"),
        (
            {
                "model.onnx": b"",
                "tokenizer.json": b"",
                POOLING: b'{"pooling_mode_mean_tokens": true, "pooling_mode_cls_token": true}',
            },
            r"cls\+mean",
        ),
        ({"model.onnx": b"", "tokenizer.json": b"", "config.json": b'{"hidden_size": 384}'}, "384 dimensions, not 7"),
    ],
)
def test_folders_of_no_use_are_explained(tmp_path: Path, files: dict[str, bytes], told: str) -> None:
    """What is missing or cannot be used, with a next step."""
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    with pytest.raises(ConfigError, match=told) as caught:
        load_model_config(tmp_path, dimensions=7)
    assert caught.value.hint


def test_paths_of_no_use_are_explained(tmp_path: Path) -> None:
    """Neither a folder nor a network."""
    with pytest.raises(ConfigError, match="no folder"):
        load_model_config(tmp_path / "nowhere")
    (tmp_path / "notes.txt").touch()
    with pytest.raises(ConfigError, match=r"nor an \.onnx file"):
        load_model_config(tmp_path / "notes.txt")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"inputs": ("pixel_values",)}, "wants pixel_values"),
        ({"outputs": ("tokens",)}, "nothing tells how"),
        ({"outputs": ("pooler_output", "logits")}, "no output that could be a vector"),
        ({"renamed": "ids"}, "wants ids"),
    ],
)
def test_networks_of_no_use_are_explained(tmp_path: Path, options: dict[str, Any], told: str) -> None:
    """No model of sentences, or one of which nothing tells how to use it."""
    write_tokenizer(tmp_path)
    write_model(tmp_path / "model.onnx", **options)
    with pytest.raises(EmbeddingError, match=told) as caught:
        embedder_of(tmp_path).load_now()
    assert caught.value.hint


def test_an_output_for_the_whole_text_needs_no_pooling(tmp_path: Path) -> None:
    """``sentence_embedding`` is taken as it is; the dimension is measured when no file tells it."""
    write_tokenizer(tmp_path)
    write_model(tmp_path / "model.onnx", outputs=("tokens", "sentence_embedding"))
    assert embedder_of(tmp_path).dimension == 16


@pytest.mark.anyio
async def test_a_folder_that_names_another_dimension_is_refused(tmp_path: Path) -> None:
    """What the network gives must be what the files beside it say."""
    write_tokenizer(tmp_path)
    write_model(tmp_path / "model.onnx")
    (tmp_path / "config.json").write_text('{"hidden_size": 17}')
    with pytest.raises(EmbeddingError, match="shape"):
        await embedder_of(tmp_path, pooling="mean").embed_query("text")


@pytest.mark.anyio
@pytest.mark.parametrize(("row", "told"), [(np.nan, "not finite"), (0.0, "length zero")])
async def test_unusable_vectors_are_refused(tmp_path: Path, row: float, told: str) -> None:
    """Of a broken network, too."""
    write_tokenizer(tmp_path)
    table: NDArray[np.float32] = np.full((300, 16), row, np.float32)
    write_model(tmp_path / "model.onnx", table=table)
    with pytest.raises(EmbeddingError, match=told):
        await embedder_of(tmp_path, pooling="mean").embed_query("text")


def test_tokens_that_reach_over_blanks_are_counted_whole(tmp_path: Path) -> None:
    """The count is that of the spans for a tokenizer of bytes, and for one that puts special tokens around."""
    write_tokenizer(tmp_path)
    tokenizer = tokenizer_in(tmp_path)
    text = "two  words\n and a caf\N{LATIN SMALL LETTER E WITH ACUTE}"
    assert tokenizer.count_many([text]) == [len(tokenizer.token_offsets(text))]
    assert tokenizer.words().before == tokenizer.words().after == ()
    bert = tokenizer_in(bundled_model(ENGLISH) / "tokenizer.json")
    assert (bert.words().before, bert.words().after) == FIRST_OF_BERT
    assert bert.ids(["a " * 50], 10)[0][-1] == FIRST_OF_BERT[1][0]
    assert len(bert.ids(["a " * 50], 10)[0]) == 10


_EMBED = """
import anyio
from memd.memory.embedding.bundled import BundledEmbedder

anyio.run(BundledEmbedder().embed_documents, ["a text"])
"""


@pytest.mark.slow
def test_nothing_is_noted_or_told_of_the_use_of_a_model(tmp_path: Path) -> None:
    """The runtime has telemetry of its own, which it leaves out where it takes a machine for one that runs tests: it would
    keep an id of the machine and what it has to send in the user's cache.
    """
    unset = ("CI", "TF_BUILD", "GITHUB_ACTIONS", "JENKINS_URL", "ORT_DISABLE_TELEMETRY", "ORT_RUNNING_UNIT_TESTS")
    environment = {name: value for name, value in os.environ.items() if name not in unset}
    environment |= {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache"), "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-P", "-B", "-c", _EMBED],
        cwd=tmp_path, env=environment, capture_output=True, check=False, timeout=300,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    assert list(tmp_path.rglob("*")) == []
