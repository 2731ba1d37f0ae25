"""Whom a question names: the names of the store found in its words. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from ..analysis import fold
from ..stopwords import ENGLISH

_WORD = re.compile(r"[^\W_]+")
SHORTEST = 2
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


class Names:
    """The speakers of a store by the words of their names.

    Args:
        speakers: names as they stand in the store.
    """

    def __init__(self, speakers: Iterable[str]) -> None:
        self._by_word: defaultdict[str, set[str]] = defaultdict(set)
        for speaker in speakers:
            for word in _WORD.findall(fold(speaker)):
                if len(word) >= SHORTEST and not word.isdigit():
                    self._by_word[word].add(speaker)

    def named(self, question: str) -> frozenset[str]:
        """The one person whom the question names, else nobody.

        Several words may name a person ("Bob Smith"): the person is who all of them fit. A name that is also an
        English word ("Will") counts only with a capital inside the question.
        """
        groups: list[set[str]] = []
        for match in _WORD.finditer(question):
            word = fold(match.group())
            fitting = self._by_word.get(word)
            if fitting and (word not in ENGLISH | ALSO_WORDS or (match.group()[0].isupper() and match.start() > 0)):
                groups.append(fitting)
        if not groups:
            return frozenset()
        common = groups[0].intersection(*groups[1:])
        return frozenset(common) if len(common) == 1 else frozenset()
