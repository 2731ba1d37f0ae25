"""What a server may answer: private text in its complaints, the same page for ever, no Weaviate's answer at all."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable, Generator
from datetime import UTC, datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler
from socket import socket
from typing import Any, cast
from uuid import uuid4

import pytest
from httpx import HTTPError
from weaviate.classes.query import Filter
from weaviate.exceptions import WeaviateBaseError
from weaviate.util import get_valid_uuid

from memd.memory.index.errors import IndexServerError, UnreachableServerError
from memd.memory.index.weaviate import schema
from memd.memory.index.weaviate.batches import PAGE, rows_in
from memd.memory.index.weaviate.rows import content_hash, row_of
from memd.memory.index.weaviate.server import Place, WeaviateServer
from memd.memory.index.weaviate.server_messages import OWN_WORDS, own_words
from memd.memory.index.weaviate.settings import Connection
from memd.tests.loopback_http import LoopbackHTTPServer


def test_only_a_servers_own_words_are_told() -> None:
    """In the order of the text, each once; what it quotes of an object, and words that nobody knows, are left out."""
    told = "put object: property 'text': 'meet me at the harbour': write /data/x: No space left on device (shard is read-only)"
    assert own_words(told) == "no space left on device, shard is read-only"
    assert own_words("invalid value 'Ann owes Bob 300'") == ""
    assert own_words("") == ""
    assert all(words == " ".join(words.casefold().split()) for words in OWN_WORDS)


@pytest.mark.anyio
async def test_an_error_holds_nothing_of_what_was_sent() -> None:
    """Whatever the client raises with it."""
    server = WeaviateServer(Connection("memory"))
    error = server.translated(ValueError("near 'the secret of Ann': deadline exceeded"))
    assert "secret" not in f"{error.message} {error.hint}"
    assert "deadline exceeded" in error.message


@pytest.mark.anyio
async def test_a_server_that_is_not_there_is_told_of_without_names_of_the_client() -> None:
    """By its address, in a whole sentence."""
    with socket() as free:
        free.bind(("127.0.0.1", 0))
        server = WeaviateServer(Connection("memory", port=free.getsockname()[1]))
        with pytest.raises(UnreachableServerError) as caught:
            await server.read(lambda client: client.collections.list_all(simple=True))
    assert caught.value.message == f"the Weaviate server at {server.address} does not answer"


@pytest.mark.parametrize(
    "raised", [WeaviateBaseError(""), HTTPError(""), OSError(), ValueError()], ids=lambda e: type(e).__name__
)
def test_no_error_is_told_by_the_name_of_its_class(raised: Exception) -> None:
    """It means nothing to whoever reads it."""
    error = WeaviateServer(Connection("memory")).translated(raised)
    assert type(raised).__name__ not in f"{error.message} {error.hint}"
    assert error.message.endswith(("answer", "fails"))


@pytest.mark.anyio
async def test_pages_that_do_not_go_on_are_refused() -> None:
    """The same page again and again would be read for ever."""
    page = [(uuid4(), 1), (uuid4(), 2)]

    class Same:
        address = "there"

        async def query(self, place: Place, work: Callable[[Any], Awaitable[Any]]) -> Any:
            del place, work
            return page

    with pytest.raises(IndexServerError, match="again and again"):
        await rows_in(cast("WeaviateServer", Same()), Place("a", "b"))


@pytest.mark.parametrize("value", [None, "7", [1]], ids=["nothing", "text", "list"])
def test_an_object_without_a_row_is_an_error(value: Any) -> None:
    """Not a row that is taken for another."""
    with pytest.raises(IndexServerError):
        row_of({} if value is None else {"row": value})


@pytest.mark.anyio
async def test_the_place_of_an_error_of_the_client_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    """The file and the line are told, and nothing of what it says; an error of memd's own code stays what it is."""
    server = WeaviateServer(Connection("memory"))

    async def not_understood(_work: object, _seconds: float) -> None:
        get_valid_uuid("the secret of Ann")

    async def ours(_work: object, _seconds: float) -> None:
        raise KeyError("a fault of memd")

    async def read() -> None:
        await server.read(lambda _client: cast("Awaitable[None]", None))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(server, "_in_time", not_understood)
        for _ in range(2):
            with pytest.raises(IndexServerError):
                await read()
        patch.setattr(server, "_in_time", ours)
        with pytest.raises(KeyError):
            await read()
    (record,) = caplog.records
    assert "ValueError" in record.getMessage()
    assert "weaviate" in record.getMessage()
    assert "secret" not in record.getMessage()


def test_what_is_read_back_has_the_hash_of_what_was_sent() -> None:
    """Numbers become floats, times another zone, what is empty goes; any other difference is one."""
    noon = datetime(2024, 1, 15, 12, tzinfo=UTC)
    sent = {"row": 7, "text": "a lamp", "time": noon, "tags": ["x", "y"], "people": [], "chat": "", "present": True}
    back = {"row": 7.0, "text": "a lamp", "time": noon.astimezone(timezone(timedelta(hours=2))), "tags": ["x", "y"]}
    back |= {"people": None, "chat": None, "present": True, "speaker": None}
    assert content_hash(cast("Any", sent)) == content_hash(cast("Any", back))
    changes = {
        "row": 8,
        "text": "a  lamp",
        "time": noon + timedelta(microseconds=1),
        "tags": ["y", "x"],
        "present": False,
    }
    for name, value in changes.items():
        assert content_hash(cast("Any", sent | {name: value})) != content_hash(cast("Any", sent))


@pytest.mark.anyio
async def test_all_objects_of_a_filter_are_read() -> None:
    """Pages go on behind the last row of the page before."""
    pages = iter([[(uuid4(), row) for row in range(PAGE)], [(uuid4(), PAGE)], []])

    class Pages:
        address = "there"

        async def query(self, place: Place, work: Callable[[Any], Awaitable[Any]]) -> Any:
            del place, work
            return next(pages)

    found = await rows_in(cast("WeaviateServer", Pages()), Place("a", "b"), Filter.by_property("fact").equal("x"))
    assert found == set(range(PAGE + 1))


class _Other(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = b'{"status": [1, 2], "modules": null}' if self.path.endswith("meta") else b"<html>welcome</html>"
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the parent's
        del format, args


@pytest.fixture
def other() -> Generator[int]:
    """The port of a web server that is no Weaviate."""
    server = LoopbackHTTPServer(_Other)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.server_port
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.anyio
@pytest.mark.slow
async def test_what_is_no_weaviate_is_told(other: int) -> None:
    """Its answers are errors of ours, whatever the client makes of them."""
    server = WeaviateServer(Connection("memory", port=other, grpc_port=other, query_seconds=3))
    with pytest.raises(IndexServerError):
        await schema.check_version(server)
    with pytest.raises(IndexServerError):
        await schema.missing_columns(server, schema.MESSAGES)
    await server.close()
