"""Prepares answers to likely next questions while nobody asks. Off by default: on recorded questions it does not pay.

Guesses come from the last questions: the next page of one that filled its limit, the days before and after its time
filter, the same of another person in its hits, the session's other topics under its filters, and what was asked twice
before a write dropped its answer. A strategy whose guesses are not asked for loses its confidence, and stops. Any real
question cancels what is being prepared.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

import anyio
from anyio import CancelScope

from ...memory.concurrency import Signal
from ...memory.supervision import Worker
from ...schemas import Query, QueryResult
from ...schemas.errors import MemdError

MOST = 10
"""Answers that are prepared after one question."""
CONTEXT = 3
"""The last questions that guesses come from."""
THRESHOLD = 0.7
"""The confidence from which a guess is prepared; this and the two above are those of the design that memd took over."""
TRIES = 20
"""Answers that a strategy may prepare before its confidence is the share of them that was asked for."""
IDLE_SECONDS = 0.25
"""Seconds after an answer in which nobody else asks."""
PEOPLE = 3
"""Other people of the hits for whom the question is asked as well."""

Strategy = Literal["page", "days", "people", "topic", "again"]
Prepare = Callable[[Query, Strategy], Awaitable[bool]]
"""Answers a question and keeps the answer; returns False if it is kept already, or cannot be kept."""


@dataclass(frozen=True, slots=True)
class Guess:
    """A question that may be asked next."""

    query: Query
    strategy: Strategy


class Prefetcher:
    """Prepares answers after questions. For one event loop.

    Args:
        prepare: prepares one.
        is_busy: whether the process has other work.
    """

    def __init__(self, prepare: Prepare, is_busy: Callable[[], bool]) -> None:
        self._prepare = prepare
        self._is_busy = is_busy
        self._recent: deque[tuple[Query, QueryResult]] = deque(maxlen=CONTEXT)
        self._repeats: Counter[str] = Counter()
        self._due = Signal()
        self._running: CancelScope | None = None
        self.prepared: Counter[str] = Counter()
        """Prepared answers by strategy."""
        self.used: Counter[str] = Counter()
        """The prepared answers that were asked for, by strategy."""

    def interrupt(self) -> None:
        """Stop preparing: somebody asks."""
        if self._running is not None:
            self._running.cancel()

    def forget(self) -> None:
        """Drop the last questions and their answers."""
        self.interrupt()
        self._recent.clear()
        self._repeats.clear()

    def observe(self, query: Query, result: QueryResult) -> None:
        """Take an answered question as the session's last."""
        self._recent.append((query, result))
        text = query.model_dump_json()
        if len(self._repeats) >= 10 * MOST and text not in self._repeats:
            self._repeats.clear()
        self._repeats[text] += 1
        self._due.set()

    async def work(self, worker: Worker) -> None:
        """Prepare after each question, until cancelled."""
        while True:
            await self._due.wait()
            with CancelScope() as self._running:
                await anyio.sleep(IDLE_SECONDS)
                await self.run_once()
            self._running = None
            worker.progressed()

    async def run_once(self) -> None:
        """Prepare the answers to the guesses of now."""
        for guess in list(self.guesses())[:MOST]:
            if self._is_busy():
                return
            with suppress(MemdError):  # a filter may name nobody
                self.prepared[guess.strategy] += await self._prepare(guess.query, guess.strategy)

    def confidence(self, strategy: Strategy) -> float:
        """Return the share of a strategy's answers that was asked for; `THRESHOLD` until `TRIES` of them are prepared."""
        prepared = self.prepared[strategy]
        return THRESHOLD if prepared < TRIES else self.used[strategy] / prepared

    def guesses(self) -> Iterator[Guess]:
        """Yield the questions that may be asked next, each once, of the strategies with enough confidence."""
        seen: set[str] = set()
        for guess in _guesses(list(self._recent), [text for text, count in self._repeats.items() if count > 1]):
            key = guess.query.model_dump_json()
            if key not in seen and self.confidence(guess.strategy) >= THRESHOLD:
                seen.add(key)
                yield guess


def _guesses(recent: Sequence[tuple[Query, QueryResult]], repeats: Sequence[str]) -> Iterator[Guess]:
    if not recent:
        return
    query, result = recent[-1]
    for text in repeats:
        yield Guess(Query.model_validate_json(text), "again")
    if len(result.hits) == query.limit < 100:
        yield Guess(query.model_copy(update={"limit": min(100, 2 * query.limit)}), "page")
    if query.since is not None and query.until is not None:
        span = query.until - query.since
        for sign in (1, -1):
            update = {"since": query.since + sign * span, "until": query.until + sign * span}
            yield Guess(query.model_copy(update=update), "days")
    yield from _of_others(query, result)
    for earlier, _ in reversed(recent[:-1]):
        yield Guess(query.model_copy(update={"text": earlier.text}), "topic")
        yield Guess(earlier.model_copy(update={"text": query.text}), "topic")


def _of_others(query: Query, result: QueryResult) -> Iterator[Guess]:
    """Yield the question for other people: in its filter, or where its text has the name."""
    people = list(dict.fromkeys(hit.speaker for hit in result.hits if hit.speaker))
    meant = () if result.understood is None else (*result.understood.speakers, *result.understood.about)
    for person in [each for each in people if each not in (*query.speakers, *meant)][:PEOPLE]:
        if query.speakers:
            yield Guess(query.model_copy(update={"speakers": (person,)}), "people")
        for name in meant:
            if name in query.text:
                yield Guess(query.model_copy(update={"text": query.text.replace(name, person)}), "people")
