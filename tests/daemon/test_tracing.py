"""Spans through an import and a question: in memory, and at a collector over a real socket."""

from __future__ import annotations

import gzip
import socket
import sys
import threading
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from memd.daemon.app import open_app
from memd.daemon.config.settings import Settings, TracingSettings
from memd.daemon.http.middleware import LimitsMiddleware
from memd.daemon.tracing import CORRELATION_ATTRIBUTE, exported, provider_for
from memd.memory.tracing import set_tracer, span
from memd.schemas.errors import ConfigError
from memd.tests.daemon.house import talk
from memd.tests.daemon.test_service import ingest

pytestmark = pytest.mark.anyio


@pytest.fixture
def exporter() -> Generator[InMemorySpanExporter]:
    """The spans of the test, in memory."""
    exporter = InMemorySpanExporter()
    provider = provider_for(SimpleSpanProcessor(exporter))
    set_tracer(provider.get_tracer("tests"))
    yield exporter
    set_tracer(None)
    provider.shutdown()


async def test_an_import_is_one_trace_with_the_id_of_its_run(tmp_path: Path, exporter: InMemorySpanExporter) -> None:
    """Storing, indexing and embedding bear the run's id as trace and correlation id; no span quotes a message."""
    async with open_app(Settings(data_dir=tmp_path), serve=False) as service:
        last = await ingest(service, talk("a", 30))
    spans = exporter.get_finished_spans()
    for name in ("store", "index", "embed"):
        of_run = [each for each in named(spans, name) if trace_of(each) == last.run]
        assert {attributes(each)[CORRELATION_ATTRIBUTE] for each in of_run} == {last.run}
    assert sum(int(str(attributes(each)["texts"])) for each in named(spans, "embed")) == 30
    assert "speaks" not in "".join(each.to_json() for each in spans)


@pytest.mark.slow
async def test_a_question_is_one_trace_below_its_request(tmp_path: Path, exporter: InMemorySpanExporter) -> None:
    """The stages are children of the request, whose correlation id is that of the answer's header; the question is not there."""
    async with open_app(Settings(data_dir=tmp_path)) as service:
        await ingest(service, talk("a", 5))
        exporter.clear()
        answer = await anyio.to_thread.run_sync(lambda: ask_over(service.socket, "which topic speaks"))
    spans = exporter.get_finished_spans()
    request = next(each for each in spans if attributes(each).get("http.route") == "/v1/query")
    assert attributes(request)["http.response.status_code"] == 200
    assert attributes(request)[CORRELATION_ATTRIBUTE] == answer.headers["x-correlation-id"]
    for name in ("plan", "find", "embed the question", "rank and read"):
        assert trace_of(named(spans, name)[0]) == trace_of(request)
    assert "which topic" not in "".join(each.to_json() for each in spans)


def test_an_exception_is_told_by_its_type_alone(exporter: InMemorySpanExporter) -> None:
    """Its message may quote private text."""
    with pytest.raises(ValueError, match="private"), span("failing"):
        raise ValueError("private words")
    (only,) = exporter.get_finished_spans()
    assert attributes(only)["error.type"] == "ValueError"
    assert "private" not in only.to_json()


@pytest.mark.slow
async def test_spans_reach_a_collector(tmp_path: Path) -> None:
    """A real daemon's import arrives over HTTP in OpenTelemetry's protocol, the last of it when the daemon ends."""
    with collector() as (address, bodies):
        settings = Settings(data_dir=tmp_path, tracing=TracingSettings(endpoint=address))
        async with open_app(settings, serve=False) as service:
            last = await ingest(service, talk("a", 5))
    requests = [ExportTraceServiceRequest.FromString(each) for each in bodies]
    spans = [
        one for each in requests for top in each.resource_spans for scope in top.scope_spans for one in scope.spans
    ]
    assert {"store", "index", "embed"} <= {each.name for each in spans if each.trace_id.hex() == last.run}
    assert not any(b"speaks" in each for each in bodies)


@pytest.mark.slow
async def test_a_collector_that_is_away_stops_nothing(tmp_path: Path) -> None:
    """An import is stored as ever."""
    settings = Settings(data_dir=tmp_path, tracing=TracingSettings(endpoint="http://127.0.0.1:9"))
    async with open_app(settings, serve=False) as service:
        assert (await ingest(service, talk("a", 5))).outcome == "ok"


@pytest.mark.slow
@pytest.mark.parametrize("status", ["200 OK", "307 Elsewhere\r\nLocation: http://127.0.0.1:9/"])
async def test_a_collector_keeps_nobody_by_an_answer_without_an_end(status: str) -> None:
    """The export succeeds by the head of the answer, and the last of it does not outlast the block."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        heads: list[bytes] = []

        def answer() -> None:
            connection, _ = server.accept()
            with connection, suppress(OSError):
                heads.append(connection.recv(65536))
                connection.sendall(f"HTTP/1.1 {status}\r\n\r\n".encode())
                while True:
                    connection.sendall(b"x" * 65536)

        thread = threading.Thread(target=answer)
        thread.start()
        async with exported(TracingSettings(endpoint=f"http://127.0.0.1:{server.getsockname()[1]}")):
            with span("one"):
                pass
        assert not [each for each in threading.enumerate() if "Otel" in each.name and each.is_alive()]
        await anyio.to_thread.run_sync(thread.join)
        assert heads[0].startswith(b"POST /v1/traces ")


async def test_a_word_that_a_client_made_up_is_no_method_of_a_span(exporter: InMemorySpanExporter) -> None:
    """It may be anything."""

    async def nothing(*_: object) -> dict[str, Any]:
        return {}

    application: Any = nothing
    scope: Any = {"type": "http", "method": "SECRET", "path": "/", "headers": []}
    await LimitsMiddleware(application)(scope, nothing, application)
    (only,) = exporter.get_finished_spans()
    assert attributes(only)["http.request.method"] == "_OTHER"


async def test_missing_packages_are_an_error_of_the_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the command that installs them; without an endpoint nothing is imported."""
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)
    async with exported(TracingSettings()):
        pass
    with pytest.raises(ConfigError, match="not installed") as caught:
        async with exported(TracingSettings(endpoint="http://127.0.0.1:4318")):
            pass
    assert "pip install" in caught.value.hint


def named(spans: Sequence[ReadableSpan], name: str) -> list[ReadableSpan]:
    """Return the spans of a name, of which there is one at least."""
    return [each for each in spans if each.name == name]


def trace_of(one: ReadableSpan) -> str:
    """Return the id of a span's trace, in hexadecimal."""
    assert one.context is not None
    return f"{one.context.trace_id:032x}"


def attributes(one: ReadableSpan) -> Mapping[str, object]:
    """Return the attributes of a span."""
    return one.attributes or {}


def ask_over(place: str, question: str) -> httpx.Response:
    """Return the answer of a daemon at a socket."""
    with httpx.Client(transport=httpx.HTTPTransport(uds=place), base_url="http://memd") as client:
        return client.post("/v1/query", json={"text": question})


@contextmanager
def collector() -> Generator[tuple[str, list[bytes]]]:
    """Take what is exported on loopback; yields the address, and the bodies that arrive."""
    bodies: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            bodies.append(gzip.decompress(body) if self.headers.get("content-encoding") == "gzip" else body)
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the base has it
            """Write nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", bodies
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
