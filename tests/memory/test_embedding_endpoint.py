"""The embedder behind an endpoint keeps the contract, and bears what endpoints do, on a real socket."""

from __future__ import annotations

import json
import logging
import math
import random
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import anyio
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.memory.embedding.bundled import ENGLISH, bundled_model
from memd.memory.embedding.openai_compatible import Endpoint, EndpointEmbedder
from memd.memory.embedding.response import vectors_of
from memd.memory.embedding.tokenizer import TokenEstimate, tokenizer_in
from memd.memory.openai_http.failures import failure_of_status, retry_after
from memd.schemas.errors import ConfigError, EmbeddingError
from memd.tests.cases import for_each
from memd.tests.contracts.embedder import EmbedderContract
from memd.tests.openai_server.embeddings import DIMENSION
from memd.tests.openai_server.faults import BROKEN, BUSY, CUT, DROPPED, Fault, of_each_vector, of_the_list
from memd.tests.openai_server.server import Server

SECRET = "a sentence that must stay private"


@pytest.fixture
def server() -> Iterator[Server]:
    """The test server."""
    with Server(key="sesame") as server:
        yield server


@pytest.fixture(autouse=True)
def _quick_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody needs to wait for a server that does not need time."""
    monkeypatch.setattr("memd.memory.openai_http.failures.FIRST_PAUSE", 0.01)


@asynccontextmanager
async def embedder_at(server: Server, key: str | None = "sesame", **options: Any) -> AsyncGenerator[EndpointEmbedder]:
    """An embedder that uses the server."""
    made = replace(Endpoint("words-256", server.base_url), **options)
    embedder = EndpointEmbedder(made, TokenEstimate(), lambda: key)
    try:
        yield embedder
    finally:
        await embedder.aclose()


class TestEndpoint(EmbedderContract):
    """Numbers written as such."""

    @pytest.fixture
    async def embedder(self, server: Server) -> AsyncGenerator[EndpointEmbedder]:
        """A fresh one: connections belong to a test's event loop."""
        async with embedder_at(server) as embedder:
            yield embedder


class TestEndpointInBase64(EmbedderContract):
    """Numbers packed, tokens counted by a tokenizer.json, few texts at once, prefixes."""

    @pytest.fixture
    async def embedder(self, server: Server) -> AsyncGenerator[EndpointEmbedder]:
        """The same server, used otherwise."""
        endpoint = Endpoint(
            "words-256", server.base_url, encoding="base64", request_texts=7, document_prefix="d: ", query_prefix="q: "
        )
        embedder = EndpointEmbedder(endpoint, tokenizer_in(bundled_model(ENGLISH)), lambda: "sesame")
        yield embedder
        await embedder.aclose()


@pytest.mark.anyio
async def test_nothing_is_asked_before_the_first_text(server: Server) -> None:
    """Made, named and counted with, without contact; the first answer tells the dimension, and whoever waits for it."""
    async with embedder_at(server) as embedder:
        told: list[int] = []

        async def tell() -> None:
            told.append(embedder.dimension)

        embedder.when_measured = tell
        assert embedder.count_many(["one two"]) == [2]
        assert (embedder.dimension, embedder.max_tokens, server.requests) == (0, 512, [])
        await embedder.embed_query("one")
        await embedder.embed_documents(["two"])
        assert (embedder.dimension, told, len(server.requests)) == (DIMENSION, [DIMENSION], 2)


@pytest.mark.anyio
async def test_requests_are_bounded_and_carry_what_is_set(server: Server) -> None:
    """By count and by tokens; with model, dimensions, encoding, prefix and key."""
    options: dict[str, Any] = {"request_texts": 5, "request_tokens": 12, "dimensions": 32, "document_prefix": "doc "}
    async with embedder_at(server, **options) as embedder:
        texts = [*(f"t{number}" for number in range(9)), "one two " * 20, "last"]
        assert (await embedder.embed_documents(texts)).shape == (11, 32)
    sent = [request.body["input"] for request in server.requests]
    assert [text for batch in sent for text in batch] == [f"doc {text}" for text in texts]
    assert max(map(len, sent)) <= 5
    assert [f"doc {texts[9]}"] in sent
    body = server.requests[0].body
    assert (body["model"], body["dimensions"], body["encoding_format"]) == ("words-256", 32, "float")
    assert {name.lower(): value for name, value in server.requests[0].headers.items()}["authorization"] == (
        "Bearer sesame"
    )


