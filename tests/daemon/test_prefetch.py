"""Answers that are prepared while nobody asks: which are guessed, that they are used, counted, and given up where they are not."""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import anyio
import pytest

from memd.daemon.app import open_app
from memd.daemon.querying.prefetch import MOST, TRIES, Prefetcher
from memd.memory.retrieval.reranking import Reranking
from memd.memory.retrieval.search import Answer
from memd.memory.supervision import Worker
from memd.schemas import Query, QueryResult
from memd.tests.daemon.house import note, talk
from memd.tests.daemon.test_query_buffer import forget, settings, store

pytestmark = pytest.mark.anyio
DAY = datetime(2026, 3, 2, tzinfo=UTC)


async def test_likely_questions_are_prepared_and_counted(tmp_path: Path) -> None:
    """The neighbouring days, another person, the next page: asked then, they are answered from what is kept."""
    async with open_app(settings(tmp_path / "d", prefetch=True), serve=False) as service:
        prefetcher = service.queries.prefetcher
        assert prefetcher is not None
        await store(service, talk("a", 8))
        first = Query(
            text="message", speakers=("Ann",), since=DAY, until=DAY + timedelta(days=1), limit=2, explain=True
        )
        await service.query(first)
        await prefetcher.run_once()
        after = first.model_copy(update={"since": first.until, "until": DAY + timedelta(days=2)})
        assert (await service.query(after)).cached
        counts = (await service.stats())["queries"]
        assert (counts["cache_hits"], counts["prefetch_used"]) == (1, 1)
        assert 2 <= counts["prefetched"] <= MOST
        assert (await service.query(after)).cached
        assert (await service.stats())["queries"]["prefetch_used"] == 1  # it is an ordinary kept answer now


async def test_a_question_asked_again_is_prepared_after_a_write(tmp_path: Path) -> None:
    """A write drops its answer; it is made anew before somebody asks, also by the worker, and it is the one of now."""
    async with open_app(settings(tmp_path / "d", prefetch=True), serve=False) as service:
        await store(service, note("a", "the lighthouse stands"))
        lighthouse = Query(text="lighthouse", explain=True)
        for _ in range(2):
            await service.query(lighthouse)
        await store(service, note("b", "the lighthouse fell"))
        await service.query(Query(text="harbour"))
        with anyio.fail_after(30):
            while not (await service.stats())["queries"]["prefetched"]:
                await anyio.sleep(0.02)
        answer = await service.query(lighthouse)
        assert answer.cached
        assert len(answer.hits) == 2


async def test_nothing_forgotten_is_observed(tmp_path: Path) -> None:
    """An answer that was begun before something was forgotten is not kept for guesses."""
    async with open_app(settings(tmp_path / "d", prefetch=True), serve=False) as service:
        await store(service, note("a", "the lighthouse stands"))
        answer = service._memory.retriever.answer

        async def slowly(query: Query, degraded: Iterable[str] = ()) -> Answer:
            result = await answer(query, degraded)
            await forget(service, sources=["tests"])
            return result

        service._memory.retriever.answer = slowly
        await service.query(Query(text="lighthouse"))
        assert service.queries.prefetcher is not None
        assert not service.queries.prefetcher._recent
        assert len(service.queries.cache) == 0


async def test_nothing_is_sent_that_nobody_asked(tmp_path: Path) -> None:
    """Where a reranker elsewhere reads the hits, no answer is prepared, unless the question does without it."""
    async with open_app(settings(tmp_path / "d", prefetch=True), serve=False) as service:
        await store(service, note("a", "the lighthouse stands"))

        async def none(_documents: Collection[UUID]) -> Collection[UUID]:
            return ()

        service._memory.retriever.reranking = Reranking(NeverAsked(), 20, 0.5, 1.0, none)
        assert not await service.queries.prepare(Query(text="lighthouse"), "again")
        with anyio.fail_after(30):  # what an index did meanwhile makes an answer one of before
            while not await service.queries.prepare(Query(text="lighthouse", rerank=False), "again"):
                await anyio.sleep(0.01)


class NeverAsked:
    """A reranker to which nothing may be sent."""

    async def scores(self, question: str, texts: Sequence[str], documents: Collection[UUID] = ()) -> Sequence[float]:
        """Fail."""
        raise AssertionError(question, len(texts), len(documents))

    async def aclose(self) -> None:
        """Nothing is open."""


async def test_what_is_not_asked_for_is_given_up() -> None:
    """After some tries without use a strategy guesses no more; there are never more than a few guesses at once."""
    prepared: list[Query] = []

    async def prepare(query: Query, _strategy: str) -> bool:
        prepared.append(query)
        return True

    prefetcher = Prefetcher(prepare, lambda: False)
    for number in range(3 * TRIES):
        before = len(prepared)
        prefetcher.observe(Query(text=f"harbour {number}"), QueryResult(query="harbour", took_ms=0))
        await prefetcher.run_once()
        assert len(prepared) - before <= MOST
    assert TRIES <= len(prepared) < 2 * TRIES
    assert list(prefetcher.guesses()) == []
    prefetcher.used["topic"] = len(prepared)
    assert list(prefetcher.guesses())


async def test_a_question_cancels_what_is_prepared() -> None:
    """Nobody waits for a guess; forgetting drops the last questions."""
    begun = anyio.Event()

    async def prepare(_query: Query, _strategy: str) -> bool:
        begun.set()
        await anyio.sleep(60)
        return True

    prefetcher = Prefetcher(prepare, lambda: False)
    for number in range(2):
        prefetcher.observe(Query(text=f"harbour {number}"), QueryResult(query="harbour", took_ms=0))
    with anyio.fail_after(20):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(prefetcher.work, Worker("preparing answers"))
            await begun.wait()
            prefetcher.interrupt()
            begun = anyio.Event()
            prefetcher.observe(Query(text="harbour 3"), QueryResult(query="harbour", took_ms=0))
            await begun.wait()
            tasks.cancel_scope.cancel()
    prefetcher.forget()
    assert list(prefetcher.guesses()) == []
