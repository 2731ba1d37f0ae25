"""Finds expressions of time in a question: "last week", "im Mai 2023", "hace tres meses", "geçen ay", 先週. Pure; no
clock is read.

English, German and Spanish are parsed by the rules for messages (`memory/extraction/dates.py`); Turkish and Japanese by
two small tables here. An ambiguous word ("may", "Sun", "morgen") counts only beside another expression.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import date, datetime, time
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from ..extraction.calendar import (
    MONTHS,
    Period,
    Unit,
    any_of_pattern,
    day_of,
    days_later,
    month_of,
    moved,
    one_day,
    week_of,
    year_of,
)
from ..extraction.dates import EXPRESSION, MARKERS, resolve_date
from ..text.analyzer import fold, spaceless, terms_of_phrase, words
from ..text.languages import LANGUAGES as _TABLES
from ..text.languages.language import words_of
from ..text.stopwords import LANGUAGES, stop_words
from .question_forms import SAYING, without_japanese_asking
from .time_relations import Bounds, behind, in_front, until

MOST = 3
"""The most times in one question; a question with more asks for none of them."""
_ALONE = frozenset(
    [
        "yesterday", "today", "tonight", "gestern", "vorgestern", "heute", "ayer", "anteayer", "anoche", "hoy", "dün",
        "bugün", "昨日", "今日", "一昨日", "おととい", "先週", "先月", "去年", "昨年", "今週", "今月", "今年",
    ]
)  # fmt: skip
TURKISH_MONTHS = [words_of(row)[0] for row in _TABLES["tr"].months]
_TURKISH_NUMBERS = ["bir", "iki", "üç", "dört", "beş", "altı", "yedi", "sekiz", "dokuz", "on"]
_STEPS = {"geçen": -1, "bu": 0}
_TURKISH_MARKERS = ("geçen ", "bu ", "önce", "dün", "bugün", *TURKISH_MONTHS)
"""Texts of which everything that `_turkish` matches contains at least one."""
_TURKISH_UNITS: dict[str, Unit] = {"gün": "day", "hafta": "week", "ay": "month", "yıl": "year", "sene": "year"}
_TURKISH_YEAR = (
    r"(?:19|20|21)\d\d(?=['’]?[dt][ae]n\s+(?:önce|sonra|beri|itibaren)|['’]?y?[ae]\s+kadar|['’][dt][ae](?![^\W_])"
    r"|\s+(?:yılı|senesi)(?:nd)?)"
)
"""A year with a Turkish ending of time: 2022'de, "2022'den önce", "2022 yılında"."""
_JAPANESE_UNITS: dict[str, Unit] = {
    **dict.fromkeys(("日",), "day"),
    **dict.fromkeys(("週間", "週"), "week"),
    **dict.fromkeys(("か月", "ヶ月", "ヵ月", "カ月", "ケ月", "箇月"), "month"),
    **dict.fromkeys(("年",), "year"),
}
_JAPANESE_WORDS: dict[str, tuple[Unit, int]] = {
    "今日": ("day", 0), "昨日": ("day", -1), "一昨日": ("day", -2), "おととい": ("day", -2),
    "今週": ("week", 0), "先週": ("week", -1), "今月": ("month", 0), "先月": ("month", -1),
    "今年": ("year", 0), "去年": ("year", -1), "昨年": ("year", -1),
}  # fmt: skip


