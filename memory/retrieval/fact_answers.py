"""Chooses the facts that answer a question: those whose attribute or words it asks for, never facts that only happen to
be in the hits. Pure.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache

from ...schemas import Fact
from ..extraction.equivalents import groups_of
from ..question.people import spoken
from ..text.analyzer import fold, query_terms, terms, words
from ..text.language import likely_languages
from .asked_attributes import LONGEST, asked_attributes, asks_for_attribute, topic_of

_ASKED_NAME = re.compile(
    r"(?<![^\W_])(?:does|did|do|is|was|has|had|will|can|could|would|should|of|about|with) ([^\W\d_]+)(?![^\W_])"
    r"|(?<= )([^\W\d_]+)['’]s(?![^\W_])"
)
_OF_SOMEBODY = re.compile(r"['’]s? +(?=[^\W\d_])")
"""Splits a subject such as "Ann's sister"."""
_RELATION = re.compile(r"['’]s? +([^\W\d_]+)|([^\W\d_]+) +(?:of|von|de) ")
"""Matches a word in a question that may name a relation to a person: "Ann's sister", "la hermana de Ana"."""
_GENITIVE = re.compile(r"(?<![^\W\d_])([^\W\d_]+)s +([^\W\d_]+)")
"""Matches such a word behind a German name, which has no apostrophe: "Annas Schwester"."""
_RELATIONS = frozenset({"partner", "child", "parent", "sibling", "relative", "friend", "pet"})
"""Attributes whose value is a person, whom the fact is also about."""
_OPPOSITES = (
    ("sister", "brother"),
    ("son", "daughter"),
    ("mother", "father"),
    ("husband", "wife"),
    ("grandmother", "grandfather"),
    ("aunt", "uncle"),
    ("nephew", "niece"),
    ("dog", "cat", "horse", "rabbit", "bird", "fish", "turtle", "hamster", "snake"),
)
_OF_EITHER_KIND = re.compile(r"\b(?:hijos|hermanos|padres|abuelos|tios)\b|兄弟|姉妹")
"""Matches words that mean both kinds, and contain the word for one."""
_TOPICAL = frozenset(
    {
        "likes", "dislikes", "favourite", "hobby", "habit", "plan", "goal", "need", "event", "skill", "belief",
        "possession",
    }
)  # fmt: skip
"""Attributes with arbitrary values, so that a question for them has a topic: "what pizza does John like?"."""
_NO_TOPIC = frozenset(
    {"kind", "kinds", "sort", "sorts", "type", "types", "thing", "things", "stuff", "anything", "something"}
)
_FIRST_PERSON = frozenset({"i", "me", "my", "mine", "we", "us", "our", "ours"})


@dataclass(frozen=True, slots=True)
class FactQuestion:
    """The parts of a question that select facts."""

    about: frozenset[str]
    """Folded words of the names of the people whom the question mentions."""
    words: frozenset[str]
    """Its other terms."""
    topic: frozenset[str]
    """The terms among these that ask for no attribute."""
    attributes: frozenset[str]
    of_relation: bool = False
    """True if it identifies a person by a relation: somebody's partner, child or the like."""
    own: frozenset[str] = frozenset()
    """The folded names of the people whom it mentions."""
    first: frozenset[str] = frozenset()
    """The names among these of the one person whose full name it contains."""
    speakers: AbstractSet[str] = frozenset()
    """The folded names of all authors."""
    times: frozenset[str] = frozenset()
    """Terms of its expressions of time, in which May is a month."""
    strangers: frozenset[str] = frozenset()
    """If it mentions no known person: the folded names in it of people about whom nothing is known."""
    kinds: frozenset[int] = frozenset()
    """The kinds of relatives and animals that it asks for, as groups of words with one meaning."""
    former: bool = False
    """True if it asks for a state that is over."""

    def names(self, fact: Fact) -> bool:
        """Return whether a fact is about a person whom the question mentions, or names that person as somebody's
        partner, child or the like; always True if it mentions nobody. Facts about Bob Lee Jr are not about Bob Lee, and
        if Bob is unknown, only facts that contain his name may be about him. Facts about Ann's sister answer questions
        for a sister.
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
        """Return whether a fact has an attribute that the question asks for, or it asks for none. The home of Ann's
        sister is not Ann's, her sister is no brother, and her present home is none that she had before.
        """
        if self.former and fact.status == "active" and not fact.history and fact.valid_to is None:
            return False
        if fact.attribute in _RELATIONS and self._asks_for_another_kind(fact):
            return False
        if self.of_relation and not _OF_SOMEBODY.search(fact.subject):
            return fact.attribute in self.attributes & _RELATIONS
        return not self.attributes or fact.attribute in self.attributes

    def _asks_for_another_kind(self, fact: Fact) -> bool:
        kinds = _kinds(f"{fact.value} {fact.content}")
        return any(
            self.kinds & opposites and kinds & opposites and kinds.isdisjoint(self.kinds & opposites)
            for opposites in _opposite_kinds()
        )

    def asks_for(self, fact: Fact) -> bool:
        """Return whether a question certainly asks for this fact: for its attribute, and also its topic if the values
        are arbitrary; for words of its subject, attribute or value, if it asks for no attribute; or for everything
        about somebody, if it is only a name.
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
        """Return the sort key: requested attribute first, then the named subject, then affirmed before denied facts."""
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
    *,
    former: bool = False,
) -> FactQuestion:
    """Return the parts of a question that select facts.

    Args:
        question: the original question.
        names: the people whom it mentions.
        speakers: all authors, in folded case.
        capitals: its words that may be names.
        first: of the people whom it mentions, the one whose full name it contains.
        said: its folded words that are names.
        times: terms of its expressions of time.
        former: whether it asks for a state that is over.
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
    kinds = frozenset[int]() if _OF_EITHER_KIND.search(fold(question)) else _kinds(question, about)
    return FactQuestion(
        about, other, topic, attributes, of_relation, own, whole, speakers, frozenset(times), strangers, kinds, former
    )


@cache
def _opposite_kinds() -> tuple[frozenset[int], ...]:
    """Return sets of kinds of which a relative or an animal has one, without groups of words for several of them."""
    rows = (Counter(group for word in row for group in groups_of(word)) for row in _OPPOSITES)
    return tuple(frozenset(group for group, count in groups.items() if count == 1) for groups in rows)


def _kinds(text: str, names: Collection[str] = ()) -> frozenset[int]:
    """Return the groups of all words of a text but names."""
    return frozenset[int]().union(*(groups_of(word) for word in words(text[:LONGEST]) if word not in names))


def _relations(folded: str, about: Collection[str]) -> list[str]:
    """Return the words of a folded question that may name a relation to a person whom it mentions."""
    genitive = [match[2] for match in _GENITIVE.finditer(folded) if match[1] in about]
    return [match[1] or match[2] for match in _RELATION.finditer(folded)] + genitive


def _strangers(question: str, capitals: Collection[str]) -> frozenset[str]:
    """Return the folded names of unknown people whom an English question asks about: "does Bert live", "Bert's job",
    "the age of Bert". Return nothing for other languages, whose nouns have capitals and names have endings, and for
    questions about the asker.
    """
    text = question[:LONGEST]
    asked = [match[1] or match[2] for match in _ASKED_NAME.finditer(text)] if capitals else []
    own = not _FIRST_PERSON.isdisjoint(words(text))
    if not asked or own or likely_languages(text, words(text)) != ("en",):
        return frozenset()
    folded = [fold(name) for name in asked if name in capitals and name.istitle()]
    return frozenset(word for word in folded if not asks_for_attribute(word))


def in_order(facts: Iterable[Fact], question: FactQuestion) -> Sequence[Fact]:
    """Return the distinct facts, those with a requested attribute first, else in the given order."""
    return sorted({fact.id: fact for fact in facts}.values(), key=question.order)


def _words_of(text: str) -> frozenset[str]:
    return frozenset(fold(text).replace("'", " ").replace("’", " ").split())
