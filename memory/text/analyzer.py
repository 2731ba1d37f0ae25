"""From text to the terms that are searched. Every backend indexes exactly these, so that all of them rank alike.

A term is a folded word, without case and accents; its stem, by the language of the text; or a piece of it. A text that
is surely English gives stems alone. Any other gives its words, their stems where its language is known, and every four
neighbouring letters of them, marked by ``_``: they find a compound by its parts ("Maschine", "Waschmaschine") and a word
with an ending that no stemmer knows. A question gives each word itself and its English stem, and unless it is English
the stems of its likely languages and its pieces too: so the two meet although each is analysed by itself.

A hyphenated word gives its parts, and itself without hyphens. A long number gives its digits without what stands
between them, too: see `numbers`.

Terms hold letters, digits, marks, the mark of pieces and symbols like emoji, never blanks or controls, so a list of them
may be joined by spaces.

Scripts that put no blanks between words (Han, kana, Thai, Lao, Khmer, Myanmar) give every pair of neighbouring
characters and every single one. A question asks for its pairs and for its single ideographs, which are half a word each
(自転車 and 自転 share two); for another single character only where it stands alone. Korean words give themselves and
their pairs, so that a word is found with any particle.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence
from functools import lru_cache
from itertools import pairwise

from .hyphens import hyphenated
from .language import language_of, likely_languages
from .numbers import long_numbers
from .stemmer import LONGEST_STEMMED, english_stem, stem, stemmers
from .stopwords import stop_words

VERSION = f"terms-7/{stemmers()}"
"""The version of the terms: it changes when the same text yields other terms, so that old indexes are rebuilt."""
LONGEST_TERM = 64
"""The most characters of a term; longer words (keys, encoded data) are truncated in texts and queries."""
PIECE = 4
"""The length of a piece in letters; of 3 to 6, 4 found most in the labelled chats that are not English."""
MOST_QUERY_TERMS = 64
"""The most terms of a query; one of 10,000 characters would otherwise visit most of the index."""

_ASCII_WORD = re.compile("[a-z0-9]+")
_CLITIC = re.compile(r"(?<=[^\W_])'(?:s|m|d|ll|re|ve)(?![^\W_']|'[^\W_])")
_NEGATION = re.compile(r"(?<=n)'(?=t(?![^\W_]))")
_CONTRACTED = re.compile(r"[^\W_]+(?:'[^\W_]+)+")

# Not letters, but words are not divided by them: soft hyphen, joiners, direction marks, variation selectors.
_INVISIBLE = "\u00ad\u034f\u061c\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff"
# Accents of Latin, Greek and Cyrillic; points of Hebrew; vowel marks and the lengthening stroke of Arabic. The marks
# of other scripts are vowels, without which words could not be told apart. In и + breve (й) it is another letter.
_DROPPED = re.compile(
    "(?<!\u0438)\u0306|[\u0300-\u0305\u0307-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8"
    f"\u06ea-\u06ed{_INVISIBLE}\U000e0000-\U000e0fff]"
)
# Letters whose stroke is no mark of its own, and the apostrophes that keyboards make.
_REPLACED = {
    "ø": "o", "Ø": "o", "đ": "d", "Đ": "d", "ł": "l", "Ł": "l", "ħ": "h", "Ħ": "h", "\u0131": "i", "ð": "d", "Ð": "d",
    "æ": "ae", "Æ": "ae", "œ": "oe", "Œ": "oe", "þ": "th", "Þ": "th", "™": " ", "℠": " ",
    "\u2018": "'", "\u2019": "'", "\u02bc": "'", "\uff07": "'", "\u201b": "'",
}  # fmt: skip
_REPLACEABLE = re.compile(f"[{''.join(_REPLACED)}]")
SPACELESS = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ebd\u0ec0-\u0ece\u1000-\u103f\u1050-\u109f\u1780-\u17d3\u17dd\u3005-\u3007"
    "\u3041-\u3096\u3099-\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u31a0-\u31bf\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\ua9e0-\ua9fe\uaa60-\uaa7f\uf900-\ufaff\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
"""The letters of scripts without blanks between words, as a class of a regular expression."""
_HANGUL = "\u1100-\u11ff\ua960-\ua97f\uac00-\ud7a3\ud7b0-\ud7ff"
_SYMBOLS = "\u2600-\u27bf\U0001f000-\U0001f3fa\U0001f400-\U0001faff"  # without skin tones
_SPACELESS_RUN = re.compile(f"[{SPACELESS}]+")
_IDEOGRAPH = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_RUNS = re.compile(f"(?P<spaceless>[{SPACELESS}]+)|(?P<hangul>[{_HANGUL}]+)|(?P<symbol>[{_SYMBOLS}])")


def terms(text: str, language: str | None = None) -> list[str]:
    """Return the terms of a text, repeated as often as they occur.

    Args:
        text: anything; lone surrogates, controls and punctuation only separate.
        language: an ISO 639-1 code if it is known, else the text's own words tell. English words give their stems.
            Words of another language give themselves, their stems and their pieces; of an unknown one themselves,
            English stems and pieces.
    """
    words, runs = _words(text)
    code = language[:2].lower() if language else language_of(text, words)
    if code == "en":
        stems = [stem_of(word) for word in words]
    else:
        stems = [term for word in words for term in _wide_terms(word, english=code is None)]
        stems += _foreign_stems(text, code) if code else ()
    for kind, run in runs:
        stems += _run_terms(kind, run)
    for joined in _without_hyphens(text):
        stems += {"en": {stem_of(joined)}, None: {joined, stem_of(joined)}}.get(code, {joined})
    return stems + _long_numbers(text, words)


def query_terms(text: str, language: str | None = None) -> list[str]:
    """Return the distinct terms of a query in order; stop words only if there is nothing else.

    A question is short, and its language may not be the text's: it asks for each word itself and its English stem,
    and, unless it is surely English, for the stems of its likely languages and for pieces.

    Of more than `MOST_QUERY_TERMS` the longest are kept, the earlier of equals: long words are the rarer ones, and
    how rare a term is in this memory only the index knows.
    """
    words, runs = _words(text)
    codes = (language[:2].lower(),) if language else likely_languages(text, words)
    silent = frozenset[str]().union(*(stop_words(code) for code in codes or ("en",)))
    telling = [word for word in words if word not in silent]
    wide = [term for kind, run in runs for term in _asked_of_run(kind, run)]
    chosen = telling if telling or wide else words
    forms = [term for word in chosen for term in (stem_of(word), word[:LONGEST_TERM])]
    if codes != ("en",):
        kept = set(chosen)
        forms += [stem for code in codes if code != "en" for stem in _foreign_stems(text, code, kept)]
        forms += [piece for word in chosen for piece in _pieces(word)]
    forms += [form for joined in _without_hyphens(text) for form in (stem_of(joined), joined)]
    distinct = list(dict.fromkeys([*forms, *wide, *_long_numbers(text, words)]))
    if len(distinct) <= MOST_QUERY_TERMS:
        return distinct
    longest = set(sorted(distinct, key=len, reverse=True)[:MOST_QUERY_TERMS])
    return [term for term in distinct if term in longest]


def terms_of_phrase(text: str) -> list[tuple[str, ...]]:
    """Return, for each word of a phrase, the terms of which any text with that word has at least one.

    Empty for a single syllable of Korean, which a text yields only together with its neighbours.
    """
    words, runs = _words(text)
    groups = [tuple(dict.fromkeys((word[:LONGEST_TERM], stem_of(word)))) for word in words]
    for kind, run in runs:
        units = _units_of(run)
        if kind == "hangul":
            groups += [(pair, run) for pair in _pairs(units)]
        elif kind == "symbol":
            groups.append((run,))
        else:
            groups += [(term,) for term in (_pairs(units) if len(units) > 1 else units)]
    return groups


def is_english(text: str) -> bool:
    """Return whether a short text seems to be English: nothing in it indicates another language."""
    words, runs = _words(text)
    codes = likely_languages(text, words)
    return codes[:1] == ("en",) or (not codes and text.isascii() and not runs)


def fold(text: str) -> str:
    """Return the text without case, accents and compatibility forms, with apostrophes as ``'``. For comparing only."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKD", _REPLACEABLE.sub(lambda match: _REPLACED[match.group()], text))
    plain = unicodedata.normalize("NFKD", plain.casefold())
    return unicodedata.normalize("NFC", _DROPPED.sub("", plain))