_TURKISH_ENDING = "(?:[yns]?[aeıi]n?|[nd]?[ıi]n|[dt][ae]n?|[dt][ae]ki(?:ler)?|ki|l[ae]r)?"
"""The endings of Turkish words of time: with any letters allowed, "bu ay" (this month) would match "bu ayakkabı" (this
shoe).
"""
_MONTH = re.compile(r"(?<![\w-])(?:19|20|21)\d\d-(?:0[1-9]|1[0-2])(?![\w-])")
"""Matches 2023-05, but not the beginning of 2023-05-12."""
_DATE = re.compile(r"\d{4}|\d\.\d")
_MONTH_NAME = rf"(?<![^\W_])(?:{any_of_pattern(MONTHS)})\b\.?"
_DAY_OF_MONTH = re.compile(
    rf"(?<!\d)\d{{1,2}}(?:st|nd|rd|th|\.)?\s+(?:of\s+|de\s+)?{_MONTH_NAME}|{_MONTH_NAME}\s+(?:the\s+)?\d{{1,2}}(?!\d)"
)
"""Matches 5 May, May 5th, 5. Mai, 5 de mayo: messages may name the day so, in any year."""
_WORD = re.compile(r"[^\W\d_]+")
_LAST_WORD = re.compile(r"([^\W\d_]+)\s+$")
_FIRST_WORD = re.compile(r"\s+([^\W\d_]+)")
_ENDING = re.compile(r"['’][^\W\d_]")
_REACH = 80
"""Characters on both sides of a year in which the adjacent words are looked for."""
_ASKING = (
    "chat chats happen happened happening message messages news said say wrote write written "
    "gesagt geschah geschehen geschrieben los nachricht nachrichten passierte passiert sagte schrieb "
    "dijo dijeron escribió mensaje mensajes ocurrió pasaba pasó "
    "dedi mesaj mesajlar oldu olmuş te ta de da yazdı"
)
"""Words for messages and events, in addition to stop words, which do not narrow a question about a time."""


class NamedTime(NamedTuple):
    """A span of time that a question names; the end is not included."""

    words: str
    start: datetime
    end: datetime


def local_now() -> datetime:
    """Return the present time in this machine's zone."""
    return datetime.now().astimezone()


def time_named(text: str, now: datetime) -> NamedTime | None:
    """Return the span that a text names: a year, a month, a day, or words such as "last week" and "3 months ago".

    Args:
        text: nothing but the words of time.
        now: the reference time, in the zone in which days begin; times without a year lie before it.
    """
    folded = " ".join(text.replace("İ", "i").casefold().split())
    span = resolve_date(folded, now, past=True)
    if span is not None and span.start is not None:
        return NamedTime(folded, span.start, span.end or now)
    for pattern in (_turkish(), _japanese()):
        if (match := pattern.fullmatch(folded)) and (period := _period(match, now.date())):
            return _named(folded, period, now)
    return None


def times_in(question: str, now: datetime, names: Collection[str] = ()) -> tuple[NamedTime, ...]:
    """Return the spans that a question names; none if there are more than `MOST`.

    Args:
        question: any text.
        now: see `time_named`.
        names: folded words of the names of people.
    """
    folded = " ".join(question.replace("İ", "i").casefold().split())
    found = tuple(dict.fromkeys(_found(folded, now, question, names)))
    return found if len(found) <= MOST else ()


def without_relative_times(question: str, times: Sequence[NamedTime]) -> str:
    """Return the question without its relative times: in messages "last week" means another one.

    A date, also without a year, and a year stay: messages about it use the same words.
    """
    if not times:
        return question
    kept = [True] * len(question)
    for first, last in places_of(question, (each for each in times if not _is_date(each))):
        kept[first:last] = [False] * (last - first)
    runs = groupby(zip(question, kept, strict=True), itemgetter(1))
    return "".join("".join(letter for letter, _ in run) if stays else " " for stays, run in runs)


def places_of(question: str, times: Iterable[NamedTime]) -> Iterator[tuple[int, int]]:
    """Yield the start and end of the words of these times in the question."""
    # The words of a time are folded, which may turn a letter into two ("ß") or another ("İ"): `places` maps folded
    # offsets to original ones.
    letters = [letter.replace("İ", "i").casefold() for letter in question]
    folded = "".join(letters)
    places = [number for number, letter in enumerate(letters) for _ in letter]
    for each in times:
        named = r"\s+".join(map(re.escape, each.words.split()))
        whole = named if spaceless(each.words) else rf"(?<![^\W_]){named}(?![^\W_])"
        for match in re.finditer(whole, folded):
            yield places[match.start()], places[match.end() - 1] + 1


def _is_date(time: NamedTime) -> bool:
    return _DATE.search(time.words) is not None or _DAY_OF_MONTH.search(time.words) is not None


def asks_for_times_alone(question: str, times: Sequence[NamedTime], names: Iterable[str] = ()) -> bool:
    """Return whether the question asks for nothing but these times: "what was on 5 May 2023?", "gestern", "messages of
    2023-05-12".

    Args:
        question: the question without capitalized names of people.
        times: the result of `times_in`.
        names: names of people in it; in small letters, and in Japanese, they are still in it.
    """
    rest = " ".join(question.replace("İ", "i").casefold().split())
    for phrase in (*(each.words for each in times), *(name.casefold() for name in names if spaceless(name))):
        rest = rest.replace(phrase, " ")
    rest = without_japanese_asking(rest)
    left, of_people = words(rest), {word for name in names for word in words(name)}
    # In scripts without blanks and for emoji, terms and words differ.
    return len(terms_of_phrase(rest)) == len(left) and _silent().issuperset(set(left) - of_people)


