"""The interfaces of an embedder and its tokenizer, and the check of every vector."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ...schemas.errors import EmbeddingError


class Tokenizer(Protocol):
    """The embedder's tokenizer, for code that must know how much of a text the embedder reads."""

    @property
    def max_tokens(self) -> int:
        """The most tokens of a text that are read, without special tokens; the rest of the text is ignored."""
        ...

    def token_offsets(self, text: str) -> list[tuple[int, int]]:
        """Return the tokens as spans of characters ``text[start:end]``, ascending, without special tokens.

        Characters that the tokenizer drops (blanks, controls) lie in no span. Several tokens may share a span.

        Raises:
            EmbeddingError: the tokenizer cannot be loaded.
        """
        ...

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text, without special tokens; cheaper than their spans.

        Raises:
            EmbeddingError: the tokenizer cannot be loaded.
        """
        ...


class Embedder(Protocol):
    """Converts texts to vectors of unit length.

    Vectors of one name may be compared with each other, and with no others. The same text may come out slightly
    different in another batch: nothing may rest on equal vectors.
    """

    @property
    def name(self) -> str:
        """The name of the model and its variant, for example ``bge-small-en-v1.5-int8``."""
        ...

    @property
    def dimension(self) -> int:
        """The number of components of a vector."""
        ...

    @property
    def max_tokens(self) -> int:
        """The most tokens of a text that are read, without special tokens; the rest of the text is ignored."""
        ...

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one vector per text, shape (n, dimension), in the order of ``texts``. May be cancelled between its
        batches.

        Raises:
            EmbeddingError: the model cannot be loaded or gave unusable vectors.
        """
        ...

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a query, shape (dimension,). Does not wait for documents that are being embedded.

        Raises:
            EmbeddingError: the model cannot be loaded or gave unusable vectors.
        """
        ...


class EmbeddingModel(Embedder, Tokenizer, Protocol):
    """An embedder with its tokenizer and its lifetime, as the daemon uses it."""

    @property
    def loaded(self) -> bool:
        """True if the next text need not wait for loading or for a request."""
        ...

    async def load(self) -> None:
        """Load the model now instead of at the first text; repeated calls cost nothing.

        Raises:
            EmbeddingError: it cannot; it will be tried again with the next text.
        """
        ...

    async def aclose(self) -> None:
        """Release what is held open."""
        ...


def checked(vectors: NDArray[np.float32], expected_n: int, dimension: int) -> NDArray[np.float32]:
    """Return the same vectors with unit length.

    Raises:
        EmbeddingError: not ``(expected_n, dimension)``, or a vector is zero or not finite.
    """
    if vectors.shape != (expected_n, dimension):
        wanted, actual = f"({expected_n}, {dimension})", str(tuple(vectors.shape))
        raise EmbeddingError(f"the embedder gave vectors of shape {actual} instead of {wanted}")
    vectors = vectors.astype(np.float32, copy=False)
    if not np.isfinite(vectors).all():
        raise EmbeddingError("the embedder gave a vector with components that are not finite")
    # In float64, so that neither tiny nor huge components are lost when squared.
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    if not lengths.all():
        raise EmbeddingError("the embedder gave a vector of length zero")
    return (vectors / lengths).astype(np.float32)
