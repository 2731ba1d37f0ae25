"""Compares variants and rankings question by question, with confidence intervals by bootstrap."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from ...schemas.errors import ConfigError
from .rankings import NAMES, SHORT
from .runner import Outcome

SEED = 20_260_101
RESAMPLES = 2_000
RANKING = "ranking"
COMPARED = ("recall@10", "mrr", "ndcg@10", "precision", "f1", "f1_locomo", "abstained")
"""The figures that are compared, where the questions have them."""
MOST_VARIANTS = 16


@dataclass(frozen=True, slots=True)
class Difference:
    """The mean difference of a figure between a contender and the first one, over the questions that both have."""

    contender: str
    base: str
    figure: str
    questions: int
    mean: float
    low: float
    high: float
    """The ends of the interval that holds 95 of 100 means of resampled questions (Efron and Tibshirani, 1993, 13.3)."""


def settings_to_compare(specifications: Sequence[str]) -> tuple[list[dict[str, str]], list[str]]:
    """Return the settings of each variant and the names of the rankings that ``KEY=VALUE,VALUE`` ask for; several keys with
    ``+`` between get the same value.

    Raises:
        ConfigError: a specification has no values, or there are too many variants, or no such ranking.
    """
    values: dict[str, list[str]] = {}
    rankings: list[str] = []
    for specification in specifications:
        key, sign, rest = specification.partition("=")
        names = [value.strip() for value in rest.split(",")]
        if not sign or not key.strip() or not all(names):
            raise ConfigError(f"{specification!r} is no comparison", hint="write it as --compare KEY=VALUE,VALUE")
        if key.strip() == RANKING:
            rankings += [ranking_named(name) for name in names]
        else:
            values.setdefault(key.strip(), []).extend(names)
    variants = [
        {key: value for keys, value in zip(values, chosen, strict=True) for key in keys.split("+")}
        for chosen in product(*values.values())
    ]
    if len(variants) > MOST_VARIANTS:
        raise ConfigError(f"these are {len(variants)} variants; {MOST_VARIANTS} are the most")
    return variants, rankings


def ranking_named(name: str) -> str:
    """Return the full name of a ranking.

    Raises:
        ConfigError: there is none of that name.
    """
    full = SHORT.get(name, name)
    if full not in NAMES:
        short = [next((key for key, value in SHORT.items() if value == each), each) for each in NAMES]
        raise ConfigError(f"there is no ranking {name!r}", hint=f"rankings: {', '.join(short)}")
    return full


def differences(outcomes: Sequence[Outcome]) -> Iterator[Difference]:
    """Yield the differences of each variant to the first, ranking by ranking, or of each ranking to the first if there is
    one variant.
    """
    variants = list(dict.fromkeys(outcome.variant for outcome in outcomes))
    rankings = list(dict.fromkeys(outcome.ranking for outcome in outcomes))
    counted = [outcome for outcome in outcomes if not outcome.repeated]
    if len(variants) > 1:
        for ranking in rankings:
            by_variant = [(each, _of(counted, each, ranking)) for each in variants]
            suffix = f" ({ranking})" if len(rankings) > 1 else ""
            yield from _against_first([(name + suffix, figures) for name, figures in by_variant])
    elif len(rankings) > 1:
        yield from _against_first([(each, _of(counted, variants[0], each)) for each in rankings])


Figures = Mapping[tuple[str, str], Mapping[str, float]]
"""The figures of each question, by scope and id."""


def _of(outcomes: Sequence[Outcome], variant: str, ranking: str) -> Figures:
    chosen = [each for each in outcomes if (each.variant, each.ranking) == (variant, ranking)]
    return {(each.scope, each.question.id): each.figures for each in chosen}


def _against_first(contenders: Sequence[tuple[str, Figures]]) -> Iterator[Difference]:
    base, first = contenders[0]
    for name, figures in contenders[1:]:
        for figure in COMPARED:
            pairs = [
                (figures[key][figure], first[key][figure])
                for key in first
                if key in figures and figure in first[key] and figure in figures[key]
            ]
            if pairs:
                changes = np.array([after - before for after, before in pairs])
                low, high = interval(changes.tolist())
                yield Difference(name, base, figure, len(pairs), float(changes.mean()), low, high)


def interval(values: Sequence[float], seed: int = SEED) -> tuple[float, float]:
    """Return the 2.5th and 97.5th percentile of the means of resampled values; the same values give the same interval."""
    sample = np.asarray(values, np.float64)
    source = np.random.default_rng(seed)
    means = [sample[source.integers(0, len(sample), len(sample))].mean() for _ in range(RESAMPLES)]
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)
