"""Sends the spans of imports and questions to a collector, by OpenTelemetry's protocol over HTTP."""

from __future__ import annotations

import logging
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio

from ..memory.tracing import set_tracer
from ..schemas.errors import ConfigError
from . import logs
from .config.settings import TracingSettings

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import SpanProcessor, TracerProvider

EXPORT_SECONDS = 5
"""The maximum seconds for one export, and at the end for the last: a collector that is away delays nothing for longer."""
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
        with anyio.move_on_after(EXPORT_SECONDS, shield=True):
            await anyio.to_thread.run_sync(provider.shutdown, abandon_on_cancel=True)


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
    provider = trace.TracerProvider(resource=Resource.create({"service.name": name}), id_generator=RunIds())
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
    return BatchSpanProcessor(OTLPSpanExporter(address, timeout=EXPORT_SECONDS))
