"""Finds the attributes of facts that a question asks for, by its words in English, German, Spanish, Turkish and
Japanese. Pure.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from ..text.analyzer import fold, words
from ..text.language import likely_languages
from ..text.word_files import sections

_WORD = re.compile(r"[^\W_]+")
LONGEST = 1_000
"""Characters of a question that are searched: "where … live" takes quadratic time in a text that repeats "where"."""
LONGEST_PHRASE = 3
"""The most words of a phrase that asks for an attribute as a whole: "for a living"."""
_BORN_WHERE = re.compile(r"\b(?:where\b.*\bborn|wo\b.*\bgeboren|donde nacio)\b")
"""Matches questions for a place of birth, although "born" alone asks for a day."""
_LIKE_TURKISH = (("en",), ("de",), ("es",))


def _patterns(*names: str) -> Mapping[str, re.Pattern[str]]:
    """Return the patterns of attributes in these sections of `asked_attributes.txt`."""
    alternatives: defaultdict[str, list[str]] = defaultdict(list)
    for name in names:
        for line in _SECTIONS[name]:
            attribute, _, pattern = line.partition(" ")
            alternatives[attribute].append(pattern)
    return {attribute: re.compile("|".join(patterns)) for attribute, patterns in alternatives.items()}


_SECTIONS = sections(Path(__file__).with_suffix(".txt"))
_PATTERNS, _TURKISH_PATTERNS = _patterns("european", "japanese"), _patterns("turkish")


def asked_attributes(question: str, names: Collection[str] = ()) -> frozenset[str]:
    """Return the attributes that a question asks for. Turkish words count unless the question is in a language with
    similar words: "hasta" is "ill" in Turkish and "until" in Spanish.

    Args:
        question: the original question.
        names: its folded words that name people: with a capital, Anne is no mother ("anne"), and Frau Weber nobody's
            wife.
    """
    text = _nameless(question, names)
    asked = frozenset(name for name, _ in _asking(text))
    rest = _BORN_WHERE.sub(" ", fold(text))
    day_too = rest == fold(text) or _PATTERNS["birthday"].search(rest)
    return asked if day_too else asked - {"birthday"}


def topic_of(question: str, names: Collection[str] = ()) -> str:
    """Return the folded question without the words that ask for an attribute: "pizza" remains of "what pizza does John
    like?".
    """
    text = _nameless(question, names)
    told = list(fold(text))
    for _, match in _asking(text):
        found = list(_WORD.finditer(match[0]))
        # Any words may occur between the ends of "where … live": they are kept.
        for word in found if len(found) <= LONGEST_PHRASE else (found[0], found[-1]):
            start = match.start()
            told[start + word.start() : start + word.end()] = " " * len(word[0])
    return "".join(told)


def _nameless(question: str, names: Collection[str]) -> str:
    text = question[:LONGEST]
    if not names:
        return text
    return _WORD.sub(lambda match: " " if match[0][0].isupper() and fold(match[0]) in names else match[0], text)


def _asking(text: str) -> Iterator[tuple[str, re.Match[str]]]:
    """Yield the attributes, each with the match that asks for it in the folded text."""
    folded = fold(text)
    likely = likely_languages(text, words(text))
    turkish = "tr" in likely or likely[:1] not in _LIKE_TURKISH
    for patterns in (_PATTERNS, _TURKISH_PATTERNS) if turkish else (_PATTERNS,):
        for name, pattern in patterns.items():
            for match in pattern.finditer(folded):
                yield name, match


def asks_for_attribute(folded: str) -> bool:
    """Return whether folded words that are not Turkish ask for any attribute."""
    return any(pattern.search(folded) for pattern in _PATTERNS.values())
