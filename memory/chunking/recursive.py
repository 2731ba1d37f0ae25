"""The strategy of other texts: cut at paragraphs, else lines, sentences, clauses, words; neighbours overlap."""

from __future__ import annotations

from collections.abc import Sequence

from ..embedding.embedder import Tokenizer
from .chunker import TextSpan
from .token_splitter import cut_many

NAME = "recursive"
RULES = 1


class RecursiveChunker:
    """Pieces as long as they may be, each ending at the best kind of break in its last three quarters.

    Args:
        tokenizer: the embedder's own.
        limit: tokens of a chunk with what is reserved; where the embedder reads less, that is the limit.
        overlap: tokens that a chunk may repeat of the one before it, at most a quarter of the limit.
    """

    def __init__(self, tokenizer: Tokenizer, *, limit: int = 512, overlap: int = 50) -> None:
        self._tokenizer = tokenizer
        self._limit = limit
        self._overlap = overlap

    @property
    def name(self) -> str:
        """``recursive``."""
        return NAME

    @property
    def version(self) -> str:
        """``recursive-1:512/50``."""
        return f"{NAME}-{RULES}:{self._limit}/{self._overlap}"

    def spans(self, text: str, *, reserve: int = 0) -> list[TextSpan]:
        """The spans of one text; see `Chunker`."""
        return self.spans_many([text], [reserve])[0]

    def spans_many(self, texts: Sequence[str], reserves: Sequence[int] = ()) -> list[list[TextSpan]]:
        """The spans of many texts; see `Chunker`."""
        limit = min(self._limit, self._tokenizer.max_tokens)
        limits = [limit - reserve for reserve in reserves or [0] * len(texts)]
        return cut_many(texts, self._tokenizer, limits=limits, overlap=self._overlap)
