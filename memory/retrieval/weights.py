"""The weights of the ranking, each with its reason. One table serves every store and every language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from ...schemas import Arm

CANDIDATES = 50
"""Best chunks taken from each arm before the union is scored exactly; more only moves the tail."""
BESIDE = 40
"""Of how many of the union's best the neighbours join it."""
RANK_OFFSET = 20
"""Reciprocal rank fusion picks those best; the smaller the offset, the more one arm's first counts."""


def _arms() -> Mapping[Arm, float]:
    return MappingProxyType({"lexical": 0.0, "near": 0.5, "wide": 0.5, "vector": 1.5})


@dataclass(frozen=True, slots=True)
class Weights:
    """Multiples of z-scores, and of what is added to their sum."""

    arms: Mapping[Arm, float] = field(default_factory=_arms)
    """``near`` and ``wide``: the question's words often stand in the message before the answer. ``lexical`` finds
    candidates but adds nothing that ``near`` does not say. ``vector``: as much as both, it is the only arm that
    knows paraphrases. Coarse steps over LoCoMo's development half; neighbouring values differ by less than a point.
    """
    speaker: float = 2.5
    """For messages of the one person whom the question names: a name is a hint at who spoke, not a search word."""
    neighbour: float = 0.15
    """Of the sum before, for each direct neighbour: answers stand beside what they answer."""
    document: float = 0.4
    """Of the mean of the document's best three: a day or session on the subject holds several traces of it."""


DEFAULT = Weights()
