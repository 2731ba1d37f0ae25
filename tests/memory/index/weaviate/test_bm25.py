"""Scores of words from the terms of chunks and a sample of all: the rarer, the shorter the text, the more."""

from __future__ import annotations

import pytest

from memd.memory.index.weaviate.bm25 import FIELDS, rarest, scores_of, statistics_of
from memd.memory.text.fields import LexicalFields, lexical_fields

TEXTS = ["red lamp", "blue lamp", "a ferry", "the red ferry red", "candles"]
ROWS = {number + 1: lexical_fields(text, TEXTS, number) for number, text in enumerate(TEXTS)}


def test_a_score_is_that_of_the_textbook() -> None:
    """Of two chunks of five that hold a term once and twice; near texts count in their fields alone."""
    statistics = statistics_of(ROWS.values(), len(ROWS))
    scores = scores_of(ROWS, ["red"], statistics, FIELDS)
    # idf = ln(1 + 3.5 / 2.5); lengths 2 and 4 where the mean is 2.2
    assert scores["lexical"] == {1: pytest.approx(0.9093, abs=2e-4), 4: pytest.approx(0.9786, abs=2e-4)}
    assert set(scores["near"]) == {1, 2, 4, 5}
    assert set(scores["wide"]) == {1, 2, 3, 4, 5}


def test_a_sample_stands_for_all() -> None:
    """Frequencies are of all chunks; a term that the sample lacks is rarer than any that it holds."""
    statistics = statistics_of(ROWS.values(), 1_000)
    assert statistics.frequency("lexical", "lamp") == 400
    assert statistics.frequency("lexical", "kayak") == 100
    assert statistics.weight("lexical", "kayak") > statistics.weight("lexical", "candles") > 0


def test_the_frequent_terms_are_left_out_where_many_chunks_hold_them() -> None:
    """The rarest stay up to the bound, one always."""
    statistics = statistics_of(ROWS.values(), 1_000)
    assert rarest(["lamp", "red", "candles"], statistics, "lexical", 650) == ["candles", "lamp"]
    assert rarest(["lamp", "red"], statistics, "lexical", 10) == ["lamp"]
    assert rarest([], statistics, "lexical", 10) == []


def test_an_empty_index_has_statistics() -> None:
    """Nothing is divided by zero."""
    statistics = statistics_of([], 0)
    assert scores_of({1: LexicalFields("red", "red", "red")}, ["red"], statistics, FIELDS)["lexical"][1] >= 0
