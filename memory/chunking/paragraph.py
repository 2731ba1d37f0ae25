"""The strategy that cuts at blank lines: a paragraph is a chunk, short ones go together."""

from __future__ import annotations

from ..embedding.embedder import Tokenizer
from .piece_chunker import PieceChunker
from .units import Piece, joined, paragraphs


class ParagraphChunker(PieceChunker):
    """A paragraph of few tokens, such as a title, belongs to the next one.

    Args:
        tokenizer: the embedder's own.
        limit: tokens above which a paragraph is cut.
        least: tokens below which a paragraph is joined with the next.
    """

    name = "paragraph"
    rules = 1

    def __init__(self, tokenizer: Tokenizer, *, limit: int = 512, least: int = 20) -> None:
        super().__init__(tokenizer, limit=limit, overlap=0)
        self._least = least

    @property
    def version(self) -> str:
        """The version, for example ``paragraph-1:512/20``."""
        return f"{self.name}-{self.rules}:{self._limit}/{self._least}"

    def pieces(self, text: str, limit: int) -> list[Piece]:
        """Return the paragraphs."""
        units = paragraphs(text)
        return joined(units, self.sizes(text, units), limit, self._least)
