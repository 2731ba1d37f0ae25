"""What a pattern requires is in everything that it matches, and most texts do not have it."""

from __future__ import annotations

import re
from functools import cache
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memd.memory.extraction.rules.patterns import PATTERNS, Pattern, spelled_out
from memd.memory.extraction.rules.prefilter import DIGIT, Clause, met, rarest, required, words_of


@pytest.mark.parametrize(
    ("pattern", "clauses"),
    [
        ("i live in (?:an? )?x", [{"i"}, {"live"}, {"in"}, {"x"}]),
        ("(?:i|we) (?:live|reside)", [{"i", "we"}, {"live", "reside"}]),
        ("(?:live|reside)s", []),
        ("(?:very )*old", [{"old"}]),
        ("(?:very )*(?: |-)?old", [{"old"}]),
        ("colou?rs?", [{"colour", "color", "colours", "colors"}]),
        ("i['’]?m (?=x)here", [{"im"}, {"here"}]),
        ("(?:i['’]?m|i am|) here", [{"here"}]),
        (r"\d{1,3} (?:euros|\$)", [{DIGIT}]),
        (r"(?P<a>\d{0,3})[-]x", [{"x"}]),
        ("a|b", [{"a", "b"}]),
        ("a|b?", []),
        ("[a-z]live [a-z]+ in", [{"in"}]),
        ("heiße", [{"heisse"}]),
    ],
)
def test_what_is_required(pattern: str, clauses: list[set[str]]) -> None:
    """Whole words between boundaries, by alternatives; nothing of what is optional or goes on."""
    assert [set(clause) for clause in required(pattern)] == clauses


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I'm 34, she’s not", {"i", "m", "im", "she", "s", "shes", "not", DIGIT}),
        ("Ich HEIßE x_y", {"ich", "heisse", "x", "y"}),
        ("\u0131 l\u0131ve \u0130n", {"i", "live", "in"}),
        ("", set[str]()),
    ],
)
def test_the_words_of_a_text(text: str, words: set[str]) -> None:
    """Without case, in parts and as a whole."""
    assert words_of(text) == words


@cache
def _examples(row: Pattern) -> st.SearchStrategy[str]:
    return st.from_regex(re.compile(row.regex.pattern, re.IGNORECASE))


@pytest.mark.parametrize("row", PATTERNS, ids=lambda row: f"{row.language}-{row.attribute}")
@given(data=st.data())
@settings(max_examples=8, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
def test_whatever_a_pattern_matches_has_what_it_requires(row: Pattern, data: st.DataObject) -> None:
    """Made from the pattern itself, so that no wording is forgotten; where a claim may begin, behind no letter."""
    clauses = required(spelled_out(row.words))
    text = data.draw(_examples(row))
    for match in row.regex.finditer(text):
        if not re.search(r"[^\W_]$", text[: match.start()]):
            assert met(clauses, words_of(text)), text


def test_every_pattern_requires_something_rare() -> None:
    """Else it would be tried on every message."""
    common: Clause = frozenset({"i", "we", "im", "am", "is", "in"})
    assert [row.words for row in PATTERNS if (rarest(required(spelled_out(row.words))) or common) <= common] == []


def test_most_texts_need_not_be_looked_at() -> None:
    """Chatter without a claim meets hardly any pattern."""
    chance = Random(1)
    words = [
        "the",
        "train",
        "was",
        "late",
        "again",
        "and",
        "nobody",
        "told",
        "us",
        "why",
        "it",
        "took",
        "so",
        "long",
        "see",
        "you",
        "at",
        "seven",
        "bring",
        "cake",
        "please",
    ]
    texts = [" ".join(chance.sample(words, 12)) for _ in range(100)]
    tried = sum(met(required(spelled_out(row.words)), words_of(text)) for text in texts for row in PATTERNS[::5])
    assert tried < 0.01 * len(texts) * len(PATTERNS[::5])
