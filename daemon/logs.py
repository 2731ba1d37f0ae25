"""Structured logs: one JSON object per line on standard error (a sentence, on a terminal), with a correlation id.

Rule: no private text. An exception is logged by its type and place, never by its message, which may quote private text;
other packages log warnings at most.
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any, TextIO

import orjson

ROOT = "memd"
_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
_correlation: ContextVar[str] = ContextVar("correlation", default="")


@contextmanager
def correlated(identifier: str) -> Generator[None]:
    """Give this id to every log record in the block, and in tasks started there."""
    token = _correlation.set(identifier)
    try:
        yield
    finally:
        _correlation.reset(token)


def correlation() -> str:
    """Return the id of the log records made here; empty outside of `correlated`."""
    return _correlation.get()


@contextmanager
def stage(logger: logging.Logger, name: str, /, **facts: object) -> Generator[dict[str, object]]:
    """Log the end of a stage with its start, duration and counts; its beginning at DEBUG.

    Yields a dict: its items (counts, never texts) are logged with the end. A stage that raised is logged as ``failed``
    or ``cancelled`` with the type of the exception.
    """
    counts: dict[str, object] = dict(facts)
    began, at = time.perf_counter(), datetime.now(UTC)
    logger.debug("%s begins", name, extra={"stage": name, **facts})
    outcome: dict[str, object] = {"outcome": "ok"}
    try:
        yield counts
    except BaseException as error:
        outcome = {"outcome": "failed" if isinstance(error, Exception) else "cancelled", "error": type(error).__name__}
        raise
    finally:
        spent = round((time.perf_counter() - began) * 1000, 1)
        extra = {"stage": name, "start": at.isoformat(timespec="milliseconds"), "took_ms": spent, **counts, **outcome}
        logger.info("%s ended", name, extra=extra)


def configure(
    level: str = "info",
    modules: Mapping[str, str] | None = None,
    stream: TextIO | None = None,
    formatter: logging.Formatter | None = None,
) -> None:
    """Log memd's own records at ``level``, those of single modules at theirs (``memory.store``: without ``memd.``).

    May be called again; the last call counts, except that the formatter is kept if none is given.
    """
    handler = logging.StreamHandler(stream or sys.stderr)
    top = logging.getLogger()
    for old in list(top.handlers):
        if isinstance(old.formatter, JsonFormatter):
            formatter = formatter or old.formatter
            top.removeHandler(old)
    handler.setFormatter(formatter or JsonFormatter())
    top.addHandler(handler)
    top.setLevel(logging.WARNING)
    for name in list(logging.root.manager.loggerDict):
        if name.startswith(f"{ROOT}."):
            logging.getLogger(name).setLevel(logging.NOTSET)
    logging.getLogger(ROOT).setLevel(level.upper())
    for module, module_level in (modules or {}).items():
        logging.getLogger(f"{ROOT}.{module.removeprefix(f'{ROOT}.')}").setLevel(module_level.upper())


class JsonFormatter(logging.Formatter):
    """Formats a record as ``time``, ``level``, ``logger``, ``message``, ``correlation_id``, and the ``extra`` of the
    call.
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return one line."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if identifier := _correlation.get():
            line["correlation_id"] = identifier
        line |= extra_fields(record)
        if record.exc_info and record.exc_info[1] is not None:
            line |= error_fields(record.exc_info[1])
        return orjson.dumps(line, default=str, option=orjson.OPT_NON_STR_KEYS).decode()


def extra_fields(record: logging.LogRecord) -> dict[str, Any]:
    """Return the ``extra`` of the logging call."""
    return {name: value for name, value in vars(record).items() if name not in _STANDARD}


def error_fields(error: BaseException) -> dict[str, str]:
    """Return the type of an error and the ``file:line`` where it was raised, without its message, which may quote
    private text.
    """
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace is not None else "?"
    return {"error": type(error).__name__, "where": where}
