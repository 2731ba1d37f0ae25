"""The models that need no network and no folder: the one in memd's package, and those in packages of their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType

from ...schemas.errors import ConfigError
from .local import LocalEmbedder
from .model_config import ModelConfig

NAME = "multilingual-e5-small-int8"
"""The default model."""
ENGLISH = "bge-small-en-v1.5-int8"


@dataclass(frozen=True, slots=True)
class BundledModel:
    """A model whose files a package holds."""

    tokenizer: str
    """The file name of the tokenizer."""
    package: str = ""
    """The Python package with the files; empty for those in memd itself."""
    distribution: str = ""
    """The name of the distribution that installs the package."""
    query_prefix: str = ""
    document_prefix: str = ""
    prefix_tokens: int = 0
    """The number of tokens of the document prefix."""
    window: int = 512
    """The number of positions of the model, including the first and the last special token."""
    dimension: int = 384
    pad_id: int = 0
    pieces: int | None = None
    """The number of pieces of a SentencePiece tokenizer."""


MODELS: Mapping[str, BundledModel] = MappingProxyType(
    {
        # Prefixes: the model card, https://huggingface.co/intfloat/multilingual-e5-small
        NAME: BundledModel(
            "sentencepiece.model",
            query_prefix="query: ",
            document_prefix="passage: ",
            prefix_tokens=2,
            pad_id=1,
            pieces=250_002,
        ),
        # Questions are embedded as they are: on LoCoMo the model card's instruction in front of them found less.
        ENGLISH: BundledModel("tokenizer.json", "memd_model_bge_small_en", "memd-model-bge-small-en"),
    }
)


def bundled_model(name: str = NAME) -> Path:
    """Return the folder of a bundled model.

    Raises:
        ConfigError: there is no model of that name, or its package is not installed.
    """
    model = MODELS.get(name)
    if model is None:
        raise ConfigError(f"there is no bundled model {name!r}", hint=f"embedding.model may be {', '.join(MODELS)}")
    if not model.package:
        return Path(__file__).parent.parent / "models" / name
    spec = find_spec(model.package)
    if spec is None or not spec.submodule_search_locations:
        hint = f"install the package {model.distribution}; docs/embedders.md tells how"
        raise ConfigError(f"the model {name} is not installed", hint=hint)
    return Path(next(iter(spec.submodule_search_locations)))


class BundledEmbedder(LocalEmbedder):
    """A bundled model; an `Embedder` and a `Tokenizer`.

    Args:
        folder: the folder of its files, instead of its package.
        model: a key of `MODELS`.
        threads: the number of cores for documents; all that this process may use when None.

    Raises:
        ConfigError: see `bundled_model`.
    """

    def __init__(self, folder: Path | None = None, *, model: str = NAME, threads: int | None = None) -> None:
        folder, bundled = folder or bundled_model(model), MODELS[model]
        recipe = ModelConfig(
            name=model,
            model=folder / "model.onnx",
            tokenizer=folder / bundled.tokenizer,
            window=bundled.window,
            dimension=bundled.dimension,
            query_prefix=bundled.query_prefix,
            document_prefix=bundled.document_prefix,
            prefix_tokens=bundled.prefix_tokens,
            pad_id=bundled.pad_id,
            pieces=bundled.pieces,
            hint=f"reinstall {bundled.distribution or 'memd'}; the model's files are part of it",
        )
        super().__init__(recipe, threads=threads)
