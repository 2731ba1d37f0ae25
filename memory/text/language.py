"""Detects the language of a text by script, function words and letters. Small, local, and silent when unsure.

A chat line is short, and its function words ("the", "nicht", "için") are most of the evidence; letters that few
languages have add to it. If nothing decides, the answer is None, and the analysis does not cut endings.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import islice

from .stopwords import LANGUAGES, stop_words

LETTERS: Mapping[str, str] = {
    "de": "äöüß", "es": "ñáéíóú¿¡", "fr": "éèêëàâçîïôûœ", "it": "àèéìòù", "pt": "ãõçáâéêíóôú", "nl": "ëï",
    "sv": "åäö", "da": "åæø", "no": "åæø", "fi": "äö", "tr": "ğışçöü", "pl": "ąćęłńóśźż", "cs": "áčďéěíňřšťúůýž",
    "ro": "ăâîșțşţ", "hu": "áéíóöőúüű",
}  # fmt: skip
"""Letters beyond a to z, in lower case, by language."""
SURE = 1.0
"""The least score that decides. A function word counts 1 divided by the number of languages that have it, and so does
each distinct foreign letter. Less than one unambiguous word decides nothing.
"""
LEAD = 1.3
"""The factor by which the first language must lead the second to stand alone."""
MOST_WORDS = 100
"""The most words examined; more do not change the result."""

_FOREIGN = re.compile("[\u00a1\u00bf\u00df-\u00f6\u00f8-\u024f\u0219\u021b]")
_SCRIPTS: Sequence[tuple[re.Pattern[str], tuple[str, ...]]] = (
    (re.compile("[\u0400-\u052f]"), ("ru", "uk")),
    (re.compile("[\u0370-\u03ff]"), ("el",)),
    (re.compile("[\u0600-\u06ff]"), ("ar",)),
    (re.compile("[\u0900-\u097f]"), ("hi",)),
    (re.compile("[\u0530-\u058f]"), ("hy",)),
    (re.compile("[\u0b80-\u0bff]"), ("ta",)),
)
_UKRAINIAN = re.compile("[іїєґ]")


def language_of(text: str, words: Sequence[str]) -> str | None:
    """Return the ISO 639-1 code of the language; None if nothing decides.

    Args:
        text: as it was written.
        words: its words as `analysis.fold` leaves them.
    """
    languages = likely_languages(text, words)
    return languages[0] if len(languages) == 1 else None


def likely_languages(text: str, words: Sequence[str]) -> tuple[str, ...]:
    """Return one code if a language leads clearly, two if they are close, none if there is too little evidence."""
    if not text.isascii():
        for script, codes in _SCRIPTS:
            if script.search(text):
                return codes[1:] if len(codes) > 1 and _UKRAINIAN.search(text.lower()) else codes[:1]
    scores: defaultdict[str, float] = defaultdict(float)
    small = _small_words()
    for word in islice(words, MOST_WORDS):
        if (sharing := small.get(word)) is not None:
            for language in sharing:
                scores[language] += 1 / len(sharing)
    if not text.isascii():
        letters = _letters()
        for letter in set(_FOREIGN.findall(text.lower())):
            having = letters.get(letter, ())
            for language in having:
                scores[language] += 1 / len(having)
    best = sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:2]
    if not best or best[0][1] < SURE:
        return ()
    if len(best) == 1 or best[0][1] >= LEAD * best[1][1]:
        return (best[0][0],)
    return (best[0][0], best[1][0])


@lru_cache(maxsize=1)
def _small_words() -> Mapping[str, tuple[str, ...]]:
    """Return the languages of each function word; single letters are no evidence."""
    by_word: defaultdict[str, list[str]] = defaultdict(list)
    for language in LANGUAGES:
        for word in stop_words(language):
            if len(word) > 1:
                by_word[word].append(language)
    return {word: tuple(languages) for word, languages in by_word.items()}


@lru_cache(maxsize=1)
def _letters() -> Mapping[str, tuple[str, ...]]:
    letters = {letter for listed in LETTERS.values() for letter in listed}
    return {letter: tuple(code for code, listed in LETTERS.items() if letter in listed) for letter in letters}
