"""What every reranker must keep. A test file subclasses the suite and gives a reranker that prefers texts with more z."""

from __future__ import annotations

from math import isfinite

import pytest

from memd.memory.rerank.reranker import Reranker
from memd.tests.contracts.embedder import ODD_TEXTS


class RerankerContract:
    """Subclass it, and give a fixture ``reranker``."""

    @pytest.mark.anyio
    async def test_each_text_has_its_score_in_their_order(self, reranker: Reranker) -> None:
        """The better text has the higher score, wherever it stands, whatever lengths lie beside it."""
        texts = ["one z", "zzz", "nothing at all here " * 3, "zz and more"]
        scores = await reranker.scores("which?", texts)
        assert sorted(range(4), key=lambda number: -scores[number]) == [1, 3, 0, 2]

    @pytest.mark.anyio
    async def test_any_text_has_a_score(self, reranker: Reranker) -> None:
        """Empty, endless, broken and foreign texts and questions are read like any other."""
        for question in ("which?", "\ud800", "z" * 10_000):
            scores = await reranker.scores(question, ODD_TEXTS)
            assert len(scores) == len(ODD_TEXTS)
            assert all(map(isfinite, scores))
