"""BM25 over the three fields of a chunk, by what a sample of the indexed chunks tells of the frequencies of terms. Pure.

The server ranks one field; the scores that memd compares are made here, so that all fields of a chunk and all chunks of an answer are
scored by the same statistics, whatever found them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import log

from ....schemas import Arm
from ...text.fields import LexicalFields

K1 = 1.2
B = 0.75
FIELDS: tuple[Arm, ...] = ("lexical", "near", "wide")


@dataclass(frozen=True, slots=True)
class Statistics:
    """Term statistics estimated from a sample of the chunks. Terms missing from the sample count as half a chunk of it."""

    chunks: int
    """All that are indexed."""
    sampled: int
    holding: Mapping[Arm, Mapping[str, int]]
    """By field and term, how many of the sample hold the term."""
    lengths: Mapping[Arm, float]
    """By field, the mean number of terms."""

    def frequency(self, field: Arm, term: str) -> float:
        """Return the estimated number of chunks that hold a term in a field."""
        return max(0.5, self.holding[field].get(term, 0)) * self.chunks / self.sampled

    def weight(self, field: Arm, term: str) -> float:
        """The inverse document frequency of a term in a field."""
        frequency = self.frequency(field, term)
        return log(1 + (max(0.0, self.chunks - frequency) + 0.5) / (frequency + 0.5))


def statistics_of(sample: Collection[LexicalFields], chunks: int) -> Statistics:
    """Return the statistics of ``chunks`` chunks, estimated from a random ``sample`` of them."""
    holding: dict[Arm, Mapping[str, int]] = {}
    lengths: dict[Arm, float] = {}
    for field in FIELDS:
        texts = [_text(each, field).split() for each in sample]
        holding[field] = Counter(term for terms in texts for term in set(terms))
        lengths[field] = sum(map(len, texts)) / max(1, len(texts))
    return Statistics(max(chunks, len(sample)), max(1, len(sample)), holding, lengths)


def scores_of(
    rows: Mapping[int, LexicalFields], terms: Sequence[str], statistics: Statistics, fields: Sequence[Arm]
) -> dict[Arm, dict[int, float]]:
    """Return by field the score of each row that holds any of the terms there."""
    scores: dict[Arm, dict[int, float]] = {}
    for field in fields:
        weights = {term: statistics.weight(field, term) for term in terms}
        mean = statistics.lengths[field] or 1.0
        scores[field] = {}
        for row, texts in rows.items():
            words = _text(texts, field).split()
            held = Counter(word for word in words if word in weights)
            if held:
                saturation = K1 * (1 - B + B * len(words) / mean)
                parts = (weights[term] * times * (K1 + 1) / (times + saturation) for term, times in held.items())
                scores[field][row] = sum(parts)
    return scores


def rarest(terms: Sequence[str], statistics: Statistics, field: Arm, most: float) -> list[str]:
    """The rarest of the terms, of which together about ``most`` chunks hold one; at least one term."""
    ordered = sorted(terms, key=lambda term: statistics.frequency(field, term))
    total, chosen = 0.0, 0
    for term in ordered:
        total += statistics.frequency(field, term)
        if chosen and total > most:
            break
        chosen += 1
    return ordered[:chosen]


def _text(texts: LexicalFields, field: Arm) -> str:
    return str(getattr(texts, field))
