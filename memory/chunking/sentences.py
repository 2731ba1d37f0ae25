"""The strategy of one chunk for each sentence: the smallest pieces that still say something by themselves."""

from __future__ import annotations

from ..embedding.embedder import Tokenizer
from .piece_chunker import PieceChunker
from .units import Piece, sentences


class SentencesChunker(PieceChunker):
    """Each sentence, list item, table and code block is a chunk.

    Args:
        tokenizer: the embedder's own.
        limit: tokens above which a sentence is cut.
    """

    name = "sentences"
    rules = 1

    def __init__(self, tokenizer: Tokenizer, *, limit: int = 256) -> None:
        super().__init__(tokenizer, limit=limit, overlap=0)

    @property
    def version(self) -> str:
        """The version, for example ``sentences-1:256``."""
        return f"{self.name}-{self.rules}:{self._limit}"

    def pieces(self, text: str, limit: int) -> list[Piece]:
        """Return the sentences."""
        del limit
        return [Piece(unit.start, unit.start, unit.end) for unit in sentences(text)]
