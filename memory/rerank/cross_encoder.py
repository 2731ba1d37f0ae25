"""A reranker that runs a local ONNX cross-encoder on the CPU, without network access and without torch."""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

import anyio
from anyio import to_thread

from ...schemas.errors import ConfigError, EmbeddingError
from ..embedding.local import Network, batches, network_of, padded_inputs
from ..embedding.model_config import ModelConfig, load_model_config
from ..embedding.runtime import encodable, load_session, load_tokenizer, usable_cores
from .reranker import RerankError, checked

if TYPE_CHECKING:
    from tokenizers import Tokenizer as TokenizerFile

    from .reranker import Reranker

HINT = "rerank.model names the folder of an ONNX cross-encoder; docs/embedders.md says what it holds"


class CrossEncoder:
    """A `Reranker` of a folder with ``model.onnx``, ``tokenizer.json`` and ``config.json``; loaded when first needed.

    The network reads question and text as one pair and gives one number, its logit.

    Args:
        folder: the folder, or one of several networks in it.
        threads: cores of one inference; all that this process may use when None.

    Raises:
        ConfigError: files are missing or cannot be read.
    """

    def __init__(self, folder: Path, *, threads: int | None = None) -> None:
        try:
            self._recipe: ModelConfig = load_model_config(folder)
        except ConfigError as error:
            raise ConfigError(error.message, hint=HINT) from error
        self._threads = threads or usable_cores()
        self._one = anyio.CapacityLimiter(1)
        self._loading = threading.Lock()
        self._model: tuple[TokenizerFile, Network] | None = None

    async def scores(self, question: str, texts: Sequence[str], documents: Collection[UUID] = ()) -> Sequence[float]:  # noqa: ARG002 - nothing leaves
        """Return the logits; see `Reranker`. May be cancelled between its batches."""
        try:
            pairs = await to_thread.run_sync(self._pairs, question, texts, limiter=self._one)
            scores = [0.0] * len(texts)
            for batch in batches([len(ids) for ids, _ in pairs]):
                values = await to_thread.run_sync(self._infer, [pairs[index] for index in batch], limiter=self._one)
                for index, value in zip(batch, values, strict=True):
                    scores[index] = value
        except EmbeddingError as error:
            raise RerankError(f"the reranker cannot be used: {error.message}", hint=HINT) from error
        return checked(scores, len(texts))

    async def aclose(self) -> None:
        """Do nothing: the loaded model is freed with the object."""

    def _loaded(self) -> tuple[TokenizerFile, Network]:
        with self._loading:
            if self._model is None:
                words = load_tokenizer(self._recipe.tokenizer, HINT)
                words.enable_truncation(self._recipe.window, strategy="longest_first")  # pyright: ignore[reportUnknownMemberType]
                session = load_session(self._recipe.model, self._threads, HINT)
                network = network_of(session, self._recipe)
                if network.per_token or network.dimension not in (1, None):
                    raise RerankError(f"{self._recipe.model.name} gives more than one number a pair", hint=HINT)
                self._model = words, network
            return self._model

    def _pairs(self, question: str, texts: Sequence[str]) -> list[tuple[list[int], list[int]]]:
        """Return the tokens of each pair, and for each token whether it belongs to the question (0) or the text (1)."""
        words, _ = self._loaded()
        encoded = words.encode_batch([(encodable(question), encodable(text)) for text in texts])
        return [(each.ids, each.type_ids) for each in encoded]

    def _infer(self, pairs: Sequence[tuple[list[int], list[int]]]) -> list[float]:
        _, network = self._loaded()
        inputs, _ = padded_inputs(
            network, [ids for ids, _ in pairs], self._recipe.pad_id, [kinds for _, kinds in pairs]
        )
        try:
            output = network.session.run([network.output], inputs)[0]
        except Exception as error:  # onnxruntime's errors share no parent below Exception
            raise RerankError(f"the reranker failed: {type(error).__name__}", hint=HINT) from error
        if output.shape != (len(pairs), 1):
            raise RerankError(f"{self._recipe.model.name} gives more than one number a pair", hint=HINT)
        return [float(value) for value in output[:, 0]]


if TYPE_CHECKING:
    _reranker: type[Reranker] = CrossEncoder
