"""The strategy of chunks of equal length in characters, which overlap; words, tables and code blocks stay whole."""

from __future__ import annotations

from ..embedding.embedder import Tokenizer
from .piece_chunker import PieceChunker
from .units import Piece, packed, smallest


class CharacterChunker(PieceChunker):
    """Cuts at the last word that fits, whatever it says.

    Args:
        tokenizer: the embedder's own.
        characters: length of a chunk; less where the embedder reads less.
        repeat: characters that a chunk repeats of the one before it; at most a quarter of the length.
    """

    name = "character"
    rules = 1

    def __init__(self, tokenizer: Tokenizer, *, characters: int = 1000, repeat: int = 100) -> None:
        super().__init__(tokenizer, limit=tokenizer.max_tokens, overlap=0)
        self._characters = characters
        self._repeat = min(repeat, characters // 4)

    @property
    def version(self) -> str:
        """The version, for example ``character-1:1000/100``."""
        return f"{self.name}-{self.rules}:{self._characters}/{self._repeat}"

    def pieces(self, text: str, limit: int) -> list[Piece]:
        """Return runs of words."""
        del limit
        units = smallest(text)
        return packed(units, [unit.end - unit.start for unit in units], self._characters, self._repeat)
