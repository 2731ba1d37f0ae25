"""Recognizes what a question asks for besides its topic: the user's own things, an order by time, a count, a kind of
document. Pure; the words are those of `memory/text/languages`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import Literal, NamedTuple

from ...schemas.query import QuestionPart
from ..text.analyzer import fold, words
from ..text.apostrophes import without_elisions, without_turkish_endings
from ..text.language import likely_languages
from ..text.languages import LANGUAGES

Order = Literal["best", "newest", "oldest", "next"]
DocumentKind = Literal["mail", "note", "event", "picture", "file"]
KINDS: tuple[DocumentKind, ...] = ("mail", "note", "event", "picture", "file")
LONGEST = 1_000
"""Characters of a question that are searched; longer ones are pasted texts."""


class Asking(NamedTuple):
    """The parts of a question that ask for something besides its topic, with the ranges of their words."""

    order: Order = "best"
    counts: bool = False
    counts_things: bool = False
    """True if it asks for a number of things that somebody sent or mentioned, rather than how often."""
    kinds: tuple[DocumentKind, ...] = ()
    first_person: bool = False
    """True if it asks about the asker: "where do I live?", "mein Arzt", 私の."""
    asker_acts: bool = False
    """True if the asker does something in it: "what limit did I set for Ann?"."""
    own_words: bool = False
    """True if it asks for the asker's own words: "what did I tell Ann?"."""
    between: bool = False
    """True if it asks for the talk of the asker with somebody: "between me and Ann"."""
    to_asker: bool = False
    """True if it asks for what was written to the asker: "the last mail to me"."""
    to: tuple[tuple[int, int], ...] = ()
    """The ranges of words beside which stands to whom something was written: "the mail to Ann", Annへのメール."""
    names_topic: bool = False
    """True if it says that its topic is one: "about", "mentioned"."""
    acts: bool = False
    """True if it asks for words of a kind: "complained", "thanked"."""
    ranges: tuple[tuple[int, int], ...] = ()
    """The ranges of the words for order and count, which are no words of the topic."""


_DURATION = re.compile(r"\bhow long\b")
"""Matches, in folded text, a question in which "last" is a verb: "how long did it last?"."""
_WORD = re.compile(r"[^\W_]+")
NOTHING = Asking()
"""Nothing besides the topic."""


def asking_of(question: str, names: Collection[str] = (), times: Collection[tuple[int, int]] = ()) -> Asking:
    """Return what a question asks for besides its topic.

    Args:
        question: the question without its relative times: "last" of "last week" is no order.
        names: the folded words of names: of Ann Last, "Last" is no order.
        times: the ranges of its dates: "first" of "the first week of June 2026" is no order.
    """
    text = question[:LONGEST]
    question_words = QuestionWords(text)

    def places(name: str) -> list[tuple[int, int]]:
        return [
            each
            for each in question_words.places(name)
            if not _holds_name(text, each, names)
            if not any(each[0] < end and start < each[1] for start, end in times)
        ]

    order: Order = "best"
    newest, oldest, soonest = places("newest"), places("oldest"), places("soonest")
    if (newest or oldest) and not _DURATION.search(fold(text)):
        order = "newest" if newest and not (oldest and oldest[0] < newest[0]) else "oldest"
    elif soonest:
        order = "next"
    counting, messages = question_words.places("counting"), question_words.places("counting_messages")
    kinds: tuple[DocumentKind, ...] = tuple(kind for kind in KINDS if places(kind))
    number = question_words.places("many")
    of_asker, saying = question_words.places("own_words"), question_words.places("saying")
    return Asking(
        order="best" if counting or messages or number else order,
        counts=bool(counting or messages) or (bool(number) and bool(kinds or saying)),
        counts_things=bool(messages or number) and not counting,
        kinds=kinds,
        first_person=any(not _may_be_name(text, place) for place in question_words.places("first_person")),
        asker_acts=bool(question_words.places("subject")),
        # The first verb is that of the question: "what did Bob say when I asked?" asks for Bob's words.
        own_words=bool(of_asker) and not (saying and saying[0][0] < of_asker[0][0]),
        between=bool(question_words.places("between_us")),
        to_asker=bool(question_words.places("to_asker")),
        to=tuple(question_words.places("to_somebody")),
        names_topic=bool(question_words.places("about")),
        acts=bool(question_words.places("acts")),
        ranges=tuple(sorted([*newest, *oldest, *soonest, *counting, *messages])),
    )


def _may_be_name(text: str, place: tuple[int, int]) -> bool:
    """Return whether a word inside a question has a capital and is longer than I: Mia is no "mía"."""
    word = text[place[0] : place[1]]
    return place[0] > 0 and word[0].isupper() and len(word) > 1 and word[1].islower()


