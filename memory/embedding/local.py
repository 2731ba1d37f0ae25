"""An embedder that runs a local ONNX sentence model on the CPU, without network access and without torch.

onnxruntime and tokenizers are imported when the model is first needed, in a worker thread.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import anyio
import numpy as np
from anyio import to_thread
from numpy.typing import NDArray

from ...schemas.errors import EmbeddingError
from .embedder import checked
from .runtime import Session, TensorInfo, load_session, return_freed_memory, usable_cores
from .tokenizer import model_tokenizer

if TYPE_CHECKING:
    from pathlib import Path

    from .embedder import EmbeddingModel
    from .model_config import ModelConfig

BATCH_TOKENS = 1024
"""Padded tokens under way at once. On 2 cores with chat turns of 36 tokens: 512 234 texts/s, 1,024 336/s, 2,048 322/s;
with texts of 512 tokens the process peaked at 198, 243 and 332 MB."""
LEAST_TOKENS = 512
"""Padded tokens of one inference when several inferences share the limit."""
SMALL = 100_000_000
"""Bytes of a model whose layers are too short to be shared out among threads: for the bundled one (34 MB) two threads
make a question no faster than one, and cost 1.5 times its work. Two batches at once, each on one core, took 8 % less
work than one on two cores. A larger model has all cores for one inference."""
TOKENIZE_AT_ONCE = 1024
"""Texts tokenized between two checks for cancellation."""

_KNOWN_INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids", "position_ids"})
_WHOLE_TEXT = ("sentence_embedding", "sentence_embeddings", "embedding", "embeddings")
"""The names of outputs with one vector per text. ``pooler_output`` is not among them: BERT's exports have it untrained.
"""


@dataclass(frozen=True, slots=True)
class Network:
    """A loaded network: its inputs with their types, and the output that is used."""

    session: Session
    inputs: tuple[tuple[str, type[np.int64 | np.int32]], ...]
    output: str
    per_token: bool
    dimension: int | None


class LocalEmbedder:
    """Any ONNX model of sentences; an `Embedder` and a `Tokenizer`.

    Questions are embedded beside documents, so that a question never queues behind an import. A small model embeds as
    many batches of documents at once as there are threads, a larger one a batch at a time on all of them.

    Args:
        recipe: the model's files and how they are used; read when first needed.
        threads: how many cores documents use; all that this process may use when None.
    """

    unloads_after_question = False
    """True for a process that answers a single query: the model is unloaded before the vectors are searched, which
    frees 70 MB with the bundled one.
    """

    def __init__(self, recipe: ModelConfig, *, threads: int | None = None) -> None:
        self._recipe = recipe
        threads = threads or usable_cores()
        small = _size(recipe.model) <= SMALL
        self._threads, self._at_once = (1, threads) if small else (threads, 1)
        self._loading = threading.Lock()
        self._tokenizer = model_tokenizer(recipe.tokenizer, recipe.hint, recipe.pieces)
        self._network: Network | None = None
        self._dimension = recipe.dimension
        # Two special tokens are what models have; a prefix is counted when its length is asked for.
        self._room = None if recipe.document_prefix else max(1, recipe.window - 2)
        self._documents = anyio.CapacityLimiter(self._at_once)
        self._questions = anyio.CapacityLimiter(1)

    @property
    def name(self) -> str:
        """The name of the model and its variant."""
        return self._recipe.name

    @property
    def dimension(self) -> int:
        """Components of a vector. Loads the model when no file beside it tells.

        Raises:
            EmbeddingError: the model cannot be loaded.
        """
        if self._dimension is None:
            self.load_now()
        assert self._dimension is not None
        return self._dimension

    @property
    def loaded(self) -> bool:
        """True if the network is in memory."""
        return self._network is not None

    @property
    def max_tokens(self) -> int:
        """The window without special tokens and the prefix of documents.

        Raises:
            EmbeddingError: the tokenizer, which counts the prefix, cannot be loaded.
        """
        if self._room is None:
            used = self._recipe.prefix_tokens
            if used is None:
                used = self._tokenizer.count_many([self._recipe.document_prefix])[0]
            self._room = max(1, self._recipe.window - 2 - used)
        return self._room

    async def load(self) -> None:
        """Load tokenizer and model now instead of at the first text. Repeating it costs nothing.

        Raises:
            EmbeddingError: a file is missing or damaged, or the model is of no use.
        """
        await to_thread.run_sync(self.load_now, limiter=self._questions)

    def load_now(self) -> None:
        """`load` for a thread that may wait."""
        network = self._loaded()
        if self._dimension is None:
            self._dimension = network.dimension or self._measure()

    async def aclose(self) -> None:
        """Do nothing: the loaded model is freed with the object."""

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return vectors of shape (n, dimension); see `Embedder`. Sorts the texts by length to avoid padding."""
        tokens: list[list[int]] = []
        prefix = self._recipe.document_prefix
        for start in range(0, len(texts), TOKENIZE_AT_ONCE):
            part = texts[start : start + TOKENIZE_AT_ONCE]
            tokens += await to_thread.run_sync(self._ids, part, prefix, limiter=self._documents)
        vectors = np.empty((len(tokens), self.dimension), np.float32)
        waiting = batches([len(ids) for ids in tokens], max(LEAST_TOKENS, BATCH_TOKENS // self._at_once))
        failures: list[EmbeddingError] = []

        async def infer() -> None:
            for batch in waiting:
                rows = [tokens[index] for index in batch]
                try:
                    vectors[batch] = await to_thread.run_sync(self._infer, rows, limiter=self._documents)
                except EmbeddingError as error:
                    failures.append(error)
                if failures:
                    return

        async with anyio.create_task_group() as tasks:
            for _ in range(self._at_once):
                tasks.start_soon(infer)
        if failures:
            raise failures[0]
        return vectors

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return a vector of shape (dimension,); see `Embedder`."""
        return await to_thread.run_sync(self._question, text, limiter=self._questions)

    def unload(self) -> None:
        """Free tokenizer and model; the next text loads them again."""
        self._tokenizer.unload()
        with self._loading:
            self._network = None
        return_freed_memory()

    def vectors_now(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of documents, shape (n, dimension), for a thread that may wait. Embeds one at a time, so
        that equal texts have equal vectors whatever stands beside them.
        """
        prefix = self._recipe.document_prefix
        distinct = {text: self._infer(self._ids([text], prefix))[0] for text in dict.fromkeys(texts)}
        return np.array([distinct[text] for text in texts], np.float32).reshape(len(texts), self.dimension)

    def token_offsets(self, text: str) -> list[tuple[int, int]]:
        """Return the spans of the tokens; see `Tokenizer`. About 1 MB of text per second."""
        return self._tokenizer.token_offsets(text)

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Return the numbers of tokens; see `Tokenizer`."""
        return self._tokenizer.count_many(texts)

    def _question(self, text: str) -> NDArray[np.float32]:
        vector = self._infer(self._ids([text], self._recipe.query_prefix))[0]
        if self.unloads_after_question:
            self.unload()
        return vector

    def _ids(self, texts: Sequence[str], prefix: str) -> list[list[int]]:
        return self._tokenizer.ids([prefix + text for text in texts] if prefix else texts, self._recipe.window)

    def _infer(self, rows: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        raw = self._run(rows)
        return checked(raw, len(rows), self.dimension)

    def _measure(self) -> int:
        """Return the dimension, measured by embedding a text."""
        return int(self._run(self._ids(["one"], ""))[0].shape[-1])

    def _run(self, rows: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """Return one vector per row; the vectors are not normalised."""
        network = self._loaded()
        inputs, mask = padded_inputs(network, rows, self._recipe.pad_id)
        width = mask.shape[1]
        try:
            output = network.session.run([network.output], inputs)[0]
        except Exception as error:  # onnxruntime's errors share no parent below Exception
            raise EmbeddingError(f"the embedder failed: {type(error).__name__}", hint=self._recipe.hint) from error
        if output.ndim != (3 if network.per_token else 2):
            raise EmbeddingError(
                f"the embedder's output {network.output} has {output.ndim} axes", hint=self._recipe.hint
            )
        if self._recipe.pooling == "mean" and network.per_token and output.shape[1] != width:
            raise EmbeddingError(
                f"the embedder's output {network.output} is not one vector a token", hint=self._recipe.hint
            )
        return pooled(output, mask, self._recipe.pooling) if network.per_token else output

    def _loaded(self) -> Network:
        self._tokenizer.load()
        with self._loading:
            if self._network is None:
                session = load_session(self._recipe.model, self._threads, self._recipe.hint)
                self._network = network_of(session, self._recipe)
            return self._network


def _size(path: Path) -> int:
    """Return the size of a network in bytes, including weights in separate files beside it."""
    try:
        return sum(each.stat().st_size for each in path.parent.glob(f"{path.name}*"))
    except OSError:  # loading it says what is wrong
        return 0


def network_of(session: Session, recipe: ModelConfig) -> Network:
    """Choose the inputs to provide and the output to use.

    Raises:
        EmbeddingError: the network wants more than texts, or gives nothing that is known to be a vector.
    """
    ports = session.get_inputs()
    strange = [port.name for port in ports if port.name not in _KNOWN_INPUTS]
    if strange or "input_ids" not in {port.name for port in ports}:
        what = f"wants {', '.join(strange)}" if strange else "takes no input_ids"
        raise EmbeddingError(f"the model {recipe.model.name} {what}: it is no model of sentences", hint=recipe.hint)
    inputs = tuple((port.name, np.int32 if port.type == "tensor(int32)" else np.int64) for port in ports)
    port = _output(session.get_outputs(), recipe)
    per_token = len(port.shape) == 3
    size = port.shape[-1]
    return Network(session, inputs, port.name, per_token, size if isinstance(size, int) and size > 0 else None)


def padded_inputs(
    network: Network, rows: Sequence[Sequence[int]], pad_id: int, kinds: Sequence[Sequence[int]] = ()
) -> tuple[dict[str, NDArray[Any]], NDArray[np.int64]]:
    """Return the inputs of a network by name and the mask of what is no padding, each of shape (n, longest row).

    Args:
        network: takes them.
        rows: the tokens of each text.
        pad_id: the token that fills shorter rows.
        kinds: for each token the number of its part, of networks that read several; none: 0.
    """
    # A text without any token gets one padding token, since the network needs some input.
    width = max(1, *(len(row) for row in rows))
    ids = np.full((len(rows), width), pad_id, np.int64)
    mask, parts = np.zeros((len(rows), width), np.int64), np.zeros((len(rows), width), np.int64)
    for index, row in enumerate(rows):
        ids[index, : len(row)] = row
        mask[index, : max(1, len(row))] = 1
    for index, row in enumerate(kinds):
        parts[index, : len(row)] = row
    inputs: dict[str, NDArray[Any]] = {"input_ids": ids, "attention_mask": mask, "token_type_ids": parts}
    if any(name == "position_ids" for name, _ in network.inputs):
        inputs["position_ids"] = np.tile(np.arange(width), (len(rows), 1))
    return {name: inputs[name].astype(kind, copy=False) for name, kind in network.inputs}, mask


def _output(ports: Sequence[TensorInfo], recipe: ModelConfig) -> TensorInfo:
    whole = [port for port in ports if len(port.shape) == 2 and "float" in port.type]
    tokens = [port for port in ports if len(port.shape) == 3 and "float" in port.type]
    named = [port for port in whole if port.name in _WHOLE_TEXT]
    if recipe.pooling is not None and tokens:
        return tokens[0]
    if named:
        return named[0]
    if tokens:
        raise EmbeddingError(
            f"nothing tells how {recipe.model.name} makes one vector of those of all tokens",
            hint='set embedding.pooling to "mean" or "cls"; the model\'s card says which',
        )
    if len(whole) == len(ports) == 1:
        return whole[0]
    raise EmbeddingError(f"the model {recipe.model.name} has no output that could be a vector", hint=recipe.hint)


def pooled(tokens: NDArray[Any], mask: NDArray[np.int64], pooling: str | None) -> NDArray[np.float32]:
    """Reduce token vectors of shape (n, tokens, dimension) to one vector per text, ignoring padding."""
    tokens = tokens.astype(np.float32, copy=False)
    if pooling == "cls":
        return tokens[:, 0]
    weights = mask[:, :, None].astype(np.float32)
    return (tokens * weights).sum(axis=1) / weights.sum(axis=1)


def batches(lengths: Sequence[int], limit: int = BATCH_TOKENS) -> Iterator[list[int]]:
    """Yield indexes of texts by ascending length, cut so that count times longest ≤ ``limit`` (a longer text goes
    alone).
    """
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) + 1) * lengths[index] > limit:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


if TYPE_CHECKING:
    _model: type[EmbeddingModel] = LocalEmbedder