def words(text: str) -> list[str]:
    """Return the words of a text as written, except in scripts without blanks between words."""
    return _words(text)[0]


def words_and_runs(text: str) -> list[str]:
    """Return the folded words of a text, and its runs in scripts without blanks."""
    folded, runs = _words(text)
    return [*folded, *(run for _, run in runs)]


def spaceless(word: str) -> bool:
    """Return whether a word is in a script without blanks between words."""
    return not word.isascii() and _SPACELESS_RUN.fullmatch(word) is not None


def _words(text: str) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the folded words, and the runs (kind, characters) that are not words of an alphabet."""
    folded = fold(text)
    more: list[str] = []
    if "'" in folded:
        folded = _NEGATION.sub("", _CLITIC.sub("", folded))
        # O'Brien is found as brien and as obrien, l'heure as heure.
        more = [word.replace("'", "") for word in _CONTRACTED.findall(folded)] if "'" in folded else []
    runs: list[tuple[str, str]] = []
    if not folded.isascii():
        runs = [(match.lastgroup or "", match.group()) for match in _RUNS.finditer(folded)]
        folded = _RUNS.sub(" ", folded) if runs else folded
    pattern = _ASCII_WORD if folded.isascii() else _word()
    return pattern.findall(folded) + more, runs


def stem_of(word: str) -> str:
    """Return the English stem of a folded word."""
    # Numbers have no endings, and would displace words from the cache.
    cut = word[:LONGEST_TERM]
    return english_stem(cut) if cut.isascii() and not cut.isdigit() else cut


@lru_cache(maxsize=32_768)
def _wide_terms(word: str, *, english: bool) -> tuple[str, ...]:
    """Return the terms of a folded word in a text that is not surely English."""
    itself = word[:LONGEST_TERM]
    stemmed = stem_of(word) if english else itself
    return (itself, *((stemmed,) if stemmed != itself else ()), *_pieces(word))


def _pieces(word: str) -> list[str]:
    """Return all four-letter pieces of a word, marked so that they never equal a word.

    They find a compound by its parts and a word with an ending that no stemmer knows.
    """
    if not PIECE <= len(word) <= LONGEST_STEMMED or word.isdigit():
        return []
    return [f"_{word[at : at + PIECE]}" for at in range(len(word) - PIECE + 1)]


def _without_hyphens(text: str) -> list[str]:
    """Return the folded hyphenated words of a text as one word each."""
    return [fold(word)[:LONGEST_TERM] for word, _, _ in hyphenated(text)]


def _long_numbers(text: str, words: Sequence[str]) -> list[str]:
    """Return the long numbers of a text with these words."""
    if not any(word[0].isdigit() for word in words):
        return []
    return [number.term[:LONGEST_TERM] for number in long_numbers(fold(text))]


def _foreign_stems(text: str, language: str, kept: Collection[str] | None = None) -> list[str]:
    """Return the folded stems that differ from their words; accents are kept while endings are cut."""
    # İ is one letter, but its lower case is two, of which the second belongs to no stem.
    lowered = unicodedata.normalize("NFC", text).lower().replace("i\u0307", "i")
    pattern = _ASCII_WORD if lowered.isascii() else _word()
    stems = [_foreign_stem(word[:LONGEST_TERM], language) for word in pattern.findall(lowered)]
    return [stemmed for folded, stemmed in stems if stemmed != folded and (kept is None or folded in kept)]


@lru_cache(maxsize=131_072)
def _foreign_stem(word: str, language: str) -> tuple[str, str]:
    """Return the word and its stem, both folded; the word twice if its folded form is not a single word."""
    folded = fold(word)
    stemmed = fold(stem(word, language))
    clean = (_ASCII_WORD if stemmed.isascii() else _word()).fullmatch(stemmed)
    return folded, stemmed[:LONGEST_TERM] if clean else folded


def _run_terms(kind: str, run: str) -> list[str]:
    """Return the terms of a run in a text: all pairs and all single characters."""
    if kind == "symbol":
        return [run]
    units = _units_of(run)
    if kind == "hangul":
        return [run[:LONGEST_TERM], *(_pairs(units) if len(units) > 2 else ())]  # of two, the pair is the word
    return units + (_pairs(units) if len(units) > 1 else [])


def _asked_of_run(kind: str, run: str) -> list[str]:
    """Return the terms of a run in a query: pairs, ideographs, and a character that stands alone."""
    if kind != "spaceless":
        return _run_terms(kind, run)
    units = _units_of(run)
    return [*_pairs(units), *filter(_IDEOGRAPH.match, units)] if len(units) > 1 else units


def _units_of(run: str) -> list[str]:
    return [unit[:LONGEST_TERM] for unit in _units().findall(run)]


def _pairs(units: Sequence[str]) -> list[str]:
    return [(first + second)[:LONGEST_TERM] for first, second in pairwise(units)]


@lru_cache(maxsize=1)
def _word() -> re.Pattern[str]:
    """Return the pattern of a word in any alphabet. Built on first use, because it needs all combining marks of
    Unicode.
    """
    return re.compile(f"[^\\W_]+(?:[{combining_marks()}]+[^\\W_]*)*")


@lru_cache(maxsize=1)
def _units() -> re.Pattern[str]:
    """Return the pattern of a character with its marks."""
    return re.compile(f"[^{combining_marks()}][{combining_marks()}]*|[{combining_marks()}]+")


@lru_cache(maxsize=1)
def combining_marks() -> str:
    """Return all combining marks up to the emoji as the inside of a character class; ``re``'s letter class excludes
    them.
    """
    ranges: list[list[int]] = []
    for code in range(0x300, 0x1F000):
        if unicodedata.category(chr(code))[0] == "M":
            if ranges and ranges[-1][1] == code - 1:
                ranges[-1][1] = code
            else:
                ranges.append([code, code])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)
