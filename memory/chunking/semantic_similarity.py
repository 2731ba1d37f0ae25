"""The strategy that cuts between neighbouring sentences whose vectors differ most: where the subject changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from statistics import fmean, pstdev

import numpy as np
from numpy.typing import NDArray

from ..embedding.bundled import BundledEmbedder
from ..embedding.embedder import Tokenizer
from .piece_chunker import PieceChunker
from .units import Piece, Unit, joined, sentences

Vectors = Callable[[Sequence[str]], NDArray[np.float32]]
"""Returns a vector of unit length for each text; the same for the same text."""


class SimilarityChunker(PieceChunker):
    """Cuts where the distance of two sentences is more than a standard deviation above the mean of the text.

    Each sentence is embedded by itself, some 5 ms on a core, so that equal texts are cut alike.

    Args:
        tokenizer: the embedder's own.
        limit: tokens above which a piece is cut.
        least: tokens below which a piece is joined with the next.
        vectors: makes the vectors; by default the bundled model.
    """

    name = "semantic-similarity"
    rules = 1

    def __init__(
        self, tokenizer: Tokenizer, *, limit: int = 256, least: int = 20, vectors: Vectors | None = None
    ) -> None:
        super().__init__(tokenizer, limit=limit, overlap=0)
        self._least = least
        self._vectors = vectors
        self._bundled = tokenizer if isinstance(tokenizer, BundledEmbedder) else None

    @property
    def version(self) -> str:
        """The version, for example ``semantic-similarity-1:256/20``."""
        return f"{self.name}-{self.rules}:{self._limit}/{self._least}"

    def pieces(self, text: str, limit: int) -> list[Piece]:
        """Return runs of sentences about one subject."""
        units = sentences(text)
        if len(units) > 2:
            units = self._by_subject(text, units)
        return joined(units, self.sizes(text, units), limit, self._least)

    def _by_subject(self, text: str, units: Sequence[Unit]) -> list[Unit]:
        vectors = self._embedded([text[unit.start : unit.end].strip() for unit in units])
        # Rounded, so that the last digits of a vector, which differ between machines, decide nothing.
        distances = [round(1 - float(a @ b), 3) for a, b in pairwise(vectors)]
        far = fmean(distances) + pstdev(distances)
        cuts = [0, *(index for index, distance in enumerate(distances, 1) if distance > far), len(units)]
        return [Unit(units[a].start, units[b - 1].end) for a, b in pairwise(cuts)]

    def _embedded(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if self._vectors is not None:
            return self._vectors(texts)
        if self._bundled is None:
            self._bundled = BundledEmbedder()
        return self._bundled.vectors_now(texts)
