"""Finds the times that a question names: "last week", "im Mai 2023", "hace tres meses", "depuis lundi", "geçen ay", 先週.
Pure; no clock is read.

A question is cut into tokens of each language that has words in it (`time_tokens`), and rules join these to spans
(`time_rules_from_now`, `time_rules_dates`, `time_rules_relations`). A word that is another word or a name, too ("may", "Sun", "morgen"), counts only beside a word of time.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from ...schemas.query import QuestionPart
from ..extraction.calendar import FIRST_YEAR, any_of_pattern
from ..text.analyzer import fold, spaceless, terms_of_phrase, words
from ..text.language import likely_languages
from ..text.languages import LANGUAGES
from ..text.languages.language import words_of
from ..text.stopwords import LANGUAGES as LISTED
from ..text.stopwords import stop_words
from . import time_rules_dates, time_rules_from_now, time_rules_relations
from .asking import silent_in_question
from .feasts import ESTIMATED
from .forms import without_japanese_asking
from .time_context import Context, instants
from .time_lexicon import Token, lexicon, spaceless_in, stem_of
from .time_spans import in_year, nearest
from .time_tokens import Word, tokens_in, words_in

MOST = 3
"""The most times in one question; a question with more asks for none of them."""
LONGEST = 4000
"""The characters of a question that are searched for times: more is no question but a text."""
_DATE = re.compile(r"\d{4}|\d\.\d|\d/\d|\d月\d")
_MONTH_NAME = rf"(?<![^\W_])(?:{any_of_pattern(word for each in LANGUAGES.values() for word in words_of(each.months))})(?![^\W_])\.?"
_DAY_OF_MONTH = rf"(?<!\d)\d{{1,2}}(?:st|nd|rd|th|er|\.)?\s+(?:of\s+|de\s+)?{_MONTH_NAME}|{_MONTH_NAME}\s+(?:the\s+)?\d{{1,2}}(?!\d)"
"""Matches 5 May, May 5th, 5. Mai, 5 de mayo: messages may name the day so, in any year."""
_DIGITS_OF_TIME = re.compile(
    r"(?<!\d)(?:19|20|21)\d\d(?!\d)|\d[-./]\d|\d\s?(?:h|hrs?|d)(?![^\W_])|(?<![^\W_])[qh][1-4](?![^\W_])|\d(?:st|nd|rd|th|\.)(?!\w)|\d0['’]?(?:s|er|l[ae]r)|(?<![^\W_])le \d\d?(?=[^\w.,:/-]|$)",
    re.IGNORECASE,
)
_LEFT_OVER = re.compile(r"Z|(?<![of])n|[LXTVvp]_?[UWMS](?![gx])|U_?A")
"""Matches the letters of what looks like a time and has no span: a number with a unit, "last" with a weekday."""
_RULES = (time_rules_from_now.RULES, time_rules_dates.RULES, time_rules_relations.RULES)
_CLOCK = re.compile(
    r"(?<![\w:.])\d{1,2}(?:[:.]\d\d)?\s?(?:[ap]\.?m\b\.?|o['’]clock|uhr\b|時(?!間)|h(?:\d\d)?\b)|(?<![\w:.])\d{1,2}:\d\d(?![\w:])",
    re.IGNORECASE,
)
"""Matches a time of day, by which no span is narrowed: beside a time it is told as not understood."""


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
    for context, tokens in _readings(_plain(text), now, (), every=True):
        if len(tokens) == 1 and (named := _named(tokens[0], context)) and not _is_open(named):
            return named
    return None


def _is_open(time: NamedTime) -> bool:
    """Return whether a span has no beginning: "before 2022"."""
    return time.start.year == FIRST_YEAR and time.end.year > FIRST_YEAR + 1


class ReadTimes(NamedTuple):
    """The times of a question, and its words that look like a time and are none of these."""

    times: tuple[NamedTime, ...] = ()
    unread: tuple[str, ...] = ()
    """Such as "31.2." and "the last 5 full moons"."""


def read_times(question: str, now: datetime, names: Collection[str] = ()) -> ReadTimes:
    """Return the spans that a question names, none if there are more than `MOST`, and the words that are not understood.

    Args:
        question: any text.
        now: see `time_named`.
        names: folded words of the names of people.
    """
    plain = _plain(question)
    readings = list(_readings(plain, now, names))
    times: list[tuple[int, int, NamedTime]] = []
    for context, tokens in readings:
        for number, token in enumerate(tokens):
            if _stands_alone(number, tokens, context) and (named := _named(token, context)):
                times.append((token.start, token.end, named))
    chosen: list[tuple[int, int, NamedTime]] = []
    for start, end, named in sorted(times, key=lambda time: time[0] - time[1]):
        if all(end <= other[0] or start >= other[1] for other in chosen):
            chosen.append((start, end, named))
    unique = tuple(dict.fromkeys(named for *_, named in sorted(chosen)))
    several = unique if len(unique) <= MOST else ()
    return ReadTimes(several, _unread(plain, readings, several))


def times_in(question: str, now: datetime, names: Collection[str] = ()) -> tuple[NamedTime, ...]:
    """Return the times of `read_times`."""
    return read_times(question, now, names).times


def _unread(
    plain: str, readings: Sequence[tuple[Context, Sequence[Token]]], times: Sequence[NamedTime]
) -> tuple[str, ...]:
    """Return the words that look like a time and name none of these."""
    named = list(places_of(plain, times))
    unread: dict[str, None] = {}
    for context, tokens in readings:
        letters = "".join("x" if token.code == "n" and token.doubtful else token.code for token in tokens)
        for match in _LEFT_OVER.finditer(letters):
            first, last = tokens[match.start()], tokens[match.end() - 1]
            if _is_no_time(match, tokens, context):
                continue
            if all(last.end <= start or first.start >= end for start, end in named):
                unread[plain[first.start : last.end]] = None
        if times:
            unread.update(
                dict.fromkeys(match[0] for match in _CLOCK.finditer(plain) if not _lies_in(match.span(), named))
            )
    return tuple(unread)


def _lies_in(span: tuple[int, int], places: Iterable[tuple[int, int]]) -> bool:
    return any(start <= span[0] and span[1] <= end for start, end in places)


def _is_no_time(match: re.Match[str], tokens: Sequence[Token], context: Context) -> bool:
    """Return whether what looks like a time is none: "for 3 days", "20 minutes", "the last day of school"."""
    first, last = tokens[match.start()], tokens[match.end() - 1]
    if first.code == "Z":
        return first.value == "doubtful" and not context.follows_preposition(first)
    if first.code == "n":
        before = tokens[match.start() - 1] if match.start() else None
        lasting = before is not None and context.text(before) in words_of(context.language.roles.get("lasting", ""))
        return lasting or first.value[1] in ("hour", "minute")
    return first.code == "L" and last.code == "U" and last.value == ("day", False)


def without_relative_times(question: str, times: Sequence[NamedTime]) -> str:
    """Return the question without its relative times: in messages "last week" means another one.

    A date, also without a year, a year and a feast stay: messages about it use the same words.
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
        whole = named if spaceless_in(each.words) else rf"(?<![^\W_]){named}(?![^\W_])"
        for match in re.finditer(whole, folded):
            yield places[match.start()], places[match.end() - 1] + 1


