"""The moment and the language of a question, and what the rules for its times ask of its text. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from functools import cached_property
from typing import Literal

from ..extraction.calendar import Period
from ..text.analyzer import fold
from ..text.languages.language import Language, Role, words_of
from ..text.stopwords import stop_words
from .asking import patterns_of
from .time_lexicon import Token

Tense = Literal["past", "future"]
_OF_WHAT_IS_OVER = ("mail", "note", "picture", "file", "saying")
"""Asking words of what is stored already, which may be about an event."""
_MARKS = re.compile("[?¿,.!]")


@dataclass(frozen=True, slots=True)
class Span:
    """A span of time; the end is not included."""

    start: datetime
    end: datetime
    unit: str = "part"


When = Period | Span


@dataclass(frozen=True)
class Context:
    """The moment and the language of a question, and what its rules need to know of its text."""

    question: str
    now: datetime
    language: Language
    names: Collection[str] = ()
    foreign: bool = False
    """Set if the question as a whole is in another language."""

    @cached_property
    def day(self) -> date:
        """The day of the moment."""
        return self.now.date()

    @cached_property
    def tense(self) -> Tense | None:
        """The tense that words of the question tell, the future if it asks for events; None if nothing tells it."""
        if self._asks("planning"):
            return "future"
        tenses: tuple[tuple[Role, Tense], ...] = (("past_tense", "past"), ("future", "future"))
        for role, tense in tenses:
            if self.tells(role):
                return tense
        return "future" if self._asks("event") and not self._asks(*_OF_WHAT_IS_OVER) else None

    def _asks(self, *names: str) -> bool:
        """Return whether the question has one of these kinds of asking words."""
        patterns = (pattern for name in names for pattern in patterns_of(self.language.code, name))
        return any(pattern.search(self._asking) for pattern in patterns)

    @cached_property
    def _asking(self) -> str:
        folded = fold(self.question)
        for words in words_of(self.language.calendar_week):
            folded = folded.replace(words, " ")  # "calendar week 14" is no event
        return folded

    def tells(self, role: Role) -> bool:
        """Return whether the question has a word of a role."""
        blank = "" if self.language.code == "ja" else " "
        return any(
            all(f"{blank}{part.strip()}{blank}" in self._folded for part in word.split("…"))
            for word in words_of(self.language.roles.get(role, ""))
        )

    @cached_property
    def _folded(self) -> str:
        return f" {' '.join(_MARKS.sub(' ', self.question.casefold()).split())} "

    def at(self, moment: datetime) -> Context:
        """Return the same at another moment."""
        return replace(self, now=moment)

    def text(self, token: Token) -> str:
        """Return the words of a token, folded."""
        return self.question[token.start : token.end].casefold()

    def is_name(self, token: Token) -> bool:
        """Return whether a token is a word of somebody's name."""
        return self.text(token).split(" ")[-1] in self.names

    def may_be_name(self, token: Token) -> bool:
        """Return whether a token is a name of people, here or anywhere."""
        return self.is_name(token) or (token.doubtful and self.text(token) in words_of(self.language.given_names))

    def is_day(self, when: When) -> bool:
        """Return whether a span is one whole day."""
        return isinstance(when, Period) and when.unit == "day" and (when.end - when.start).days == 1

    def ends_phrase(self, token: Token) -> bool:
        """Return whether no noun follows a token: not "on the 5th floor"."""
        rest = self.question[token.end :].casefold().split()
        if rest and self.language.capital_nouns and self.question[token.end :].split()[0][0].islower():
            return True  # "am 15. gesagt"
        return not rest or not rest[0][0].isalnum() or fold(rest[0].strip("?!.,")) in stop_words(self.language.code)

    def is_short(self, token: Token) -> bool:
        """Return whether a token is the short form of a weekday, which may be another word."""
        return (
            token.code == "W"
            and token.end - token.start <= 5
            and token.doubtful
            and isinstance(token.value, int)
            and (self.text(token) in words_of(self.language.short_weekdays))
        )

    def takes_short(self, gate: Token) -> bool:
        """Return whether a preposition may stand before a short form."""
        return self.text(gate) in ("on", "am", "last", "this", "next")

    def follows_preposition(self, token: Token) -> bool:
        """Return whether a word in front of a token is a preposition."""
        before = self.question[: token.start].casefold().split()
        roles = self.language.roles
        return bool(before) and before[-1] in words_of((roles.get("in", ""), roles.get("article", "")))


def midnight(day: date, context: Context) -> datetime:
    """Return the beginning of a day in the zone of the moment."""
    return datetime.combine(day, time(), context.now.tzinfo)


def instants(when: When, context: Context) -> tuple[datetime, datetime]:
    """Return the start and the end of a span."""
    if isinstance(when, Span):
        return when.start, when.end
    return midnight(when.start, context), midnight(when.end, context)
