"""The interface of a reranker, and the check of its scores."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import isfinite
from typing import Protocol
from uuid import UUID

from ...schemas.errors import ProcessingError


class RerankError(ProcessingError):
    """The reranker cannot be loaded or reached, or gave scores that cannot be used; the first ranking stands."""


class Reranker(Protocol):
    """Scores texts by how well they answer a question. Scores of one call compare with each other, and with no others."""

    async def scores(self, question: str, texts: Sequence[str], documents: Collection[UUID] = ()) -> Sequence[float]:
        """Return one finite score per text, in the order of ``texts``; the higher, the better. May be cancelled.

        Args:
            question: the question.
            texts: at least one; each is read as far as the model's window reaches.
            documents: the documents of the texts, for the audit log of texts that leave the machine.

        Raises:
            RerankError: the model cannot be used.
            MemdError: the request could not be recorded, and was not sent.
        """
        ...

    async def aclose(self) -> None:
        """Release what is held open."""
        ...


def checked(scores: Sequence[float], count: int) -> Sequence[float]:
    """Return the same scores.

    Raises:
        RerankError: not ``count`` scores, or one is not finite.
    """
    if len(scores) != count or not all(map(isfinite, scores)):
        raise RerankError(f"the reranker gave no usable scores for {count} texts")
    return scores
