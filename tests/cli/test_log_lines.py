"""Log records on a terminal: sentences there, JSON everywhere else, also after the settings were read again."""

from __future__ import annotations

import argparse
import io
import json
import logging

import pytest

from memd.daemon import logs
from memd.daemon.cli.render.log_lines import SentenceFormatter, log_formatter


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """It does."""
        return True


def test_a_person_reads_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a program would follow is left out, nothing in it is obeyed, and the next settings keep the form."""
    monkeypatch.setenv("TERM", "dumb")
    stream = Terminal()
    logs.configure("info", stream=stream, formatter=SentenceFormatter(stream, timed=False))
    log = logging.getLogger("memd.daemon.x")
    log.warning("a source\n\x1b[2Jwas not read", extra={"job": "source:x", "took_ms": 4})
    logs.configure("warning", stream=stream)
    log.info("hidden")
    log.error("it failed")
    first, second = stream.getvalue().splitlines()
    assert first.startswith("warning: a source ")
    assert "\x1b" not in first
    assert first.endswith("was not read (job source:x)")
    assert second == "error: it failed"


@pytest.mark.parametrize(
    ("terminal", "as_json", "sentences"), [(True, False, True), (True, True, False), (False, False, False)]
)
def test_programs_read_json(monkeypatch: pytest.MonkeyPatch, terminal: bool, as_json: bool, sentences: bool) -> None:
    """Where standard error is no terminal, and where JSON was asked for."""
    stream = Terminal() if terminal else io.StringIO()
    monkeypatch.setattr("sys.stderr", stream)
    logs.configure("info", stream=stream, formatter=log_formatter(argparse.Namespace(json=as_json)))
    logging.getLogger("memd.daemon.x").info("serving", extra={"pid": 4})
    line = stream.getvalue().removeprefix("\r\x1b[K")
    assert (line == "serving (pid 4)\n") is sentences
    assert sentences or json.loads(line)["pid"] == 4


def test_the_start_of_a_daemon_says_how_to_ask_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it listens, and how it ends; of a run, what it brought and nothing that is zero."""
    monkeypatch.setenv("TERM", "dumb")
    stream = Terminal()
    logs.configure("info", stream=stream, formatter=SentenceFormatter(stream, timed=False))
    log = logging.getLogger("memd.daemon.x")
    log.info("serving", extra={"pid": 4, "version": "1.2", "socket": "/run/memd.sock"})
    log.info("storing ended", extra={"stage": "storing", "end": "2024", "added": 2, "failed": 0, "to_embed": 7})
    first, second = stream.getvalue().splitlines()
    assert (
        first == "memd 1.2 serves at /run/memd.sock; ask in another terminal, as with `memd query TEXT`; Ctrl-C ends it"
    )
    assert second == "storing ended (added 2)"
