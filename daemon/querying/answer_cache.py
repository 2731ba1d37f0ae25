"""Answers that are kept for the next time: the least recently used go first, and all go when anything changes.

Rule 1: an answer is found again only in the very state of the memory in which it was made.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace

from ...schemas import QueryResult

MOST_BYTES = 16 * 1024 * 1024
"""The texts of all kept answers together, in UTF-8 bytes at most 4 per character."""
PER_HIT = 2_000
"""Bytes of a hit beside its texts: 1.7 kB were measured with tracemalloc for a hit with two lines of context."""


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """An answer with what it holds for."""

    result: QueryResult
    state: Hashable
    """The state of everything that it depends on."""
    bytes: int
    until: float
    """The monotonic time after which it is not used."""
    prefetched: str = ""
    """The strategy that prepared it, while nobody has asked for it."""


class AnswerCache:
    """Keeps answers by their questions. For one event loop.

    Args:
        answers: the most answers; 0: none are kept.
        seconds: how long an answer is kept.
        clock: seconds that never go back.
    """

    def __init__(self, answers: int, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = answers
        self._seconds = seconds
        self._clock = clock
        self._answers: OrderedDict[str, KeptAnswer] = OrderedDict()
        self.bytes = 0
        """Bytes of the kept answers, about."""

    def __len__(self) -> int:
        """Return the number of kept answers."""
        return len(self._answers)

    def get(self, question: str, state: Hashable) -> KeptAnswer | None:
        """Return the answer to a question in this state; an answer of another state is dropped."""
        kept = self._answers.get(question)
        if kept is None:
            return None
        if kept.state != state or kept.until < self._clock():
            self._drop(question)
            return None
        self._answers.move_to_end(question)
        self._answers[question] = replace(kept, prefetched="")
        return kept

    def __contains__(self, question: str) -> bool:
        """Return whether an answer to this question is kept, of whatever state."""
        return question in self._answers

    def put(self, question: str, state: Hashable, result: QueryResult, prefetched: str = "") -> None:
        """Keep an answer, unless it alone is larger than an eighth of all."""
        self._drop(question)
        size = _bytes_of(result)
        if not self._most or size > MOST_BYTES // 8:
            return
        until = self._clock() + self._seconds
        self._answers[question] = KeptAnswer(result, state, size, until, prefetched)
        self.bytes += size
        while len(self._answers) > self._most or self.bytes > MOST_BYTES:
            self._drop(next(iter(self._answers)))

    def clear(self) -> None:
        """Drop all answers: something has changed, or may not be known any more."""
        self._answers.clear()
        self.bytes = 0

    def _drop(self, question: str) -> None:
        kept = self._answers.pop(question, None)
        self.bytes -= 0 if kept is None else kept.bytes


def _bytes_of(result: QueryResult) -> int:
    texts = sum(len(hit.text) + sum(len(line.text) for line in hit.context) for hit in result.hits)
    return 4 * texts + PER_HIT * (1 + len(result.hits) + len(result.facts))
