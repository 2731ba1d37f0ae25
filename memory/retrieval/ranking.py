"""From exact raw scores of every candidate in every arm to one order. Pure; knows no store and no question."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

import numpy as np

from ...schemas import Arm
from ..search_types import ChunkRef, Column
from .weights import DOCUMENT_TOP_HITS, FACT_VECTOR_SHARE, MISSING_VECTOR_Z, MOST_TOKENS, Weights


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its score and the parts that the score is the sum of."""

    number: int
    """Which of the places it is."""
    place: ChunkRef
    score: float
    shares: Mapping[str, float] = field(default_factory=dict[str, float])


def rank(
    places: Sequence[ChunkRef],
    raw: Mapping[Arm, Column],
    weights: Weights,
    speakers: frozenset[str] = frozenset(),
    most: int = 100,
) -> list[Ranked]:
    """The best candidates in their order, one a message: its best chunk.

    Args:
        places: distinct chunks.
        raw: by arm, a score for each of the places; NaN where the arm gives none: no word in common counts as zero,
            a vector that is not made yet as one standard deviation below the mean.
        weights: the multiples of each arm and of what is added.
        speakers: the names of the one person whom the question names.
        most: how many are wanted.
    """
    if not places:
        return []
    numbers: Sequence[int] = range(len(places))
    if any(place.fact for place in places):
        weights, raw = weights.with_facts, _shared(places, raw)
        # From here on a message counts once, however much is known by it.
        there = {place.owner for place in places if not place.fact}
        numbers = [number for number, place in enumerate(places) if not place.fact or place.owner not in there]
        places, raw = [places[number] for number in numbers], {arm: column[numbers] for arm, column in raw.items()}
    parts: dict[str, Column] = {
        arm: weights.arms.get(arm, 0.0) * (_of_some(column) if arm == "vector" else _standard(np.nan_to_num(column)))
        for arm, column in raw.items()
        if weights.arms.get(arm, 0.0)
    }
    if speakers and weights.speaker:
        parts["speaker"] = weights.speaker * np.array([float(place.speaker in speakers) for place in places])
    if weights.length:
        tokens = np.array([min(place.tokens, MOST_TOKENS) for place in places])
        parts["length"] = weights.length * _standard(np.log1p(tokens))
    if weights.question:
        parts["question"] = weights.question * np.array([float(place.asks) for place in places])
    own = np.sum([*parts.values(), np.zeros(len(places))], axis=0)
    positions = _positions(places)
    if weights.neighbour:
        parts["neighbours"] = weights.neighbour * _neighbours(positions, _best_at(positions, own))
    if weights.document:
        total = own + parts.get("neighbours", 0.0)
        parts["document"] = weights.document * _documents(positions, _best_at(positions, total))
    total = np.sum([*parts.values(), np.zeros(len(places))], axis=0)
    ranked: list[Ranked] = []
    seen: set[UUID] = set()
    # Equal scores: by key, so that the same question has the same answer.
    scores = total.tolist()
    for index in sorted(range(len(places)), key=lambda i: (-scores[i], places[i].key.int)):
        if len(ranked) == most:
            break
        place = places[index]
        # A text's chunks are hits of their own; a message is one hit.
        unit = place.owner if place.speaker else place.key
        if unit not in seen:
            seen.add(unit)
            shares = {name: round(float(column[index]), 6) for name, column in parts.items()}
            ranked.append(Ranked(numbers[index], place, scores[index], shares))
    return ranked


def _standard(values: Column) -> Column:
    """Z-scores; zeros where all are equal."""
    spread = values.std()
    return (values - values.mean()) / spread if spread > 0 else np.zeros_like(values)


def _shared(places: Sequence[ChunkRef], raw: Mapping[Arm, Column]) -> Mapping[Arm, Column]:
    """A message's own words and its facts are keys of one thing: in each arm it has the score of the best of them, of
    vectors with a part of its own.
    """
    members: defaultdict[UUID, list[int]] = defaultdict(list)
    for number, place in enumerate(places):
        if place.speaker:
            members[place.owner].append(number)
    several = [numbers for numbers in members.values() if any(places[number].fact for number in numbers)]
    if not several:
        return raw
    shared: dict[Arm, Column] = {arm: column.copy() for arm, column in raw.items()}
    for numbers in several:
        own = [number for number in numbers if not places[number].fact]
        for arm, column in shared.items():
            best = _best(column[numbers])
            if arm == "vector":
                best = FACT_VECTOR_SHARE * best + (1 - FACT_VECTOR_SHARE) * np.nan_to_num(_best(column[own]), nan=best)
            column[numbers] = best
    return shared


def _best(values: Column) -> float:
    known = values[~np.isnan(values)]
    return float(known.max()) if known.size else np.nan


def _of_some(values: Column) -> Column:
    """Z-scores over those that have a value. Zero would be far below any cosine: a new message would come last until
    its vector is made, though it holds the very words of the question.
    """
    present = ~np.isnan(values)
    scores = np.full_like(values, MISSING_VECTOR_Z)
    scores[present] = _standard(values[present]) if present.any() else 0.0
    return scores


_DOCUMENT = 1 << 40
"""Documents stand this far apart among the positions, more than any has messages."""


def _positions(places: Sequence[ChunkRef]) -> list[int]:
    """Document and running number as one number; direct neighbours differ by one."""
    numbers: dict[UUID, int] = {}
    return [numbers.setdefault(place.document, len(numbers)) * _DOCUMENT + place.ordinal for place in places]


def _best_at(positions: Sequence[int], scores: Column) -> dict[int, float]:
    """The best chunk's score at each position: a long message has several chunks."""
    best: dict[int, float] = {}
    for position, score in zip(positions, scores.tolist(), strict=True):
        if score > best.get(position, -np.inf):
            best[position] = score
    return best


def _neighbours(positions: Sequence[int], best: Mapping[int, float]) -> Column:
    """The sum of both direct neighbours; one that is no candidate is average: zero."""
    return np.array([best.get(position - 1, 0.0) + best.get(position + 1, 0.0) for position in positions])


def _documents(positions: Sequence[int], best: Mapping[int, float]) -> Column:
    """The mean of each document's best three messages; fewer candidates count as average: zero."""
    by_document: defaultdict[int, list[float]] = defaultdict(list)
    for position, score in best.items():
        by_document[position // _DOCUMENT].append(score)
    mean = {
        document: sum(sorted(scores)[-DOCUMENT_TOP_HITS:]) / DOCUMENT_TOP_HITS
        for document, scores in by_document.items()
    }
    return np.array([mean[position // _DOCUMENT] for position in positions])
