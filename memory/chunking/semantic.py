"""The strategy that fills chunks with whole sentences; each begins with the last sentences of the one before."""

from __future__ import annotations

from ..embedding.embedder import Tokenizer
from .piece_chunker import PieceChunker
from .units import Piece, packed, sentences


class SemanticChunker(PieceChunker):
    """Takes sentences until the next one would not fit.

    Args:
        tokenizer: the embedder's own.
        limit: tokens of a chunk.
        overlap: tokens that a chunk repeats, whole sentences only; at most a quarter of the limit.
    """

    name = "semantic"
    rules = 1

    def __init__(self, tokenizer: Tokenizer, *, limit: int = 256, overlap: int = 32) -> None:
        super().__init__(tokenizer, limit=limit, overlap=overlap)

    def pieces(self, text: str, limit: int) -> list[Piece]:
        """Return runs of sentences."""
        units = sentences(text)
        return packed(units, self.sizes(text, units), limit, min(self._overlap, limit // 4))
