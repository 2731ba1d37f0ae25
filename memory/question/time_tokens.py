"""Cuts a question into tokens of one language for the rules of `time_rules`: each word of time becomes one letter with a
value. Pure; no clock is read.

The letters: N number, O ordinal, Y year, M month, W weekday, w short weekday, S season, U unit, n length of time ("three
weeks"), R what recurs (14 May, Easter), P span of time, k whole week, B part of a day, J tomorrow or morning, G day of a
month without it, j what may be a day and a month ("14.5"), q week of the year, z unit of a month ("Juniwoche"), E part of the present unit, D K C days and units from now, Z day that does not exist, x any other word; the roles of words have those of `_ROLES`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ..extraction.calendar import FIRST_YEAR, LAST_YEAR
from ..text.analyzer import fold
from .time_lexicon import APOSTROPHES, WORD, Lexicon, Token, lexicon, spaceless_in, stem_of
from .written_dates import dates_in

_SUFFIXES = frozenset(("st", "nd", "rd", "th", "er", "ère", "º", "ª", "."))
"""Endings of an ordinal in digits: "3rd", "1er", "3."."""

_ENDINGS: Mapping[str, str] = {"": "_", "plural": "_", "from": "c", "since": "s", "in": "i", "of": "o", "to": "d"}
"""The codes of the endings of `Language.endings`."""
_KINDS = {"M": "month", "W": "weekday", "S": "season", "R": "feast"}
"""The kinds of `Language.bare` by the letters of tokens, and one that no language has there."""


class Word(NamedTuple):
    """A word of the question, folded."""

    key: str
    start: int
    end: int
    capital: bool
    joined: bool
    """Set if it directly follows another word, or only an apostrophe stands between."""


def words_in(question: str) -> list[Word]:
    """Return the words and marks of a question; apostrophes are left out."""
    words: list[Word] = []
    end = 0
    for match in WORD.finditer(question):
        text = match[0]
        if text in APOSTROPHES:
            end = match.end() if match.start() == end else -1
            continue
        key = text.lower() if text.isascii() else fold(text)
        words.append(Word(key, *match.span(), text[0].isupper(), bool(words) and match.start() == end))
        end = match.end()
    return words


def tokens_in(question: str, words: Sequence[Word], code: str) -> list[Token]:
    """Return the tokens of a question in one language, in order; those in between are "x".

    Args:
        question: with single blanks.
        words: the result of `words_in`.
        code: of the language.
    """
    table = lexicon(code)
    tokens: list[Token] = []
    end = 0
    for date in sorted(dates_in(question, table.language), key=lambda token: (token.start, -token.end)):
        if date.start >= end:
            _take_all(_between(words, end, date.start), date.start, table, tokens)
            tokens.append(date)
            end = date.end
    _take_all(_between(words, end, len(question)), len(question), table, tokens)
    return tokens


def _between(words: Sequence[Word], start: int, stop: int) -> Sequence[Word]:
    """Return the words between two places, and of those without blanks the parts."""
    first = bisect_left(words, start, key=lambda word: word.end - 1)
    last = bisect_left(words, stop, first, key=lambda word: word.start)
    return [_part(word, start, stop) for word in words[first:last]]


def _part(word: Word, start: int, stop: int) -> Word:
    if start <= word.start and word.end <= stop:
        return word
    first, last = max(start, word.start), min(stop, word.end)
    key = word.key[first - word.start : last - word.start] if len(word.key) == word.end - word.start else ""
    return Word(key, first, last, capital=False, joined=True)


def _take_all(words: Sequence[Word], stop: int, table: Lexicon, tokens: list[Token]) -> None:
    number = 0
    while number < len(words):
        number = _take(words, number, stop, table, tokens)


def _take(words: Sequence[Word], number: int, stop: int, table: Lexicon, tokens: list[Token]) -> int:
    """Append the token of the words from ``number`` on, and return the number of the next word."""
    word = words[number]
    previous = tokens[-1] if tokens else None
    if spaceless_in(word.key):
        tokens.extend(_cut(word, table) if table.language.code == "ja" else [Token("x", None, word.start, word.end)])
        return number + 1
    if previous and word.joined and previous.end == word.start and previous.code == "N" and word.key in _SUFFIXES:
        if word.key != "." or number + 1 < len(words) or table.language.capital_nouns:
            tokens[-1] = previous._replace(code="O", end=word.end)
        return number + 1
    for key, letter, value in table.entries.get(word.key, ()):
        last = number + len(key) - 1
        if last < len(words) and words[last].end <= stop and _begin_with(words, number, key):
            match = _ending(words[last].key, len(key[-1]), table)
            if match is None and words[last].key != key[-1]:
                continue
            tokens.append(_entry(word, words[last].end, letter, value, table))
            tokens.extend(_token_of_ending(match, words[last].end, tokens))
            return last + 1
    if word.key.isdigit():
        tokens.append(_digits(word))
    elif word.joined and previous and (match := _ending(word.key, 0, table)):
        tokens.append(Token(_ENDINGS[match.lastgroup or ""], "ending", word.start, word.end))
    else:
        _take_stem(word, table, tokens)
    return number + 1


def _begin_with(words: Sequence[Word], number: int, key: Sequence[str]) -> bool:
    """Return whether words from a number on are those of an entry, of which the last may have an ending."""
    *others, final = key
    return words[number + len(others)].key.startswith(final) and all(
        words[number + at].key == part for at, part in enumerate(others)
    )


def _ending(key: str, start: int, table: Lexicon) -> re.Match[str] | None:
    """Return the match of the ending of a word from a place on; None if there is none."""
    return table.endings.fullmatch(key, start) if table.endings and start < len(key) else None


def _token_of_ending(match: re.Match[str] | None, end: int, tokens: list[Token]) -> Iterator[Token]:
    if match is None:
        return
    unit = tokens[-1]
    if unit.code == "U" and match["plural"]:
        tokens[-1] = unit._replace(value=(unit.value[0], True))
    yield Token(_ENDINGS[match.lastgroup or ""], "ending", end, end)


def _take_stem(word: Word, table: Lexicon, tokens: list[Token]) -> None:
    """Append the tokens of a word of time with an ending, or of any other word."""
    stem = stem_of(word.key, table.language.code)
    entry = next((each for each in table.entries[stem] if len(each[0]) == 1), None) if stem else None
    if stem is None or entry is None:
        tokens.append(Token("x", None, word.start, word.end))
        return
    tokens.append(_entry(word._replace(key=stem), word.end, entry[1], entry[2], table))
    tokens.extend(_token_of_ending(_ending(word.key, len(stem), table), word.end, tokens))


def _entry(word: Word, end: int, letter: str, value: object, table: Lexicon) -> Token:
    language = table.language
    doubtful = word.key in table.doubtful or letter in "wN"
    kind = _KINDS.get(letter)
    if kind in ("month", "weekday") and word.capital and word.start and not language.capital_days:
        doubtful = True
    if letter == "J" and language.capital_nouns and word.capital and word.start:
        letter, value = "B", "morning"  # "der Morgen" is no "morgen"
    if letter == "U":
        value = (value, word.key in table.plurals)
    return Token(letter, value, word.start, end, gated=kind is None or kind in language.bare, doubtful=doubtful)


def _digits(word: Word) -> Token:
    value = int(word.key) if len(word.key) <= 4 else 0
    if len(word.key) == 4 and FIRST_YEAR <= value <= LAST_YEAR - 1:
        return Token("Y", value, word.start, word.end, gated=False)
    return Token("N" if 0 < len(word.key) <= 3 else "x", value, word.start, word.end)


def _cut(word: Word, table: Lexicon) -> Iterator[Token]:
    """Yield the tokens of a run of letters without blanks: at each place the longest entry."""
    text, at, length = word.key, 0, word.end - word.start
    if len(text) != length:
        yield Token("x", None, word.start, word.end)
        return
    while at < len(text):
        for size in range(min(table.longest, len(text) - at), 0, -1):
            if entry := table.entries.get(text[at : at + size]):
                start = word.start + at
                part = Word(text[at : at + size], start, start + size, capital=False, joined=False)
                yield _entry(part, start + size, entry[0][1], entry[0][2], table)
                at += size
                break
        else:
            yield Token("x", None, word.start + at, word.start + at + 1)
            at += 1