@lru_cache(maxsize=1)
def _silent() -> frozenset[str]:
    """Return question words of all languages: the language of a few words is uncertain."""
    return frozenset(map(fold, f"{_ASKING} {SAYING}".split())).union(*map(stop_words, LANGUAGES))


def _found(folded: str, now: datetime, question: str, names: Collection[str]) -> Iterator[NamedTime]:
    for match in _MONTH.finditer(folded):
        if named := time_named(match.group(), now):
            yield named
    folded = _MONTH.sub(" ", folded)  # else "in 2023" would be found in "in 2023-05"
    small = _small_words_of_german(question) if re.search(r"\d{4}", folded) else None
    for match in _expression().finditer(folded) if _may_name_a_time(folded) else ():
        if named := _in_place(match, now, small, names):
            yield named
    may_be_turkish = re.search(_TURKISH_YEAR, folded) or any(marker in folded for marker in _TURKISH_MARKERS)
    turkish = (_turkish(),) if may_be_turkish else ()
    for pattern in turkish if folded.isascii() else (*turkish, _japanese()):
        for match in pattern.finditer(folded):
            if period := _period(match, now.date()):
                named = _named(match.group(), period, now)
                change = behind(folded, match.end())
                changed = _changed(named, folded[match.start() : change[0]], change[1], now) if change else named
                if changed:
                    yield changed


def _in_place(
    match: re.Match[str], now: datetime, small: Collection[str] | None, names: Collection[str]
) -> NamedTime | None:
    """Return the time that an expression means at its place in a question; None if it means none there."""
    folded, (start, end), words = match.string, match.span(), match.group()
    named = time_named(words, now) or _ending(words, now)
    counts = " " in words or words in _ALONE or re.search(r"\d{4}-\d|\d\.\d", words) is not None
    while named is not None and (change := in_front(folded, start, end)):
        if not counts and words in names:
            return None  # "before May": a person of that name is meant
        start, counts = change[0], True
        named = _changed(named, folded[start:end], change[1], now)
    if named is None or counts or (words.isdigit() and _stands_for_itself(folded, start, end, small, names)):
        return named
    return None


def _changed(
    time: NamedTime, words: str, change: Callable[[Bounds, datetime], Bounds | None], now: datetime
) -> NamedTime | None:
    bounds = change((time.start, time.end), now)
    return None if bounds is None or bounds[0] >= bounds[1] else NamedTime(words, *bounds)


def _ending(words: str, now: datetime) -> NamedTime | None:
    """Return all time up to a named one that is certainly over. "Until Friday" may be ahead."""
    span = resolve_date(words, now, past=True)
    if span is None or span.end is None or span.end > now or span != resolve_date(words, now):
        return None
    return NamedTime(words, *until(span.end))


def _stands_for_itself(
    folded: str, start: int, end: int, small: Collection[str] | None, names: Collection[str]
) -> bool:
    """Return whether a year without "in" is a time, as in German: "wo wohnte Ann 2022?", not "Zimmer 2022" and "2022
    Euro".

    Args:
        folded: the question.
        start: the start of the year.
        end: the end of the year.
        small: the result of `_small_words_of_german`.
        names: folded words of the names of people.
    """
    if small is None or _ENDING.match(folded, end):  # with an ending it is Turkish: "2022'den sonra"
        return False
    before = _LAST_WORD.search(folded[max(0, start - _REACH) : start])
    after = _FIRST_WORD.match(folded, end, end + _REACH)
    beside = [match[1] for match in (before, after) if match]
    return all(word in small or _begins_with_one_of(names, word) for word in beside)


def _begins_with_one_of(names: Collection[str], word: str) -> bool:
    return any(word[:length] in names for length in range(1, len(word) + 1))


def _small_words_of_german(question: str) -> frozenset[str] | None:
    """Return the uncapitalized words of a German question; None for any other language."""
    if not _is_german(words(question)):
        return None
    return frozenset(word for word in _WORD.findall(question) if word[0].islower())


