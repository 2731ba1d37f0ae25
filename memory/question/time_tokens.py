"""Cuts a question into tokens of one language for the rules of `time_rules`: each word of time becomes one letter with a
value. Pure; no clock is read.

The letters: N number, O ordinal, Y year, M month, W weekday, w short weekday, S season, U unit, n length of time ("three
weeks"), R what recurs (14 May, Easter), P span of time, k whole week, B part of a day, J tomorrow or morning, G day of a
month without it, q week of the year, E part of the present unit, D K C days and units from now, Z day that does not exist, x any other word; the roles of words have those of `_ROLES`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain
from typing import Any, NamedTuple

from ..extraction.calendar import FIRST_YEAR, LAST_YEAR, Period, day_of, month_of, year_of
from ..text.analyzer import fold
from ..text.languages import LANGUAGES
from ..text.languages.language import Language, Role, words_of
from .feasts import feast_in

_ROLES: Mapping[Role, str] = {
    "last": "L", "past": "p", "previous_but_one": "V", "next_but_one": "v", "next": "X", "this": "T", "ago": "A",
    "before": "b", "after": "a", "since": "s", "from": "f", "until": "u", "to": "t", "and": "&", "in": "i", "article": "l",
    "of": "o", "the": "_", "beginning": "h", "middle": "m", "end": "e", "half": "H", "few": "F", "every": "!", "age": "g",
}  # fmt: skip
_WORD = re.compile(r"\d+|[^\W\d_]+|[^\w\s]")
_APOSTROPHES = "'’"
_SUFFIXES = frozenset(("st", "nd", "rd", "th", "er", "ère", "º", "ª", "."))
"""Endings of an ordinal in digits: "3rd", "1er", "3."."""
_HALF_OR_QUARTER = re.compile(r"(?<![^\W_])[qh][1-4](?![^\W_])", re.IGNORECASE)
_WRITTEN = re.compile(
    r"(?<![\w.,/:-])(?:"
    r"(?P<year>(?:19|20|21)\d\d)(?P<mark>[-/.])(?P<month>\d\d?)(?P=mark)(?P<day>\d\d?)(?:(?=[t ]\d\d?:)|(?![\w]|[-/:.,]\d|-\w))"
    r"|(?P<month_year>(?:19|20|21)\d\d)[-/](?P<month_only>\d\d)(?![\w]|[-/:.,]\d|-\w)"
    r"|(?P<first>\d\d?)(?P<dash>[-/.])\s?(?P<second>\d\d?)(?P=dash)\s?(?P<last>(?:19|20|21)\d\d|(?<!\s)\d\d)(?![\w]|[-/:.,]\d)"
    r"|(?P<d>\d\d?)\.\s?(?P<m>\d\d?)\.(?!\w|\d)"
    r"|(?P<decade>(?:19|20)\d0|(?<!\d)[2-9]0)(?:s|['’]s|er|ern|['’]?l[ae]r(?:[dt][ae])?)(?![^\W_])"
    r"|(?P<on_day>\d\d?)/(?P<on_month>\d\d?)(?![\w/]|[-:.,]\d)"
    r"|(?P<two_years>(?:19|20|21)\d\d)\s?/\s?(?P<next_year>\d\d)(?![\w]|[-/:.,]\d)"
    r"|(?P<number>\d\d?)/(?P<its_year>(?:19|20|21)\d\d)(?![\w]|[-/:.,]\d)"
    r")",
    re.IGNORECASE,
)
_KANJI = "〇一二三四五六七八九"
_JAPANESE = re.compile(
    rf"(?:(?P<year>(?<!\d)\d{{4}}|[{_KANJI}]{{4}})年度?の?)?(?P<month>(?<!\d)\d\d?|十[一二]?|[{_KANJI}])月(?!間|曜)"
    rf"(?:(?P<day>\d\d?|[二三]?十[{_KANJI}]?|[{_KANJI}])日(?!間))?"
    rf"|(?P<only_year>(?<!\d)\d{{4}}|[{_KANJI}]{{4}})年(?!間|前)|(?P<only_day>(?<!\d)\d\d?)日(?!間|前|後|以内|連続|目|分)"
)
_SPACELESS = re.compile("[\u3040-\u30ff\u3400-\u9fff々〜ー]")


class Token(NamedTuple):
    """A word of time, or words that rules have joined."""

    code: str
    value: Any
    start: int
    end: int
    gated: bool = True
    """Whether it is a time without a preposition."""
    doubtful: bool = False
    """Whether it is another word or a name, too."""


class Word(NamedTuple):
    """A word of the question, folded."""

    key: str
    start: int
    end: int
    capital: bool
    joined: bool
    """Whether it directly follows another word, or only an apostrophe stands between."""


@dataclass(frozen=True, slots=True)
class Recurring:
    """A time that there is in each year; a weekday is one of each week."""

    kind: str
    number: int
    of: Callable[[int], Period | None]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The words of a language with their codes and values, by the first word of each entry."""

    language: Language
    entries: Mapping[str, Sequence[tuple[tuple[str, ...], str, Any]]]
    contents: frozenset[str]
    """The first words of entries that name a time or a unit; without one of them there is none but in digits."""
    doubtful: frozenset[str]
    plurals: frozenset[str]
    endings: re.Pattern[str] | None
    longest: int
    """The length of the longest entry of a language without blanks."""


