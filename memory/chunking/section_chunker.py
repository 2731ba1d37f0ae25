"""The base of strategies that cut a text by sections: each section is a chunk, a long one several."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

from .chunker import Chunker, TextSpan
from .token_splitter import cut_many

SEPARATOR = " > "
"""The separator between the titles of a section's path."""


class Section(NamedTuple):
    """A section ``text[start:end]``, with the titles above it joined by `SEPARATOR`; the path is empty if there are
    none.
    """

    start: int
    end: int
    path: str


class SectionChunker(Chunker):
    """Cuts at sections, and long sections like any other text."""

    @abstractmethod
    def sections(self, text: str) -> list[Section]:
        """Return the sections of the text: ascending, without gaps, in linear time."""

    def spans_many(self, texts: Sequence[str], reserves: Sequence[int] = ()) -> list[list[TextSpan]]:
        """Return the spans of many texts; see `Chunker`."""
        most = min(self._limit, self._tokenizer.max_tokens)
        sections = [self.sections(text) for text in texts]
        pieces: list[str] = []
        limits: list[int] = []
        for text, of_text, reserve in zip(texts, sections, reserves or [0] * len(texts), strict=True):
            pieces += [text[section.start : section.end] for section in of_text]
            limits += [most - reserve] * len(of_text)
        cut = iter(cut_many(pieces, self._tokenizer, limits=limits, overlap=self._overlap))
        return [
            [
                TextSpan(section.start + span.start, section.start + span.end, span.token_count, section.path)
                for section, spans in zip(of_text, cut, strict=False)
                for span in spans
            ]
            for of_text in sections
        ]
