"""The weights of the ranking, each with its reason. One table serves every store and every language."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from ...schemas import Arm
from ..text.analyzer import is_english

CANDIDATES = 30
"""Best chunks taken from each arm before the union is scored exactly; more only moves the tail."""
JUDGED = 10
"""Hits by which facts are chosen and "nothing matches well" is told, however many are asked for."""
SHALLOW, DEEP = 20, 100
"""Where more than the first are asked for, as many as the second are taken from each arm; the best stay those that fewer candidates
gave, so that an answer begins as a shorter one does.
"""
MOST_TOKENS = 64
"""A message of more counts as long as this, so that a page of a text is no better than a long message."""
PREFERRED = 20
"""Nearest messages of the person, and of the time, that the question names: they take part whatever stands among the
best of all. A preference lifts only what is looked at: without them recall at 10 on the labelled chats is 88.0, with them 90.4,
and of questions in another language, in one store that holds five, 46 against 62.
"""
PREFERRED_SCAN = 600
"""Where more than so many are of that person or time, those are not compared one by one, which takes 10 ms for a thousand."""
BESIDE = 20
"""Of how many of the union's best the neighbours join it."""
RANK_OFFSET = 20
"""Reciprocal rank fusion picks those best; the smaller the offset, the more one arm's first counts."""


def _arms() -> Mapping[Arm, float]:
    return MappingProxyType({"lexical": 0.2, "near": 0.5, "wide": 0.5, "vector": 1.5})


MOST_WORDS_Z = 5.0
"""The highest z-score of words: a rare one, with 8 and more, drowned what the vectors tell. With 5 in place of none recall at
1 rises by 0.4 points on LoCoMo's development half and by 1.6 on the labelled chats.
"""
MISSING_VECTOR_Z = -1.0
"""The z-score of a vector that is not there."""
FACT_VECTOR_SHARE = 0.5
"""How much of a message's cosine is that of the best of its facts and itself; the rest is its own. The weight of vectors stays
what it is without facts: with a third more, which lifts every message, what only nearly matches passed hits without facts.
Recall at 1 and 5 on LoCoMo's development half with its observations as facts is 50.9 and 77.8 so, 50.5 and 77.2 with more.
"""
DOCUMENT_TOP_HITS = 3
"""How many of a document's best scores are averaged."""


@dataclass(frozen=True, slots=True)
class Weights:
    """Multiples of z-scores, and of what is added to their sum."""

    arms: Mapping[Arm, float] = field(default_factory=_arms)
    """``near`` and ``wide``: the question's words often stand in the message before the answer. ``lexical``: of a rare
    word's neighbourhood, the message that holds it comes first; more of it costs recall at 10. ``vector``: more than all
    of them, it is the only arm that knows paraphrases. Coarse steps over LoCoMo's development half; neighbouring values
    differ by less than a point.
    """
    speaker: float = 2.5
    """For messages of the one person whom the question names: a name is a hint at who spoke, not a search word."""
    exact: float = 10.0
    """For what holds the question word by word: more than all the rest together, for it is what somebody looks for."""
    time: float = 2.5
    """For a message of the time that the question names: a preference, for people are often wrong about when. Recall at 10
    on LoCoMo's development half: 83.2 without, 83.5 with 1, 83.8 with 1.5, 83.9 with 2.5.
    """
    said: float = 10.0
    """For what the person said whom the question names, at the time that it names, where it asks what they said then, and
    for nothing else: more than all the rest together, for everything else is no answer. Where it asks for more ("… about the
    flat"), ``speaker`` and ``time`` are enough: with 1 to 2.5 in addition recall at 1 rises by 0.3 points on LoCoMo's
    development half, and at 10 it falls by 0.1.
    """
    length: float = 0.5
    """Of the z-score of the logarithm of the tokens: who says more says something. Thanks and greetings answer nothing."""
    question: float = -2.0
    """For a message that ends in a question mark: mostly the one after it tells. Against a third of the one and of the
    other, both raise recall at 1 by 2 points on LoCoMo's development half and 6 on the labelled chats."""
    reply: float = 0.3
    """Of the sum of a question (without its penalty), for what somebody else says next: so much of it does the reply
    deserve. On LoCoMo's development half recall at 1 rises from 44.2 to 49.2, at 5 from 75.3 to 76.7.
    """
    number: float = 1.5
    """For a message that holds a number, where the question asks for one: "how much", "welche Nummer", いくら. Recall at 10
    rises by 0.2 on LoCoMo's development half and by 0.8 on the labelled chats.
    """
    typical: float = 0.3
    """Of a candidate's cosine with the mean of all candidates, taken from its cosine with the question: what they all have
    in common answers nothing. Recall at 10 rises by 0.4 on LoCoMo's development half; 0.2 to 0.4 differ by as much.
    """
    neighbour: float = 0.1
    """Of the sum before, for each direct neighbour: answers stand beside what they answer."""
    document: float = 0.4
    """Of the mean of the document's best three: a day or session on the subject holds several traces of it."""
    foreign: float = 0.2
    """Multiple of the vector's weight where the embedder reads English alone and the question is in another language:
    its vectors of other languages compare little more than names and spelling. See docs/design.md for what was measured."""

    def for_question(self, question: str, embedder: str) -> Weights:
        """The weights for this question, if its vector comes from the embedder of this name."""
        if not english_alone(embedder) or is_english(question):
            return self
        return replace(self, arms={**self.arms, "vector": self.arms.get("vector", 0.0) * self.foreign})


WEAK_COSINE: Mapping[str, float] = MappingProxyType({"multilingual-e5-small-int8": 0.81})
"""By embedder, the cosine below which the nearest message has nothing to do with the question, in a store of too few messages
to compare with. On LoCoMo's development half one question in ten stays below it, and half of those that are asked of
other people's conversations.
"""
WEAK_LEAD: Mapping[str, float] = MappingProxyType({"multilingual-e5-small-int8": 0.04})
"""By embedder, what the cosine of the nearest message must have beyond that of any message. Of questions to LoCoMo and the
labelled chats, 1 to 5 in 100 stay below it, of 13 nonsense questions to six of these stores 9 in 10.
"""
SAMPLE, LEAST_SAMPLE = 256, 32
"""Messages that stand for any, and how few of them do not."""


def english_alone(embedder: str) -> bool:
    """Whether the name of a model says that it knows English only: ``bge-small-en-v1.5``."""
    return "en" in re.split("[^a-z0-9]+", embedder.lower())


DEFAULT = Weights()
WORDS_ONLY = Weights(arms=MappingProxyType({"lexical": 0.8, "near": 0.5, "wide": 0.5}), length=0.25)
"""Where no vector takes part, the message's own words must tell it from its neighbours, also from longer ones."""


def alone(arms: Sequence[Arm]) -> Weights:
    """These arms, equally weighted, and nothing added."""
    return Weights(
        arms=dict.fromkeys(arms, 1.0),
        speaker=0,
        exact=0,
        time=0,
        said=0,
        length=0,
        question=0,
        reply=0,
        number=0,
        typical=0,
        neighbour=0,
        document=0,
    )
