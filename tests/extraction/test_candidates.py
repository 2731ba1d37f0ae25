"""Rules are left untried only where they read nothing: what a text's words rule out, trying all rules does not find either."""

from __future__ import annotations

import json
import re
from pathlib import Path
from random import Random

import pytest

from memd.memory.extraction.assertions import sentences_of
from memd.memory.extraction.rules.candidates import Candidates, Rule, rules_by_cue
from memd.memory.extraction.rules.first_words import beginnings, first_word, first_words
from memd.memory.extraction.rules.patterns import PATTERNS
from memd.memory.extraction.rules.places import places_of
from memd.memory.extraction.rules.prefilter import words_of
from memd.tests.cases import for_each
from memd.tests.extraction.labelled_conversations import DEVELOPMENT, conversations


@for_each(
    [
        ("<im> <adv>tired", {"i", "im", "we"}),
        ("(?:my |our )?dog", {"my", "our", "dog"}),
        ("(?:ich |wir )?(?P<value>hab(?:e|en)?|Straße) nun", {"ich", "wir", "hab", "habe", "haben", "strasse"}),
        (r"(?!no\b)(?:[ao]s? )*x[yz]", {"a", "as", "o", "os", "xy", "xz"}),
        ("(?:, )?no", {"", "no"}),
        (r"\d+ cats", {""}),
        ("in <=place>", {"in"}),
        ("<=place> is", None),
        ("<=name> and i", None),
        ("[^x]y", None),
        ("so+ tired", None),
        ("[a-c]x", None),
        ("x{0,1}y{2}z", None),
    ]
)
def test_the_words_that_a_match_begins_with(pattern: str, words: set[str] | None) -> None:
    """Without case; none are given where any word may stand, and an empty one where no letter does."""
    assert first_words(pattern) == words


def test_letters_that_others_may_follow() -> None:
    """Where a letter comes any number of times, its word is known by its beginning."""
    begins = beginnings("(?:so+|ha(?:ha)+|ok)$")
    assert begins.words == {"ok"}
    assert begins.open == {"so", "haha"}


def _texts() -> list[str]:
    said = [json.loads(row)["text"] for row in (Path(__file__).parent / "lines.jsonl").read_text("utf-8").splitlines()]
    said += [row.example.rpartition(" = ")[0].rpartition(" | ")[2] for row in PATTERNS if row.example]
    return said + [message.text for each in conversations(DEVELOPMENT[:1]) for message in each.messages]


def _altered(chance: Random, texts: list[str]) -> str:
    """Two of them as one, and as people write that use other letters, or none of the marks."""
    one, other = chance.choice(texts), chance.choice(texts)
    return chance.choice(
        [
            one.upper(),
            one.replace("i", "\u0131").replace("I", "\u0130"),
            one.replace("ss", "ß").replace("s", "\u017f", 1),
            one.replace("'", "’"),
            one.replace("'", ""),
            one.replace(" ", "\n", 1),
            f"{one[: len(one) // 2]}\u0307{other}",
            f"{one} and {other}",
            f"{one}🎂{other}",
            f"{one.rstrip('.')}, {other}",
            f"since March {one}",
            f"haha sooo {one}",
            " ".join([*one.split()[:3], *other.split()[1:]]),
        ]
    )


def _of(text: str, sentence: str) -> set[Rule]:
    return set(Candidates(text).of(sentence))


@pytest.mark.slow
def test_no_rule_is_left_untried_that_matches_where_a_claim_may_begin() -> None:
    """By its first word or the words of its text: each that matches and has a cue is among the candidates."""
    chance = Random(5)
    texts = _texts()
    texts += [_altered(chance, texts) for _ in range(400)]
    every = sorted({rule for rules in rules_by_cue().values() for rule in rules}, key=lambda rule: rule.order)
    for text in texts:
        for sentence in sentences_of(text):
            words = words_of(sentence.text)
            there = [rule for rule in every if rule.has_words_in(words)]
            tried = _of(text, sentence.text)
            for _, place, word in places_of(sentence.text):
                assert word == first_word(sentence.text, place)
                for rule in there:
                    if not rule.row.anywhere and rule.regex.match(sentence.text, place):
                        assert rule in tried, (rule.row.words, text)
                        assert rule.begins is None or word in rule.begins, (rule.row.words, text)
            for rule in there:
                if rule.row.anywhere and any(
                    not re.search(r"[^\W_]$", sentence.text[: match.start()])
                    for match in rule.regex.finditer(sentence.text)
                ):
                    assert rule in tried, (rule.row.words, text)


def test_the_candidates_of_a_sentence_are_those_of_its_words() -> None:
    """Not those of the rest of its message, and none of a text without a cue."""
    text = "I live in Hull. The train was late."
    assert any(rule.row.attribute == "home" for rule in Candidates(text).of("I live in Hull."))
    assert not any(rule.row.attribute == "home" for rule in Candidates(text).of(" The train was late."))
    assert not Candidates("hm")
