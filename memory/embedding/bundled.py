"""The default embedder: the ONNX model that ships as package data."""

from __future__ import annotations

from pathlib import Path

from .local import LocalEmbedder
from .model_config import ModelConfig

NAME = "bge-small-en-v1.5-int8"
DIMENSION = 384
WINDOW = 512
"""Tokens the model has positions for, with [CLS] and [SEP]."""


def bundled_model() -> Path:
    """The folder of the model that ships with memd."""
    return Path(__file__).parent.parent / "models" / NAME


class BundledEmbedder(LocalEmbedder):
    """bge-small-en-v1.5, int8, 384 dimensions; an `Embedder` and a `Tokenizer`.

    Questions are embedded as they are: on LoCoMo the model card's instruction in front of them found less.

    Args:
        folder: holds ``model.onnx`` and ``tokenizer.json``.
        threads: how many cores documents use; all that this process may use when None.
    """

    def __init__(self, folder: Path | None = None, *, threads: int | None = None) -> None:
        folder = folder or bundled_model()
        recipe = ModelConfig(
            name=NAME,
            model=folder / "model.onnx",
            tokenizer=folder / "tokenizer.json",
            window=WINDOW,
            dimension=DIMENSION,
            hint="reinstall memd; the model's files are part of it",
        )
        super().__init__(recipe, threads=threads)
