"""`memd watch`: follow what the daemon is doing."""

from __future__ import annotations

import argparse

from ..arguments import Verbs, add_verb
from ..output import print_json
from ..render.progress import ProgressBar, counts
from ..render.terminal import one_line

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
    outcome, told = "ok", ""
    try:
        with ProgressBar() as bar:
            for update in client.events(arguments.run_id):
                if arguments.json:
                    print_json(update)
                else:
                    bar.show(update)
                    told = _step(update, told, shown=bar.shown)
                if arguments.run_id is not None:
                    outcome = str(update.get("outcome") or outcome)
    except DaemonGoneError:
        return 0  # it ended: there is nothing left to watch
    return {"ok": 0, "partial": 4}.get(outcome, 1)


def _step(update: dict[str, object], told: str, *, shown: bool) -> str:
    """A line for each new stage of a run and for its end; while a bar is drawn, only the end."""
    outcome = update.get("outcome")
    step = f"{update.get('run')} {outcome or update.get('stage')}"
    if step != told and (outcome or not shown):
        done, total = counts(update)
        size = f"{done:,}/{total:,}" if total else f"{done:,}"
        print(f"{one_line(update.get('run'))}  {one_line(outcome or update.get('stage'))}  {size}", flush=True)
    return step