def _is_date(time: NamedTime) -> bool:
    words = time.words
    if _DATE.search(words) is not None or any(feast in fold(words) for feast in _feasts()):
        return True
    return _compiled(_DAY_OF_MONTH).search(words) is not None


@lru_cache(maxsize=1)
def _feasts() -> frozenset[str]:
    return frozenset(fold(word) for each in LANGUAGES.values() for word in words_of(each.feasts.values()))


def is_feast(time: NamedTime) -> bool:
    """Return whether a time is a feast without a year."""
    folded = fold(time.words)
    return _DATE.search(folded) is None and any(feast in folded for feast in _feasts())


@lru_cache(maxsize=1)
def _estimated_feasts() -> frozenset[str]:
    rows = (row for each in LANGUAGES.values() for name, row in each.feasts.items() if name in ESTIMATED)
    return frozenset(fold(word) for word in words_of(rows))


def is_estimated(time: NamedTime) -> bool:
    """Return whether a time is a feast whose days may be a day off."""
    folded = fold(time.words)
    return any(re.search(rf"(?<![^\W_]){feast}", folded) for feast in _estimated_feasts())


_compiled = lru_cache(maxsize=2)(re.compile)


def asks_for_times_alone(
    question: str, times: Sequence[NamedTime], names: Iterable[str] = (), ignore: Collection[QuestionPart] = ()
) -> bool:
    """Return whether the question asks for nothing but these times: "what was on 5 May 2023?", "gestern", "messages of
    2023-05-12".

    Args:
        question: the question without capitalized names of people.
        times: the result of `times_in`.
        names: names of people in it; in small letters, and in Japanese, they are still in it.
        ignore: the parts whose words are a topic.
    """
    rest = " ".join(question.replace("İ", "i").casefold().split())
    for phrase in (*(each.words for each in times), *(name.casefold() for name in names if spaceless(name))):
        rest = rest.replace(phrase, " ")
    rest = without_japanese_asking(silent_in_question(rest, ignore))
    left, of_people = words(rest), {word for name in names for word in words(name)}
    # In scripts without blanks and for emoji, terms and words differ.
    return len(terms_of_phrase(rest)) == len(left) and silent_words().issuperset(set(left) - of_people)


