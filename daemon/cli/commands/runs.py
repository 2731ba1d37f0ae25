"""`memd runs`: what was read and done, the newest first; of one run, of which files."""

from __future__ import annotations

import argparse

from ...operations import RUN, RUNS
from ..arguments import Verbs, add_verb, whole_number
from ..connect import request
from ..output import print_json
from ..render.receipts import receipt_lines
from ..render.sources import history_line, kept_notice_lines
from ..render.terminal import print_told, say

_EXAMPLES = """\
  memd runs                    the last 20
  memd runs --source Exports   of one source
  memd runs -n 500 --json
  memd runs 1f0c7d             one run: what it read of which files, and what it left out
"""


def add(verbs: Verbs) -> None:
    """Its arguments."""
    parser = add_verb(verbs, "runs", "list what was read and done", _EXAMPLES, (0, 2, 5, 6, 7))
    parser.add_argument("id", nargs="?", metavar="ID", help="of a run, or its beginning: what it read of which files")
    parser.add_argument("--source", metavar="NAME", help="only runs of this source")
    parser.add_argument("-n", "--limit", type=whole_number, default=20, metavar="N", help="how many; default 20")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the history, or one run."""
    if arguments.id is not None:
        body = request(arguments, RUN, {"id": arguments.id})
        if arguments.json:
            print_json(body)
        else:
            for line in (*receipt_lines(body), *kept_notice_lines(body.get("notices", ()))):
                print_told(line)
        return 0
    wanted = {"limit": arguments.limit} | ({"source": arguments.source} if arguments.source else {})
    body = request(arguments, RUNS, wanted)
    if arguments.json:
        print_json(body)
        return 0
    if not body["runs"]:
        say("no run has ended yet; memd status tells what is going on")
    for each in body["runs"]:
        print_told(history_line(each))
    return 0
