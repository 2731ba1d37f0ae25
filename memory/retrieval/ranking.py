"""Ranks candidates by their exact scores in every arm. Pure; independent of store and question."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ...schemas import Arm
from ..search_types import ChunkRef, Column, QuestionVectors
from .own_words import lifts
from .weights import (
    DOCUMENT_TOP_HITS,
    FACT_VECTOR_SHARE,
    FEW_VECTORS,
    MISSING_VECTOR_Z,
    MOST_TOKENS,
    MOST_WORDS_Z,
    USUAL_COSINE,
    USUAL_SPREAD,
    Weights,
)

DIGITS = 6
"""Decimals of a score."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its score and the parts of that score."""

    number: int
    """The index of its place."""
    place: ChunkRef
    score: float
    parts: Mapping[str, Column] = field(default_factory=dict[str, Column])
    """The parts of the scores of all candidates."""
    column: int = 0
    """Its index into the parts."""

    @property
    def identity(self) -> tuple[bool, int]:
        """The identity of the hit: a message, or a piece of a text."""
        message = self.place.message
        return (False, self.place.row) if message is None else (True, message)

    @property
    def shares(self) -> dict[str, float]:
        """Return the contribution of each part to its score."""
        return {name: round(float(values[self.column]), DIGITS) for name, values in self.parts.items()}


def rank(
    places: Sequence[ChunkRef],
    raw: Mapping[Arm, Column],
    weights: Weights,
    speakers: frozenset[str] = frozenset(),
    most: int = 100,
    exact: Collection[int] = (),
    in_time: Collection[int] = (),
    said: Collection[int] = (),
    typical: Column | None = None,
    spaces: NDArray[np.int8] | None = None,
    numeric: Collection[int] = (),
    of_kind: Collection[int] = (),
) -> list[Ranked]:
    """Return the best candidates in order, each message once with its best chunk.

    Args:
        places: distinct chunks.
        raw: the score of each place by arm; NaN where the arm gives none: no common word counts as zero, a missing
            vector as one standard deviation below the mean.
        weights: the weights of the arms and of the other parts.
        speakers: the names of the one person whom the question mentions.
        most: the most candidates.
        exact: row ids of the places that contain the question word by word.
        in_time: row ids of the places in a period that the question names.
        said: row ids of the messages that the question asks for: by the named person at the named time.
        typical: the cosine of each place with the mean of all places.
        spaces: the space of the vector of each place, if there are several.
        numeric: row ids of the places that contain a number, if the question asks for one.
        of_kind: row ids of the places in documents of the kind that the question asks for.
    """
    if not places:
        return []
    if "vector" in raw and (typical is not None or spaces is not None):
        raw = {**raw, "vector": _without_typical(raw["vector"], typical, spaces, weights.typical)}
    numbers: Sequence[int] = range(len(places))
    if any(place.readers for place in places):
        raw = _shared(places, raw)
        # From here on a message counts once, with however many chunks it was found.
        there = {place.message for place in places if not place.readers}
        numbers = [number for number, place in enumerate(places) if not place.readers or place.message not in there]
        places, raw = [places[number] for number in numbers], {arm: column[numbers] for arm, column in raw.items()}
    parts = _own_parts(places, raw, weights)
    if speakers and weights.speaker:
        parts["speaker"] = weights.speaker * np.array([float(place.speaker in speakers) for place in places])
    for name, rows, weight in (
        ("exact", exact, weights.exact),
        ("time", in_time, weights.time),
        ("said", said, weights.said),
        ("kind", of_kind, weights.kind),
    ):
        if rows and weight:
            parts[name] = weight * np.array([float(place.row in rows) for place in places])
    own = np.sum([*parts.values(), np.zeros(len(places))], axis=0)
    parts |= _parts_around(places, parts, own, weights)
    if numeric and weights.number:
        parts["number"] = weights.number * np.array([float(place.row in numeric) for place in places])
    if weights.assistant:
        parts |= _parts_of_own_words(places, parts, raw.get("vector"), weights, {*exact, *said})
    total = np.sum([*parts.values(), np.zeros(len(places))], axis=0)
    return _in_order(places, numbers, total, parts, most)


