"""Rerankers keep their contract; in a question they decide what is uncertain, and nothing private is sent to one."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Collection, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import anyio
import numpy as np
import pytest

from memd.memory.embedding.bundled import BundledEmbedder
from memd.memory.indexing.indexed_store import open_store
from memd.memory.llm.audit import AuditLog
from memd.memory.llm.redaction import RedactionSettings, Redactor
from memd.memory.llm.store import LLMStore
from memd.memory.memory import EvolvingMemory
from memd.memory.merge.plan import key_of
from memd.memory.openai_http import bounded
from memd.memory.rerank.cross_encoder import CrossEncoder
from memd.memory.rerank.endpoint import EndpointReranker, RerankEndpoint, scores_of
from memd.memory.rerank.reranker import RerankError
from memd.memory.retrieval import reranking
from memd.memory.retrieval.reranking import Reranking, _normalised  # pyright: ignore[reportPrivateUsage]
from memd.schemas import ConversationDocument, Query
from memd.schemas.errors import ConfigError
from memd.tests.cases import for_each
from memd.tests.contracts.reranker import RerankerContract
from memd.tests.memory.small_models import write_cross_encoder, write_model
from memd.tests.openai_server.batches import Raw
from memd.tests.openai_server.faults import BROKEN, BUSY, CUT, DROPPED, Fault
from memd.tests.openai_server.server import Server

RERANK = "/v1/rerank"
START = datetime(2024, 1, 15, 12, 0, tzinfo=UTC)
KEY = "sk-" + "a1B2c3D4" * 6
LINES = ("the pump is broken", "the pump hums, zz", "I painted the old pump, zzzz", "a new pump costs money, z")


def by_letter(body: Any) -> Any:
    """Score texts by their number of z; the best first, as Cohere does."""
    scored = [{"index": at, "relevance_score": text.count("z") / 100} for at, text in enumerate(body["documents"])]
    return {"results": sorted(scored, key=lambda each: -each["relevance_score"])}


@pytest.fixture
def server() -> Iterator[Server]:
    """An endpoint on a real socket."""
    with Server(key="sesame") as server:
        server.routes[RERANK] = by_letter
        yield server


@asynccontextmanager
async def endpoint_of(server: Server, folder: Path) -> AsyncGenerator[tuple[EndpointReranker, AuditLog]]:
    """A reranker that uses the server, and its audit log."""
    store = LLMStore(folder)
    audit = AuditLog(store)
    reranker = EndpointReranker(
        RerankEndpoint("letters", server.base_url), lambda: "sesame", Redactor(RedactionSettings()), audit
    )
    try:
        yield reranker, audit
    finally:
        await reranker.aclose()
        store.close()


class TestCrossEncoder(RerankerContract):
    """A small model in a folder."""

    @pytest.fixture
    def reranker(self, tmp_path: Path) -> CrossEncoder:
        """A fresh one."""
        write_cross_encoder(tmp_path / "model")
        return CrossEncoder(tmp_path / "model", threads=1)


class TestEndpoint(RerankerContract):
    """The stand-in on a socket."""

    @pytest.fixture
    async def reranker(self, server: Server, tmp_path: Path) -> AsyncGenerator[EndpointReranker]:
        """A fresh one."""
        async with endpoint_of(server, tmp_path) as (reranker, _):
            yield reranker


class Counted:
    """A reranker by letters that remembers what it read, and may be slow or fail."""

    def __init__(self, *, delay: float = 0, fails: bool = False) -> None:
        self.texts: list[Sequence[str]] = []
        self._delay, self._fails = delay, fails

    async def scores(self, question: str, texts: Sequence[str], documents: Collection[UUID] = ()) -> Sequence[float]:  # noqa: ARG002 - the protocol's
        """Count the letter."""
        self.texts.append(texts)
        await anyio.sleep(self._delay)
        if self._fails:
            raise RerankError("told to fail")
        return [float(text.count("z")) for text in texts]

    async def aclose(self) -> None:
        """Nothing is open."""


def talk(name: str, lines: Sequence[str]) -> ConversationDocument:
    """A day of a chat of one speaker."""
    said = [
        {"speaker": "Bob", "content": text, "time": START + timedelta(minutes=minute)}
        for minute, text in enumerate(lines)
    ]
    body = {"source": "chat", "people": ("Ann", "Bob"), "user": "Ann", "conversation": said}
    metadata = {"chat": name, "title": name.title()}
    return ConversationDocument.model_validate({"id": f"chat:{name}", "conversation": body, "metadata": metadata})


@asynccontextmanager
async def memory_with(folder: Path, chats: Mapping[str, Sequence[str]]) -> AsyncGenerator[EvolvingMemory]:
    """A memory of words alone."""
    async with open_store(folder) as store:
        memory = EvolvingMemory(store, None, BundledEmbedder(), now=lambda: START + timedelta(days=3))
        await memory.start()
        await memory.store([talk(name, lines) for name, lines in chats.items()])
        await store.refresh_indexes()
        yield memory


async def texts_of(memory: EvolvingMemory, text: str, **options: Any) -> list[str]:
    """The texts of the hits of a question."""
    return [hit.text for hit in (await memory.query(Query(text=text, context=0, **options))).hits]


@pytest.mark.anyio
async def test_the_reranker_alone_decides_with_weight_one(tmp_path: Path) -> None:
    """It reads the first candidates with the speaker's name before the words; scores fall, shares add up, places are
    told, and the flag of a question turns it off.
    """
    async with memory_with(tmp_path, {"house": LINES}) as memory:
        first = await texts_of(memory, "what about the pump?")
        counted = Counted()
        memory.retriever.reranking = Reranking(counted, candidates=20, weight=1, timeout_s=5)
        result = await memory.query(Query(text="what about the pump?", context=0, explain=True))
        assert [hit.text for hit in result.hits] == sorted(LINES, key=lambda line: -line.count("z"))
        assert sorted(counted.texts[0]) == sorted(f"Bob: {line}" for line in LINES)
        assert [hit.scores["rerank"] for hit in result.hits] == [4, 2, 1, 0]
        scores = [hit.score for hit in result.hits]
        assert scores == sorted(scores, reverse=True)
        for place, hit in enumerate(result.hits, 1):
            assert hit.explain is not None
            assert hit.explain.ranks["rerank"] == place
            assert sum(hit.explain.shares.values()) == pytest.approx(hit.score, abs=1e-3)
        assert await texts_of(memory, "what about the pump?", rerank=False) == first
        deep = await memory.query(Query(text="what about the pump?", context=0, limit=50))
        assert [hit.scores["rerank"] for hit in deep.hits] == [4, 2, 1, 0]
        memory.retriever.reranking = Reranking(counted, candidates=20, weight=0, timeout_s=5)
        assert await texts_of(memory, "what about the pump?") == first
        memory.retriever.reranking = Reranking(counted, candidates=2, weight=1, timeout_s=5)
        assert (await texts_of(memory, "what about the pump?"))[2:] == first[2:]


@pytest.mark.anyio
async def test_what_is_certain_stays_as_it_is(tmp_path: Path) -> None:
    """The newest, the first, a requested order, quoted words and chosen arms are not reranked; those of a named day stay
    in front of the others.
    """
    later = talk("later", ["the pump again, zzzzzz"])
    async with memory_with(tmp_path, {"house": LINES}) as memory:
        await memory.store([later])
        await memory.indexed.refresh_indexes()
        questions: list[Mapping[str, Any]] = [
            {"text": "what did Bob write last?"},
            {"text": "when did Bob first mention the pump?"},
            {"text": '"the pump"'},
            {"text": "pump", "sort": "time"},
            {"text": "pump", "arms": ("lexical",)},
        ]
        before = [await texts_of(memory, **each) for each in questions]
        counted = Counted()
        memory.retriever.reranking = Reranking(counted, candidates=20, weight=1, timeout_s=5)
        assert [await texts_of(memory, **each) for each in questions] == before
        assert not counted.texts


@pytest.mark.anyio
async def test_a_reranker_that_fails_or_is_slow_leaves_the_first_ranking(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer says ``rerank``; after a timeout the next questions do not wait; without one, who wants it is told."""
    async with memory_with(tmp_path, {"house": LINES}) as memory:
        first = await texts_of(memory, "pump")
        asking = Query(text="pump", context=0)
        memory.retriever.reranking = Reranking(Counted(fails=True), candidates=20, weight=1, timeout_s=5)
        result = await memory.query(asking)
        assert ([hit.text for hit in result.hits], result.degraded[1:]) == (first, ("rerank",))
        slow = Counted(delay=60)
        memory.retriever.reranking = Reranking(slow, candidates=20, weight=1, timeout_s=0.01)
        for _ in range(2):
            result = await memory.query(asking)
            assert ([hit.text for hit in result.hits], result.degraded[1:]) == (first, ("rerank",))
        assert len(slow.texts) == 1
        monkeypatch.setattr(reranking, "QUIET_SECONDS", 0.0)
        memory.retriever.reranking = None
        assert (await memory.query(asking)).degraded == ("vector",)
        assert (await memory.query(asking.model_copy(update={"rerank": True}))).degraded[1:] == ("rerank",)


