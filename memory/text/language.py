"""In which language a text is: by its script, its small words and its letters. Small, kept here, sure or silent.

A chat line is short, and its small words ("the", "nicht", "için") are most of the evidence it has; letters that few
languages have add to it. Where nothing decides the answer is None, and the analysis goes on without endings.
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
"""Letters beyond a to z, in lower case."""
SURE = 1.0
"""A small word counts 1 divided by the languages that have it, each different foreign letter likewise. Less than one
word of its own decides nothing."""
LEAD = 1.3
"""The first must have so many times what the second has to be alone."""
MOST_WORDS = 100
"""So many words are looked at: more of them change nothing."""

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
    """The ISO 639-1 code of the language, None where nothing decides.

    Args:
        text: as it was written.
        words: its words as `analysis.fold` leaves them.
    """
    found = likely_languages(text, words)
    return found[0] if len(found) == 1 else None


def likely_languages(text: str, words: Sequence[str]) -> tuple[str, ...]:
    """One code where one language leads clearly, two where they are close, none where there is too little to tell."""
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
        known = _letters()
        for letter in set(_FOREIGN.findall(text.lower())):
            having = known.get(letter, ())
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
    """The languages that have each small word; single letters are no evidence."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for language in LANGUAGES:
        for word in stop_words(language):
            if len(word) > 1:
                found[word].append(language)
    return {word: tuple(languages) for word, languages in found.items()}


@lru_cache(maxsize=1)
def _letters() -> Mapping[str, tuple[str, ...]]:
    letters = {letter for listed in LETTERS.values() for letter in listed}
    return {letter: tuple(code for code, listed in LETTERS.items() if letter in listed) for letter in letters}
