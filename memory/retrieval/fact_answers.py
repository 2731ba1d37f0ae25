"""Which facts answer a question: those that it asks for by attribute or by words of theirs, never those that merely stand in what
was found. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from ...schemas import Fact
from ..text.analyzer import fold, query_terms, terms, words
from ..text.language import likely_languages
from .asked_attributes import LONGEST, asked_attributes, asks_for_attribute, topic_of
from .people import spoken

_ASKED_NAME = re.compile(
    r"(?<![^\W_])(?:does|did|do|is|was|has|had|will|can|could|would|should|of|about|with) ([^\W\d_]+)(?![^\W_])"
    r"|(?<= )([^\W\d_]+)['’]s(?![^\W_])"
)
_OF_SOMEBODY = re.compile(r"['’]s? +(?=[^\W\d_])")
"""In a subject such as "Ann's sister"."""
_RELATION = re.compile(r"['’]s? +([^\W\d_]+)|([^\W\d_]+) +(?:of|von|de) ")
"""A word in a question that may say who of somebody is meant: "Ann's sister", "la hermana de Ana"."""
_GENITIVE = re.compile(r"(?<![^\W\d_])([^\W\d_]+)s +([^\W\d_]+)")
"""The same after a German name, which has no apostrophe: "Annas Schwester"."""
_RELATIONS = frozenset({"partner", "child", "parent", "sibling", "relative", "friend", "pet"})
"""Attributes whose value is somebody, of whom the fact tells, too."""
_TOPICAL = frozenset(
    {
        "likes",
        "dislikes",
        "favourite",
        "hobby",
        "habit",
        "plan",
        "goal",
        "need",
        "event",
        "skill",
        "belief",
        "possession",
    }
)
"""Attributes that hold anything, so that a question for them names a topic: "what pizza does John like?"."""
_NO_TOPIC = frozenset(
    {"kind", "kinds", "sort", "sorts", "type", "types", "thing", "things", "stuff", "anything", "something"}
)
_FIRST_PERSON = frozenset({"i", "me", "my", "mine", "we", "us", "our", "ours"})


@dataclass(frozen=True, slots=True)
class FactQuestion:
    """What a question asks of facts."""

    about: frozenset[str]
    """Folded words of the names of whom it names."""
    words: frozenset[str]
    """Its other terms."""
    topic: frozenset[str]
    """Of these, the terms of words that ask for no attribute."""
    attributes: frozenset[str]
    of_relation: bool = False
    """It asks of somebody whom it names by whose partner, child or the like they are."""
    own: frozenset[str] = frozenset()
    """The folded names of whom it names."""
    first: frozenset[str] = frozenset()
    """Of these, the names of the one person whose whole name stands in it."""
    speakers: AbstractSet[str] = frozenset()
    """The folded names of everybody who wrote."""
    times: frozenset[str] = frozenset()
    """Terms of the times that it names, in which nobody is called May."""
    strangers: frozenset[str] = frozenset()
    """Where it names nobody known: folded names of whom it asks, of whom nothing is known."""

    def names(self, fact: Fact) -> bool:
        """Whether a fact is about somebody whom the question names, or gives them as somebody's partner, child or the like; any
        is, where it names nobody. What is known of Bob Lee Jr is not known of Bob Lee, and where Bob is nobody known, only what
        holds his name may be of him. What is known of Ann's sister answers what asks for a sister.
        """
        if not self.about:
            texts = (fact.subject, fact.value, fact.content, *(each.quote for each in fact.evidence))
            return not self.strangers or any(not self.strangers.isdisjoint(words(text)) for text in texts)
        subject = fold(fact.subject)
        of_another = _OF_SOMEBODY.split(subject, maxsplit=1)[1:]
        if of_another and self.words.isdisjoint(terms(of_another[0])):
            return False
        somebody_else = subject in self.speakers and subject not in self.own
        if not somebody_else and self.about & _words_of(subject):
            return True
        return fact.attribute in _RELATIONS and bool(self.about & _words_of(fact.value))

    def may_answer(self, fact: Fact) -> bool:
        """Whether a fact has an attribute that the question asks for, or it asks for none. The home of Ann's sister is not Ann's."""
        if self.of_relation and not _OF_SOMEBODY.search(fact.subject):
            return fact.attribute in self.attributes & _RELATIONS
        return not self.attributes or fact.attribute in self.attributes

    def asks_for(self, fact: Fact) -> bool:
        """Whether a question surely asks for this: for its attribute, and for its topic where that may be anything; for words of
        its subject, attribute or value, where it asks for no attribute; or for all about somebody, where it says nothing but a
        name.
        """
        if not self.words and not self.attributes:
            return True
        if not self.may_answer(fact):
            return False
        if self.attributes and (not self.topic or (self.about and fact.attribute not in _TOPICAL)):
            return True
        own = {*terms(f"{fact.attribute.replace('_', ' ')}. {fact.value}")}
        if not self.about:
            own |= {*terms(fact.subject)} - self.times
        return bool((self.topic if self.attributes else self.words) & own)

    def order(self, fact: Fact) -> tuple[bool, bool, bool, bool]:
        """What is asked for by its attribute comes first, of that what is about the one who is named, and what holds before what is
        denied.
        """
        subject = fold(fact.subject)
        asked = fact.attribute in self.attributes
        return not asked, not self.about & _words_of(subject), subject not in self.first, fact.negated


def fact_question(
    question: str,
    names: Collection[str],
    speakers: AbstractSet[str] = frozenset(),
    capitals: Collection[str] = (),
    first: Collection[str] = (),
    said: Collection[str] = (),
    times: Collection[str] = (),
) -> FactQuestion:
    """What a question asks of facts.

    Args:
        question: as it was asked.
        names: the people whom it names.
        speakers: all who wrote, in folded case.
        capitals: its words that may be names.
        first: of the people whom it names, the one whose whole name it says.
        said: its folded words that are names.
        times: terms of the times that it names.
    """
    about = frozenset(word for name in names for word in _words_of(name))
    named = {term for name in names for term in terms(spoken(name))} | about
    other = frozenset(query_terms(question)) - named
    strangers = frozenset[str]() if about else _strangers(question, capitals)
    own, whole = frozenset(map(fold, names)), frozenset(map(fold, first))
    attributes = asked_attributes(question, said)
    topical = [word for word in words(topic_of(question, said)) if word not in _NO_TOPIC] if attributes else []
    topic = (frozenset(query_terms(" ".join(topical))) & other) - frozenset(times) if topical else frozenset[str]()
    relations = _relations(fold(question[:LONGEST]), about) if about else []
    of_relation = any(not _RELATIONS.isdisjoint(asked_attributes(word)) for word in relations)
    return FactQuestion(about, other, topic, attributes, of_relation, own, whole, speakers, frozenset(times), strangers)


def _relations(folded: str, about: Collection[str]) -> list[str]:
    """Words of a folded question that may say who of those whom it names is meant."""
    genitive = [match[2] for match in _GENITIVE.finditer(folded) if match[1] in about]
    return [match[1] or match[2] for match in _RELATION.finditer(folded)] + genitive


def _strangers(question: str, capitals: Collection[str]) -> frozenset[str]:
    """Folded words that name whom an English question asks about: "does Bert live", "Bert's job", "the age of Bert". In other
    languages nouns have capitals and names have endings, and what is asked of oneself asks of nobody else: none there.
    """
    text = question[:LONGEST]
    asked = [match[1] or match[2] for match in _ASKED_NAME.finditer(text)] if capitals else []
    own = not _FIRST_PERSON.isdisjoint(words(text))
    if not asked or own or likely_languages(text, words(text)) != ("en",):
        return frozenset()
    folded = [fold(name) for name in asked if name in capitals and name.istitle()]
    return frozenset(word for word in folded if not asks_for_attribute(word))


def in_order(facts: Iterable[Fact], question: FactQuestion) -> Sequence[Fact]:
    """Facts, each once, those that are asked for by their attribute first, else as they came."""
    return sorted({fact.id: fact for fact in facts}.values(), key=question.order)


def _words_of(text: str) -> frozenset[str]:
    return frozenset(fold(text).replace("'", " ").replace("’", " ").split())
