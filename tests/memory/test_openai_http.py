"""The one HTTP client for models, on real sockets: texts go to the configured address or nowhere, whoever sends them."""

from __future__ import annotations

import gzip
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from memd.memory.embedding.openai_compatible import Endpoint, EndpointEmbedder
from memd.memory.embedding.tokenizer import TokenEstimate
from memd.memory.llm.chat import Prompt, PromptMessage
from memd.memory.llm.store import LLMStore
from memd.memory.openai_http import bounded, failures
from memd.memory.openai_http.failures import EndpointFailure, RetryPolicy, failure_of_status, timeout_failure
from memd.schemas.errors import EmbeddingError, ExtractionError, MemdError
from memd.tests.llm.places import Place, window
from memd.tests.llm.test_batch import submit
from memd.tests.openai_server.batches import Raw
from memd.tests.openai_server.faults import BUSY, Fault
from memd.tests.openai_server.server import CHAT, Server

SECRET = "a sentence that must stay private"
EMBEDDINGS = "/v1/embeddings"
Send = Callable[[], Awaitable[object]]


@pytest.fixture(autouse=True)
def _quick_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody needs to wait for a server that does not need time."""
    monkeypatch.setattr(failures, "FIRST_PAUSE", 0.01)


@pytest.fixture
def server() -> Iterator[Server]:
    """The configured endpoint."""
    with Server() as server:
        yield server


@asynccontextmanager
async def sender(server: Server, kind: str, folder: Path) -> AsyncGenerator[Send]:
    """What sends a private text to the server: as a document, as a prompt, in a batch."""
    embedder = EndpointEmbedder(Endpoint("words-256", server.base_url, dimensions=256), TokenEstimate(), lambda: None)
    store = LLMStore(folder)
    place = Place(server, store)
    prompt = Prompt((PromptMessage("user", SECRET),), "answer", {}, 64)
    sends: dict[str, Send] = {
        EMBEDDINGS: lambda: embedder.embed_documents([SECRET]),
        CHAT: lambda: place.model.complete(prompt),
        "/v1/files": lambda: submit(place, [window(("Ann", SECRET))]),
    }
    try:
        yield sends[kind]
    finally:
        await embedder.aclose()
        await place.model.aclose()
        store.close()


@pytest.mark.slow
@pytest.mark.anyio
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "packed"])
@pytest.mark.parametrize("status", [200, 500])
@pytest.mark.parametrize("path", [EMBEDDINGS, CHAT])
async def test_an_answer_without_an_end_is_given_up(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, status: int, *, packed: bool
) -> None:
    """By its unpacked size, whatever its status; it is not asked for again."""
    monkeypatch.setattr(bounded, "ANSWER_BYTES", 100_000)
    endless = b" " * 1_000_000
    server.every = (status, Raw(gzip.compress(endless) if packed else endless))
    if packed:
        server.fail_always(Fault(headers={"Content-Encoding": "gzip"}), path=path)
    async with sender(server, path, tmp_path) as send:
        with pytest.raises((EmbeddingError, ExtractionError), match="more than 100,000 bytes") as raised:
            await send()
    assert isinstance(raised.value, MemdError)
    assert "base_url" in raised.value.hint
    assert len(server.requests) == 1


@pytest.mark.anyio
async def test_a_file_of_many_answers_may_be_larger(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Up to a bound of its own."""
    monkeypatch.setattr(bounded, "ANSWER_BYTES", 100_000)
    server.every = (200, Raw(b"x" * 1_000_000))
    store = LLMStore(tmp_path)
    place = Place(server, store)
    try:
        client = await place.model.connection.client()
        assert len((await client.files.with_raw_response.content("f")).content) == 1_000_000
        monkeypatch.setattr(bounded, "FILE_BYTES", 900_000)
        with pytest.raises(place.model.connection.failures) as raised:
            await client.files.with_raw_response.content("f")
        assert "900,000" in place.model.connection.failure_of(raised.value).message
    finally:
        await place.model.aclose()
        store.close()


@pytest.mark.slow
@pytest.mark.anyio
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("path", [EMBEDDINGS, CHAT, "/v1/files"])
async def test_texts_do_not_follow_a_redirection(server: Server, tmp_path: Path, path: str, status: int) -> None:
    """Nothing arrives at the other address, nothing is tried again, and the error says where to look."""
    with Server() as elsewhere:
        location = elsewhere.base_url + path.removeprefix("/v1")
        server.fail_always(Fault(status=status, headers={"Location": location}), path=path)
        async with sender(server, path, tmp_path) as send:
            with pytest.raises((EmbeddingError, ExtractionError), match=str(status)) as raised:
                await send()
        assert elsewhere.requests == []
    assert sum(request.path == path for request in server.requests) == 1
    error = raised.value
    assert isinstance(error, MemdError)
    assert "base_url" in error.hint
    assert SECRET not in str(error) + error.hint


@pytest.mark.anyio
@pytest.mark.parametrize("path", [EMBEDDINGS, CHAT])
async def test_no_proxy_sees_what_stays_on_this_machine(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """A proxy of the environment is for the world outside."""
    with Server() as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        for name in ("NO_PROXY", "no_proxy"):
            monkeypatch.delenv(name, raising=False)
        async with sender(server, path, tmp_path) as send:
            await send()
        assert proxy.requests == []
    assert any(request.path == path for request in server.requests)


@pytest.mark.anyio
@pytest.mark.parametrize("path", [EMBEDDINGS, CHAT])
async def test_both_kinds_are_tried_again_alike(server: Server, tmp_path: Path, path: str) -> None:
    """Three times busy is borne; an account without money is not, though its status is the same."""
    async with sender(server, path, tmp_path) as send:
        server.fail(BUSY, BUSY, BUSY, path=path)
        await send()
        assert len(server.requests) == 4
        server.fail(Fault(status=429, code="insufficient_quota"), path=path)
        with pytest.raises((EmbeddingError, ExtractionError)) as raised:
            await send()
    assert len(server.requests) == 5
    assert isinstance(raised.value, MemdError)
    assert "spend" in raised.value.hint


def test_a_time_out_counts_double(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four attempts, or two silences; pauses double; who asks for too much patience gets none."""
    monkeypatch.setattr(failures, "FIRST_PAUSE", 1.0)
    passing = EndpointFailure("busy", again=True)
    retries = RetryPolicy(4)
    assert [retries.pause_after(passing) for _ in range(4)] == [1.0, 2.0, 4.0, None]
    retries = RetryPolicy(4)
    assert [retries.pause_after(timeout_failure("llm")) for _ in range(2)] == [1.0, None]
    assert RetryPolicy(4).pause_after(EndpointFailure("busy", again=True, wait=failures.LONGEST_WAIT + 1)) is None
    assert RetryPolicy(4).pause_after(EndpointFailure("wrong")) is None
    assert not failure_of_status(308, None, {}, "", "llm").again
