"""Which rules may read something in a text, by its words: most texts have the words of hardly any."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property

from .first_words import first_words
from .pattern import Pattern
from .patterns import PATTERNS
from .prefilter import DIGIT, folded, words_of

_MINE = ("mine", "el m")
"""How rows begin that say "mine is" of what was spoken of before."""
_OPENINGS = ("<i> ", "<im> ", "<ive> ", "<my> ", "my ", "ich ", "mi ", "")
"""How rows open; of rows that match at one place, those that open alike come together, in this order."""
_JOINS = re.compile("[\u0345\u0307]")
"""Marks that `words_of` leaves out, so that the letters around them are one word."""


@dataclass(frozen=True, eq=False)
class Rule:
    """A pattern in its place: those that may stand anywhere first, then the others by how they open."""

    order: int
    row: Pattern
    mine: bool
    """Whether it says "mine is" of what was spoken of before."""

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """It compiled when it is first needed: all rows together take two seconds, and a chat needs few of them."""
        return self.row.regex

    @cached_property
    def begins(self) -> frozenset[str] | None:
        """The words that what it matches can begin with, see `first_words`."""
        return first_words(self.row.words)

    @cached_property
    def cues(self) -> frozenset[str]:
        """Words, one of which is in every text that it matches."""
        return frozenset(words_of(self.row.cues))

    @cached_property
    def needs(self) -> frozenset[str]:
        """Besides its cues, words of which a text that it matches has one; none where nothing is known."""
        return frozenset() if self.begins is None or "" in self.begins else self.begins

    def has_words_in(self, words: set[str]) -> bool:
        """Whether words are among those that every text has which it reads."""
        return not self.cues.isdisjoint(words) and not (self.needs and self.needs.isdisjoint(words))


class Candidates:
    """The rules that may match something in a text, by the cue words that are in it."""

    __slots__ = ("_by_cue",)

    def __init__(self, text: str) -> None:
        words = words_of(text)
        cues = rules_by_cue().keys() & words
        if cues and not text.isascii() and _JOINS.search(text):
            words |= words_of(_JOINS.sub(" ", text))
        self._by_cue: list[tuple[str, list[Rule]]] = []
        for cue in cues:
            rules = [
                rule for needs, rules in _by_needs(cue) if not needs or not needs.isdisjoint(words) for rule in rules
            ]
            if rules:
                self._by_cue.append(("" if cue == DIGIT else cue, rules))

    def __bool__(self) -> bool:
        return bool(self._by_cue)

    def of(self, sentence: str) -> list[Rule]:
        """Those of them whose cue words stand in one of its sentences, also as a part of a longer word, in their order."""
        plain = folded(sentence).replace("'", "").replace("’", "")
        found = {rule.order: rule for cue, rules in self._by_cue if cue in plain for rule in rules}
        return [found[order] for order in sorted(found)]


@cache
def _by_needs(cue: str) -> tuple[tuple[frozenset[str], tuple[Rule, ...]], ...]:
    """The rules of a cue word, those together that need the same words besides."""
    found: defaultdict[frozenset[str], list[Rule]] = defaultdict(list)
    for rule in rules_by_cue()[cue]:
        found[rule.needs].append(rule)
    return tuple((needs, tuple(rules)) for needs, rules in found.items())


@cache
def rules_by_cue() -> Mapping[str, tuple[Rule, ...]]:
    """The rules by their cue words."""
    opens = {row: next(n for n, opening in enumerate(_OPENINGS) if row.words.startswith(opening)) for row in PATTERNS}
    by_word: defaultdict[str, list[Rule]] = defaultdict(list)
    rows = sorted(PATTERNS, key=lambda row: -1 if row.anywhere else opens[row])
    for order, row in enumerate(rows):
        rule = Rule(order, row, mine=row.words.startswith(_MINE))
        for word in words_of(row.cues):
            by_word[word].append(rule)
    return {word: tuple(rules) for word, rules in by_word.items()}
