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
from memd.tests.extraction.regex_texts import matches


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


GAPS = {
    "health": {"anorexic", "anosmic", "arthritic", "bulimic", "dyscalculic", "neurodivergent", "prediabetic"},
    "event": {"ironmans"},
    "home": {"right"},
    "phone": {"cells", "landlines", "mobiles", "numbers", "phones", "tels", "telephones"},
}
"""Words, by attribute, that rows match and their cues lack: such messages are not read, unless they have another cue."""


def _lacks_cue(row: Pattern, text: str, cues: set[str], words: set[str]) -> bool:
    """Whether a row that the words of a text rule out matches there, where a claim may begin: behind no letter."""
    if not cues.isdisjoint(words) or not words.isdisjoint(GAPS.get(row.attribute, ())):
        return False
    return any(not re.search(r"[^\W_]$", text[: match.start()]) for match in row.regex.finditer(text))


@pytest.mark.slow
@pytest.mark.hypothesis  # `make fuzz` takes it with the property tests: more texts, and new ones
def test_whatever_a_pattern_matches_has_a_cue() -> None:
    """Made from the pattern itself, so that no wording is forgotten."""
    seed = 1 if effort.PROFILE != "long" else Random().getrandbits(32)
    without = 0
    for row in PATTERNS:
        texts = [match.string for match in matches(row.regex, effort.examples(30), Random(f"{seed} {row.words}"))]
        without += not texts
        cues = words_of(row.cues)
        for text in texts:
            assert not _lacks_cue(row, text, cues, words_of(text)), (row.words, text, seed)
    assert without <= 2


@pytest.mark.long
@pytest.mark.hypothesis
@for_each(sorted({(row.language, row.attribute) for row in PATTERNS}))
def test_whatever_a_pattern_matches_in_any_letters_has_a_cue(language: str, attribute: str) -> None:
    """With letters of any writing where a pattern leaves them open."""
    for row in PATTERNS:
        if (row.language, row.attribute) == (language, attribute):
            _try(row)


def _try(row: Pattern) -> None:
    cues = words_of(row.cues)

    @given(text=st.from_regex(re.compile(row.regex.pattern, re.IGNORECASE)))
    @settings(
        max_examples=8,
        derandomize=effort.PROFILE
        != "long",  # hundreds of rows: the long profile looks for what a change of one row missed
        suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
    )
    def matches_with_a_cue(text: str) -> None:
        assert not _lacks_cue(row, text, cues, words_of(text)), (row.words, text)

    matches_with_a_cue()


def _dropped(shares: int) -> list[tuple[str, str]]:
    """Rows left untried on a text that they match: an example, a labelled line, or a message of a labelled conversation.

    Args:
        shares: each row is compared with its own example and one text of so many, the next row with the next ones.
    """
    texts = [_example(row) for row in PATTERNS if row.example]
    texts += [
        json.loads(line)["text"] for line in (Path(__file__).parent / "lines.jsonl").read_text("utf-8").splitlines()
    ]
    texts += [message.text for each in conversations(DEVELOPMENT[2:3]) for message in each.messages]
    said = [(text, words_of(text)) for text in texts]
    dropped: list[tuple[str, str]] = []
    for number, row in enumerate(PATTERNS):
        cues = words_of(row.cues)
        example = _example(row)
        for text, words in [(example, words_of(example)), *said[number % shares :: shares]]:
            if _lacks_cue(row, text, cues, words):
                dropped.append((row.words, text))
    return dropped


def _example(row: Pattern) -> str:
    """The speaker's message in a row's example."""
    return row.example.rpartition(" = ")[0].rpartition(" | ")[2]


@pytest.mark.slow
def test_the_cues_leave_out_no_example_and_no_labelled_message() -> None:
    """Each row is tried on its own example, and each text by many rows."""
    assert _dropped(12) == []


@pytest.mark.long
def test_no_row_is_left_untried_on_any_labelled_message() -> None:
    """Every row is tried on every text."""
    assert _dropped(1) == []


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
