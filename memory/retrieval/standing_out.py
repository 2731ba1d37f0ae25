"""The number of hits of an answer that a person is shown: those before the gap that sets them apart.

The gap was fitted on 1,920 questions over the open, labelled, LoCoMo, REALTALK and assistant sets: of none of the five it
cuts the first right hit off more often than once in a hundred. Most answers have no such gap, and show five hits.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

MOST_SHOWN = 5
"""The most hits of a screen."""
GAP = 5.0
"""The least distance of two hits that is a gap. A score is a weighted sum of standard scores over the candidates of its
question, so that 5 is far for any question, also where all hits are near to each other.
"""
SHARE = 0.65
"""The least share of the way from the first hit to the last that is a gap: where the scores fall step by step, from a hit
that has all words of the question to those that have one of them, none of the steps tells right from wrong.
"""


def standing_out(scores: Sequence[float]) -> int:
    """Return the number of hits to show: those before the first gap, at least one if there is any, at most `MOST_SHOWN`.

    Args:
        scores: of the hits, in the order of the answer; in another order than theirs, no gap means anything.
    """
    most = min(len(scores), MOST_SHOWN)
    if any(later > earlier for earlier, later in pairwise(scores)):
        return most
    gap = max(GAP, SHARE * (scores[0] - scores[-1])) if scores else GAP
    return next((shown for shown in range(1, most) if scores[shown - 1] - scores[shown] >= gap), most)


def before_largest_gap(scores: Sequence[float]) -> int:
    """Return the number of hits before the largest gap among the first `MOST_SHOWN` + 1: at least one if there is any. It
    cuts far more right hits off than `standing_out`, for who would rather miss one than take a wrong one.

    Args:
        scores: of the hits, in descending order.
    """
    last = min(len(scores) - 1, MOST_SHOWN)
    return max(range(1, last + 1), key=lambda place: scores[place - 1] - scores[place], default=len(scores))
