"""The strategy for other texts: cuts at paragraphs, else lines, sentences, clauses, words; neighbours overlap."""

from __future__ import annotations

from collections.abc import Sequence

from .chunker import Chunker, TextSpan
from .token_splitter import cut_many


class RecursiveChunker(Chunker):
    """Cuts the longest possible pieces, each ending at the best break in its last three quarters."""

    name = "recursive"
    rules = 1

    def spans_many(self, texts: Sequence[str], reserves: Sequence[int] = ()) -> list[list[TextSpan]]:
        """Return the spans of many texts; see `Chunker`."""
        limit = min(self._limit, self._tokenizer.max_tokens)
        limits = [limit - reserve for reserve in reserves or [0] * len(texts)]
        return cut_many(texts, self._tokenizer, limits=limits, overlap=self._overlap)