def _is_german(said: Iterable[str]) -> bool:
    """Return whether some words are German stop words, and none is an English stop word alone: a few words suffice."""
    german, english, found = stop_words("de"), stop_words("en"), set(said)
    return bool(found & german - english) and not found & english - german


def _may_name_a_time(folded: str) -> bool:
    """Return whether the pattern of expressions of time needs to be tried: compiling it takes longer than a search by
    words.
    """
    return re.search(r"\d", folded) is not None or any(marker in folded for marker in MARKERS)


def _named(words: str, period: Period, now: datetime) -> NamedTime:
    start, end = (datetime.combine(day, time(), now.tzinfo) for day in (period.start, period.end))
    return NamedTime(words, start, end)


@lru_cache(maxsize=1)
def _expression() -> re.Pattern[str]:
    return re.compile(rf"(?<![^\W_])(?<![^\W_]['’]){EXPRESSION}")  # not in "Ann'in 2022'de"


@lru_cache(maxsize=1)
def _turkish() -> re.Pattern[str]:
    months, units = "|".join(TURKISH_MONTHS), "|".join(_TURKISH_UNITS)
    numbers = "|".join(_TURKISH_NUMBERS)
    ending = r"(?:\s+ay\w*|['’]?[dt][ae]\w*|['’]?\w{0,3}nda\w*)?"
    return re.compile(
        rf"(?<![^\W_])(?:(?P<step>geçen|bu)\s+(?P<kind>hafta|ay|yıl|sene){_TURKISH_ENDING}"
        rf"|(?P<n>\d{{1,3}}|{numbers})\s+(?P<unit>{units})\s+önce\w*"
        rf"|(?P<near>dün|bugün)"
        rf"|(?:(?P<day>\d{{1,2}})\s+)?(?P<month>{months})\s+(?P<year>(?:19|20|21)\d\d)(?:['’]?\w{{0,3}})?"
        rf"|(?P<year_first>(?:19|20|21)\d\d)\s+(?P<month_last>{months}){ending}"
        rf"|(?P<only_year>{_TURKISH_YEAR}))(?![^\W_])"
    )


@lru_cache(maxsize=1)
def _japanese() -> re.Pattern[str]:
    units, words = "|".join(_JAPANESE_UNITS), "|".join(sorted(_JAPANESE_WORDS, key=len, reverse=True))
    return re.compile(
        rf"(?P<ja>{words})|(?<!\d)(?P<n>\d{{1,3}})(?P<ja_unit>{units})前"
        r"|(?<!\d)(?P<year>(?:19|20|21)\d\d)年(?:(?P<month_number>\d{1,2})月(?:(?P<day>\d{1,2})日)?)?"
    )


def _period(match: re.Match[str], day: date) -> Period | None:
    found = {name: value for name, value in match.groupdict().items() if value}
    if word := found.get("ja"):
        return _unit_at(*_JAPANESE_WORDS[word], day)
    if near := found.get("near"):
        return one_day(days_later(day, -1 if near == "dün" else 0))
    if step := found.get("step"):
        return _unit_at(_TURKISH_UNITS[found["kind"]], _STEPS[step], day)
    if number := found.get("n"):
        count = int(number) if number.isdigit() else _TURKISH_NUMBERS.index(number) + 1
        unit = _TURKISH_UNITS.get(found.get("unit", "")) or _JAPANESE_UNITS[found["ja_unit"]]
        then = moved(day, -count, unit)
        if then is None:
            return None
        return one_day(then) if unit == "day" else _unit_at(unit, 0, then)
    year = int(found.get("year") or found.get("year_first") or found["only_year"])
    name = found.get("month") or found.get("month_last")
    month = TURKISH_MONTHS.index(name) + 1 if name else int(found.get("month_number", 0))
    if not month:
        return year_of(year)
    if not 1 <= month <= 12:
        return None
    return day_of(year, month, int(found["day"])) if "day" in found else month_of(year, month)


def _unit_at(unit: Unit, step: int, day: date) -> Period | None:
    """Return the day, week, month or year that is ``step`` units away from that of a day."""
    if unit == "day":
        return one_day(days_later(day, step))
    if unit == "week":
        return week_of(days_later(day, 7 * step))
    return month_of(day.year, day.month + step) if unit == "month" else year_of(day.year + step)