@lru_cache(maxsize=1)
def silent_words() -> frozenset[str]:
    """Return question words of all languages: the language of a few words is uncertain."""
    return frozenset[str]().union(*map(stop_words, LISTED))


def _plain(question: str) -> str:
    return " ".join(question.replace("İ", "i").split())


def _readings(
    question: str, now: datetime, names: Collection[str], *, every: bool = False
) -> Iterator[tuple[Context, Sequence[Token]]]:
    """Yield the joined tokens of a question in each language that has words of time in it."""
    if len(question) > LONGEST:
        question = question[:LONGEST]
    parts = words_in(question)
    codes = dict.fromkeys(LANGUAGES, False) if every else _languages(question, parts)
    for code, foreign in codes.items():
        context = Context(question, now, LANGUAGES[code], names, foreign)
        tokens: Sequence[Token] = tokens_in(question, parts, code)
        for rules in _RULES:
            tokens = rules.joined(tokens, context)
        yield context, tokens


def _languages(question: str, parts: Sequence[Word]) -> dict[str, bool]:
    """Return the languages that have words of time in the question, likely ones first, each with whether the question
    is in another one.
    """
    having = _having()
    codes: set[str] = set()
    for number, word in enumerate(parts):
        codes.update(having.get(word.key, ()))
        if number and word.capital and (short := _short().get(word.key)):
            codes.update(short)
        if (stem := stem_of(word.key, "tr")) and stem in lexicon("tr").contents:
            codes.add("tr")
    if spaceless_in(question) and _japanese_clues().search(question):
        codes.add("ja")
    dates = _DIGITS_OF_TIME.search(question) is not None
    if not codes and not dates:
        return {}
    keys = [word.key for word in parts]
    likely = likely_languages(question, keys)
    if dates:
        codes.update(code for code in LANGUAGES if not stop_words(code).isdisjoint(keys))
        codes.update(() if codes else LANGUAGES)
    first = sorted(codes, key=lambda code: likely.index(code) if code in likely else len(likely))
    # A language without words of time decides nothing: "Tom" is a Czech word.
    spoken = [code for code in likely if code in LANGUAGES]
    return {code: bool(spoken) and code not in spoken for code in first}


@lru_cache(maxsize=1)
def _having() -> dict[str, tuple[str, ...]]:
    """Return the languages in which a word may begin a time."""
    first: dict[str, tuple[str, ...]] = {}
    for code, language in LANGUAGES.items():
        short = {fold(word) for word in words_of(language.short_weekdays)}
        for key in lexicon(code).contents - short:
            first[key] = (*first.get(key, ()), code)
    return first


