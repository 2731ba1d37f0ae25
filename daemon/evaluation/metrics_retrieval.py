"""Figures of a ranking, from the pieces of evidence that each of its hits adds.

A ranking is a list of numbers here: of each hit, in their order, how many pieces of evidence it holds that no hit before it
held. ``wanted`` is the number of pieces that there are, at least 1.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

DEPTHS = (1, 5, 10, 25, 50)
"""The numbers of first hits that are looked at. LoCoMo's paper has 5, 10, 25 and 50."""
RANKED = 10
"""The depth of nDCG, and of the share of questions with any evidence."""


def recall_at(gains: Sequence[int], wanted: int, depth: int) -> float:
    """Return the share of the evidence among the first ``depth`` hits (Manning et al., Introduction to Information
    Retrieval, 2008, 8.3).
    """
    return sum(gains[:depth]) / wanted


def precision_at(gains: Sequence[int], depth: int) -> float:
    """Return the share of the first ``depth`` hits that add evidence; places without a hit count as wrong (ibid., 8.4)."""
    return sum(gain > 0 for gain in gains[:depth]) / depth


def reciprocal_rank(gains: Sequence[int]) -> float:
    """Return 1 / the rank of the first hit with evidence; 0 if there is none (Voorhees, TREC-8, 1999)."""
    return next((1 / rank for rank, gain in enumerate(gains, 1) if gain), 0.0)


def ndcg_at(gains: Sequence[int], wanted: int, depth: int) -> float:
    """Return the discounted cumulative gain over that of an ideal ranking, with a gain of 1 for each hit that adds evidence
    and the discount log2(rank + 1) (Järvelin and Kekäläinen, TOIS 20(4), 2002).
    """
    dcg = sum(1 / math.log2(rank + 1) for rank, gain in enumerate(gains[:depth], 1) if gain)
    return dcg / sum(1 / math.log2(rank + 1) for rank in range(1, min(wanted, depth) + 1))


def hit_at(gains: Sequence[int], depth: int) -> float:
    """Return 1 if any of the first ``depth`` hits has evidence, else 0: the hit rate, once it is averaged."""
    return float(any(gains[:depth]))


def figures_of(gains: Sequence[int], wanted: int, hits: int) -> dict[str, float]:
    """Return all figures of one question by name: ``recall@10``, ``precision@10``, ``hit@10``, ``mrr``, ``ndcg@10``; recall as
    deep as ``hits`` were asked for.
    """
    figures = {f"recall@{depth}": recall_at(gains, wanted, depth) for depth in DEPTHS if depth <= hits}
    figures[f"precision@{RANKED}"] = precision_at(gains, RANKED)
    figures[f"hit@{RANKED}"] = hit_at(gains, RANKED)
    figures["mrr"] = reciprocal_rank(gains)
    figures[f"ndcg@{RANKED}"] = ndcg_at(gains, wanted, RANKED)
    return figures


@dataclass(frozen=True, slots=True)
class Returned:
    """The judgement of what came back, where it matters what must not (PrecisionMemBench)."""

    precision: float | None
    """The share of what came back that is evidence; 0 if nothing came back though it should; None if nothing should."""
    passed: bool
    """True if all evidence came back, nothing that is forbidden and, where the question says so, nothing else."""
    active: bool
    """True if there is evidence, so that an empty answer does not pass."""


def judged(ids: Collection[str], evidence: Collection[str], forbidden: Collection[str], *, alone: bool) -> Returned:
    """Return the judgement of the ids that came back, by the rules of tenurehq/precisionMemBench."""
    back, wanted = set(ids), set(evidence)
    right = wanted <= back and not back & set(forbidden) and not (alone and back - wanted)
    if not back and not wanted:
        return Returned(None, right, active=False)
    return Returned(len(back & wanted) / len(back) if back else 0.0, right, active=bool(wanted))


def means(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the mean of each figure over the rows that have it."""
    names = dict.fromkeys(name for row in rows for name in row)
    columns = {name: [row[name] for row in rows if name in row] for name in names}
    return {name: sum(column) / len(column) for name, column in columns.items()}
