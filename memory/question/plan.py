"""The plan of a question: everything that it asks for, found once, before anything is searched. Pure; no clock is read."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType

from ...schemas.query import QuestionPart
from ..search_types import QUESTION_MARKS
from ..text.analyzer import MOST_QUERY_TERMS, query_terms
from ..text.analyzer import words_and_runs as query_words
from ..text.apostrophes import without_elisions, without_turkish_endings
from ..text.languages import LANGUAGES
from ..text.numbers import long_numbers
from ..text.other_forms import compounds, other_forms
from ..text.phrases import Phrase, phrases_in, quoted
from ..text.stopwords import stop_words
from .asking import (
    Asking,
    DocumentKind,
    Order,
    asking_of,
    asks_what_was_said,
    question_languages,
    silent_in_question,
    without,
)
from .chats import ChatMatcher
from .forms import asks_for_number
from .past_moments import asks_of_former_state, past_moment
from .people import NOBODY, Mention, SpeakerMatcher, capitals, spoken
from .times import (
    NamedTime,
    ReadTimes,
    asks_for_times_alone,
    is_feast,
    places_of,
    read_times,
    without_relative_times,
)
from .unknown_people import unknown_people

FIRST_OF_CHATS = 1990
"""An earlier year behind a name is rather a number."""
_NAME_AND_YEAR = re.compile(r"(?<![^\W_])[^\W\d_a-z][^\W\d_]+\s+(?P<year>(?:19|20)\d\d)(?![^\W_]|[.,:/-]\d)")
SENTENCE_CHARACTERS = 4_000
"""The most characters of a question that is looked for word by word."""
SENTENCE_WORDS = 4
"""The least words of a question that is looked for word by word; fewer may occur together by chance."""


NO_CHATS = ChatMatcher()


@dataclass(frozen=True, slots=True)
class QuestionPlan:
    """The parts of a question."""

    text: str
    """The question as asked."""
    terms: Sequence[str]
    """The terms to search for; empty if the question is punctuation alone."""
    topic: str = ""
    """The text whose vector is compared: the question without names, relative times, and words of order and kind."""
    languages: Sequence[str] = ()
    """The ISO 639-1 codes of its likely languages."""
    subject: Sequence[str] = ()
    """The folded words of the topic that say something, without words for saying and for kinds of documents."""
    mention: Mention = NOBODY
    """The people whom it mentions, or the user, if it asks about "I" and "my"."""
    chats: Sequence[str] = ()
    """The titles of the chats that it names."""
    times: Sequence[NamedTime] = ()
    order: Order = "best"
    counts: bool = False
    """True if it asks how often, or how many messages."""
    counts_things: bool = False
    """True if it asks how many things somebody sent or mentioned."""
    names_topic: bool = False
    """True if it says that it has a topic ("about", "mentioned"): without, they may be words that ask."""
    acts: bool = False
    """True if it asks for words of a kind ("complained", "thanked"), so that no number or order of all words answers it."""
    kinds: Sequence[DocumentKind] = ()
    """The kinds of documents that it prefers."""
    phrases: Sequence[str] = ()
    """The quoted phrases, which must stand together."""
    sentence: Phrase | None = None
    """The whole question as a phrase, if it is a statement rather than a question."""
    numbers: Sequence[str] = ()
    """The terms of the long numbers in it, of telephones and accounts: a message with one is certainly wanted."""
    numeric: bool = False
    """True if it asks for a number."""
    asks_words: bool = False
    """True if it asks for something that was said or written."""
    of_times_alone: bool = False
    """True if nothing is left of it without its names, its times and the words that ask."""
    now: datetime | None = None
    """The instant of asking."""
    as_of: datetime | None = None
    """The past moment that it asks about."""
    former: bool = False
    """True if it asks for a state that is over."""
    strangers: Sequence[str] = ()
    """Its words that may be names of people who are not in the store."""
    years: Sequence[NamedTime] = ()
    """If it names no time: its years without "in", which are preferred alone ("Kieler Woche 2026")."""
    unknown: Sequence[str] = ()
    """The names of people in it whom nobody in the store is called."""
    unread: Sequence[str] = ()
    """Its words that look like a time, and are not understood."""
    me: frozenset[str] = frozenset()
    """The user's names."""
    anonymous: bool = False
    """True if it asks about "I" or "my", and no user is known."""

    @property
    def of_kind_alone(self) -> bool:
        """True if it asks for documents of a kind, and says only by whom or of when they are: "mails I sent"."""
        return bool(
            self.kinds and (self.mention.preferred or self.times) and not (self.subject or self.mention.addressed)
        )

    @property
    def by_person_in_time(self) -> bool:
        """True if it asks for one person, or a few namesakes, at a named time."""
        return bool(self.mention.preferred and self.times)


