"""The base of strategies that put whole units of a text together, such as sentences."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from .chunker import Chunker, TextSpan
from .token_splitter import count_tokens, cut_many
from .units import Piece, Unit


class PieceChunker(Chunker):
    """Makes a chunk of each piece; a piece that exceeds the limit is cut like any other text, without an overlap."""

    @abstractmethod
    def pieces(self, text: str, limit: int) -> list[Piece]:
        """Return the pieces of a text in linear time: ascending, together all of it, none blank, nor its fresh part.

        Args:
            text: anything.
            limit: tokens of a chunk.
        """

    def sizes(self, text: str, units: Sequence[Unit]) -> list[int]:
        """Return the number of tokens of each unit."""
        return count_tokens([text[unit.start : unit.end] for unit in units], self._tokenizer)

    def spans_many(self, texts: Sequence[str], reserves: Sequence[int] = ()) -> list[list[TextSpan]]:
        """Return the spans of many texts; see `Chunker`."""
        most = min(self._limit, self._tokenizer.max_tokens)
        limits = [most - reserve for reserve in reserves or [0] * len(texts)]
        pieces = [self.pieces(text, max(1, limit)) for text, limit in zip(texts, limits, strict=True)]
        whole = [
            (text[piece.start : piece.end], limit)
            for text, limit, of_text in zip(texts, limits, pieces, strict=True)
            for piece in of_text
        ]
        cut = iter(cut_many([text for text, _ in whole], self._tokenizer, limits=[limit for _, limit in whole]))
        return [
            self._joined(text, limit, [(piece, next(cut)) for piece in of_text])
            for text, limit, of_text in zip(texts, limits, pieces, strict=True)
        ]

    def _joined(self, text: str, limit: int, pieces: Sequence[tuple[Piece, list[TextSpan]]]) -> list[TextSpan]:
        spans: list[TextSpan] = []
        for piece, inside in pieces:
            start, cut = piece.start, inside
            first = start + cut[0].start if cut else 0
            if piece.fresh > start and (len(cut) > 1 or (spans and first <= spans[-1].start)):
                # Parts of a repeated piece would not ascend: without what it repeats, they do.
                start = piece.fresh
                (cut,) = cut_many([text[start : piece.end]], self._tokenizer, limits=[limit])
            spans += [TextSpan(start + span.start, start + span.end, span.token_count) for span in cut]
        return spans