@pytest.mark.anyio
async def test_long_and_blank_texts_are_made_sendable(server: Server) -> None:
    """Nothing longer than the limit is sent, nothing blank, nothing that is no Unicode."""
    async with embedder_at(server, max_tokens=10) as embedder:
        await embedder.embed_documents(["word " * 50, "", " \n", "\ud800"])
    assert server.texts()[1:] == ["word word word word word", ".", ".", "\ufffd"]


@pytest.mark.slow
@pytest.mark.anyio
@pytest.mark.parametrize("fault", [BUSY, BROKEN, CUT, DROPPED, Fault(status=503), Fault(status=408)], ids=str)
async def test_passing_trouble_is_tried_again(server: Server, fault: Fault) -> None:
    """Busy, broken, cut off, hung up: two failures cost two attempts more."""
    server.fail(fault, fault)
    async with embedder_at(server) as embedder:
        assert (await embedder.embed_documents(["text"])).shape == (1, DIMENSION)
    assert len(server.requests) == 4  # the dimension is asked for before the text


@pytest.mark.anyio
async def test_trouble_that_stays_ends_the_attempts(server: Server) -> None:
    """After four; a question has one."""
    server.fail_always(BROKEN)
    async with embedder_at(server, dimensions=8) as embedder:
        with pytest.raises(EmbeddingError, match="answered 500"):
            await embedder.embed_documents(["text"])
        assert len(server.requests) == 4
        with pytest.raises(EmbeddingError, match="answered 500"):
            await embedder.embed_query("text")
        assert len(server.requests) == 5
        server.heal()
        assert (await embedder.embed_query("text")).shape == (8,)


@pytest.mark.anyio
@pytest.mark.slow
async def test_a_wait_that_is_asked_for_can_be_cancelled(server: Server) -> None:
    """The pause that the endpoint asks for is kept, and ends when nobody wants the vectors any more."""
    server.fail_always(Fault(status=429, headers={"Retry-After": "50"}))
    async with embedder_at(server) as embedder:
        with anyio.CancelScope() as scope:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(embedder.embed_documents, ["text"])
                while not server.requests:
                    await anyio.sleep(0.01)
                await anyio.sleep(0.5)
                scope.cancel()
        assert scope.cancelled_caught
        assert len(server.requests) == 1
        server.heal()
        assert (await embedder.embed_documents(["text"])).shape == (1, DIMENSION)


@pytest.mark.anyio
async def test_a_wait_beyond_all_patience_is_not_begun(server: Server) -> None:
    """Asked to come back in an hour, it gives up at once and says so."""
    server.fail_always(Fault(status=429, headers={"Retry-After": "3600"}, code="insufficient_quota"))
    async with embedder_at(server) as embedder:
        with pytest.raises(EmbeddingError, match=r"answered 429 \(insufficient_quota\)"):
            await embedder.embed_documents(["text"])
    assert len(server.requests) == 1


@pytest.mark.slow
@pytest.mark.anyio
@pytest.mark.parametrize("fault", [Fault(delay=3), Fault(drip=0.05)], ids=["silent", "dripping"])
async def test_silence_ends(server: Server, monkeypatch: pytest.MonkeyPatch, fault: Fault) -> None:
    """An endpoint that answers too slowly, or byte by byte for ever, is given up; questions then do not wait at all."""
    attempts: list[EndpointEmbedder] = []  # a request that is given up early may never reach the server
    attempt = EndpointEmbedder._attempt  # pyright: ignore[reportPrivateUsage]

    async def counted(embedder: EndpointEmbedder, *arguments: Any) -> Any:
        attempts.append(embedder)
        return await attempt(embedder, *arguments)

    monkeypatch.setattr(EndpointEmbedder, "_attempt", counted)
    server.fail_always(fault)
    async with embedder_at(server, timeout_s=1, dimensions=DIMENSION) as embedder:
        with pytest.raises(EmbeddingError, match="in time"):
            await embedder.embed_documents(["text"])
        assert len(attempts) == 2
        for asked in (3, 3):
            with pytest.raises(EmbeddingError, match="in time"):
                await embedder.embed_query("text")
            assert len(attempts) == asked
        assert len(server.requests) <= len(attempts)
        server.heal()
        await embedder.embed_documents(["text"])
        assert (await embedder.embed_query("text")).shape == (DIMENSION,)