def plan_question(
    text: str,
    now: datetime,
    names: SpeakerMatcher,
    me: Collection[str] = (),
    ignore: Collection[QuestionPart] = (),
    relatives: Mapping[str, frozenset[str]] = MappingProxyType({}),
    chats: ChatMatcher = NO_CHATS,
) -> QuestionPlan:
    """Return the plan of a question.

    Args:
        text: the question.
        now: the instant of asking, in the zone in which days begin.
        names: the names of the store.
        me: the user's names; empty if no user is known.
        ignore: the parts that are not looked for.
        relatives: the names of the people whom the user calls so, by folded words such as "mum".
        chats: the titles of the store's chats.
    """
    times, unread = ReadTimes() if "time" in ignore else read_times(text, now, names.words)
    timeless = without_relative_times(text, times)
    asking = _without_parts(asking_of(timeless, names.words, tuple(places_of(timeless, times))), ignore)
    if asking.counts:
        times = tuple(each for each in times if not is_feast(each))  # how often at Easter: at any
    bare = _bare(text, timeless, asking)
    languages = question_languages(text)
    spans = (*places_of(bare, times), *(() if "phrase" in ignore else phrases_in(bare)))
    named = () if "chat" in ignore else chats.named(bare)
    about = without(bare, [(each.start, each.end) for each in named])
    mention = Mention(rest=about) if "person" in ignore else names.mention(about, spans, asking, me, relatives)
    people = (*map(spoken, mention.preferred), *mention.said)
    return QuestionPlan(
        text=text,
        terms=_terms(without_elisions(without_turkish_endings(bare))),
        topic=mention.rest if query_terms(mention.rest) else text,
        languages=languages,
        subject=_subject(mention, times, languages, ignore),
        now=now,
        mention=mention,
        chats=tuple(dict.fromkeys(each.title for each in named)),
        times=times,
        order=asking.order,
        counts=asking.counts,
        counts_things=asking.counts_things,
        names_topic=asking.names_topic,
        acts=asking.acts,
        kinds=asking.kinds,
        phrases=() if "phrase" in ignore else quoted(text),
        sentence=_sentence(text),
        numbers=[number.term for number in long_numbers(text, plain=True)],
        numeric=asks_for_number(text),
        asks_words=asks_what_was_said(text),
        of_times_alone=asks_for_times_alone(mention.rest, times, people, ignore),
        as_of=past_moment(text, times, now),
        former=asks_of_former_state(text, times),
        strangers=() if mention.about or times or "person" in ignore else capitals(text),
        years=() if times or "time" in ignore else _years(timeless, now),
        unknown=() if "person" in ignore else unknown_people(text, languages, names.words),
        unread=unread,
        me=frozenset(me),
        anonymous=asking.first_person and not me and not mention.about,
    )


def _terms(bare: str) -> Sequence[str]:
    terms = query_terms(bare)
    more = [*other_forms(bare), *compounds(bare)] if terms else []
    return list(dict.fromkeys([*terms, *more])) if len(terms) + len(more) <= MOST_QUERY_TERMS else terms


def _without_parts(asking: Asking, ignore: Collection[QuestionPart]) -> Asking:
    if not ignore:
        return asking
    order = "order" in ignore
    return asking._replace(
        order="best" if order else asking.order,
        counts=asking.counts and not order,
        ranges=() if order else asking.ranges,
        kinds=() if "kind" in ignore else asking.kinds,
        first_person=asking.first_person and "me" not in ignore,
        own_words=asking.own_words and "me" not in ignore,
        between=asking.between and "me" not in ignore,
        to_asker=asking.to_asker and "me" not in ignore,
    )


def _bare(text: str, timeless: str, asking: Asking) -> str:
    """Return the question without relative times, and without the words of order and count, unless it contains nothing
    else.
    """
    if timeless != text and not query_terms(timeless):
        return text
    rest = without(timeless, asking.ranges)
    return rest if not asking.ranges or query_terms(rest) else timeless


def _subject(
    mention: Mention, times: Sequence[NamedTime], languages: Sequence[str], ignore: Collection[QuestionPart]
) -> tuple[str, ...]:
    rest = silent_in_question(without(mention.rest, tuple(places_of(mention.rest, times))), ignore)
    codes = [code for code in languages if code in LANGUAGES] or [*LANGUAGES]
    silent = frozenset[str]().union(*map(stop_words, codes))
    return tuple(word for word in dict.fromkeys(query_words(rest)) if word not in silent and word not in mention.said)


def _years(question: str, now: datetime) -> tuple[NamedTime, ...]:
    """Return the years that stand in a question without "in", behind a word that begins with a capital."""
    return tuple(
        NamedTime(match["year"], datetime(year, 1, 1, tzinfo=now.tzinfo), datetime(year + 1, 1, 1, tzinfo=now.tzinfo))
        for match in _NAME_AND_YEAR.finditer(question)
        if FIRST_OF_CHATS <= (year := int(match["year"])) <= now.year + 1
    )


def _sentence(question: str) -> Phrase | None:
    """Return the question as a phrase that a message may contain, if it is a statement of enough words."""
    text = question.strip()
    if len(text) > SENTENCE_CHARACTERS or text.endswith(QUESTION_MARKS):
        return None
    phrase = Phrase(text)
    return phrase if len(phrase.terms) >= SENTENCE_WORDS else None
