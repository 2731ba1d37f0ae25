"""Counts and cuts by tokens: with a model's own file, or by an estimate if the tokenizer is unknown."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ...schemas.errors import ConfigError
from .runtime import encodable, load_tokenizer
from .token_counts import WordCounts

if TYPE_CHECKING:
    from tokenizers import Tokenizer as TokenizerFile


class TokenCounter(Protocol):
    """A `Tokenizer` without the window of its model."""

    def token_offsets(self, text: str) -> list[tuple[int, int]]:
        """Return the spans of the tokens; see `Tokenizer`."""
        ...

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Return the numbers of tokens; see `Tokenizer`."""
        ...


class ModelTokenizer(TokenCounter, Protocol):
    """A model's own tokenizer, from a file."""

    def load(self) -> None:
        """Load the file now instead of at the first text.

        Raises:
            EmbeddingError: the file is missing or damaged.
        """
        ...

    def unload(self) -> None:
        """Release the loaded file; it is loaded again when needed."""
        ...

    def ids(self, texts: Sequence[str], window: int) -> list[list[int]]:
        """Return the tokens that a model reads of each text, with special ones, at most ``window``."""
        ...


@dataclass(frozen=True, slots=True)
class LoadedTokenizer:
    """A loaded tokenizer, with the special tokens that it adds to each text."""

    file: TokenizerFile
    before: tuple[int, ...]
    after: tuple[int, ...]
    cuts_at_blanks: bool
    """True if no token spans a blank: then a text has as many tokens as its words together."""


class FileTokenizer:
    """A ``tokenizer.json``, loaded when first needed; a `ModelTokenizer`. For several threads.

    Args:
        path: the file.
        hint: what to do when it is missing or damaged.
    """

    def __init__(self, path: Path, hint: str) -> None:
        self._path = path
        self._hint = hint
        self._loading = threading.Lock()
        self._words: LoadedTokenizer | None = None
        self._counts = WordCounts(self._count)

    def load(self) -> None:
        """Load the file now.

        Raises:
            EmbeddingError: the file is missing or damaged.
        """
        self.words()

    def unload(self) -> None:
        """Release the loaded file; it is loaded again when needed."""
        with self._loading:
            self._words = None

    def words(self) -> LoadedTokenizer:
        """Return the loaded tokenizer.

        Raises:
            EmbeddingError: the file is missing or damaged.
        """
        with self._loading:
            if self._words is None:
                self._words = load_tokenizer_file(load_tokenizer(self._path, self._hint))
            return self._words

    def ids(self, texts: Sequence[str], window: int) -> list[list[int]]:
        """Return the tokens that a model reads of each text, with special ones, at most ``window``."""
        words = self.words()
        room = max(0, window - len(words.before) - len(words.after))
        encoded = words.file.encode_batch_fast([encodable(text) for text in texts], add_special_tokens=False)
        return [[*words.before, *encoding.ids[:room], *words.after] for encoding in encoded]

    def token_offsets(self, text: str) -> list[tuple[int, int]]:
        """Return the spans of the tokens; see `Tokenizer`. About 1 MB of text per second."""
        words = self.words()
        if words.cuts_at_blanks:
            return words.file.encode(encodable(text), add_special_tokens=False).offsets
        # If blanks are part of tokens, those at the ends are left out, as pieces of a text are counted without them.
        inner = text.strip()
        before = text.find(inner)
        spans = words.file.encode(encodable(inner), add_special_tokens=False).offsets
        return [(start + before, end + before) for start, end in _spread(spans)]

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Return the numbers of tokens; see `Tokenizer`."""
        if self.words().cuts_at_blanks:
            return self._counts.count_many(texts)
        return self._count([text.strip() for text in texts])

    def _count(self, texts: Sequence[str]) -> list[int]:
        encoded = self.words().file.encode_batch_fast([encodable(text) for text in texts], add_special_tokens=False)
        return [len(encoding) for encoding in encoded]


def _spread(spans: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Split a span that several tokens share into one part per token: SentencePiece assigns a whole run of unknown
    characters to each of its bytes, and such a text could not be cut.
    """
    for (start, end), group in groupby(spans):
        count = len(list(group))
        for number in range(count):
            first = start + (end - start) * number // count
            yield first, max(first + 1, start + (end - start) * (number + 1) // count)


def model_tokenizer(path: Path, hint: str, pieces: int | None = None) -> ModelTokenizer:
    """Return the tokenizer for a model's file: SentencePiece for ``.model``, else ``tokenizer.json``. Reads nothing
    yet.
    """
    if path.suffix == ".model":
        from .sentencepiece_tokenizer import SentencePieceTokenizer

        return SentencePieceTokenizer(path, hint, pieces)
    return FileTokenizer(path, hint)


def tokenizer_in(path: Path) -> FileTokenizer:
    """Return the tokenizer of a ``tokenizer.json``, or of a folder with one.

    Raises:
        ConfigError: there is none.
    """
    path = path.expanduser()
    file = path / "tokenizer.json" if path.is_dir() else path
    if not file.is_file():
        raise ConfigError(f"there is no tokenizer {file}", hint="embedding.tokenizer names a tokenizer.json")
    return FileTokenizer(file, "embedding.tokenizer names it")


def load_tokenizer_file(file: TokenizerFile) -> LoadedTokenizer:
    """Return a tokenizer with the special tokens that it adds, found by encoding a test text: templates differ by
    model.
    """
    example = file.encode("a")
    special = example.special_tokens_mask
    first = special.index(0) if 0 in special else len(special)
    after = [token for token, extra in zip(example.ids[first:], special[first:], strict=True) if extra]
    kinds = (type(file.normalizer).__name__, type(file.pre_tokenizer).__name__)
    return LoadedTokenizer(
        file, tuple(example.ids[:first]), tuple(after), kinds == ("BertNormalizer", "BertPreTokenizer")
    )


# Three letters or two digits; English runs to four letters a token, German and names in small vocabularies to three.
_ESTIMATED = re.compile(r"[A-Za-z]{1,3}|[0-9]{1,2}|[^\s]")


class TokenEstimate:
    """Overestimates the tokens of ordinary text; a `TokenCounter` for models with an unknown tokenizer.

    A character outside ASCII counts as its bytes in UTF-8 less one: vocabularies that lack it fall back to bytes.
    """

    def __init__(self) -> None:
        self._counts = WordCounts(lambda texts: [len(self.token_offsets(text)) for text in texts])

    def token_offsets(self, text: str) -> list[tuple[int, int]]:
        """Return the spans of the estimated tokens; see `Tokenizer`."""
        spans = [match.span() for match in _ESTIMATED.finditer(text)]
        if text.isascii():
            return spans
        return [span for span in spans for _ in range(_weight(text[span[0]]))]

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Return the estimated numbers of tokens; see `Tokenizer`."""
        return self._counts.count_many(texts)


def _weight(character: str) -> int:
    code = ord(character)
    return 1 if code < 0x800 else 2 if code < 0x10000 else 3


if TYPE_CHECKING:
    _file: type[ModelTokenizer] = FileTokenizer
    _estimate: type[TokenCounter] = TokenEstimate
