"""A cue word of a pattern is in everything that the pattern matches, and most texts have none."""

from __future__ import annotations

import json
import re
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memd.memory.extraction.rules.lexicon import cues_of
from memd.memory.extraction.rules.pattern import Pattern
from memd.memory.extraction.rules.patterns import PATTERNS
from memd.memory.extraction.rules.prefilter import DIGIT, words_of
from memd.tests import effort
from memd.tests.cases import for_each
from memd.tests.extraction.labelled_conversations import DEVELOPMENT, conversations


@for_each(
    [
        ("I'm 34, she’s not", {"i", "m", "im", "she", "s", "shes", "not", DIGIT}),
        ("Ich HEIßE x_y", {"ich", "heisse", "x", "y"}),
        ("\u0131 l\u0131ve \u0130n", {"i", "live", "in"}),
        ("my pigs\u0345", {"my", "pigs"}),
        ("", set[str]()),
    ]
)
def test_the_words_of_a_text(text: str, words: set[str]) -> None:
    """Without case, in parts and as a whole."""
    assert words_of(text) == words


@pytest.mark.slow
@for_each(sorted({(row.language, row.attribute) for row in PATTERNS}))
def test_whatever_a_pattern_matches_has_a_cue(language: str, attribute: str) -> None:
    """Made from the pattern itself, so that no wording is forgotten; where a claim may begin, behind no letter.

    Rows of an attribute are tried together: for each case of a parametrized test, hypothesis wraps its settings once more,
    and stops at a thousand.
    """
    for row in PATTERNS:
        if (row.language, row.attribute) == (language, attribute):
            _try(row)


def _try(row: Pattern) -> None:
    @given(text=st.from_regex(re.compile(row.regex.pattern, re.IGNORECASE)))
    @settings(
        max_examples=8,
        derandomize=effort.PROFILE
        != "long",  # hundreds of rows: the long profile looks for what a change of one row missed
        suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
    )
    def matches_with_a_cue(text: str) -> None:
        for match in row.regex.finditer(text):
            if not re.search(r"[^\W_]$", text[: match.start()]):
                assert words_of(row.cues) & words_of(text), (row.words, text)

    matches_with_a_cue()


@pytest.mark.slow
def test_the_cues_leave_out_no_statement() -> None:
    """On every labelled line, a pattern that matches has one of its cues there."""
    lines = [
        json.loads(line)["text"] for line in (Path(__file__).parent / "lines.jsonl").read_text("utf-8").splitlines()
    ]
    assert [
        (row.words, line)
        for line in lines
        for row in PATTERNS
        if words_of(row.cues).isdisjoint(words_of(line))
        for match in row.regex.finditer(line)
        if not re.search(r"[^\W_]$", line[: match.start()])
    ] == []


def test_the_cues_leave_out_no_example_and_no_labelled_message() -> None:
    """No row is left untried on its own example, on any other row's, or on a message of the labelled conversations."""
    texts = [row.example.rpartition(" = ")[0].rpartition(" | ")[2] for row in PATTERNS if row.example]
    texts += [message.text for each in conversations(DEVELOPMENT[2:3]) for message in each.messages]
    said = [(text, words_of(text)) for text in texts]
    dropped = [
        (row.words, text)
        for row in PATTERNS
        for cues in [words_of(row.cues)]
        for text, words in said
        if cues.isdisjoint(words)
        for match in row.regex.finditer(text)
        if not re.search(r"[^\W_]$", text[: match.start()])
    ]
    assert dropped == []


def test_the_cues_of_lists_have_a_word_of_each_entry() -> None:
    """The longest one; with and without an apostrophe."""
    assert set(cues_of("nurse taxi_driver", "crohn's").split()) == {
        "nurse",
        "driver",
        "crohn",
        "crohns",
    }


def test_every_pattern_has_a_cue_that_is_rare() -> None:
    """Else it would be tried on every message."""
    common = {"i", "we", "im", "am", "is", "in", "my", "a", "to"}
    assert [row.words for row in PATTERNS if words_of(row.cues) & common or not row.cues] == []


def test_most_texts_need_not_be_looked_at() -> None:
    """Chatter without a claim has the cue of hardly any pattern."""
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
    texts = [" ".join(chance.sample(words, 12)) for _ in range(20)]
    said = [words_of(text) for text in texts]
    cues = [words_of(row.cues) for row in PATTERNS]
    tried = sum(not each.isdisjoint(words) for words in said for each in cues)
    assert tried < 0.01 * len(said) * len(cues)
