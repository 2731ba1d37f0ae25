"""Finds dates in digits in a question: 18/03/2025, 14.5., 2025-03, Q3, 1990s, 2025年3月18日. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ..extraction.calendar import FIRST_YEAR, LAST_YEAR, day_of, month_of
from ..text.languages.language import Language
from .time_lexicon import Token, day_in_each_year, decade_of, part_of_year

_HALF_OR_QUARTER = re.compile(r"(?<![^\W_])[qh][1-4](?![^\W_])", re.IGNORECASE)
_WRITTEN = re.compile(
    r"(?<![\w.,/:-])(?:"
    r"(?P<year>(?:19|20|21)\d\d)(?P<mark>[-/.])(?P<month>\d\d?)(?P=mark)(?P<day>\d\d?)(?:(?=[t ]\d\d?:)|(?![\w]|[-/:.,]\d|-\w))"
    r"|(?P<month_year>(?:19|20|21)\d\d)[-/](?P<month_only>\d\d)(?![\w]|[-/:.,]\d|-\w)"
    r"|(?P<first>\d\d?)(?P<dash>[-/.])\s?(?P<second>\d\d?)(?P=dash)\s?(?P<last>(?:19|20|21)\d\d|(?<!\s)\d\d)(?![\w]|[-/:.,]\d)"
    r"|(?P<d>\d\d?)\.\s?(?P<m>\d\d?)(?:\.(?!\w|\d)|(?![\w.:,-]))"
    r"|(?P<decade>(?:19|20)\d0|(?<!\d)[2-9]0)(?:(?:s|['’]s|er|ern|['’]?l[ae]r(?:[dt][ae])?)(?![^\W_])|年代)"
    r"|(?P<on_day>\d\d?)/(?P<on_month>\d\d?)(?![\w/]|[-:.,]\d)"
    r"|(?P<two_years>(?:19|20|21)\d\d)\s?/\s?(?P<next_year>\d\d)(?![\w]|[-/:.,]\d)"
    r"|(?P<number>\d\d?)/(?P<its_year>(?:19|20|21)\d\d)(?![\w]|[-/:.,]\d)"
    r")",
    re.IGNORECASE,
)
_FIRST_OF_LAST_CENTURY = 50
"""Years of two digits from this on are those of the 20th century."""
_SHORT_YEAR = re.compile(r"(?<![^\W_])['’](\d\d)(?![\w:])")
_KANJI = "〇一二三四五六七八九"
_ERAS = {"令和": 2018, "平成": 1988, "昭和": 1925}
"""The years before the first of an era."""
_ERA = rf"(?:{'|'.join(_ERAS)})(?:元|\d\d?|[二三四五六]?十[{_KANJI}]?|[{_KANJI}])"
_JAPANESE = re.compile(
    rf"(?:(?P<year>(?<!\d)\d{{4}}|[{_KANJI}]{{4}}|{_ERA})年度?の?)?(?P<month>(?<!\d)\d\d?|十[一二]?|[{_KANJI}])月(?!間|曜)"
    rf"(?:(?P<day>\d\d?|[二三]?十[{_KANJI}]?|[{_KANJI}])日(?!間))?"
    rf"|(?P<only_year>(?<!\d)\d{{4}}|[{_KANJI}]{{4}}|{_ERA})年(?!間|前)|(?P<only_day>(?<!\d)\d\d?|[二三]?十[{_KANJI}]?)日(?!間|前|後|以内|連続|目|分)"
)


_EITHER = re.compile(r"(?<![\w.,:/-])(\d\d?)(?:/(\d\d?)(?:/(?:\d{4}|\d\d))?|-(\d\d?)-(?:\d{4}|\d\d))(?![\w/:-])")


def day_or_month_first(words: str) -> Iterator[tuple[str, int, int]]:
    """Yield the dates that are other ones with the month first, as written, with their day and their month as they are
    read: 11/12.
    """
    for match in _EITHER.finditer(words):
        day, month = int(match[1]), int(match[2] or match[3])
        if day != month and 1 <= day <= 12 and 1 <= month <= 12:
            yield match[0], day, month


def dates_in(question: str, language: Language) -> Iterator[Token]:
    """Yield the dates in digits as tokens, in any order."""
    if any(map(str.isdigit, question)):
        for match in _WRITTEN.finditer(question):
            yield from _written_date(match)
        for match in _HALF_OR_QUARTER.finditer(question):
            number, months = int(match[0][1]), 3 if match[0][0] in "qQ" else 6
            if number * months <= 12:
                yield Token("R", part_of_year(number, months), *match.span(), gated=False)
    for match in _SHORT_YEAR.finditer(question):
        yield Token("Y", 2000 + int(match[1]), *match.span(), gated=False)
    if language.code == "ja":
        for match in _JAPANESE.finditer(question):
            yield _japanese_date(match)


def _written_date(match: re.Match[str]) -> Iterator[Token]:
    parts, span = match.groupdict(), match.span()
    if parts["d"]:
        each = day_in_each_year(int(parts["m"]), int(parts["d"]))
        if not match[0].endswith("."):
            yield Token("j" if each else "x", each, *span)
        else:
            yield Token("R", each, *span, gated=False, doubtful=True) if each else Token("Z", "doubtful", *span)
        return
    if parts["on_day"]:
        first, second = int(parts["on_day"]), int(parts["on_month"])
        if each := day_in_each_year(second, first) or day_in_each_year(first, second):
            yield Token("R", each, *span, gated=False, doubtful=True)
        return
    if parts["decade"]:
        yield Token("P", decade_of(int(parts["decade"]) + (1900 if len(parts["decade"]) == 2 else 0)), *span)
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
    yield _full_date(parts, span)


def _full_date(parts: Mapping[str, str], span: tuple[int, int]) -> Token:
    if parts["year"]:
        day = day_of(int(parts["year"]), int(parts["month"]), int(parts["day"]))
    else:
        year = int(parts["last"])
        if len(parts["last"]) == 2:
            year += 2000 if year < _FIRST_OF_LAST_CENTURY else 1900
        first, second = int(parts["first"]), int(parts["second"])
        day = day_of(year, second, first)
        if day is None and parts["dash"] != ".":
            day = day_of(year, first, second)
    return Token("P", day, *span) if day else Token("Z", None, *span)


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
    if text[:2] in _ERAS:
        return _ERAS[text[:2]] + (1 if text[2:] == "元" else _japanese_number(text[2:]))
    if text.isdigit() and text[0] not in _KANJI:
        return int(text)
    if "十" in text:
        tens, _, ones = text.partition("十")
        return 10 * (_KANJI.index(tens) if tens else 1) + (_KANJI.index(ones) if ones else 0)
    return int("".join(str(_KANJI.index(letter)) for letter in text))
