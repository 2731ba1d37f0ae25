"""Figures: by hand from their definitions, and what holds for any text and any ranking."""

from __future__ import annotations

import math

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.daemon.evaluation import metrics_text as text
from memd.daemon.evaluation.metrics_retrieval import (
    figures_of,
    hit_at,
    judged,
    means,
    ndcg_at,
    precision_at,
    recall_at,
    reciprocal_rank,
)
from memd.daemon.evaluation.metrics_semantic import SemanticMetrics
from memd.memory.embedding.bundled import BundledEmbedder

GAINS = (0, 1, 0, 2)
"""Four hits: the second has one piece of evidence, the fourth two more."""
SHORT = st.text("ab c.,", max_size=20)


def test_figures_of_a_ranking_by_hand() -> None:
    """Of four pieces of evidence three are found, at the second and fourth place."""
    assert [recall_at(GAINS, 4, depth) for depth in (1, 2, 4, 10)] == [0, 0.25, 0.75, 0.75]
    assert [precision_at(GAINS, depth) for depth in (2, 4, 10)] == [0.5, 0.5, 0.2]
    assert (reciprocal_rank(GAINS), reciprocal_rank((0, 0))) == (0.5, 0)
    assert (hit_at(GAINS, 1), hit_at(GAINS, 2)) == (0, 1)
    gained = 1 / math.log2(3) + 1 / math.log2(5)
    ideal = 1 + 1 / math.log2(3) + 1 / math.log2(4) + 1 / math.log2(5)
    assert ndcg_at(GAINS, 4, 10) == pytest.approx(gained / ideal)


@given(st.lists(st.integers(0, 1), max_size=60), st.integers(1, 8))
def test_figures_of_any_ranking_lie_in_order(gains: list[int], wanted: int) -> None:
    """Between 0 and 1, and recall only grows with depth."""
    gains = [gain if sum(gains[:place]) < wanted else 0 for place, gain in enumerate(gains)]
    figures = figures_of(gains, wanted, 50)
    assert all(0 <= value <= 1.000001 for value in figures.values())
    recalls = [figures[f"recall@{depth}"] for depth in (1, 5, 10, 25, 50)]
    assert recalls == sorted(recalls)
    assert "recall@25" not in figures_of(gains, wanted, 10)


def test_what_must_not_come_back_is_judged() -> None:
    """By the rules of PrecisionMemBench: noise fails, silence passes only where nothing is expected."""
    assert judged(["a"], ["a"], [], alone=True) == judged(["a", "a"], ["a"], [], alone=True)
    noisy = judged(["a", "b"], ["a"], [], alone=True)
    assert (noisy.precision, noisy.passed, noisy.active) == (0.5, False, True)
    assert judged(["a", "b"], ["a"], [], alone=False).passed
    assert not judged(["a", "b"], ["a"], ["b"], alone=False).passed
    silent = judged([], ["a"], [], alone=True)
    assert (silent.precision, silent.passed, silent.active) == (0, False, True)
    empty = judged([], [], [], alone=True)
    assert (empty.precision, empty.passed, empty.active) == (None, True, False)


def test_means_are_over_the_rows_that_have_a_figure() -> None:
    """A question without evidence has no recall, and does not lower it."""
    assert means([{"a": 1.0, "b": 0.0}, {"a": 0.0}]) == {"a": 0.5, "b": 0.0}


def test_exact_match_and_f1_by_hand() -> None:
    """Articles, case and punctuation do not count; of four and three words two are common."""
    assert text.exact_match("The Cat!", "cat") == 1
    assert text.exact_match("cat dog", "dog cat") == 0
    assert text.token_f1("a red big old boat", "the red boat sails") == pytest.approx(2 * 2 / (4 + 3))
    assert text.token_f1("cat cat", "cat") == pytest.approx(2 / 3)
    assert text.set_f1("cat cat", "cat") == 1
    assert text.set_f1("the cat", "cat") == pytest.approx(2 / 3)


