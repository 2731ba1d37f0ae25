"""The weights of the ranking, each with its reason. One table serves every store and every language."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from types import MappingProxyType

from ...schemas import Arm
from ..text.analyzer import is_english

LONG_TIME = timedelta(days=62)
"""The longest span of time that is preferred by the weight ``time``."""
CANDIDATES = 30
"""The number of best chunks taken from each arm before the union is scored exactly; more affects only the tail."""
JUDGED = 10
"""The number of hits that decide on the facts and on "nothing matches well", independent of the requested number."""
SHALLOW, DEEP = 20, 100
"""If more hits than the first number are requested, the second number is taken from each arm; the best stay those from
fewer candidates, so that a long answer begins like a short one.
"""
MOST_TOKENS = 64
"""The length that longer messages count as, so that a page of a text is no better than a long message."""
PREFERRED = 20
"""The number of nearest messages by the person, and at the time, that the question names: they take part regardless of
the best of all. A preference lifts only candidates: without these messages recall at 10 on the labelled chats is 88.0,
with them 90.4, and for questions in another language, in one store with five, 46 against 62.
"""
PREFERRED_SCAN = 600
"""The most messages of that person or time that are compared one by one, which takes 10 ms for a thousand."""
BESIDE = 20
"""The number of the union's best candidates whose neighbours join it."""
RANK_OFFSET = 20
"""The offset of the reciprocal rank fusion that picks those best; a smaller one gives more weight to an arm's first."""


def _arms() -> Mapping[Arm, float]:
    return MappingProxyType({"lexical": 0.2, "near": 0.5, "wide": 0.5, "vector": 1.5})


MOST_WORDS_Z = 5.0
"""The highest z-score of words: a rare word, with 8 and more, outweighed the vectors. With a limit of 5 recall at 1
rises by 0.4 points on LoCoMo's development half and by 1.6 on the labelled chats.
"""
MISSING_VECTOR_Z = -1.0
"""The z-score of a missing vector where no words are searched."""
FACT_VECTOR_SHARE = 0.5
"""The share of the best cosine of a message and its facts in the message's score; the rest is its own cosine. The
weight of vectors is the same as without facts: with a third more, which lifts every message, half-matching messages
passed hits without facts. Recall at 1 and 5 on LoCoMo's development half with its observations as facts is 50.9 and
77.8, with more weight 50.5 and 77.2.
"""
DOCUMENT_TOP_HITS = 3
"""The number of a document's best scores that are averaged."""


