"""`memd runs`: what was read and done, the newest first."""

from __future__ import annotations

import argparse

from ...operations import RUNS
from ..arguments import Verbs, add_verb, whole_number
from ..connect import request
from ..output import print_json
from ..render.sources import history_line
from ..render.terminal import print_told, say

_EXAMPLES = """\
  memd runs                    the last 20
  memd runs --source Exports   of one source
  memd runs -n 500 --json
"""


def add(verbs: Verbs) -> None:
    """Its arguments."""
    parser = add_verb(verbs, "runs", "list what was read and done", _EXAMPLES, (0, 2, 5, 6))
    parser.add_argument("--source", metavar="NAME", help="only runs of this source")
    parser.add_argument("-n", "--limit", type=whole_number, default=20, metavar="N", help="how many; default 20")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the history."""
    wanted = {"limit": arguments.limit} | ({"source": arguments.source} if arguments.source else {})
    body = request(arguments, RUNS, wanted)
    if arguments.json:
        print_json(body)
        return 0
    if not body["runs"]:
        say("nothing was read yet")
    for each in body["runs"]:
        print_told(history_line(each))
    return 0