def _in_order(
    places: Sequence[ChunkRef], numbers: Sequence[int], total: Column, parts: Mapping[str, Column], most: int
) -> list[Ranked]:
    """Return the best candidates by their total score, each message once."""
    ranked: list[Ranked] = []
    seen: set[int] = set()
    # Equal scores are ordered by key, so that the same question has the same answer: the last digits depend on the
    # order of the candidates.
    scores = total.round(DIGITS).tolist()
    for index in sorted(range(len(places)), key=lambda i: (-scores[i], places[i].key)):
        if len(ranked) == most:
            break
        place = places[index]
        # The chunks of a text are separate hits; a message is one hit.
        if place.message not in seen:
            if place.message is not None:
                seen.add(place.message)
            ranked.append(Ranked(numbers[index], place, scores[index], parts, index))
    return ranked


def _parts_around(
    places: Sequence[ChunkRef], parts: Mapping[str, Column], own: Column, weights: Weights
) -> dict[str, Column]:
    """Return the parts of each place's score that come from the places around it, by their own scores."""
    positions = _Positions(places)
    around: dict[str, Column] = {}
    if weights.reply:
        asked = own - parts["question"] if "question" in parts else own
        around["reply"] = weights.reply * positions.replies(places, asked)
    if weights.document:
        so_far = np.sum([own, *around.values()], axis=0)
        around["document"] = weights.document * positions.documents(so_far)
    return around


def _parts_of_own_words(
    places: Sequence[ChunkRef],
    parts: Mapping[str, Column],
    cosines: Column | None,
    weights: Weights,
    answers: Collection[int],
) -> dict[str, Column]:
    """Return the parts that put the user's own words before the replies of assistants, if there are any."""
    machine = np.array([float(place.machine) for place in places])
    if not machine.any():
        return {}
    assistant = weights.assistant * machine
    scores = np.sum([*parts.values(), assistant], axis=0)
    return {"assistant": assistant, "own_words": lifts(places, scores, cosines, answers)}


def _own_parts(places: Sequence[ChunkRef], raw: Mapping[Arm, Column], weights: Weights) -> dict[str, Column]:
    """Return the parts of each place's own score: its scores in the arms, its length and its form."""
    parts: dict[str, Column] = {
        arm: weights.arms.get(arm, 0.0)
        * (_of_some(column, raw.get("lexical")) if arm == "vector" else _of_words(column))
        for arm, column in raw.items()
        if weights.arms.get(arm, 0.0)
    }
    if weights.length:
        tokens = np.array([min(place.tokens, MOST_TOKENS) for place in places])
        parts["length"] = weights.length * z_scores(np.log1p(tokens))
    if weights.question:
        parts["question"] = weights.question * np.array([float(place.asks) for place in places])
    return parts


def _of_words(values: Column) -> Column:
    """Return capped z-scores; a place without any of the words counts as zero."""
    return np.minimum(z_scores(_or_zero(values)), MOST_WORDS_Z)


def _or_zero(values: Column) -> Column:
    return np.where(np.isnan(values), 0.0, values)


def z_scores(values: Column) -> Column:
    """Return z-scores; zeros if all values are equal."""
    apart = values - values.mean()
    spread = np.sqrt(np.dot(apart, apart) / len(apart))
    return apart / spread if spread > 0 else np.zeros_like(values)


def _without_typical(cosines: Column, typical: Column | None, spaces: NDArray[np.int8] | None, weight: float) -> Column:
    """Return the cosines less the weighted nearness to what is typical; of two spaces as z-scores within each, so that
    they compare. NaN stays.
    """
    shares = np.zeros_like(cosines) if typical is None else weight * _or_zero(typical)
    if spaces is None:
        return cosines - shares
    scores = np.full_like(cosines, np.nan)
    for space in range(len(QuestionVectors._fields)):
        members = (spaces == space) & ~np.isnan(cosines)
        if members.any():
            values = cosines[members] - (shares[members] - shares[members].mean())
            mean, variance = float(values.mean()), float(values.var())
            if space:
                # A fallback may have made a handful of vectors, of which one is always the nearest by far.
                share = len(values) / (len(values) + FEW_VECTORS)
                mean = share * mean + (1 - share) * USUAL_COSINE
                variance = share * variance + (1 - share) * USUAL_SPREAD**2
            scores[members] = (values - mean) / np.sqrt(variance) if variance > 0 else 0.0
    return scores


