"""Cosines of given vectors: with a question, and with the mean of them all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...schemas.errors import EmbeddingError
from ..search_types import Comparison, Vector

Held = Sequence[NDArray[Any] | None]
"""What an index holds of some rows; None for those that it has not."""


def comparable(vector: Vector, dimension: int) -> Vector:
    """The vector of a question.

    Raises:
        EmbeddingError: it cannot be compared with those of an index.
    """
    asked = np.asarray(vector, dtype=np.float32)
    if asked.shape != (dimension,) or not np.isfinite(asked).all() or not asked.any():
        raise EmbeddingError(
            "the question's vector cannot be compared with the store's",
            hint="the embedder does not fit the store's generation",
        )
    return asked


def cosines_of(vector: Vector, held: Held) -> NDArray[np.float32]:
    """The cosine of each with the vector; NaN for None."""
    present, matrix = _matrix(held, len(vector))
    return _spread(len(held), present, matrix @ _unit(vector))


def compared(vector: Vector, held: Held) -> Comparison:
    """The same, and the cosine of each with the mean of all."""
    present, matrix = _matrix(held, len(vector))
    cosines = _spread(len(held), present, matrix @ _unit(vector))
    if not present:
        return Comparison(cosines, cosines)
    return Comparison(cosines, _spread(len(held), present, matrix @ _unit(matrix.mean(axis=0, dtype=np.float32))))


def _matrix(held: Held, dimension: int) -> tuple[list[int], NDArray[np.float32]]:
    """Which of these are there, by their number, and their vectors, of length 1."""
    present = [(number, value) for number, value in enumerate(held) if value is not None]
    if not present:
        return [], np.empty((0, dimension), np.float32)
    values = np.concatenate([value for _, value in present], axis=None)
    matrix = values.reshape(len(present), dimension).astype(np.float32)
    return [number for number, _ in present], matrix / np.sqrt(np.einsum("ij,ij->i", matrix, matrix))[:, None]


def _unit(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    """The vector with length 1; of zeros, itself."""
    length = np.float32(np.linalg.norm(vector))
    return vector / length if length else vector


def _spread(count: int, present: Sequence[int], values: NDArray[np.float32]) -> NDArray[np.float32]:
    """The values at these places of so many, NaN at the others."""
    result = np.full(count, np.nan, np.float32)
    result[list(present)] = values
    return result
