"""Divides wrong answers by their cause: the evidence was not retrieved, or the answer does not use it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Literal

from .answers import SHOWN_HITS, is_right
from .runner import Outcome

Cause = Literal["right", "retrieval miss", "answer error"]
CAUSES: tuple[Cause, ...] = ("right", "retrieval miss", "answer error")


def cause_of(outcome: Outcome) -> Cause | None:
    """Return where an answer went wrong; None for a question without an answer.

    A retrieval miss has none of its evidence among the hits that the answer rests on: the first one, or those that the model
    was shown. Anything else that is wrong is an error of the answer.
    """
    answer, question = outcome.answer, outcome.question
    if answer is None or not (question.answer or question.unanswerable):
        return None
    if is_right(question, answer):
        return "right"
    depth = 1 if answer.source == "first hit" else SHOWN_HITS
    missed = question.wanted and not question.unanswerable and not any(outcome.gains[:depth])
    return "retrieval miss" if missed else "answer error"


def diagnosis(outcomes: Iterable[Outcome]) -> dict[str, dict[str, int]]:
    """Return by category, and for all, how many answers there are of each of `CAUSES`."""
    counts: dict[str, Counter[str]] = {}
    for outcome in outcomes:
        cause = cause_of(outcome)
        if cause is not None:
            for name in (outcome.question.category, "all"):
                counts.setdefault(name, Counter())[cause] += 1
    total = counts.pop("all", None)
    ordered = dict(sorted(counts.items())) | ({} if total is None else {"all": total})
    return {name: {cause: count[cause] for cause in CAUSES} for name, count in ordered.items()}