@dataclass(frozen=True, slots=True)
class Weights:
    """Factors of z-scores, and of the parts added to their sum."""

    arms: Mapping[Arm, float] = field(default_factory=_arms)
    """``near`` and ``wide``: the question's words often stand in the message before the answer. ``lexical``: of a rare
    word's neighbourhood, the message that holds it comes first; more of it costs recall at 10. ``vector``: more than all
    of them, it is the only arm that knows paraphrases. Coarse steps over LoCoMo's development half; neighbouring values
    differ by less than a point.
    """
    speaker: float = 2.5
    """Added for messages of the one person whom the question mentions: a name is a hint at the speaker, not a search
    word.
    """
    exact: float = 10.0
    """Added for messages that contain the question word by word: more than everything else together, since they are
    certainly wanted.
    """
    time: float = 5.0
    """Added for a message of the time that the question names: only a preference, since people are often wrong about
    times. On LoCoMo's development half recall is the same
    with 2.5 and 5 (85.3 at 10); of 30 questions for a date in another store 2.5 finds 13 at once, 5 finds 15.
    """
    said: float = 10.0
    """Added for messages by the named person at the named time, if the question asks for nothing but these: more than
    everything else together, since nothing else is an answer. If it asks for more ("… about the flat"), ``speaker`` and
    ``time`` suffice: with 1 to 2.5 in addition recall at 1 rises by 0.3 points on LoCoMo's development half, and at 10
    it falls by 0.1.
    """
    then: float = 1.0
    """Added instead of ``said`` if the question does not ask for somebody's words: "what did Bob do on Thursday?"."""
    long_time: float = 2.5
    """Added instead of ``time`` for spans of more than a month or two: "since March" rather tells how long a state has
    lasted than when it was told.
    """
    vague_length: float = 2.5
    """The factor instead of ``length`` if the question has no topic: "what did Bob say on Thursday?". The longest message
    of a talk says most."""
    kind: float = 4.0
    """Added for documents of the kind that the question names: "the mail about …"."""
    length: float = 0.5
    """The factor of the z-score of the logarithm of the tokens: longer messages say more. Thanks and greetings answer
    nothing.
    """
    question: float = -2.0
    """Added for a message that asks: mostly the next one has the answer. Compared with a third of
    each, this and ``reply`` raise recall at 1 by 2 points on LoCoMo's development half and 6 on the labelled chats.
    """
    reply: float = 0.3
    """The share of a question's score (without its penalty) that the next message by another speaker gets. On LoCoMo's
    development half recall at 1 rises from 44.2 to 49.2, at 5 from 75.3 to 76.7.
    """
    number: float = 1.5
    """Added for a message that contains a number, if the question asks for one: "how much", "welche Nummer", いくら.
    Recall at 10 rises by 0.2 on LoCoMo's development half and by 0.8 on the labelled chats.
    """
    typical: float = 0.3
    """The share of a candidate's cosine with the mean of all candidates that is subtracted from its cosine with the
    question: the common content of all candidates answers nothing. Recall at 10 rises by 0.4 on LoCoMo's development
    half; 0.2 to 0.4 differ by as much.
    """
    assistant: float = -1.0
    """Added for an assistant's message; if not zero, the user's words before such a message stand before it, too. Zero
    if the question asks for what an assistant said. Of 60 questions to chats with an assistant, the user's words come
    before the reply that repeats them in 58; without it in 30.
    """
    document: float = 0.5
    """The share of the mean score of the document's best three: a day or session on the subject contains several traces
    of it. A share of the direct neighbours' scores beside it found less: with it recall at 5 was 76.9 against 77.3 on
    LoCoMo's development half, and 49.9 against 50.2 in chats of real people.
    """
    foreign: float = 0.2
    """The factor of the vector's weight if the embedder is for English alone and the question is in another language:
    its vectors of other languages compare little more than names and spelling. See docs/design.md for the measurements.
    """

    def for_question(self, question: str, embedder: str) -> Weights:
        """Return the weights for this question, if its vector comes from the embedder of this name."""
        if not english_alone(embedder) or is_english(question):
            return self
        return replace(self, arms={**self.arms, "vector": self.arms.get("vector", 0.0) * self.foreign})


WEAK_COSINE: Mapping[str, float] = MappingProxyType({"multilingual-e5-small-int8": 0.81})
"""The cosine by embedder below which the nearest message has nothing to do with the question, in a store with too few
messages to compare with. On LoCoMo's development half one question in ten stays below it, and half of the questions
about other people's conversations.
"""
WEAK_LEAD: Mapping[str, float] = MappingProxyType({"multilingual-e5-small-int8": 0.04})
"""The least lead by embedder of the nearest message's cosine over that of an average message. Of questions to LoCoMo
and the labelled chats, 1 to 5 in 100 stay below it, of 13 nonsense questions to six of these stores 9 in 10.
"""
USUAL_COSINE, USUAL_SPREAD = 0.77, 0.018
"""The mean and the standard deviation of the cosines of a question with all messages, by the bundled model that stands in
for an endpoint: on the labelled chats of five languages 0.745 to 0.786, and 0.016 to 0.021.
"""
FEW_VECTORS = 10
"""The number of candidates of the fallback as which the usual cosines count, where it is ranked beside another model."""
SAMPLE, LEAST_SAMPLE = 256, 32
"""The number of sampled messages for the average, and the least number that suffices."""


def english_alone(embedder: str) -> bool:
    """Return whether the name of a model marks it as English only: ``bge-small-en-v1.5``."""
    return "en" in re.split("[^a-z0-9]+", embedder.lower())


DEFAULT = Weights()
WORDS_ONLY = Weights(arms=MappingProxyType({"lexical": 0.8, "near": 0.5, "wide": 0.5}), length=0.25)
"""The weights without vectors: the message's own words must distinguish it from its neighbours, and from longer ones.
"""


def alone(arms: Sequence[Arm]) -> Weights:
    """Return weights that add these arms equally, and nothing else."""
    return Weights(
        arms=dict.fromkeys(arms, 1.0),
        speaker=0,
        exact=0,
        time=0,
        said=0,
        kind=0,
        length=0,
        question=0,
        reply=0,
        number=0,
        typical=0,
        assistant=0,
        document=0,
    )
