"""Sends the spans of imports and questions to a collector, by OpenTelemetry's protocol over HTTP."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import anyio

from ..memory.openai_http.loopback import is_loopback
from ..memory.tracing import set_tracer
from ..schemas.errors import ConfigError
from . import logs
from .config.settings import TracingSettings

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
    from requests import PreparedRequest, Session

EXPORT_SECONDS = 5
"""The maximum seconds for one export, and at the end for the last: a collector that is away delays nothing for longer."""
POLL_SECONDS = 0.02
CORRELATION_ATTRIBUTE = "memd.correlation_id"
TRACES_PATH = "/v1/traces"
"""The path of traces at a collector (OpenTelemetry Protocol 1.9, "OTLP/HTTP Request")."""
RUN_DIGITS = 32
"""Hexadecimal digits of a run's id, as many as a trace's id has."""


@asynccontextmanager
async def exported(settings: TracingSettings) -> AsyncGenerator[None]:
    """Export the spans of the block, if an endpoint is set.

    Raises:
        ConfigError: one is set, and the packages are missing.
    """
    if not settings.endpoint:
        yield
        return
    provider = await anyio.to_thread.run_sync(lambda: provider_for(_otlp_processor(settings.endpoint)))
    set_tracer(provider.get_tracer("memd"))
    try:
        yield
    finally:
        set_tracer(None)
        # A thread of our own: the end of the process waits for every other one, however long a collector keeps it.
        last = threading.Thread(target=provider.shutdown, daemon=True)
        last.start()
        with anyio.move_on_after(EXPORT_SECONDS, shield=True):
            while last.is_alive():  # noqa: ASYNC110 - a thread cannot set an event of a loop that may have ended
                await anyio.sleep(POLL_SECONDS)


def provider_for(processor: SpanProcessor) -> TracerProvider:
    """Return a provider whose spans bear the correlation id of the log. Inside a run the trace has the id of the run."""
    from opentelemetry.sdk import trace
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace.id_generator import RandomIdGenerator

    class Correlate(trace.SpanProcessor):
        def on_start(self, span: trace.Span, parent_context: object = None) -> None:  # noqa: ARG002 - as the base has it
            if identifier := logs.correlation():
                span.set_attribute(CORRELATION_ATTRIBUTE, identifier)

    class RunIds(RandomIdGenerator):
        def generate_trace_id(self) -> int:
            run = logs.correlation()
            return int(run, 16) if len(run) == RUN_DIGITS else super().generate_trace_id()

    name = os.environ.get("OTEL_SERVICE_NAME", "memd")
    resource = Resource.create({"service.name": name})
    provider = trace.TracerProvider(resource=resource, id_generator=RunIds(), shutdown_on_exit=False)
    provider.add_span_processor(Correlate())
    provider.add_span_processor(processor)
    return provider


def _otlp_processor(endpoint: str) -> SpanProcessor:
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        raise ConfigError(
            "tracing.endpoint is set, and OpenTelemetry is not installed", hint="pip install 'memd-daemon[tracing]'"
        ) from None
    # It warns of each attempt to reach a collector that is away; one line on the spans that were lost is enough.
    logging.getLogger("opentelemetry.exporter.otlp.proto.http").setLevel(logging.ERROR)
    address = endpoint if endpoint.endswith(TRACES_PATH) else endpoint.rstrip("/") + TRACES_PATH
    return BatchSpanProcessor(OTLPSpanExporter(address, timeout=EXPORT_SECONDS, session=_session(address)))


def _session(address: str) -> Session:
    """Return a session that reads the head of an answer alone: no collector can keep a thread by a body, or fill the memory."""
    from requests import Response, Session

    class Headers(Session):
        def send(self, request: PreparedRequest, **options: Any) -> Response:  # noqa: ANN401 - as the base has it
            response = super().send(request, **{**options, "stream": True})
            response.close()
            return response

        def resolve_redirects(self, *_: object, **__: object) -> Generator[Response]:
            yield from ()  # the base reads the body to say where one leads to; none is followed

    session = Headers()
    session.trust_env = not is_loopback(address)  # no proxy for what stays on this machine
    return session
