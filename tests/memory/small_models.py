"""Small ONNX models and tokenizers for tests, written into a folder; and the English one as usual exports have it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from memd.memory.embedding.bundled import ENGLISH, bundled_model

WIDTH = 16
FIRST_OF_BERT = ((101,), (102,))
"""[CLS] and [SEP] of the English model's tokenizer."""


def write_tokenizer(folder: Path) -> None:
    """Each byte a token, nothing around a text: as the tokenizers of GPT, without their merges."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE({letter: number + 2 for number, letter in enumerate(alphabet)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)  # pyright: ignore[reportAttributeAccessIssue]
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))


def write_pieces(folder: Path) -> None:
    """Sentence pieces with the blank as the first letter of a word; what the vocabulary lacks falls back to bytes."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    pieces = [("<unk>", 0.0), ("\u2581", -2.0), *((f"<0x{byte:02X}>", -9.0) for byte in range(256))]
    pieces += [(letter, -4.0) for letter in "abcdefghijklmnopqrstuvwxyz"]
    pieces += [("\u2581word", -1.5), ("other", -1.5), ("\u2581tree", -1.5), ("fj", -2.0)]
    tokenizer = Tokenizer(models.Unigram(pieces, 0, byte_fallback=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()  # pyright: ignore[reportAttributeAccessIssue]
    tokenizer.decoder = decoders.ByteFallback()  # pyright: ignore[reportAttributeAccessIssue]
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))


def write_model(
    path: Path,
    *,
    inputs: tuple[str, ...] = ("attention_mask",),
    outputs: tuple[str, ...] = ("tokens",),
    renamed: str = "input_ids",
    small: bool = False,
    seed: int = 1,
    table: NDArray[np.float32] | None = None,
) -> None:
    """A network that looks each token up in a table of (300, 16).

    Args:
        path: its folder is made.
        inputs: besides the tokens; they change nothing.
        outputs: ``tokens`` has three axes, all others are the mean and have two.
        renamed: what the tokens are called.
        small: inputs are int32.
        seed: of the table.
        table: instead of a random one.
    """
    kind = TensorProto.INT32 if small else TensorProto.INT64
    rows = np.random.default_rng(seed).normal(size=(300, WIDTH)).astype(np.float32) if table is None else table
    nodes = [helper.make_node("Gather", ["table", renamed], ["tokens"])]
    nodes += [
        helper.make_node("ReduceMean", ["tokens", "axis"], [name], keepdims=0) for name in outputs if name != "tokens"
    ]
    given = [helper.make_tensor_value_info(name, kind, ["n", "width"]) for name in (renamed, *inputs)]
    shapes: dict[str, list[Any]] = {name: ["n", "d"] for name in outputs} | {"tokens": ["n", "width", "d"]}
    taken = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shapes[name]) for name in outputs]
    weights = [numpy_helper.from_array(rows, "table"), numpy_helper.from_array(np.array([1]), "axis")]
    _save(
        helper.make_model(
            helper.make_graph(nodes, "small", given, taken, weights), opset_imports=[helper.make_opsetid("", 18)]
        ),
        path,
    )


def write_cross_encoder(folder: Path, letter: str = "z", outputs: int = 1) -> None:
    """A cross-encoder of a byte tokenizer: a pair's number is how often the letter stands in its text, and not in its
    question; with several outputs it is a classifier, and of no use.
    """
    write_tokenizer(folder)
    vocabulary = json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"]
    weights = np.zeros((300, outputs), np.float32)
    weights[vocabulary[letter]] = 1
    axes = [numpy_helper.from_array(np.array([number]), name) for name, number in (("last", 2), ("middle", 1))]
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["numbers"]),
        helper.make_node("Cast", ["token_type_ids"], ["kinds"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["kinds", "last"], ["shares"]),
        helper.make_node("Mul", ["numbers", "shares"], ["counted"]),
        helper.make_node("ReduceSum", ["counted", "middle"], ["logits"], keepdims=0),
    ]
    names = ("input_ids", "attention_mask", "token_type_ids")
    given = [helper.make_tensor_value_info(name, TensorProto.INT64, ["n", "width"]) for name in names]
    taken = [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["n", outputs])]
    graph = helper.make_graph(nodes, "pairs", given, taken, [numpy_helper.from_array(weights, "table"), *axes])
    _save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)]), folder / "model.onnx")
    (folder / "config.json").write_text(json.dumps({"max_position_embeddings": 64}))


def write_bundled(folder: Path, pooling: str) -> None:
    """The English model as sentence-transformers lays one out: onnx/model.onnx gives vectors of tokens, a file beside
    it tells the pooling.
    """
    model = onnx.load_model_from_string((bundled_model(ENGLISH) / "model.onnx").read_bytes())
    # The last layer is computed for the first token alone; the mean of the one before it will do for a test.
    before = "/encoder/layer.10/output/LayerNorm/Add_1_output_0"
    name = "last_hidden_state" if pooling == "cls" else before
    del model.graph.output[:]
    model.graph.output.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", "width", 384]))
    _save(model, folder / "onnx" / "model.onnx")
    shutil.copy(bundled_model(ENGLISH) / "tokenizer.json", folder)
    (folder / "1_Pooling").mkdir()
    modes = {"word_embedding_dimension": 384, "pooling_mode_cls_token": False, "pooling_mode_mean_tokens": False}
    modes[f"pooling_mode_{'cls_token' if pooling == 'cls' else 'mean_tokens'}"] = True
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(modes))


def _save(model: Any, path: Path) -> None:
    model.ir_version = min(model.ir_version, 10)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(model.SerializeToString())