def _shared(places: Sequence[ChunkRef], raw: Mapping[Arm, Column]) -> Mapping[Arm, Column]:
    """Share scores between the chunks of a message and of its facts: in each arm all get the best of them; of vectors
    it is averaged with the message's own score.
    """
    members: defaultdict[int, list[int]] = defaultdict(list)
    for number, place in enumerate(places):
        if place.message is not None:
            members[place.message].append(number)
    several = [numbers for numbers in members.values() if any(places[number].readers for number in numbers)]
    if not several:
        return raw
    shared: dict[Arm, Column] = {arm: column.copy() for arm, column in raw.items()}
    for numbers in several:
        own = [number for number in numbers if not places[number].readers]
        for arm, column in shared.items():
            best = _best(column[numbers])
            if arm == "vector":
                best = FACT_VECTOR_SHARE * best + (1 - FACT_VECTOR_SHARE) * np.nan_to_num(_best(column[own]), nan=best)
            column[numbers] = best
    return shared


def _best(values: Column) -> float:
    known = values[~np.isnan(values)]
    return float(known.max()) if known.size else np.nan


def _of_some(values: Column, words: Column | None) -> Column:
    """Return z-scores over the places with a value. A place without one, whose vector is not made yet, has the z-score of
    its words: zero would be far below any cosine, and a new message would come last with the very words of the question.
    """
    present = ~np.isnan(values)
    scores = np.full_like(values, MISSING_VECTOR_Z) if words is None else _of_words(words)
    scores[present] = z_scores(values[present]) if present.any() else 0.0
    return scores


_DOCUMENT = 1 << 40
"""The distance between the positions of two documents, greater than the number of messages in any."""


class _Positions:
    """The positions of the candidates: document and running number as one number, in which direct neighbours differ by
    one.
    """

    def __init__(self, places: Sequence[ChunkRef]) -> None:
        numbers: dict[int, int] = {}  # row ids of documents may be too large to multiply
        positions = [numbers.setdefault(place.document, len(numbers)) * _DOCUMENT + place.ordinal for place in places]
        self._distinct, self._first, self._of_place = np.unique(
            np.array(positions, dtype=np.int64), return_index=True, return_inverse=True
        )

    def replies(self, places: Sequence[ChunkRef], scores: Column) -> Column:
        """Return for each place the score of the preceding neighbour, if that is a question by another speaker; else
        zero.
        """
        shares = np.zeros(len(self._distinct))
        best = self._best(scores)
        first = [places[int(index)] for index in self._first]
        for before in np.flatnonzero(np.diff(self._distinct) == 1).tolist():
            if first[before].asks and first[before].speaker != first[before + 1].speaker:
                shares[before + 1] = best[before]
        return shares[self._of_place]

    def documents(self, scores: Column) -> Column:
        """Return for each place the mean score of its document's best three messages; missing ones count as average:
        zero.
        """
        best = self._best(scores)
        _, first, document = np.unique(self._distinct // _DOCUMENT, return_index=True, return_inverse=True)
        ordered = np.lexsort((-best, document))
        top = ordered[np.arange(len(best)) - first[document] < DOCUMENT_TOP_HITS]
        means = np.bincount(document[top], best[top]) / DOCUMENT_TOP_HITS
        return means[document][self._of_place]

    def _best(self, scores: Column) -> Column:
        """Return the best score at each position: a long message has several chunks."""
        best = np.full(len(self._distinct), -np.inf)
        np.maximum.at(best, self._of_place, scores)
        return best
