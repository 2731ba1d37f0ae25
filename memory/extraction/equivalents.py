"""Closed lists of words that mean the same in another form or language: a line with one of them grounds the others.
Pure.

Embeddings cannot replace them: with the included model "apples" is nearer to "oranges" (cosine .93), "peanuts" to
"walnuts" and "piano" to "violin" than "violin" to "Geige" (.83), and the cosine of a sentence and a line does not
separate supported from unsupported sentences (area under the curve .50 on 130 judged sentences).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from ..text.analyzer import fold
from ..text.word_files import sections


def _table(rows: Sequence[str], start: int) -> tuple[Mapping[str, frozenset[int]], Mapping[str, frozenset[int]]]:
    """Return two tables of group numbers, by whole words and by beginnings of words; each row is a group, numbered from
    ``start``.
    """
    words: dict[str, set[int]] = {}
    beginnings: dict[str, set[int]] = {}
    for number, row in enumerate(rows, start):
        for word in row.split():
            plain = fold(word.rstrip("*"))
            (beginnings if word.endswith("*") or _SPACELESS.match(plain) else words).setdefault(plain, set()).add(
                number
            )
    return {word: frozenset(numbers) for word, numbers in words.items()}, {
        word: frozenset(numbers) for word, numbers in beginnings.items()
    }


_SPACELESS = re.compile(r"\d*[\u3040-\u30ff\u3400-\u9fff]")
_FIRST_PREDICATE, _FIRST_SYNONYM = 10_000, 20_000
_GROUPS = sections(Path(__file__).with_suffix(".txt"))
_TABLES = [
    _table(_GROUPS["closed"], 0),
    _table(_GROUPS["predicates"], _FIRST_PREDICATE),
    _table(_GROUPS["synonyms"], _FIRST_SYNONYM),
]
_SHORTEST = 3
_PLURALS = ("s", "es", "n", "en", "e", "nen", "innen")


@lru_cache(maxsize=65_536)
def groups_of(word: str) -> frozenset[int]:
    """Return the groups of a folded word, of its singular, and of the words that it contains in a script without
    blanks.
    """
    forms = (word, *(word.removesuffix(end) for end in _PLURALS if word.endswith(end)))
    group_numbers: set[int] = set()
    for words, beginnings in _TABLES:
        group_numbers.update(*(words[form] for form in forms if form in words))
        if _NO_BLANKS.search(word):
            group_numbers.update(*(numbers for part, numbers in beginnings.items() if part in word))
        else:
            group_numbers.update(*(beginnings.get(word[:size], ()) for size in range(_SHORTEST, len(word) + 1)))
    return frozenset(group_numbers)


@lru_cache(maxsize=64)
def words_of_group(group: int) -> tuple[str, ...]:
    """Return the folded words of a group, without those that are beginnings."""
    return tuple(word for words, _ in _TABLES for word, numbers in words.items() if group in numbers)


def is_closed(word: str) -> bool:
    """Return whether a folded word belongs to a closed class such as relatives, animals, food, trades, days, numbers:
    another word of its class has another meaning, so it is no paraphrase.
    """
    return any(group < _FIRST_PREDICATE for group in groups_of(word))


def is_predicate(word: str) -> bool:
    """Return whether a folded word is a verb of being or doing: a clause with another such verb makes its own
    statement.
    """
    return any(_FIRST_PREDICATE <= group < _FIRST_SYNONYM for group in groups_of(word))


_NO_BLANKS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
LIKED, HATED = groups_of("like"), frozenset(group for group in groups_of("hate") if group < _FIRST_PREDICATE)
"""The groups of the two opposite feelings."""
