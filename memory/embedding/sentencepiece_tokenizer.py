"""Counts and cuts by tokens with a ``sentencepiece.model``: with 250,000 pieces it takes 57 MB, tokenizers takes 280.

Ids are those of the file. What a text says literally, such as ``<s>``, is plain text and never a special token.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from ...schemas.errors import EmbeddingError
from .runtime import encodable, require

if TYPE_CHECKING:
    from .tokenizer import ModelTokenizer


_JOINERS = {0x200C: " ", 0x200D: " "}


class _Processor(Protocol):
    """The part of ``sentencepiece.SentencePieceProcessor`` in use; that library has no types."""

    def encode(self, texts: Sequence[str], /, *, num_threads: int) -> list[list[int]]: ...

    def encode_as_offset_mapping(self, text: str, /) -> dict[str, Any]: ...

    def piece_to_id(self, piece: str, /) -> int: ...

    def get_piece_size(self) -> int: ...


class SentencePieceTokenizer:
    """A ``sentencepiece.model``, loaded when first needed; a `ModelTokenizer`. For several threads.

    Args:
        path: the file.
        hint: what to do when it is missing or damaged.
        pieces: how many it holds, if that is known: one that was cut off between two pieces loads without an error.
    """

    def __init__(self, path: Path, hint: str, pieces: int | None = None) -> None:
        self._path = path
        self._hint = hint
        self._expected = pieces
        self._loading = threading.Lock()
        self._pieces: _Processor | None = None
        self._before = self._after = 0

    def load(self) -> None:
        """Load the file now.

        Raises:
            EmbeddingError: the file is missing or damaged.
        """
        self._loaded()

    def unload(self) -> None:
        """Release the loaded file, also for other embedders that share it; it is loaded again when needed."""
        with self._loading:
            self._pieces = None
            _processor.cache_clear()

    def ids(self, texts: Sequence[str], window: int) -> list[list[int]]:
        """Return the tokens that a model reads of each text, with ``<s>`` before and ``</s>`` behind, at most
        ``window``.
        """
        room = max(0, window - 2)
        encoded = self._encoded(texts)
        return [[self._before, *ids[:room], self._after] for ids in encoded]

    def token_offsets(self, text: str) -> list[tuple[int, int]]:
        """Return the spans of the tokens; see `Tokenizer`. The blank before a word belongs to its token, but not to the
        span. Blanks at the ends of the text are left out as well, as pieces of a text are counted without them.
        """
        inner = text.strip()
        before = text.find(inner)
        offsets = cast("list[tuple[int, int]]", self._loaded().encode_as_offset_mapping(_readable(inner))["offsets"])
        spans = (_visible(inner, start, end) for start, end in offsets)
        return [(start + before, end + before) for start, end in spans]

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Return the numbers of tokens; see `Tokenizer`."""
        return [len(ids) for ids in self._encoded([text.strip() for text in texts])]

    def _encoded(self, texts: Sequence[str]) -> list[list[int]]:
        return self._loaded().encode([_readable(text) for text in texts], num_threads=1)

    def _loaded(self) -> _Processor:
        with self._loading:
            if self._pieces is None:
                self._pieces = _load(self._path, self._hint, self._expected)
                self._before, self._after = (self._pieces.piece_to_id(each) for each in ("<s>", "</s>"))
            return self._pieces


@lru_cache(maxsize=2)
def _processor(path: Path) -> _Processor:
    """Return a loaded file; embedders of one process share it, since loading takes a third of a second and 57 MB."""
    sentencepiece: Any = import_module("sentencepiece")
    return cast("_Processor", sentencepiece.SentencePieceProcessor(model_file=str(path)))


def _load(path: Path, hint: str, expected: int | None) -> _Processor:
    require(path, hint)
    try:
        loaded = _processor(path.resolve())
        pieces = loaded.get_piece_size()
    except Exception as error:  # its errors share no parent below Exception
        raise EmbeddingError(f"the embedder's file {path.name} is damaged", hint=hint) from error
    if expected not in (None, pieces):
        raise EmbeddingError(f"the embedder's file {path.name} is damaged: it holds {pieces:,} pieces", hint=hint)
    return loaded


def _readable(text: str) -> str:
    """Replace invisible joiners, as in Persian words and emoji families, by blanks, keeping the number of characters:
    the normaliser of this model does not know them.
    """
    return text if text.isascii() else encodable(text).translate(_JOINERS)


def _visible(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the span without the blanks before its word; at least one character, even for an empty piece."""
    if start == end:
        start = min(start, len(text) - 1)
        return start, start + 1
    while end - start > 1 and text[start].isspace():
        start += 1
    return start, end


if TYPE_CHECKING:
    _tokenizer: type[ModelTokenizer] = SentencePieceTokenizer