def words_in(question: str) -> list[Word]:
    """Return the words and marks of a question; apostrophes are left out."""
    words: list[Word] = []
    end = 0
    for match in _WORD.finditer(question):
        text = match[0]
        if text in _APOSTROPHES:
            end = match.end() if match.start() == end else -1
            continue
        key = text.lower() if text.isascii() else fold(text)
        words.append(Word(key, *match.span(), text[0].isupper(), bool(words) and match.start() == end))
        end = match.end()
    return words


def spaceless_in(text: str) -> bool:
    """Return whether a text contains letters of Japanese."""
    return not text.isascii() and _SPACELESS.search(text) is not None


@cache
def lexicon(code: str) -> Lexicon:
    """Return the words of a language, made for the first question that needs them."""
    language = LANGUAGES[code]
    entries: dict[str, list[tuple[tuple[str, ...], str, Any]]] = {}
    taken: set[tuple[str, ...]] = set()
    contents: set[str] = set()
    for row, letter, value in chain(_contents(language), _relations(language)):
        for phrase in words_of(row):
            key = _key(phrase, language)
            if not key or key in taken:
                continue
            taken.add(key)
            entries.setdefault(key[0], []).append((key, letter, value))
            if letter not in _ROLES.values() and letter not in "NO":
                contents.add(key[0])
    for listed in entries.values():
        listed.sort(key=lambda entry: -len(entry[0]))
    flat = {
        word: frozenset(fold(each) for each in words_of(row))
        for word, row in (("doubtful", language.doubtful), ("plurals", language.plurals))
    }
    return Lexicon(
        language, entries, frozenset(contents), flat["doubtful"], flat["plurals"],
        re.compile(language.endings) if language.endings else None,
        max(map(len, entries)),
    )  # fmt: skip


def _key(phrase: str, language: Language) -> tuple[str, ...]:
    if language.code == "ja" and spaceless_in(phrase):
        return (fold(phrase),)
    return tuple(fold(each) for each in _WORD.findall(phrase) if each not in _APOSTROPHES)


def _contents(language: Language) -> Iterator[tuple[str, str, Any]]:
    both = {*words_of(language.days.get(1, ""))} & {*words_of(language.day_parts.get("morning", ""))}
    yield ", ".join(both), "J", None
    for (step, part), row in language.parts_from_now.items():
        yield row, "D", (step, part)
    for step, row in language.days.items():
        yield row, "D", (step, None)
    for (unit, step), row in language.units_from_now.items():
        yield row, "K", (unit, step)
    for name, row in language.feasts.items():
        yield row, "R", Recurring("feast", 0, lambda year, name=name: feast_in(year, name))
    for rows, letter in (
        (language.months, "M"), (language.weekdays, "W"), (language.short_weekdays, "w"), (language.ordinals, "O"),
        (language.numbers, "N"), (("", language.about_two), "N"),
    ):  # fmt: skip
        for number, row in enumerate(rows, 1):
            yield row, letter, number
    for month, row in language.seasons.items():
        yield row, "S", month
    for (unit, part), row in language.unit_parts.items():
        yield row, "E", (unit, part)
    for number, row in enumerate(language.decades):
        yield row, "R", Recurring("decade", number, lambda _year, number=number: _decade(1920 + 10 * number))
    yield language.calendar_week, "q", None
    if language.capital_nouns:
        for number, row in enumerate(language.weekdays, 1):
            for part, parts in language.day_parts.items():
                yield ", ".join(day + word for day in words_of(row) for word in words_of(parts)), "C", (number, part)
    for words, length in language.durations.items():
        yield words, "n", length
    for unit, row in language.units.items():
        yield row, "U", unit
    for part, row in language.day_parts.items():
        yield row, "B", part


