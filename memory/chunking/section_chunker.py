"""What strategies share that cut a text in sections of their own finding: each is a chunk, a long one several."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

from .chunker import Chunker, TextSpan
from .token_splitter import cut_many

SEPARATOR = " > "
"""Between the titles of a section's path."""


class Section(NamedTuple):
    """``text[start:end]``, and the titles above it joined by `SEPARATOR`; the path is empty where there are none."""

    start: int
    end: int
    path: str


class SectionChunker(Chunker):
    """Cuts along sections, and what is too long between two of them like any other text."""

    @abstractmethod
    def sections(self, text: str) -> list[Section]:
        """The text in its sections: ascending, without gaps, in linear time."""

    def spans_many(self, texts: Sequence[str], reserves: Sequence[int] = ()) -> list[list[TextSpan]]:
        """The spans of many texts; see `Chunker`."""
        most = min(self._limit, self._tokenizer.max_tokens)
        sections = [self.sections(text) for text in texts]
        pieces: list[str] = []
        limits: list[int] = []
        for text, found, reserve in zip(texts, sections, reserves or [0] * len(texts), strict=True):
            pieces += [text[section.start : section.end] for section in found]
            limits += [most - reserve] * len(found)
        cut = iter(cut_many(pieces, self._tokenizer, limits=limits, overlap=self._overlap))
        return [
            [
                TextSpan(section.start + span.start, section.start + span.end, span.token_count, section.path)
                for section, spans in zip(found, cut, strict=False)
                for span in spans
            ]
            for found in sections
        ]
