"""`memd watch`: follow what the daemon is doing."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...operations import RUN
from ..arguments import Verbs, add_verb
from ..output import print_json
from ..render.progress import ProgressBar, counts
from ..render.sources import outcome
from ..render.status import running
from ..render.terminal import joined, line_columns, one_line, say
from ..render.wall_clock import clock_time

if TYPE_CHECKING:
    from ...client import Client

_EXAMPLES = """\
  memd watch                 a bar on a terminal, else a line for each step
  memd watch --json          every update as a JSON line
  memd watch --run 5f0c…     one run, until it ends
"""


def add(verbs: Verbs) -> None:
    """Its arguments."""
    parser = add_verb(verbs, "watch", "follow the progress of whoever owns the memory", _EXAMPLES, (0, 2, 4, 6, 130))
    parser.add_argument("--run", dest="run_id", metavar="RUN", help="only this run, until it ends")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Show updates until the run ends, the daemon ends, or Ctrl-C."""
    from ...client import DaemonError, DaemonGoneError
    from ..connect import daemon_after_start

    client = daemon_after_start(arguments)
    if client is None:
        body = {
            "code": "STORE",
            "message": "nothing is running that could be watched",
            "hint": "start it: memd serve, or memd ingest PATH",
            "retryable": True,
        }
        raise DaemonError(body)
    ended, last_line = "ok", ""
    if sys.stderr.isatty() and not arguments.json:
        say("watching; Ctrl-C ends it")
    try:
        with ProgressBar() as bar:
            for update in client.events(_whole_run(client, arguments.run_id)):
                if arguments.json:
                    print_json(update)
                else:
                    bar.show(update)
                    last_line = _step(update, last_line, bar)
                if arguments.run_id is not None:
                    ended = str(update.get("outcome") or ended)
    except DaemonGoneError:
        return 0  # it ended: there is nothing left to watch
    return {"ok": 0, "partial": 4}.get(ended, 1)


def _whole_run(client: Client, beginning: str | None) -> str | None:
    """Return the id of the run that begins so; one that the history does not know stays as it is."""
    from ...client import DaemonError

    try:
        return beginning and str(client.call(RUN, {"id": beginning}).get("run") or beginning)
    except DaemonError as error:
        if error.code != "NOT_FOUND" or error.hint.startswith("it may be"):
            raise
        return beginning


def _step(update: dict[str, object], last_line: str, bar: ProgressBar) -> str:
    """A line for each new stage of a run and for its end; while a bar is drawn, only the end."""
    ended = update.get("outcome")
    step = f"{update.get('run')} {ended or update.get('stage')}"
    if step == last_line or (bar.shown and not ended):
        return step
    bar.clear()
    if sys.stdout.isatty():
        for line in _lines(update, line_columns(sys.stdout)):
            print(line, flush=True)
        return step
    done, total = counts(update)
    size = f"{done:,}/{total:,}" if total else f"{done:,}"
    print(f"{one_line(update.get('run'))}  {one_line(ended or update.get('stage'))}  {size}", flush=True)
    return step


def _lines(update: Mapping[str, Any], columns: int) -> list[str]:
    """Return the lines of an update: the time, the source, and the progress or the outcome."""
    source = one_line(update.get("source") or "documents", 30)
    text = outcome(update) if update.get("outcome") else running(update)
    detail = f" - {one_line(update['detail'], 200)}" if update.get("detail") else ""
    return joined(f"{clock_time()}  {source}: {text}{detail}".split(" "), " ", " " * 10, columns)
