"""Spans of a trace: the time that each stage of an import or a question takes. Nothing is measured until a tracer is set."""

from __future__ import annotations

from collections.abc import Generator, MutableMapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

Attributes = MutableMapping[str, str | int | float | bool]

_tracer: Tracer | None = None


def set_tracer(tracer: Tracer | None) -> None:
    """Make the spans of this process with that tracer of OpenTelemetry; None: make none."""
    global _tracer  # noqa: PLW0603 - as with logging, a library's function cannot be handed a tracer by each caller
    _tracer = tracer


@contextmanager
def span(name: str, **attributes: str | float | bool) -> Generator[Attributes]:
    """Measure the block as a span, a child of the span around it.

    Yields the attributes; what is added to them in the block is recorded at its end. They are counts and identifiers, never what
    people wrote. An exception is recorded by its type alone, because its message may quote private text.
    """
    if _tracer is None:
        yield attributes
        return
    with _tracer.start_as_current_span(name, record_exception=False, set_status_on_exception=False) as current:
        try:
            yield attributes
        except BaseException as error:
            attributes["error.type"] = type(error).__name__
            raise
        finally:
            current.set_attributes(attributes)