def _holds_name(text: str, place: tuple[int, int], names: Collection[str]) -> bool:
    """Return whether a word in this range may be one of these words of names."""
    return any(fold(word.group()) in names and _may_be_name(text, word.span()) for word in _WORD.finditer(text, *place))


def question_languages(text: str) -> tuple[str, ...]:
    """Return the likely languages of a question: its Turkish endings are no words of other ones ("tan", "den")."""
    plain = without_turkish_endings(text)
    return likely_languages(plain, words(plain))


class QuestionWords:
    """A question with the languages that it may be in."""

    def __init__(self, text: str) -> None:
        self._places, self._folded = _folded_with_places(text)
        likely = question_languages(text)
        # Few words decide nothing: then each language counts.
        alphabetic = [code for code in LANGUAGES if code not in _SPACELESS]
        self._codes = [code for code in alphabetic if code in likely] or alphabetic
        self._codes += [] if text.isascii() else _SPACELESS

    def places(self, name: str) -> list[tuple[int, int]]:
        """Return the ranges of the matches of a kind of words, in order."""
        places: set[tuple[int, int]] = set()
        for code in self._codes:
            for pattern in patterns_of(code, name):
                for match in pattern.finditer(self._folded):
                    start, end = match.span("words") if "words" in pattern.groupindex else match.span()
                    places.add((self._places[start], self._places[end - 1] + 1))
        return sorted(places)


_SPACELESS = ["ja"]
"""Languages without blanks between words."""


def _folded_with_places(text: str) -> tuple[list[int], str]:
    """Return for each character of the folded text its place in the text, and the folded text."""
    places: list[int] = []
    parts: list[str] = []
    for place, letter in enumerate(text):
        folded = fold(letter)
        places += [place] * len(folded)
        parts.append(folded)
    return places, "".join(parts)


@lru_cache(maxsize=256)
def patterns_of(code: str, name: str) -> tuple[re.Pattern[str], ...]:
    """Return one pattern of all alternatives, and one for each that marks its words."""
    asking = LANGUAGES[code].asking
    alternatives = [each.replace("{saying}", "|".join(asking.saying)) for each in getattr(asking, name)]
    marked = [each for each in alternatives if _MARK in each]
    plain = "|".join(each for each in alternatives if _MARK not in each)
    whole = "{}" if code in _SPACELESS else r"(?<![^\W_])(?:{})(?![^\W_])"
    return tuple(re.compile(whole.replace("{}", each)) for each in (plain, *marked) if each)


@lru_cache(maxsize=8)
def asking_pattern(name: str, more: tuple[str, ...] = ()) -> re.Pattern[str]:
    """Return the pattern of a kind of asking words in any language, for folded text; compiled for the first question that
    needs it, as that takes longer than a search by words.

    Args:
        name: of a field of `AskingWords` that some languages with blanks between words have.
        more: patterns of other languages.
    """
    whole = [each for code in LANGUAGES if code not in _SPACELESS for each in getattr(LANGUAGES[code].asking, name)]
    parts = [each for code in _SPACELESS for each in getattr(LANGUAGES[code].asking, name)]
    return re.compile("|".join([rf"\b(?:{'|'.join([*whole, *more])})\b", *parts]))


_MARK = "(?P<words>"


def without(text: str, ranges: Iterable[tuple[int, int]]) -> str:
    """Return a text with blanks in the place of these ranges."""
    letters = list(text)
    for start, end in ranges:
        letters[start:end] = " " * (end - start)
    return "".join(letters)


PART_WORDS: Mapping[QuestionPart, tuple[str, ...]] = {
    "kind": KINDS,
    "order": ("newest", "oldest", "soonest", "counting", "counting_messages", "many"),
}
"""The words of a part of a question, which are a topic if that part is ignored."""


def silent_in_question(question: str, ignore: Collection[QuestionPart] = ()) -> str:
    """Return a question with blanks in the place of the words of kinds and of saying, of elided
    words and of Turkish endings, which are no topic.

    Args:
        question: any text.
        ignore: the parts whose words are a topic.
    """
    text = without_turkish_endings(question[:LONGEST])
    question_words = QuestionWords(text)
    topic = {name for part in ignore for name in PART_WORDS.get(part, ())}
    silent = [
        place for name in (*KINDS, "saying", "silent") if name not in topic for place in question_words.places(name)
    ]
    kept = [place for name in topic for place in question_words.places(name)]
    apart = (each for each in silent if not any(each[0] < end and start < each[1] for start, end in kept))
    return without_elisions(without(text, tuple(apart)))


def asks_what_was_said(question: str) -> bool:
    """Return whether a question asks for something that was said or written, judged by its words."""
    return bool(QuestionWords(question[:LONGEST]).places("saying"))