@pytest.mark.anyio
async def test_an_answer_without_an_end_is_given_up(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Long before one with vectors would be."""
    monkeypatch.setattr(bounded, "RANKING_BYTES", 100_000)
    server.every = (200, Raw(b" " * 1_000_000))
    async with endpoint_of(server, tmp_path) as (reranker, _):
        with pytest.raises(RerankError, match="more than 100,000 bytes"):
            await reranker.scores("pump", ["a", "b"])


def test_scores_of_any_size_are_normalised() -> None:
    """Their order stays, and the squares of the largest overflow nowhere."""
    for scores in ([3.0, 1.0, 2.0], [1e308, -1e308, 0.0], [3e-320, 1e-320, 2e-320]):
        column = _normalised(scores)
        assert np.isfinite(column).all()
        assert np.argsort(column).tolist() == np.argsort(scores).tolist()
    assert not _normalised([0.0, 0.0]).any()
    assert not _normalised([7.0, 7.0]).any()


@pytest.mark.anyio
async def test_nothing_private_is_sent(server: Server, tmp_path: Path) -> None:
    """Messages of private documents keep their places and are not sent; secrets are placeholders; what was sent is in
    the audit log under its documents, and is forgotten with them.
    """
    (tmp_path / "llm").mkdir()
    chats = {"house": [*LINES, f"pump key {KEY} zz"], "family": ["a secret pump, zzzzz", "pump, our secret"]}
    async with (
        memory_with(tmp_path / "store", chats) as memory,
        endpoint_of(server, tmp_path / "llm") as (remote, audit),
    ):
        private = {key_of(talk("family", LINES))}

        async def kept(documents: Collection[UUID]) -> Collection[UUID]:
            return private.intersection(documents)

        first = await texts_of(memory, f"pump {KEY}")
        memory.retriever.reranking = Reranking(remote, candidates=20, weight=1, timeout_s=5, private=kept)
        hits = await texts_of(memory, f"pump {KEY}")
        sent = str([request.body for request in server.requests])
        assert "secret" not in sent
        assert KEY not in sent
        assert "[key-1]" in sent
        assert {at: text for at, text in enumerate(first) if "secret" in text} == {
            at: text for at, text in enumerate(hits) if "secret" in text
        }
        public = [text for text in hits if "secret" not in text]
        assert public == sorted(public, key=lambda text: -text.count("z"))
        (entry,) = await audit.list()
        assert (entry.purpose, entry.model, entry.documents) == ("rerank", "letters", (key_of(talk("house", LINES)),))
        await audit._store.forget([key_of(talk("house", LINES)).bytes])  # pyright: ignore[reportPrivateUsage]
        assert await audit.list() == []


@pytest.mark.anyio
async def test_an_endpoint_that_fails_is_told_by_its_kind(server: Server, tmp_path: Path) -> None:
    """Rate limits, errors, cut answers and wrong ones raise without any text that was sent; the next request works."""
    wrong: list[Fault] = [
        BUSY,
        BROKEN,
        CUT,
        DROPPED,
        Fault(status=401),
        Fault(change=lambda _: {"results": []}),
        Fault(change=lambda _: {"results": [{"index": 0, "relevance_score": 1}, {"index": 0, "relevance_score": 1}]}),
        Fault(change=lambda _: {"results": [{"index": at, "relevance_score": "1"} for at in range(2)]}),
        Fault(change=lambda _: {"results": [{"index": at - 1, "relevance_score": 1} for at in range(2)]}),
        Fault(change=lambda _: [1, 2]),
    ]
    async with endpoint_of(server, tmp_path) as (reranker, _):
        for fault in wrong:
            server.fail(fault, path=RERANK)
            with pytest.raises(RerankError) as raised:
                await reranker.scores("a private question", ["one", "two"])
            assert "private" not in f"{raised.value}{raised.value.hint}"
            assert list(await reranker.scores("which?", ["z", ""])) == [0.01, 0]


@pytest.mark.anyio
async def test_an_endpoint_that_calls_documents_texts_is_understood(server: Server, tmp_path: Path) -> None:
    """TEI refuses ``documents``; from then on it gets ``texts``, and its list is read."""
    server.routes[RERANK] = lambda _: [{"index": 1, "score": 0.5}, {"index": 0, "score": 0.25}]
    server.fail_always(Fault(status=422, when=lambda body: "texts" not in body), path=RERANK)
    async with endpoint_of(server, tmp_path) as (reranker, _):
        for _ in range(2):
            assert list(await reranker.scores("which?", ["one", "two"])) == [0.25, 0.5]
    assert [sorted(request.body) for request in server.requests] == [
        ["documents", "model", "query", "top_n"],
        ["model", "query", "texts"],
        ["model", "query", "texts"],
    ]


@for_each([b"", b"null", b"{}", b"[[]]", b'[{"index": true, "score": 1}]', b'[{"index": 0}]'])
def test_numbers_that_are_none_are_refused(body: bytes) -> None:
    """An answer without a number for each text is no ranking."""
    with pytest.raises(RerankError):
        scores_of(body, 1)


@pytest.mark.anyio
async def test_a_folder_of_no_cross_encoder_is_explained(tmp_path: Path) -> None:
    """A missing folder is a wrong setting; a classifier of many labels, an embedder and a damaged file fail when read."""
    with pytest.raises(ConfigError) as missing:
        CrossEncoder(tmp_path / "nowhere")
    assert "rerank.model" in missing.value.hint
    write_cross_encoder(tmp_path / "classes", outputs=3)
    write_cross_encoder(tmp_path / "embedder")
    write_model(tmp_path / "embedder" / "model.onnx")
    write_cross_encoder(tmp_path / "damaged")
    (tmp_path / "damaged" / "model.onnx").write_bytes(b"no model")
    for folder in ("classes", "embedder", "damaged"):
        with pytest.raises(RerankError):
            await CrossEncoder(tmp_path / folder, threads=1).scores("which?", ["one", "two"])
