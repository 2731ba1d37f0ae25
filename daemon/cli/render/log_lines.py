"""Log records as sentences for whoever runs memd on a terminal; everywhere else a record is a line of JSON."""

from __future__ import annotations

import argparse
import logging
import sys
from contextlib import suppress
from typing import TextIO

from ...logs import JsonFormatter, error_fields, extra_fields
from .terminal import clean, is_redrawn
from .wall_clock import clock_time

_OF_PROGRAMS = frozenset({"correlation_id", "took_ms", "start", "end", "stage", "processed", "embedded", "to_embed"})
"""The fields that only programs need."""
_SENTENCES = {
    "serving": "memd {version} serves at {socket}; ask in another terminal, as with `memd query TEXT`; Ctrl-C ends it"
}
"""The messages that are reworded for people, if the record has all fields that the wording names."""


class SentenceFormatter(JsonFormatter):
    """``21:04:03 warning: a source was not read whole: … (job source:Exports)``; a level that asks for nobody is left out.

    Args:
        stream: the terminal.
        timed: begin with the time, for a process that runs on.
    """

    def __init__(self, stream: TextIO, *, timed: bool) -> None:
        super().__init__()
        # A progress bar may stand in the line.
        self._begin = "\r\x1b[K" if is_redrawn(stream) else ""
        self._timed = timed

    def format(self, record: logging.LogRecord) -> str:
        """One line, or several where it is wider than the terminal."""
        extra = extra_fields(record)
        # Nothing is most of what a stage of a run counts.
        facts = {name: value for name, value in extra.items() if name not in _OF_PROGRAMS and value != 0}
        message = record.getMessage()
        if sentence := _SENTENCES.get(message):
            with suppress(KeyError):
                message, facts = sentence.format_map(extra), {}
        if record.exc_info and record.exc_info[1] is not None:
            facts |= error_fields(record.exc_info[1])
        details = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in facts.items())
        at = f"{clock_time(record.created)} " if self._timed else ""
        level = f"{record.levelname.lower()}: " if record.levelno >= logging.WARNING else ""
        text = f"{at}{level}{message}" + (f" ({details})" if details else "")
        return self._begin + clean(text).replace("\n", " ")


def log_formatter(arguments: argparse.Namespace, *, timed: bool = False) -> logging.Formatter | None:
    """Sentences where a person looks on and asked for no JSON; None for the lines of JSON of everybody else."""
    if getattr(arguments, "json", False) or not sys.stderr.isatty():
        return None
    return SentenceFormatter(sys.stderr, timed=timed)
