"""Loads the files of a local model: its tokenizer with tokenizers, its network with onnxruntime, on the CPU.

Both libraries are imported when a file is first needed.
"""

from __future__ import annotations

import ctypes
import os
import re
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from ...schemas.errors import EmbeddingError

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from tokenizers import Tokenizer as TokenizerFile

_SURROGATES = re.compile("[\ud800-\udfff]")


class TensorInfo(Protocol):
    """An input or output of a network: ``onnxruntime.NodeArg``, which comes without types."""

    name: str
    type: str
    """The element type: ``tensor(int64)``, ``tensor(float)``, …."""
    shape: Sequence[int | str | None]
    """The size of each dimension; a string or None if it is free."""


class Session(Protocol):
    """The part of ``onnxruntime.InferenceSession`` in use; that library has no types."""

    def run(self, outputs: Sequence[str], inputs: Mapping[str, NDArray[Any]], /) -> Sequence[NDArray[Any]]:
        """Return the requested outputs."""
        ...

    def get_inputs(self) -> Sequence[TensorInfo]:
        """Return the inputs of the network."""
        ...

    def get_outputs(self) -> Sequence[TensorInfo]:
        """Return the outputs of the network."""
        ...


def load_tokenizer(path: Path, hint: str) -> TokenizerFile:
    """Load the tokenizer of a ``tokenizer.json``; it treats ``[SEP]`` in a text as plain characters.

    Raises:
        EmbeddingError: the file is missing or damaged; ``hint`` says how to mend it.
    """
    from tokenizers import Tokenizer as TokenizerFile

    require(path, hint)
    try:
        words = TokenizerFile.from_file(str(path))
    except Exception as error:  # tokenizers raises bare Exception for a damaged file
        raise EmbeddingError(f"the embedder's file {path.name} is damaged", hint=hint) from error
    words.no_truncation()
    words.no_padding()
    words.encode_special_tokens = True
    return words


def load_session(path: Path, threads: int, hint: str) -> Session:
    """Create an onnxruntime session on ``threads`` cores.

    Raises:
        EmbeddingError: the file is missing or damaged; ``hint`` says how to mend it.
    """
    require(path, hint)
    # Since 1.29 it tells its maker about each process, with the path of its program, the model and errors, and keeps what
    # waits to be sent in the user's cache. It reads this once, when it is loaded.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
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
        raise EmbeddingError(f"the embedder's file {path.name} is damaged or not a model", hint=hint) from error


def encodable(text: str) -> str:
    """Replace lone surrogates, which neither tokenizers nor JSON accepts, keeping the number of characters."""
    return text if text.isascii() else _SURROGATES.sub("\ufffd", text)


def return_freed_memory() -> None:
    """Return freed memory to the system; glibc otherwise keeps the memory of small allocations."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform.startswith("linux") else None
    if trim is not None:
        trim(0)


def usable_cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def require(path: Path, hint: str) -> None:
    """Require that a file exists.

    Raises:
        EmbeddingError: it is missing; ``hint`` says how to mend it.
    """
    if not path.is_file():
        raise EmbeddingError(f"the embedder's file {path.name} is missing", hint=hint)