def _relations(language: Language) -> Iterator[tuple[str, str, Any]]:
    within = {*words_of(language.roles.get("within", ""))}
    for role, row in language.roles.items():
        if letter := _ROLES.get(role):
            for word in words_of(row):
                yield word, letter, "within" if word in within else role
    for word in within:
        yield word, "i", "within"


@lru_cache(maxsize=4096)
def stem_of(key: str, code: str) -> tuple[str, str] | None:
    """Return a word of time without its ending, and the role of the ending; None if it is none, or has no ending."""
    words = lexicon(code)
    if words.endings is None:
        return None
    for size in range(len(key) - 1, 1, -1):
        if key[:size] in words.entries and (match := words.endings.fullmatch(key, size)):
            return key[:size], match.lastgroup or ""
    return None


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
    for date in sorted(_written_dates(question, table.language), key=lambda token: token.start):
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
    if word.key.isdigit() and word.key not in table.entries:
        tokens.append(_digits(word))
        return number + 1
    if tokens and tokens[-1].code == "N" and word.joined and word.key in _SUFFIXES and tokens[-1].end == word.start:
        if word.key != "." or number + 1 < len(words) or table.language.capital_nouns:
            tokens[-1] = tokens[-1]._replace(code="O", end=word.end)
        return number + 1
    if spaceless_in(word.key):
        if table.language.code == "ja":
            tokens.extend(_cut(word, table))
        else:
            tokens.append(Token("x", None, word.start, word.end))
        return number + 1
    for key, letter, value in table.entries.get(word.key, ()):
        last = number + len(key) - 1
        if (
            last < len(words)
            and words[last].end <= stop
            and all(words[number + at].key == part for at, part in enumerate(key))
        ):
            tokens.append(_entry(words[number], words[last].end, letter, value, table, first=words[number].start == 0))
            return last + 1
    if word.key.isdigit():
        tokens.append(_digits(word))
        return number + 1
    if table.endings and (token := _with_ending(words, number, stop, table, tokens)):
        return token
    tokens.append(Token("x", None, word.start, word.end))
    return number + 1


def _entry(word: Word, end: int, letter: str, value: Any, table: Lexicon, *, first: bool) -> Token:
    language = table.language
    doubtful = word.key in table.doubtful or letter == "w"
    kind = {"M": "month", "W": "weekday", "S": "season"}.get(letter)
    if kind and word.capital and not first and not language.capital_days:
        doubtful = True
    if letter == "J" and language.capital_nouns and word.capital and not first:
        letter, value = "B", "morning"  # "der Morgen" is no "morgen"
    if letter == "U":
        value = (value, word.key in table.plurals)
    return Token(
        letter, value, word.start, end, gated=kind in language.bare if kind else letter != "R", doubtful=doubtful
    )


def _with_ending(words: Sequence[Word], number: int, stop: int, table: Lexicon, tokens: list[Token]) -> int | None:
    """Append the tokens of a word with an ending, and return the number of the next word; None if it has none."""
    word = words[number]
    if word.joined and tokens and table.endings and (match := table.endings.fullmatch(word.key)):
        tokens.append(Token(_ENDINGS[match.lastgroup or ""], "ending", word.start, word.end))
        return number + 1
    # "hafta sonunda": the last word of an entry has the ending
    for key, letter, value in table.entries.get(word.key, ()):
        last = number + len(key) - 1
        if len(key) > 1 and last < len(words) and words[last].end <= stop and table.endings:
            match = (
                table.endings.fullmatch(words[last].key, len(key[-1])) if words[last].key.startswith(key[-1]) else None
            )
            if match and all(words[number + at].key == part for at, part in enumerate(key[:-1])):
                end = words[last].end
                tokens.append(_entry(word, end, letter, value, table, first=words[number].start == 0))
                tokens.append(Token(_ENDINGS[match.lastgroup or ""], "ending", end, end))
                return last + 1
    stem = stem_of(word.key, table.language.code)
    if stem is None:
        return None
    entry = next((each for each in table.entries[stem[0]] if len(each[0]) == 1), None)
    if entry is None:
        return None
    tokens.append(_entry(Word(stem[0], *word[1:]), word.end, entry[1], entry[2], table, first=words[number].start == 0))
    tokens.append(Token(_ENDINGS[stem[1]], "ending", word.end, word.end))
    return number + 1


