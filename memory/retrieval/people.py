"""Whom a question names: the names of the store found in its words. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from ..text.analyzer import fold, spaceless
from ..text.stopwords import ENGLISH

_WORD = re.compile(r"[^\W_]+")
SHORTEST = 2
SHORTEST_INFLECTED = 3
LONGEST_ENDING = 3
"""Letters that an ending adds to a name: Finnish "Bobilla" has more, but so would other words that begin like a name."""
_VOWELS = ("a", "e", "o", "\u0430", "\u044f", "\u043e")
ALSO_WORDS = frozenset(
    [
        "april",
        "art",
        "august",
        "bill",
        "chase",
        "dawn",
        "drew",
        "faith",
        "frank",
        "grace",
        "guy",
        "hope",
        "jack",
        "joy",
        "june",
        "like",
        "mark",
        "may",
        "pat",
        "ray",
        "rich",
        "rob",
        "rose",
        "sue",
        "summer",
        "sunny",
        "will",
    ]
)
"""Names that are English words as well; these, and stop words, name somebody only with a capital."""


class SpeakerMatcher:
    """The speakers of a store by the words of their names.

    Args:
        speakers: names as they stand in the store.
    """

    def __init__(self, speakers: Iterable[str]) -> None:
        self._by_word: defaultdict[str, set[str]] = defaultdict(set)
        self._by_run: defaultdict[str, set[str]] = defaultdict(set)
        for speaker in speakers:
            for word in _WORD.findall(fold(speaker)):
                if spaceless(word):
                    self._by_run[word].add(speaker)
                elif len(word) >= SHORTEST and not word.isdigit():
                    self._by_word[word].add(speaker)

    def named(self, question: str) -> frozenset[str]:
        """The one person whom the question names, else nobody.

        Several words may name a person ("Bob Smith"): the person is who all of them fit. A name that is also an
        English word ("Will") counts only with a capital inside the question. Where nobody's name stands as it is, one
        with an ending does ("Annas", "Kerem\u2019in", "Анны").
        """
        groups = self._in_runs(question)
        words = [(match.group(), match.start()) for match in _WORD.finditer(question)]
        for word, start in words:
            fitting = self._by_word.get(fold(word))
            if fitting and (fold(word) not in ENGLISH | ALSO_WORDS or (word[0].isupper() and start > 0)):
                groups.append(fitting)
        groups = groups or [found for word, _ in words if (found := self._inflected(word))]
        if not groups:
            return frozenset()
        common = groups[0].intersection(*groups[1:])
        return frozenset(common) if len(common) == 1 else frozenset()

    def _inflected(self, word: str) -> set[str]:
        """Whose name this is with an ending: a word with a capital, and not one that is a word without it."""
        folded = fold(word)
        if not word[0].isupper() or len(folded) <= SHORTEST_INFLECTED:
            return set()
        for end in range(len(folded) - 1, max(SHORTEST_INFLECTED, len(folded) - LONGEST_ENDING) - 1, -1):
            if found := self._by_word.get(folded[:end]):
                return found
        # Анна, Анны: the ending takes the place of the vowel.
        for last in _VOWELS:
            for end in (len(folded) - 1, len(folded) - 2):
                if end >= SHORTEST_INFLECTED and (found := self._by_word.get(folded[:end] + last)):
                    return found
        return set()

    def _in_runs(self, question: str) -> list[set[str]]:
        """Names in writing without blanks: anywhere in the question; of one character only where no word goes on."""
        if question.isascii() or not self._by_run:
            return []
        folded = fold(question)
        found: list[set[str]] = []
        for name, fitting in self._by_run.items():
            start = folded.find(name)
            if start >= 0 and (len(name) > 1 or _alone(folded, start)):
                found.append(fitting)
        return found


def _alone(text: str, at: int) -> bool:
    """Whether no other ideograph stands beside this one."""
    return not any("\u3400" <= beside <= "\u9fff" for beside in (text[at - 1 : at], text[at + 1 : at + 2]))
