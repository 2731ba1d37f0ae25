"""Extracts the items of a text that must be true: names, places, numbers, days, and words by their meaning. Pure.

A word of `answer_lists` is compared by its meanings, in any language; any other word literally.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from ..extraction.calendar import NUMBERS, WEEKDAYS
from ..extraction.spelled_numbers import spelled_numbers
from ..text.analyzer import fold
from ..text.language import likely_languages
from .answer_days import Day, written_days
from .answer_lists import CJK, TOKEN, is_light, meanings_of, parts_of, spaceless_light, spaceless_words

Kind = Literal["name", "place", "meaning", "kin", "word", "number", "date", "weekday"]

LONGEST_PHRASE = 3
"""The most words of a phrase that has a meaning as a whole."""
_SPACELESS = re.compile(f"[{CJK}]")
_CONTENT = re.compile("[\u30a1-\u30faー]{2,}|[\u3400-\u9fff々]{2,}")
"""Matches a word in a Japanese text: particles and endings are written in another script."""
_NUMBER = re.compile(r"\d+")
_GROUPED = re.compile(r"(?<=\d)[.,'’ ](?=\d{3}(?!\d))")
_CLOCK = re.compile(r"(?<!\d)(\d{1,2})(?:[:.](\d\d))? ?([ap])\.?m\b", re.IGNORECASE)
_FULL_HOUR = re.compile(r"(?<=\d):00(?!\d)")
_WEEKDAYS = {fold(word): number for word, number in WEEKDAYS.items()} | {
    word: number
    for number, row in enumerate(
        ("mon mondays pazartesi", "tue tues sali", "wed carsamba", "thu thur thurs persembe", "fri cuma", "cumartesi", "pazar"), 1
    )
    for word in row.split()
}  # fmt: skip
_NUMBERS = {fold(word): number for word, number in NUMBERS.items() if number > 1} | {
    word: number for number, word in enumerate(["iki", "uc", "dort", "bes", "alti", "yedi", "sekiz", "dokuz"], 2)
}
_NUMBERS_OF_ONE_LANGUAGE = {"once": "es", "elf": "de"}
_JAPANESE_WEEKDAY = re.compile("([月火水木金土日])曜日?")
_COUNTED = re.compile("([一二三四五六七八九十])(?=[人匹つ歳年本個回台頭年月日時])")
_LIKE = next(meaning for meaning in meanings_of("likes"))


@dataclass(frozen=True, slots=True)
class Item:
    """An item of a sentence that a supporting line must contain, too."""

    kind: Kind
    word: str
    """The folded word; of a number its digits."""
    meanings: frozenset[str] = frozenset()
    day: Day = (None, None, None)


def items_of(text: str, people: frozenset[str]) -> tuple[list[Item], frozenset[str]]:
    """Return the items of a text in order, and the kinds of its verbs; ``people`` are folded words of names."""
    text, days = written_days(text)
    text = _CLOCK.sub(lambda match: f"{int(match[1]) % 12 + 12 * (match[3] in 'pP')}:{match[2] or '00'}", text)
    text = _FULL_HOUR.sub("", _GROUPED.sub("", text))
    languages = languages_of(text)
    items = [Item("date", "", day=day) for day in days]
    items += [Item("number", number) for number in spelled_numbers(fold(text))]
    ways: set[str] = set()
    tokens = TOKEN.findall(text)
    at = 0
    while at < len(tokens):
        if _SPACELESS.match(tokens[at]):
            size = 1
            items += _spaceless_items(tokens[at], ways, people)
        else:
            size, word, meanings = _longest_phrase(tokens[at : at + LONGEST_PHRASE])
            items += _items_of_word(tokens[at], word, meanings, ways, languages, people, first=at == 0)
        at += size
    return items, frozenset(ways)


def languages_of(text: str) -> tuple[str, ...]:
    """Return the likely languages of a text; none if they are unknown."""
    if re.search("[\u3040-\u30ff]", text):
        return ("ja",)
    return tuple(likely_languages(text, [fold(word) for word in TOKEN.findall(text)]))


def _longest_phrase(tokens: list[str]) -> tuple[int, str, frozenset[str]]:
    """Return the size, the folded words and the meanings of the longest listed phrase at the beginning of some words."""
    folded = [fold(token) for token in tokens]
    for size in range(len(tokens), 1, -1):
        if meanings := meanings_of(phrase := " ".join(folded[:size])):
            return size, phrase, meanings
    return 1, folded[0], meanings_of(folded[0])


def _items_of_word(
    token: str,
    word: str,
    meanings: frozenset[str],
    ways: set[str],
    languages: tuple[str, ...],
    people: frozenset[str],
    *,
    first: bool,
) -> Iterable[Item]:
    """Return the items of a word, or of a phrase that begins with this token; the kinds of a verb join ``ways``."""
    if item := _counted_item(token, word, languages):
        return [item]
    name, capital = word if word in people else word.removesuffix("s"), token[0].isupper()
    if capital and name in people:
        return [Item("name", name)]
    if meanings:
        item = _listed_item(word, meanings, ways)
        return [] if item is None or ways & meanings else [item]
    if is_light(word):
        return []
    if capital and not first and "de" not in languages:  # German nouns have capitals, too
        return [Item("name", word)]
    if parts := parts_of(word):
        return [Item("meaning", word, part) for part in parts]
    return [Item("name" if capital and first else "word", word)] if len(word) > 1 else []


def _counted_item(token: str, word: str, languages: tuple[str, ...]) -> Item | None:
    """Return the item of a number, a weekday, or a name with digits in it."""
    if digits := _NUMBER.search(word):
        return Item("number", str(int(digits[0]))) if word[0].isdecimal() else Item("name", word)
    weekday = word if word in _WEEKDAYS else word.removesuffix("s")
    if weekday in _WEEKDAYS and (len(word) > 4 or token[0].isupper()):
        return Item("weekday", str(_WEEKDAYS[weekday]))
    if word in _NUMBERS and _NUMBERS_OF_ONE_LANGUAGE.get(word, "") in ("", *languages):
        return Item("number", str(_NUMBERS[word]))
    return None


def _listed_item(word: str, meanings: frozenset[str], ways: set[str]) -> Item | None:
    """Return the item of a listed word; the kinds of a verb join ``ways``, and are no item."""
    ways.update(each for each in meanings if each.startswith("ways:"))
    rest = frozenset(_LIKE if each.startswith("contrary:") else each for each in meanings - ways)
    sections = {each.partition(":")[0] for each in meanings}
    kind: Kind = "place" if "places" in sections else "kin" if "kin" in sections else "meaning"
    return Item(kind, word, rest) if rest else None


def _spaceless_items(token: str, ways: set[str], people: frozenset[str]) -> Iterator[Item]:
    """Yield the items of a text without blanks: listed words, the longest first, and what remains between them."""
    for name in people:
        if len(name) > 1 and name in token:
            yield Item("name", name)
            token = token.replace(name, " ")
    yield from (Item("weekday", str(1 + "月火水木金土日".index(day))) for day in _JAPANESE_WEEKDAY.findall(token))
    token = _JAPANESE_WEEKDAY.sub(" ", token)
    yield from (Item("number", str(1 + "一二三四五六七八九十".index(digit))) for digit in _COUNTED.findall(token))
    token = _COUNTED.sub(" ", token)
    for word, meanings in spaceless_words():
        if word in token:
            token = token.replace(word, " ")
            if item := _listed_item(word, meanings, ways):
                yield item
    for word in spaceless_light():
        token = token.replace(word, " ")
    yield from (Item("word", fold(word)) for word in _CONTENT.findall(token))