def test_locomo_f1_by_hand() -> None:
    """Stems count; parts of a multi-hop answer are matched singly; of open-domain answers what stands before a semicolon;
    an adversarial one must say that it is not there.
    """
    assert text.locomo_f1("he was running and swims", "running, swimming", "single-hop") == pytest.approx(4 / 6)
    assert text.locomo_f1("swim, run", "running, a boat", "multi-hop") == 0.5
    assert text.locomo_f1("yes", "yes; since she said so", "open-domain") == 1
    assert text.locomo_f1("It is not mentioned.", "", "adversarial") == 1
    assert text.locomo_f1("Ann's", "", "adversarial") == 0


def test_rouge_by_hand() -> None:
    """Lin's example: "police killed the gunman" and two sentences with three of its words."""
    gold = "police killed the gunman"
    assert text.rouge_n("police kill the gunman", gold, 1) == 0.75
    assert text.rouge_n("police kill the gunman", gold, 2) == pytest.approx(1 / 3)
    assert text.rouge_l("police kill the gunman", gold) == 0.75
    assert text.rouge_l("the gunman kill police", gold) == 0.5


def test_bleu_by_hand() -> None:
    """Papineni's clipping; the brevity penalty; a missing bigram counts 0.1, as method 1 of Chen and Cherry."""
    assert text.bleu("the the the the the the the", "the cat is on the mat", 1) == pytest.approx(2 / 7)
    assert text.bleu("the cat", "the cat is on", 1) == pytest.approx(math.exp(1 - 4 / 2))
    assert text.bleu("the cat is on the mat", "the cat is on the mat", 4) == pytest.approx(1)
    assert text.bleu("a b", "b a", 2) == pytest.approx(math.sqrt(1 * 0.1 / 1))
    assert text.bleu("a b", "c d", 1) == 0


def test_meteor_by_hand() -> None:
    """Banerjee and Lavie: six words in a row have one chunk; in two parts two; a stem matches as a word does."""
    gold = "the cat sat on the mat"
    assert text.meteor(gold, gold) == pytest.approx(1 - 0.5 * (1 / 6) ** 3)
    assert text.meteor("on the mat sat the cat", gold) == pytest.approx(1 - 0.5 * (3 / 6) ** 3)
    assert text.meteor("cats", "cat") == text.meteor("cat", "cat") == 0.5
    precision, recall = 2 / 2, 2 / 6
    mean = 10 * precision * recall / (recall + 9 * precision)
    assert text.meteor("the cat", gold) == pytest.approx(mean * (1 - 0.5 * (1 / 2) ** 3))


@given(SHORT, SHORT)
def test_figures_of_any_texts_are_shares(answer: str, gold: str) -> None:
    """From 0 to 1, whatever is compared."""
    figures = text.text_figures(answer, gold, "single-hop")
    assert all(0 <= value <= 1.000001 for value in figures.values()), figures


@given(SHORT)
def test_equal_texts_match(same: str) -> None:
    """A text is an exact match of itself."""
    assert text.exact_match(same, same) == text.token_f1(same, same) == 1


@pytest.mark.slow
def test_meaning_is_compared_by_the_local_model() -> None:
    """A paraphrase is nearer than another sentence, equal texts are at 1, and nothing is near an empty one."""

    async def measured() -> list[dict[str, float]]:
        metrics = SemanticMetrics(BundledEmbedder())
        pairs = (("She bought a car.", "She bought a car."), ("She got a vehicle.", "She bought a car."), ("", "x"))
        return [await metrics.figures(*pair) for pair in (*pairs, ("The pump is broken.", "She bought a car."))]

    same, near, empty, far = anyio.run(measured)
    for figure in ("sbert", "bertscore"):
        assert same[figure] == pytest.approx(1, abs=1e-3)
        assert empty[figure] == 0 < far[figure] < near[figure] < same[figure]
