"""Judges whether hits are of the person and the time that a question asks for. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from ...schemas import Hit
from ..question.people import spoken
from ..question.plan import QuestionPlan
from ..question.times import NamedTime, asks_for_times_alone, without_relative_times
from ..text.analyzer import terms, terms_of_phrase
from ..text.stopwords import LANGUAGES, stop_words


def names_the_time(hits: Sequence[Hit], question: str, times: Sequence[NamedTime]) -> bool:
    """Return whether a hit mentions the time that a question names, although it was written at another: by all words of
    it except small ones such as "in", since "May" alone is that of any year. Relative expressions in a message mean
    another time.
    """
    if without_relative_times(question, times) != question:
        return False
    small = frozenset[str]().union(*map(stop_words, LANGUAGES))
    names = [[word for word in each.words.split() if word not in small] for each in times]
    named = [terms_of_phrase(" ".join(name)) for name in names if name]
    terms_of_hits = [frozenset(terms(hit.text)) for hit in hits]
    return any(all(not own.isdisjoint(word) for word in name) for own in terms_of_hits for name in named)


def is_all_that_is_asked(hits: Sequence[Hit], plan: QuestionPlan) -> bool:
    """Return whether a question asks only for messages of a person or a time, and a hit is one of them."""
    mention, times = plan.mention, plan.times
    people = mention.preferred or mention.possible or mention.several
    if not (people or times) or not asks_for_times_alone(mention.rest, times, (*map(spoken, people), *mention.said)):
        return False
    return any(
        (not people or hit.speaker in people)
        and (not times or (hit.time is not None and any(each.start <= hit.time < each.end for each in times)))
        for hit in hits
    )
