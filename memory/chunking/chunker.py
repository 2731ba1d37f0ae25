"""The interface of a chunking strategy: text in, spans out. Pure; it depends only on the embedder's tokenizer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ..embedding.embedder import Tokenizer


@dataclass(frozen=True, slots=True)
class TextSpan:
    """A chunk as ``text[start:end]``; ``token_count`` without special tokens and without what was reserved."""

    start: int
    end: int
    token_count: int
    section: str = ""


class Chunker(ABC):
    """Cuts texts into spans that the embedder reads whole.

    Every strategy keeps these rules: spans ascend and together cover all text that is not blank; none is blank; none
    has more tokens than the limit less what is reserved; none begins or ends inside a word, a code fence or a
    grapheme cluster, unless that one thing alone exceeds the limit. The time is linear in the text.

    Args:
        tokenizer: the embedder's own.
        limit: tokens of a chunk with what is reserved; where the embedder reads less, that is the limit.
        overlap: tokens that a chunk may repeat of the one before it in its section, at most a quarter of the limit.
    """

    name: ClassVar[str]
    rules: ClassVar[int]
    """The version of the rules."""

    def __init__(self, tokenizer: Tokenizer, *, limit: int = 512, overlap: int = 50) -> None:
        self._tokenizer = tokenizer
        self._limit = limit
        self._overlap = overlap

    @property
    def version(self) -> str:
        """The name, the version of the rules and the parameters, for example ``recursive-1:512/50``."""
        return f"{self.name}-{self.rules}:{self._limit}/{self._overlap}"

    def spans(self, text: str, *, reserve: int = 0) -> list[TextSpan]:
        """Return the spans of one text; none for a blank one.

        Args:
            text: anything.
            reserve: tokens that the embedder will read in front of each span, such as ``Speaker: ``.

        Raises:
            EmbeddingError: the tokenizer cannot be loaded.
        """
        return self.spans_many([text], [reserve])[0]

    @abstractmethod
    def spans_many(self, texts: Sequence[str], reserves: Sequence[int] = ()) -> list[list[TextSpan]]:
        """Return the spans of many texts, several times as fast as one by one; ``reserves`` has one value per text or
        is empty.

        Raises:
            EmbeddingError: the tokenizer cannot be loaded.
        """
