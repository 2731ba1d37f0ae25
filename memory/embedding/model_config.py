"""Reads the configuration of a local model from the files beside it, as sentence-transformers and its exporters write
them.

The name is made of the files' bytes and of what shapes the vectors of documents, so that two models never share one.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from ...schemas.errors import ConfigError

Pooling = Literal["mean", "cls"]
"""The way to reduce the token vectors to one vector: their mean, or the vector of the first token."""

MOST_READ = 1024
"""The window in tokens if none is configured: attention needs memory by its square, and chunks are shorter."""
SAMPLE = 64 * 1024
SAMPLES = 64
"""The number of blocks of a large file that its fingerprint reads: another model differs in nearly all weights."""

HINT = "docs/embedders.md tells what a model's folder must hold"
# The positions of these models start after the padding token's, so two of max_position_embeddings are never used.
_SHIFTED = frozenset({"roberta", "xlm-roberta", "camembert", "mpnet", "longformer"})
_WORDING = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """A local model's files and how they are used."""

    name: str
    model: Path
    tokenizer: Path
    window: int
    """The most tokens of a text that the network accepts, with special ones."""
    dimension: int | None = None
    """The number of components of a vector, if the files beside the network tell it."""
    pooling: Pooling | None = None
    """None: the network itself returns one vector per text."""
    query_prefix: str = ""
    document_prefix: str = ""
    prefix_tokens: int | None = None
    """The number of tokens of the document prefix; None: the tokenizer is loaded to count them."""
    pad_id: int = 0
    pieces: int | None = None
    """The number of pieces of the SentencePiece tokenizer, if known."""
    hint: str = HINT
    """The hint for a damaged file."""


def load_model_config(
    path: Path,
    *,
    name: str = "",
    pooling: Pooling | None = None,
    query_prefix: str | None = None,
    document_prefix: str | None = None,
    dimensions: int | None = None,
    max_tokens: int | None = None,
) -> ModelConfig:
    """Read the configuration of a folder with ``tokenizer.json`` and ``model.onnx`` or ``onnx/model*.onnx``, or of such
    a file.

    What is given goes over what the files say. Reads a few megabytes.

    Args:
        path: the folder, or one of several networks in it.
        name: instead of the folder's, in front of the fingerprint.
        pooling: None for what the folder says.
        query_prefix: before each question; None for what the folder says.
        document_prefix: before each document; None for what the folder says.
        dimensions: must be the model's, if given.
        max_tokens: read no more of a text, special tokens included.

    Raises:
        ConfigError: files are missing, cannot be read, or describe a model that memd cannot run.
    """
    folder, model = _files(path.expanduser())
    tokenizer = folder / "tokenizer.json"
    if not tokenizer.is_file():
        raise ConfigError(f"there is no tokenizer.json in {folder}", hint=HINT)
    config, pooling_config = _json(folder / "config.json"), _json(folder / "1_Pooling" / "config.json")
    prompts = _table(_json(folder / "config_sentence_transformers.json").get("prompts"))
    hidden = pooling_config.get("word_embedding_dimension") or config.get("hidden_size") or config.get("dim")
    dimension = _whole(hidden)
    # A layer after the pooling changes the length of the vectors, and only the network itself could apply it.
    dense = any("Dense" in str(module.get("type", "")) for module in _modules(folder))
    if dense:
        dimension = None
    if dimensions is not None and dimension is not None and dimensions != dimension:
        raise ConfigError(
            f"the model in {folder} has {dimension} dimensions, not {dimensions}", hint="leave embedding.dimensions out"
        )
    chosen = pooling or (None if dense else _pooling(pooling_config, folder))
    query = _text(prompts.get("query")) if query_prefix is None else query_prefix
    if document_prefix is None:
        document_prefix = _text(prompts.get("document") or prompts.get("passage"))
    window = _window(folder, config)
    window = min(window, MOST_READ) if max_tokens is None else min(window, max_tokens)
    # The query prefix and the window are excluded: they do not change stored vectors.
    shape = [chosen or "", document_prefix]
    return ModelConfig(
        name=f"{short_name(name or _folder_name(folder))}@{_fingerprint(model, tokenizer, shape)}",
        model=model,
        tokenizer=tokenizer,
        window=window,
        dimension=dimension or dimensions,
        pooling=chosen,
        query_prefix=query,
        document_prefix=document_prefix,
        pad_id=_whole(config.get("pad_token_id")) or 0,
    )


def short_name(name: str) -> str:
    """Return the name with few kinds of characters, at most 80: it is displayed, stored and part of identities."""
    return _WORDING.sub("-", name).strip("-.")[:80] or "model"


