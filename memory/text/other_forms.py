"""Other forms of the words of a question where no stemmer makes them equal: mice and mouse, drank and drink, fuhr and
fahren, and "book shelf" as one word. Only questions ask for them; nothing of it is in an index. Pure.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from .analyzer import LONGEST_TERM, fold, stem_of, words
from .language import likely_languages
from .languages import LANGUAGES
from .languages.language import words_of
from .stopwords import stop_words


def other_forms(question: str, languages: Sequence[str] = ()) -> list[str]:
    """Return the terms of the other forms of a question's words, distinct and in order.

    Args:
        question: a question, or a word of it.
        languages: the languages that it may be in; empty if its own words tell.
    """
    question_words = words(question)
    likely = languages or likely_languages(question, question_words)
    codes = [code for code in LANGUAGES if code in likely or not likely]
    forms = (form for word in question_words for code in codes for form in _forms(code).get(_key(word, code), ()))
    return list(dict.fromkeys(forms))


def compounds(question: str) -> list[str]:
    """Return the terms of the compounds that two neighbouring words may be: "book shelf" is as often one word."""
    question_words = words(question)
    likely = likely_languages(question, question_words) or ("en",)
    small = frozenset[str]().union(*map(stop_words, likely))
    pairs = (one + other for one, other in pairwise(question_words) if small.isdisjoint((one, other)))
    return [form[:LONGEST_TERM] for pair in pairs for form in dict.fromkeys((stem_of(pair), pair))]


@lru_cache(maxsize=len(LANGUAGES))
def _forms(code: str) -> Mapping[str, tuple[str, ...]]:
    """Return the terms of the other forms by the word, in English by its stem."""
    by_word: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for row in LANGUAGES[code].irregular:
        forms = list(map(fold, words_of(row)))
        for word in forms:
            others = (form for form in forms if form != word)
            # Of an English text the stems alone are terms.
            by_word[_key(word, code)].update(dict.fromkeys(_key(form, code) for form in others))
    return {word: tuple(forms) for word, forms in by_word.items()}


def _key(word: str, code: str) -> str:
    return stem_of(word) if code == "en" else word
