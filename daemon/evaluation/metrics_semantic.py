"""Figures of an answer by meaning: cosines of the local model's vectors.

Both depend on the model and compare with figures of the same model only. Cosines of multilingual-e5 lie between about .7
and 1, also of texts that have nothing in common.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from ...memory.embedding.embedder import Embedder

_WORD = re.compile(r"[^\W_]+")
CACHED = 50_000
"""The most texts whose vectors are kept."""


class SemanticMetrics:
    """Makes vectors of texts and of words, each once.

    Args:
        embedder: the local model.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._vectors: dict[str, NDArray[np.float32]] = {}

    async def figures(self, answer: str, gold: str) -> dict[str, float]:
        """Return ``sbert``, the cosine of both texts (Reimers and Gurevych, EMNLP 2019), and ``bertscore``.

        The latter is BERTScore's F1 (Zhang et al., ICLR 2020): each word's best cosine with a word of the other text, averaged
        over both texts, without weights and rescaling. The words are embedded one by one, not in their sentence: the bundled model
        gives one vector a text.

        Raises:
            EmbeddingError: the model failed.
        """
        if not answer.strip() or not gold.strip():
            return {"sbert": 0.0, "bertscore": 0.0}
        ours, theirs = (_WORD.findall(text.lower()) or [text] for text in (answer, gold))
        await self._embed([answer, gold, *ours, *theirs])
        cosines = self._matrix(ours) @ self._matrix(theirs).T
        precision, recall = float(cosines.max(axis=1).mean()), float(cosines.max(axis=0).mean())
        total = precision + recall
        whole = float(self._vectors[answer] @ self._vectors[gold])
        return {"sbert": whole, "bertscore": 2 * precision * recall / total if total > 0 else 0.0}

    async def _embed(self, texts: Iterable[str]) -> None:
        if len(self._vectors) > CACHED:
            self._vectors.clear()
        texts = list(texts)
        missing = list(dict.fromkeys(text for text in texts if text not in self._vectors))
        if missing:
            vectors = await self._embedder.embed_documents(missing)
            self._vectors.update(zip(missing, vectors, strict=True))

    def _matrix(self, words: Sequence[str]) -> NDArray[np.float32]:
        return np.stack([self._vectors[word] for word in words])