@lru_cache(maxsize=1)
def _japanese_clues() -> re.Pattern[str]:
    """Return a pattern of which each Japanese time has a match: a word of time, or a number or a pointing word in front
    of a unit, a season or a part of a day.
    """
    japanese = LANGUAGES["ja"]
    rows = [row for unit, row in japanese.units.items() if unit != "weekend"]
    counted = {fold(word) for word in words_of([*rows, *japanese.day_parts.values()])}
    whole = any_of_pattern(map(re.escape, lexicon("ja").contents - counted))
    return re.compile(
        rf"{whole}|[\d〇一二三四五六七八九十数前次末この今のら来去過近]\s*(?:月|{any_of_pattern(counted)})|[年月日]末"
    )


@lru_cache(maxsize=1)
def _short() -> dict[str, tuple[str, ...]]:
    first: dict[str, tuple[str, ...]] = {}
    for code, language in LANGUAGES.items():
        for word in words_of(language.short_weekdays):
            first[word] = (*first.get(word, ()), code)
    return first


def _named(token: Token, context: Context) -> NamedTime | None:
    if token.code in "RW":
        when = nearest(token.value, context)
    elif token.code == "Y":
        when = in_year(token.value)
    else:
        when = token.value if token.code in "Pk" else None
    if when is None:
        return None
    start, end = instants(when, context)
    words = context.question[token.start : token.end].casefold()
    return NamedTime(words, start, end) if start < end else None


def _stands_alone(number: int, tokens: Sequence[Token], context: Context) -> bool:
    """Return whether a token is a time in its place, and no name or other word."""
    token = tokens[number]
    if context.foreign and context.text(token).isalpha() and context.language.code != "ja":
        return False  # "hier" is French, but not in a German question
    if token.code in "Pk":
        return True
    if token.code in "YR" and token.gated and not token.doubtful:
        return not context.is_name(token) and (token.code == "Y" or not context.tells("when"))
    if token.code == "Y":
        return "year" in context.language.bare and _year_stands_for_itself(number, tokens, context)
    if token.code != "W" or context.is_name(token):
        return False
    if token.gated and not token.doubtful:
        return not _follows_title(token, context)
    return (
        context.language.capital_days
        and not context.is_short(token)
        and (_ends_question(token, context) or context.question[token.end : token.end + 2] in ("'s", "’s"))
    )


_BEFORE_A_NAME = frozenset(
    ["about", "with", "to", "and", "is", "was", "like", "as", "named", "called", "of", "does", "did", "by", "does"]
)


def _ends_question(token: Token, context: Context) -> bool:
    """Return whether a weekday is the last word: "what did Bob say Friday?"."""
    words = context.question[: token.start].casefold().split()
    last = not context.question[token.end :].strip(" ?!.")
    return last and bool(words) and words[-1] not in _BEFORE_A_NAME and not _follows_title(token, context)


def _follows_title(token: Token, context: Context) -> bool:
    words = context.question[: token.start].casefold().rstrip(". ").split()
    return bool(words) and words[-1] in words_of(context.language.roles.get("title", ""))


def _year_stands_for_itself(number: int, tokens: Sequence[Token], context: Context) -> bool:
    """Return whether a year without "in" is a time, as in German: "wo wohnte Ann 2022?", not "Zimmer 2022" and "2022
    Euro".
    """
    token, question = tokens[number], context.question
    before = re.search(r"([^\W\d_]+)\s+$", question[max(0, token.start - 80) : token.start])
    after = re.match(r"\s+([^\W\d_]+)", question[token.end : token.end + 80])
    if re.match(r"['’][^\W\d_]", question[token.end : token.end + 2]):
        return False
    small = stop_words(context.language.code) - stop_words("en")
    said = {fold(word) for word in re.findall(r"[^\W\d_]+", question)}
    if small.isdisjoint(said) or said & (stop_words("en") - stop_words(context.language.code)):
        return False
    beside = [match[1] for match in (before, after) if match]
    return bool(before) and all(word.islower() or _is_part_of_name(word.casefold(), context.names) for word in beside)


def _is_part_of_name(word: str, names: Collection[str]) -> bool:
    return any(word[:length] in names for length in range(1, len(word) + 1))