_ENDINGS: Mapping[str, str] = {"": "_", "plural": "_", "from": "c", "in": "i", "of": "o", "to": "d"}
"""The codes of the endings of `Language.endings`."""


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
                yield _entry(part, start + size, entry[0][1], entry[0][2], table, first=False)
                at += size
                break
        else:
            yield Token("x", None, word.start + at, word.start + at + 1)
            at += 1


def _written_dates(question: str, language: Language) -> Iterator[Token]:
    if any(map(str.isdigit, question)):
        for match in _WRITTEN.finditer(question):
            yield from _written_date(match, language)
        for match in _HALF_OR_QUARTER.finditer(question):
            number, months = int(match[0][1]), 3 if match[0][0] in "qQ" else 6
            if number * months <= 12:
                yield Token("R", part_of_year(number, months), *match.span(), gated=False)
    if language.code == "ja":
        for match in _JAPANESE.finditer(question):
            yield _japanese_date(match)


def _decade(year: int) -> Period | None:
    first, last = year_of(year), year_of(year + 9)
    return Period(first.start, last.end, "season") if first and last else None


def part_of_year(number: int, months: int) -> Recurring:
    """Return the nth quarter or half of each year, by its months."""

    def of(year: int) -> Period | None:
        first, last = month_of(year, (number - 1) * months + 1), month_of(year, number * months)
        return Period(first.start, last.end, "season") if first and last else None

    return Recurring("part", number, of)


def day_in_each_year(month: int, day: int) -> Recurring | None:
    """Return a day of each year that has it; None if no year has it."""
    return Recurring("day", day, lambda year: day_of(year, month, day)) if day_of(2024, month, day) else None


def _written_date(match: re.Match[str], language: Language) -> Iterator[Token]:
    parts, span = match.groupdict(), match.span()
    if parts["d"]:
        each = day_in_each_year(int(parts["m"]), int(parts["d"]))
        yield Token("R", each, *span, gated=False, doubtful=True) if each else Token("Z", "doubtful", *span)
        return
    if parts["on_day"]:
        first, second = int(parts["on_day"]), int(parts["on_month"])
        if each := day_in_each_year(second, first) or day_in_each_year(first, second):
            yield Token("R", each, *span, gated=False, doubtful=True)
        return
    if parts["decade"]:
        yield Token("P", _decade(int(parts["decade"]) + (1900 if len(parts["decade"]) == 2 else 0)), *span)
        return
    if parts["two_years"]:
        if (int(parts["two_years"]) + 1) % 100 == int(parts["next_year"]):
            yield Token("Y", int(parts["two_years"]), *span, gated=False)
        return
    if parts["month_only"] or parts["number"]:
        period = month_of(
            int(parts["month_year"] or parts["its_year"]), month := int(parts["month_only"] or parts["number"])
        )
        if 1 <= month <= 12 and period:
            yield Token("P", period, *span)
        return
    if parts["year"]:
        day = day_of(int(parts["year"]), int(parts["month"]), int(parts["day"]))
    else:
        year = int(parts["last"]) if len(parts["last"]) == 4 else 2000 + int(parts["last"])
        first, second = int(parts["first"]), int(parts["second"])
        day = day_of(year, second, first)
        if day is None and parts["dash"] != ".":
            day = day_of(year, first, second)
    yield Token("P", day, *span) if day else Token("Z", None, *span)


def _japanese_date(match: re.Match[str]) -> Token:
    parts = {name: _japanese_number(value) for name, value in match.groupdict().items() if value}
    span = match.span()
    if "only_year" in parts:
        year = parts["only_year"]
        return Token("Y", year, *span) if FIRST_YEAR <= year <= LAST_YEAR else Token("Z", None, *span)
    if "only_day" in parts:
        return Token("G", parts["only_day"], *span)
    month = parts["month"]
    if not 1 <= month <= 12:
        return Token("Z", None, *span)
    if "day" not in parts:
        if "year" in parts:
            period = month_of(parts["year"], month)
            return Token("P", period, *span) if period else Token("Z", None, *span)
        return Token("M", month, *span)
    if "year" in parts:
        period = day_of(parts["year"], month, parts["day"])
        return Token("P", period, *span) if period else Token("Z", None, *span)
    each = day_in_each_year(month, parts["day"])
    return Token("R", each, *span) if each else Token("Z", None, *span)


def _japanese_number(text: str) -> int:
    if text.isdigit() and text[0] not in _KANJI:
        return int(text)
    if "十" in text:
        tens, _, ones = text.partition("十")
        return 10 * (_KANJI.index(tens) if tens else 1) + (_KANJI.index(ones) if ones else 0)
    return int("".join(str(_KANJI.index(letter)) for letter in text))