def digest_of(parts: list[str]) -> str:
    """Return a hash of texts as twelve hexadecimal digits; different lists never collide by concatenation."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:12]


def _folder_name(folder: Path) -> str:
    return folder.resolve().name


def _files(path: Path) -> tuple[Path, Path]:
    """Return the folder and the network in it."""
    if path.is_file():
        if path.suffix != ".onnx":
            raise ConfigError(f"{path} is neither a folder nor an .onnx file", hint=HINT)
        folder = path.parent
        return (folder.parent if folder.name == "onnx" else folder), path
    if not path.is_dir():
        raise ConfigError(f"there is no folder {path}", hint="embedding.model names the folder of an ONNX model")
    for exact in (path / "model.onnx", path / "onnx" / "model.onnx"):
        if exact.is_file():
            return path, exact
    files = sorted([*path.glob("model*.onnx"), *path.glob("onnx/model*.onnx")])
    if not files:
        raise ConfigError(f"there is no model.onnx in {path}", hint=HINT)
    if len(files) > 1:
        names = ", ".join(str(file.relative_to(path)) for file in files[:5])
        raise ConfigError(f"{path} holds several models: {names}", hint="let embedding.model name one of these files")
    return path, files[0]


def _json(path: Path) -> dict[str, Any]:
    """Return the JSON object of a file; empty if there is no such file."""
    try:
        return _table(json.loads(path.read_bytes()))
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}", hint=HINT) from error
    except ValueError as error:
        raise ConfigError(f"{path} is not JSON", hint=HINT) from error


def _table(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _modules(folder: Path) -> Iterator[dict[str, Any]]:
    try:
        listed: object = json.loads((folder / "modules.json").read_bytes())
    except FileNotFoundError:
        return
    except (OSError, ValueError) as error:
        raise ConfigError(f"{folder / 'modules.json'} cannot be read", hint=HINT) from error
    for module in cast("list[object]", listed) if isinstance(listed, list) else []:
        yield _table(module)


def _pooling(config: dict[str, Any], folder: Path) -> Pooling | None:
    """Return the pooling from ``1_Pooling/config.json``: a flag for each mode, or ``pooling_mode`` in newer files."""
    configured: object = config.get("pooling_mode")
    modes = cast("list[object]", configured) if isinstance(configured, list) else [configured] if configured else []
    if not modes:
        flags = {"cls": "pooling_mode_cls_token", "mean": "pooling_mode_mean_tokens"}
        modes = [mode for mode, flag in flags.items() if config.get(flag) is True]
        modes += [
            key.removeprefix("pooling_mode_")
            for key, value in config.items()
            if key.startswith("pooling_mode_") and value is True and key not in flags.values()
        ]
    if not modes:
        return None
    if modes == ["cls"]:
        return "cls"
    if modes == ["mean"]:
        return "mean"
    ways = "+".join(map(str, modes))
    raise ConfigError(
        f"the model in {folder} pools by {ways}; memd knows mean and cls", hint="choose another model or export"
    )


def _window(folder: Path, config: dict[str, Any]) -> int:
    """Return the smallest limit in the files; 512 if there is none."""
    positions = _whole(config.get("max_position_embeddings"))
    if positions is not None and config.get("model_type") in _SHIFTED:
        positions -= 2
    window = _whole(_json(folder / "sentence_bert_config.json").get("max_seq_length"))
    longest = _whole(_json(folder / "tokenizer_config.json").get("model_max_length"))
    named = [limit for limit in (positions, window or longest) if limit is not None and limit > 2]
    return min(named, default=512)


def _whole(value: object) -> int | None:
    """Return a positive integer of a plausible size, or None: "no limit" is written as 10**30."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 1_000_000 else None


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _fingerprint(model: Path, tokenizer: Path, shape: list[str]) -> str:
    # Weights above 2 GB are in separate files beside the network.
    weights = sorted(model.parent.glob(f"{model.name}?data*")) + sorted(model.parent.glob(f"{model.stem}.data"))
    try:
        return digest_of([_sampled(path) for path in (model, *weights, tokenizer)] + shape)
    except OSError as error:
        raise ConfigError(f"the model in {model.parent} cannot be read: {error.strerror}", hint=HINT) from error


def _sampled(path: Path) -> str:
    """Return a hash of a file's size and of blocks spread over it; of the whole file if it is small."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        digest.update(str(size).encode())
        if size <= SAMPLE * SAMPLES:
            digest.update(file.read())
        else:
            for number in range(SAMPLES):
                file.seek((size - SAMPLE) * number // (SAMPLES - 1))
                digest.update(file.read(SAMPLE))
    return digest.hexdigest()
