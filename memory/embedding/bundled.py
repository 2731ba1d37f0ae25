"""The default embedder: the ONNX model that ships as package data, run by onnxruntime on the CPU. No network, no torch.

onnxruntime and tokenizers are imported when the model is first needed, in a worker thread.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import anyio
import numpy as np
from anyio import to_thread
from numpy.typing import NDArray

from ...schemas.errors import EmbeddingError
from .counting import WordCounts
from .embedder import checked

if TYPE_CHECKING:
    from tokenizers import Tokenizer as TokenizerFile

    from .embedder import Embedder, Tokenizer

NAME = "bge-small-en-v1.5-int8"
DIMENSION = 384
WINDOW = 512
"""Tokens the model has positions for, with [CLS] and [SEP]."""
SPECIAL = 2
BATCH_TOKENS = 1024
"""Padded tokens of one inference. On 2 cores with chat turns of 36 tokens: 512 234 texts/s, 1,024 336/s, 2,048 322/s;
with texts of 512 tokens the process peaked at 198, 243 and 332 MB."""
TOKENIZE_AT_ONCE = 1024
"""Texts that are tokenized between two chances to be cancelled."""

_SURROGATES = re.compile("[\ud800-\udfff]")
_HINT = "reinstall memd; the model's files are part of it"


def bundled_model() -> Path:
    """The folder of the model that ships with memd."""
    return Path(__file__).parent.parent / "models" / NAME


class Session(Protocol):
    """What is used of ``onnxruntime.InferenceSession``, which comes without types."""

    def run(self, outputs: Sequence[str], inputs: Mapping[str, NDArray[np.int64]], /) -> Sequence[NDArray[np.float32]]:
        """The outputs asked for."""
        ...


class BundledEmbedder:
    """bge-small-en-v1.5, int8, 384 dimensions; an `Embedder` and a `Tokenizer`.

    Questions are embedded as they are: on LoCoMo the model card's instruction in front of them found less.
    Documents are embedded one batch at a time, questions beside them, so that a question never queues behind an import.

    Args:
        folder: holds ``model.onnx`` and ``tokenizer.json``.
        threads: how many cores one inference uses; all that this process may use when None.
    """

    def __init__(self, folder: Path | None = None, *, threads: int | None = None) -> None:
        self._folder = folder or bundled_model()
        self._threads = threads or _usable_cores()
        self._loading = threading.Lock()
        self._tokenizer: TokenizerFile | None = None
        self._session: Session | None = None
        self._counts = WordCounts(self._count)
        self._documents = anyio.CapacityLimiter(1)
        self._questions = anyio.CapacityLimiter(1)

    @property
    def name(self) -> str:
        """The model and its form."""
        return NAME

    @property
    def dimension(self) -> int:
        """384."""
        return DIMENSION

    @property
    def max_tokens(self) -> int:
        """510: the window without [CLS] and [SEP]."""
        return WINDOW - SPECIAL

    async def load(self) -> None:
        """Load tokenizer and model now instead of at the first text. Repeating it costs nothing.

        Raises:
            EmbeddingError: a file is missing or damaged.
        """
        await to_thread.run_sync(self._model, limiter=self._questions)

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(n, 384); see `Embedder`. Sorted by length, so that hardly any padding is computed."""
        tokens: list[list[int]] = []
        for start in range(0, len(texts), TOKENIZE_AT_ONCE):
            part = texts[start : start + TOKENIZE_AT_ONCE]
            tokens += await to_thread.run_sync(self._ids, part, limiter=self._documents)
        vectors = np.empty((len(tokens), DIMENSION), np.float32)
        for batch in batches([len(ids) for ids in tokens]):
            rows = [tokens[index] for index in batch]
            vectors[batch] = await to_thread.run_sync(self._infer, rows, limiter=self._documents)
        return vectors

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        """(384,); see `Embedder`."""
        return await to_thread.run_sync(self._question, text, limiter=self._questions)

    def token_offsets(self, text: str) -> list[tuple[int, int]]:
        """Spans of the tokens; see `Tokenizer`. About 1 MB of text a second."""
        return self._words().encode(_encodable(text), add_special_tokens=False).offsets

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Numbers of tokens; see `Tokenizer`."""
        return self._counts.count_many(texts)

    def _count(self, texts: Sequence[str]) -> list[int]:
        encoded = self._words().encode_batch_fast([_encodable(text) for text in texts], add_special_tokens=False)
        return [len(encoding) for encoding in encoded]

    def _question(self, text: str) -> NDArray[np.float32]:
        return self._infer(self._ids([text]))[0]

    def _ids(self, texts: Sequence[str]) -> list[list[int]]:
        words = self._words()
        first, last = words.token_to_id("[CLS]"), words.token_to_id("[SEP]")
        if first is None or last is None:
            raise EmbeddingError("the embedder's tokenizer.json has no [CLS] and [SEP]", hint=_HINT)
        encoded = words.encode_batch_fast([_encodable(text) for text in texts], add_special_tokens=False)
        return [[first, *encoding.ids[: WINDOW - SPECIAL], last] for encoding in encoded]

    def _infer(self, rows: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        width = max(len(row) for row in rows)
        ids = np.zeros((len(rows), width), np.int64)
        mask = np.zeros((len(rows), width), np.int64)
        for index, row in enumerate(rows):
            ids[index, : len(row)] = row
            mask[index, : len(row)] = 1
        session = self._model()
        try:
            output = session.run(["embedding"], {"input_ids": ids, "attention_mask": mask})
        except Exception as error:  # onnxruntime's errors share no parent below Exception
            raise EmbeddingError(f"the embedder failed: {type(error).__name__}") from error
        return checked(output[0], len(rows), DIMENSION)

    def _words(self) -> TokenizerFile:
        with self._loading:
            if self._tokenizer is None:
                self._tokenizer = load_tokenizer(self._folder / "tokenizer.json")
            return self._tokenizer

    def _model(self) -> Session:
        self._words()
        with self._loading:
            if self._session is None:
                self._session = load_session(self._folder / "model.onnx", self._threads)
            return self._session


def batches(lengths: Sequence[int], limit: int = BATCH_TOKENS) -> Iterator[list[int]]:
    """Indexes of texts by ascending length, cut so that count times longest ≤ ``limit`` (a longer text goes alone)."""
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) + 1) * lengths[index] > limit:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def load_tokenizer(path: Path) -> TokenizerFile:
    """The tokenizer of a ``tokenizer.json``, which takes ``[SEP]`` in a text for plain characters.

    Raises:
        EmbeddingError: the file is missing or damaged.
    """
    from tokenizers import Tokenizer as TokenizerFile

    _require(path)
    try:
        words = TokenizerFile.from_file(str(path))
    except Exception as error:  # tokenizers raises bare Exception for a damaged file
        raise EmbeddingError(f"the embedder's file {path.name} is damaged", hint=_HINT) from error
    words.no_truncation()
    words.no_padding()
    words.encode_special_tokens = True
    return words


def load_session(path: Path, threads: int) -> Session:
    """An onnxruntime session on ``threads`` cores.

    Raises:
        EmbeddingError: the file is missing or damaged.
    """
    _require(path)
    onnxruntime: Any = import_module("onnxruntime")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # Every batch has another shape: remembered patterns cost 17 MB and were no faster. Without the arena the peak rose.
    options.enable_mem_pattern = False
    # Threads that spin while they wait take the cores from whoever works meanwhile: a question over 100,000 messages
    # took 18-31 ms instead of 15-17, and beside other processes 100-150 texts a second were embedded instead of 170.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's errors share no parent below Exception
        raise EmbeddingError(f"the embedder's file {path.name} is damaged", hint=_HINT) from error


def _require(path: Path) -> None:
    if not path.is_file():
        raise EmbeddingError(f"the embedder's file {path.name} is missing", hint=_HINT)


def _encodable(text: str) -> str:
    """The same number of characters, none of them a lone surrogate, which the tokenizer refuses."""
    return text if text.isascii() else _SURROGATES.sub("\ufffd", text)


def _usable_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


if TYPE_CHECKING:
    _embedder: type[Embedder] = BundledEmbedder
    _tokenizer: type[Tokenizer] = BundledEmbedder
