"""Two rankings without a memory, to show beside any other: the words of the question as grep finds them, and plain BM25.

They see the same units as the memory: messages, and the pieces of texts as they were cut.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ...memory.memory import EvolvingMemory
from ...memory.retrieval.hits import alias_of
from ...memory.store import documents_read
from ...memory.text.stemmer import english_stem
from ...memory.text.stopwords import ENGLISH
from ...schemas import Document
from .datasets.dataset import Question, Scope

K1, B = 1.2, 0.75
"""The usual constants of Okapi BM25 (Robertson and Zaragoza, 2009)."""
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Unit:
    """A message or a piece of a text."""

    ids: frozenset[str]
    document: str
    text: str
    searched: str
    """The text with the speaker in front."""
    chat: str
    tags: frozenset[str]


async def units_of(scope: Scope, memory: EvolvingMemory) -> list[Unit]:
    """Return the units of a scope that is stored in a memory."""
    units: list[Unit] = []
    texts: dict[str, Document] = {}
    for document in scope.documents:
        talk = document.as_conversation()
        tags, chat = frozenset(document.tags), document.metadata.get("chat", "")
        if talk is None:
            texts[document.id] = document
            continue
        for message in talk.messages:
            searched = f"{message.speaker}: {message.content}"
            ids = frozenset((str(message.id), document.id))
            units.append(Unit(ids, document.id, message.content, searched, chat, tags))
    for name, section, ordinal, start, end in await memory.database.read(documents_read.pieces):
        document = texts[name]
        text = document.content[start:end]
        ids = frozenset((name, alias_of(name, section, ordinal)))
        units.append(Unit(ids, name, text, text, "", frozenset(document.tags)))
    return units


class Grep:
    """Ranks by the number of different words of the question that a unit contains, as parts of words, too."""

    def __init__(self, units: Sequence[Unit]) -> None:
        self._units = units
        self._folded = [unit.searched.lower() for unit in units]

    def rank(self, question: Question, limit: int) -> list[Unit]:
        """Return the first units; of equal ones the earlier. A unit without any word is no hit."""
        words = {word for word in _words(question.text) if word not in ENGLISH}
        scores = [sum(word in text for word in words) for text in self._folded]
        return _best(self._units, scores, question, limit)


class Bm25:
    """Ranks by Okapi BM25 of stemmed words without English stop words; knows no people, times or neighbours."""

    def __init__(self, units: Sequence[Unit]) -> None:
        self._units = units
        self._counts = [Counter(_stems(unit.searched)) for unit in units]
        self._lengths = [counts.total() for counts in self._counts]
        self._mean = sum(self._lengths) / max(1, len(units)) or 1.0
        self._holders = Counter(stem for counts in self._counts for stem in counts)

    def rank(self, question: Question, limit: int) -> list[Unit]:
        """Return the first units; of equal ones the earlier. A unit without any word is no hit."""
        stems = set(_stems(question.text))
        total = len(self._units)
        weights = {
            stem: math.log(1 + (total - self._holders[stem] + 0.5) / (self._holders[stem] + 0.5)) for stem in stems
        }
        scores = [
            sum(weights[stem] * self._saturated(counts[stem], length) for stem in stems if stem in counts)
            for counts, length in zip(self._counts, self._lengths, strict=True)
        ]
        return _best(self._units, scores, question, limit)

    def _saturated(self, count: int, length: int) -> float:
        return count * (K1 + 1) / (count + K1 * (1 - B + B * length / self._mean))


def _best(units: Sequence[Unit], scores: Sequence[float], question: Question, limit: int) -> list[Unit]:
    """Return the units that the filters of the question let through and that have a score, best first."""
    chats, tags = set(question.chats), set(question.tags)
    order = [
        place
        for place, unit in enumerate(units)
        if scores[place] > 0 and (not chats or unit.chat in chats) and (not tags or tags & unit.tags)
    ]
    order.sort(key=lambda place: -scores[place])
    return [units[place] for place in order[:limit]]


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _stems(text: str) -> list[str]:
    return [english_stem(word) for word in _words(text) if word not in ENGLISH]