@pytest.mark.slow
@pytest.mark.anyio
@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (of_each_vector(lambda row: row[:-1]), "shape"),
        (of_each_vector(lambda row: [math.nan, *row[1:]]), "no JSON"),
        (of_each_vector(lambda row: [1e300, *row[1:]]), "not finite"),
        (of_each_vector(lambda row: [0.0] * len(row)), "length zero"),
        (of_each_vector(lambda _: "AAAAwH9!"), "base64"),
        (of_each_vector(lambda _: "AADAfw=="), "shape"),
        (of_each_vector(lambda row: ["1", *row[1:]]), "no list of numbers"),
        (of_each_vector(lambda row: [None, *row[1:]]), "no list of numbers"),
        (of_each_vector(lambda row: [[1.0], *row[1:]]), "no list of numbers"),
        (of_each_vector(lambda _: []), "no list of numbers"),
        (of_the_list(lambda data: data[:-1]), "2 vectors for 3 texts"),
        (of_the_list(lambda data: [*data, data[0]]), "4 vectors for 3 texts"),
        (of_the_list(lambda data: [data[0], data[0], data[2]]), "which vector is whose"),
        (of_the_list(lambda data: [{**item, "index": item["index"] + 1} for item in data]), "which vector is whose"),
        (of_the_list(lambda data: [data[0], data[1], {**data[2], "embedding": [1.0]}]), "different lengths"),
        (Fault(change=lambda _: []), "holds no vectors"),
        (Fault(change=lambda _: {"data": None}), "holds no vectors"),
    ],
)
async def test_unusable_answers_are_refused(server: Server, fault: Fault, told: str) -> None:
    """Wrong length, not finite, zero, no numbers, too few, too many, of unknown order: no vector is taken."""
    async with embedder_at(server) as embedder:
        await embedder.load()
        server.fail_always(fault)
        with pytest.raises(EmbeddingError, match=told):
            await embedder.embed_documents(["one", "two", "three"])
        server.heal()
        assert (await embedder.embed_documents(["one"])).shape == (1, DIMENSION)


@pytest.mark.anyio
async def test_a_shuffled_answer_is_put_in_order(server: Server) -> None:
    """The index says which vector is whose; without any the order is that of the texts."""
    texts = [f"word{number}" for number in range(20)]
    async with embedder_at(server) as embedder:
        right = await embedder.embed_documents(texts)
        server.fail_always(of_the_list(lambda data: random.Random(7).sample(data, len(data))))
        assert np.array_equal(await embedder.embed_documents(texts), right)
        bare = of_the_list(lambda data: [{"embedding": item["embedding"]} for item in data])
        server.fail_always(bare)
        assert np.array_equal(await embedder.embed_documents(texts), right)


@pytest.mark.anyio
async def test_texts_that_are_refused_do_not_hold_up_others(server: Server) -> None:
    """A text that the endpoint finds too long is found by halving, and shortened until it is taken."""
    server.fail_always(
        Fault(status=400, code="context_length_exceeded", when=lambda body: any(len(t) > 300 for t in body["input"]))
    )
    async with embedder_at(server) as embedder:
        vectors = await embedder.embed_documents(["one", "two", "tomato " * 100, "four"])
        assert vectors.shape == (4, DIMENSION)
        assert float(vectors[2] @ await embedder.embed_query("tomato")) > 0.97


@pytest.mark.anyio
async def test_a_refusal_of_everything_is_told(server: Server) -> None:
    """When even a word is refused, it is not for the texts: two requests and a hint."""
    async with embedder_at(server, dimensions=8) as embedder:
        server.fail_always(Fault(status=400, message=SECRET))
        with pytest.raises(EmbeddingError, match="answered 400") as caught:
            await embedder.embed_documents(["text " * 50] * 10)
        assert "embedding.dimensions" in caught.value.hint
        assert len(server.requests) == 2


@pytest.mark.anyio
async def test_a_wrong_key_is_told_and_asked_for_again(server: Server) -> None:
    """Not tried again by itself; another key is used without a new start."""
    keys = ["wrong", "sesame"]
    embedder = EndpointEmbedder(Endpoint("m", server.base_url), TokenEstimate(), lambda: keys.pop(0))
    with pytest.raises(EmbeddingError, match=r"answered 401 \(invalid_api_key\)") as caught:
        await embedder.embed_query("text")
    assert "api_key_env" in caught.value.hint
    assert (await embedder.embed_query("text")).shape == (DIMENSION,)
    await embedder.aclose()


@pytest.mark.anyio
async def test_a_key_that_cannot_be_read_is_an_embedders_trouble(server: Server) -> None:
    """Words are answered without it."""

    def key() -> str:
        raise ConfigError("the key file is open to others", hint="chmod")

    embedder = EndpointEmbedder(Endpoint("m", server.base_url), TokenEstimate(), key)
    with pytest.raises(EmbeddingError, match="open to others"):
        await embedder.embed_query("text")


