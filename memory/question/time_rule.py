"""A rule for times in a question: a pattern over the letters of all tokens, and what becomes of those that match. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..extraction.calendar import month_of, season_of
from ..text.languages.language import Language
from .time_context import Context, Tense, When
from .time_lexicon import Recurring, Token
from .time_spans import in_month, in_year, nearest, part_of_day, relative_unit

Parts = Mapping[str, Token]
"""The tokens that match the named groups of a pattern."""
Made = tuple[str, Any] | Token | None
"""The code and the value of the token that takes the place of those that match; None leaves them."""
Make = Callable[[Parts, Context], Made]
STEPS = {"L": -1, "X": 1, "T": 0, "V": -2, "v": 2, "p": -1}
"""The distance from the present unit that a word of a role means."""


@dataclass(frozen=True)
class Rule:
    """A pattern over letters, the function that makes a token, and the languages that the rule is for."""

    pattern: str
    make: Make
    when: Callable[[Language], bool] | None

    @cached_property
    def matches(self) -> re.Pattern[str]:
        """The compiled pattern."""
        return re.compile(self.pattern)

    def applied(self, tokens: Sequence[Token], letters: str, context: Context) -> Sequence[Token] | None:
        """Return the tokens with those that match joined; None if there are none.

        Args:
            tokens: those of the question.
            letters: of the tokens.
            context: of the question.
        """
        result: list[Token] = []
        at = 0
        for match in self.matches.finditer(letters):
            parts = {name: tokens[match.start(name)] for name, value in match.groupdict().items() if value}
            made = self.make(parts, context)
            if made is None:
                continue
            first, last = match.span()
            if not isinstance(made, Token):
                made = Token(*made, tokens[first].start, tokens[last - 1].end)
            result += tokens[at:first]
            result.append(made)
            at = last
        return [*result, *tokens[at:]] if at else None


class Rules:
    """Rules that are applied once each, in the order in which they were added."""

    def __init__(self) -> None:
        self._rules: list[Rule] = []
        self._by_language: dict[str, list[tuple[Callable[[str], object], Rule]]] = {}

    def add(self, pattern: str, when: Callable[[Language], bool] | None = None) -> Callable[[Make], Make]:
        """Add the decorated function as a rule: of several decorators the lowest comes first."""

        def decorate(make: Make) -> Make:
            self._rules.append(Rule(pattern, make, when))
            return make

        return decorate

    def joined(self, tokens: Sequence[Token], context: Context) -> Sequence[Token]:
        """Return the tokens after all rules for their language."""
        letters = letters_of(tokens)
        for search, rule in self._of(context.language):
            if search(letters) is None:
                continue
            changed = rule.applied(tokens, letters, context)
            if changed is not None:
                tokens, letters = changed, letters_of(changed)
        return tokens

    def _of(self, language: Language) -> Sequence[tuple[Callable[[str], object], Rule]]:
        """Return the rules for a language, each with the search of its pattern, which most fail."""
        if language.code not in self._by_language:
            rules = [rule for rule in self._rules if rule.when is None or rule.when(language)]
            self._by_language[language.code] = [(rule.matches.search, rule) for rule in rules]
        return self._by_language[language.code]


def letters_of(tokens: Sequence[Token]) -> str:
    """Return the letters of tokens."""
    return "".join([token.code for token in tokens])


def adjective_last(language: Language) -> bool:
    """Return whether "last" may stand behind its noun."""
    return language.adjective_last


def relation_last(language: Language) -> bool:
    """Return whether "since" stands behind the time."""
    return language.relation_last


def relation_first(language: Language) -> bool:
    """Return whether "since" stands in front of the time."""
    return not language.relation_last


def month_first(language: Language) -> bool:
    """Return whether "May 3" is a day."""
    return language.month_first


def unit_of(token: Token) -> str:
    """Return the unit that a token names, without regard to its plural."""
    return token.value[0]


def length_of(token: Token) -> tuple[int, str]:
    """Return the count and the unit of a length of time."""
    return token.value


def as_token(when: When | None) -> Made:
    """Return a span as the value of a token; None if there is none."""
    return None if when is None else ("P", when)


def whole_of(parts: Parts, context: Context) -> When | None:
    """Return the month, the year, the unit or the span of token x, of the year of token Y if there is one."""
    token = parts["x"]
    if token.code == "M":
        return in_month(token.value, parts["Y"].value if "Y" in parts else None, context)
    if token.code == "U":
        return relative_unit(unit_of(token), 0, context)
    return in_year(token.value) if token.code == "Y" else token.value


def resolved(token: Token, context: Context, tense: Tense | None = None) -> When | None:
    """Return the span of a token, of what recurs the nearest."""
    if token.code == "Y":
        return in_year(token.value)
    return nearest(token.value, context, tense) if token.code in "RW" else token.value


def part_of_its_day(parts: Parts, context: Context) -> Made:
    """Return the part of the day that token x names, as token B says."""
    token = parts["x"]
    day = token.value if token.code == "P" else nearest(token.value, context)
    if day is None or not context.is_day(day):
        return None
    return as_token(part_of_day(day, parts["B"].value or "morning", context))


def recurring(token: Token) -> Recurring:
    """Return a month, a season or a feast as what recurs."""
    if token.code == "R":
        return token.value
    number: int = token.value
    if token.code == "M":
        return Recurring("month", number, lambda year: month_of(year, number))
    return Recurring("season", number, lambda year: season_of(year, number))
