"""The table of an evaluation: means by variant, ranking, row and group."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from .datasets.dialogues import CATEGORIES
from .metrics_retrieval import means
from .runner import Outcome

Rows = Literal["category", "memory"]
"""By what the rows of a table are made: the category of questions, or the memory that was asked."""
ALL = "all"
_ORDER = {name: number for number, name in CATEGORIES.items()}


@dataclass(frozen=True, slots=True)
class Row:
    """The means of some questions."""

    variant: str
    ranking: str
    name: str
    """The category or memory, or `ALL`."""
    group: str
    questions: int
    with_evidence: int
    """The number of these questions that have evidence to find: those that the figures of rankings are of."""
    figures: dict[str, float]
    active_passes: tuple[int, int] | None = None
    """The number of questions that passed, of those with evidence that must come back alone, and their number."""


def table(outcomes: Sequence[Outcome], rows: Rows = "category") -> Iterator[Row]:
    """Yield by variant and ranking a row for each category or memory, then for all; each group of questions has rows of its
    own. Questions that a scope repeats have rows of their memory, and do not count elsewhere.
    """
    runs = dict.fromkeys((outcome.variant, outcome.ranking) for outcome in outcomes)
    for variant, ranking in runs:
        chosen = [each for each in outcomes if (each.variant, each.ranking) == (variant, ranking)]
        once = [each for each in chosen if not each.repeated]
        groups = list(dict.fromkeys(each.question.group for each in chosen))
        listed = chosen if rows == "memory" else once
        names = list(dict.fromkeys(each.scope if rows == "memory" else each.question.category for each in listed))
        if rows == "category":
            names.sort(key=lambda name: (_ORDER.get(name, 0), name))
        for group in groups:
            for name in names if len(names) > 1 else ():
                some = [each for each in listed if (_name(each, rows), each.question.group) == (name, group)]
                if some:
                    yield _row(variant, ranking, name, group, some)
            if some := [each for each in once if each.question.group == group]:
                yield _row(variant, ranking, ALL, group, some)


def _name(outcome: Outcome, rows: Rows) -> str:
    return outcome.scope if rows == "memory" else outcome.question.category


def _row(variant: str, ranking: str, name: str, group: str, outcomes: Sequence[Outcome]) -> Row:
    active = [each for each in outcomes if each.active]
    passes = (sum(each.figures["passed"] == 1 for each in active), len(active)) if active else None
    wanted = sum(each.question.wanted > 0 for each in outcomes)
    figures = means([each.figures for each in outcomes])
    return Row(variant, ranking, name, group, len(outcomes), wanted, figures, passes)