@pytest.mark.anyio
async def test_nobody_at_the_address_is_told() -> None:
    """Refused connections end quickly."""
    with Server() as server:
        pass
    async with embedder_at(server) as embedder:
        with pytest.raises(EmbeddingError, match="cannot be reached"):
            await embedder.embed_documents(["text"])


@pytest.mark.anyio
@pytest.mark.slow
async def test_texts_and_keys_are_in_no_error_and_no_log(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    """Neither what was sent, nor what the endpoint says about it, nor the key."""
    caplog.set_level(logging.DEBUG)
    for fault in (Fault(status=400, message=SECRET, code=SECRET), Fault(status=500, message=SECRET), CUT, DROPPED):
        async with embedder_at(server, dimensions=8) as embedder:
            server.fail_always(fault)
            with pytest.raises(EmbeddingError) as caught:
                await embedder.embed_documents([SECRET])
            shown = [str(caught.value), caught.value.hint, repr(caught.value.__cause__), caplog.text]
            assert not any(SECRET in text or "sesame" in text for text in shown)
            server.heal()
            await embedder.embed_documents([SECRET])
    assert SECRET not in caplog.text


def test_names_tell_models_apart() -> None:
    """Model, address, document prefix and a name of one's own make other vectors; the question's prefix does not."""

    def name(**options: Any) -> str:
        endpoint = replace(Endpoint("m/1", "http://a/v1"), **options)
        return EndpointEmbedder(endpoint, TokenEstimate(), lambda: None).name

    others = [{"model": "m/2"}, {"base_url": "http://b/v1"}, {"document_prefix": "d"}, {"name": "m/1"}]
    assert len({name(), *(name(**other) for other in others)}) == 5
    assert name(query_prefix="q", base_url="http://a/v1/", max_tokens=100) == name()
    assert name(name="mine", base_url="http://b/v1") == name(name="mine", model="other")
    assert name().startswith("m-1@")


@for_each(
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({}, None),
    ]
)
def test_retry_after_is_read_as_it_may_be_written(headers: dict[str, str], seconds: float | None) -> None:
    """Seconds, milliseconds or a date; nonsense is as good as nothing."""
    assert retry_after(headers) == seconds


def test_retry_after_may_be_a_date_to_come() -> None:
    """Then it is what is left until it."""
    found = retry_after({"retry-after": format_datetime(datetime.now(UTC) + timedelta(seconds=100))})
    assert found is not None
    assert 90 < found <= 100


def test_statuses_are_told_apart() -> None:
    """What may pass is tried again, what is refused is not, and only codes are shown of a body."""
    assert [status for status in range(400, 600) if failure_of_status(status, None, {}, "", "embedding").again] == [
        408, 409, 425, 429, *range(500, 600),
    ]  # fmt: skip
    assert failure_of_status(400, "Private Words", {}, "", "embedding").message == "the embedding endpoint answered 400"


@given(st.binary(max_size=200), st.integers(1, 3))
def test_any_answer_is_read_or_refused(body: bytes, count: int) -> None:
    """Never anything but vectors or the error."""
    with suppress(EmbeddingError):
        assert vectors_of(body, count).shape[0] == count


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["data", "index", "embedding"]), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(JSON, st.integers(1, 3))
def test_any_json_is_read_or_refused(answer: object, count: int) -> None:
    """The same for what is JSON, of shapes near the right one."""
    with suppress(EmbeddingError):
        assert vectors_of(json.dumps({"data": answer}).encode(), count).shape[0] == count


@given(st.text())
def test_the_estimate_is_of_spans_in_order(text: str) -> None:
    """As many spans as are counted, ascending, within the text."""
    estimate = TokenEstimate()
    spans = estimate.token_offsets(text)
    assert spans == sorted(spans)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert estimate.count_many([text]) == [len(spans)]


@for_each(
    [
        "I moved to a flat in Lisbon last year, near the river; call +351 210 000 000!",
        "Donaudampfschifffahrtsgesellschaftskapitän, Rechtsschutzversicherungsgesellschaften",
        "東京に行きます、明日。",
        "Где ты живёшь теперь?",
        "\N{FAMILY} 100% sure :-)",
    ]
)
def test_the_estimate_is_not_below_a_real_count(text: str) -> None:
    """That of the English model, whose vocabulary is small."""
    assert TokenEstimate().count_many([text])[0] >= tokenizer_in(bundled_model(ENGLISH)).count_many([text])[0]


def test_a_tokenizer_that_is_not_there_is_told(tmp_path: Path) -> None:
    """By its path."""
    with pytest.raises(ConfigError, match="no tokenizer"):
        tokenizer_in(tmp_path)
