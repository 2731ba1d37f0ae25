"""`memd doctor`: what is wrong, and how to mend it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from typing import Any

from ...operations import DOCTOR
from ..arguments import Verbs, add_verb
from ..connect import daemon_after_start
from ..output import print_json
from ..render.progress import ProgressBar
from ..render.terminal import TerminalStyle, columns_of, joined, one_line, say, words_of

_EXAMPLES = """\
  memd doctor              look; nothing is changed
  memd doctor --repair     make anew what is derived: indexes, counts, damaged vectors, facts, permissions
  memd doctor --json       the findings, for programs

It compares every stored text with its hash, every vector with its checksum, both indexes with the database, every fact
with what was said, and looks at the journal, permissions, space, zone and versions. It works beside a running daemon and also when nothing opens.
"""
_MARKS = {"ok": "ok   ", "warning": "warn ", "error": "ERROR"}


def add(verbs: Verbs) -> None:
    """Its arguments."""
    parser = add_verb(verbs, "doctor", "check what is kept against itself", _EXAMPLES, (0, 2, 5, 6, 130))
    parser.add_argument("--repair", action="store_true", help="mend what can be made anew")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Ask the daemon that runs, or look at everything as the owner."""
    client = daemon_after_start(arguments)
    if client is not None:
        with ProgressBar(quiet=arguments.json) as bar:
            result = client.operate(DOCTOR, {"repair": arguments.repair}, bar.show)
    else:
        result = _alone(arguments)
    if arguments.json:
        print_json(result)
    else:
        _print(result)
    return 0 if result["healthy"] else 6


def _alone(arguments: argparse.Namespace) -> Mapping[str, Any]:
    from ... import logs
    from ...diagnostics.offline import check_offline
    from ...lifecycle import run as run_to_end
    from ..render.log_lines import log_formatter
    from ..settings import settings_of

    settings = settings_of(arguments)
    logs.configure(arguments.log_level or "error", settings.log.modules, formatter=log_formatter(arguments))
    repair: bool = arguments.repair
    return run_to_end(lambda: check_offline(settings, repair=repair))


def _words(text: str, columns: int) -> list[str]:
    """A text in the column of what was found, in which a path stays whole."""
    return joined(words_of(one_line(text)), " ", " " * 21, columns)


def _print(result: Mapping[str, Any]) -> None:
    paint = TerminalStyle(sys.stdout)
    columns = columns_of(sys.stdout)
    for finding in result["findings"]:
        mark = _MARKS.get(finding["severity"], "     ")
        mark = mark if finding["severity"] == "ok" else paint.bold(mark)
        head, *rest = _words(finding["detail"], columns)
        print(f"{mark}  {one_line(finding['check'], 13):<13} {head.lstrip()}")
        for line in rest:
            print(line)
        if "hint" in finding and finding["severity"] != "ok":
            for line in _words(finding["hint"], columns):
                print(paint.dim(line))
    if result["repaired"]:
        say(f"repaired: {', '.join(map(one_line, result['repaired']))}")
    if not result["healthy"]:
        say("something is wrong; each line above says what to do")
