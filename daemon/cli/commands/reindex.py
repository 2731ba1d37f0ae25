"""`memd reindex`: take over other settings of embedder and chunks."""

from __future__ import annotations

import argparse

from ...operations import REINDEX
from ..arguments import Verbs, add_verb
from ..connect import operate
from ..output import print_json
from ..render.terminal import counted, say

_EXAMPLES = """\
  memd reindex               after [embedding] or [chunking] changed in the settings: cut and embed what they concern anew
  memd reindex --force-rechunk    cut everything anew; texts that stay the same keep their vectors
  memd reindex --no-wait     cut now; vectors are made by the daemon as it runs
  memd reindex --keep-old    keep the vectors of the model before, to change back without work

Questions are answered meanwhile: by words, and by the vectors that are there. Interrupted at any time, it goes on where
it was. A daemon that was started with the old settings must be started again first.
"""


def add(verbs: Verbs) -> None:
    """Its arguments."""
    parser = add_verb(verbs, "reindex", "cut and embed anew what other settings made", _EXAMPLES, (0, 2, 5, 6, 130))
    parser.add_argument("--no-wait", action="store_true", help="return before the vectors are made")
    parser.add_argument("--keep-old", action="store_true", help="keep the vectors of other models")
    parser.add_argument("--force-rechunk", action="store_true", help="cut all documents anew, also those cut as now")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Do it through the owner, or as the owner."""
    body = {"wait": not arguments.no_wait, "keep_old": arguments.keep_old}
    body |= {"force_rechunk": True} if arguments.force_rechunk else {}
    try:
        result = operate(arguments, REINDEX, body, single_request=arguments.no_wait)
    except KeyboardInterrupt:
        if not arguments.json:
            say("stopped; what was made is kept, and questions are answered meanwhile")
            say("next: memd reindex goes on where it was")
        raise
    if arguments.json:
        print_json(result)
        return 0
    say(f"cut {counted(result['documents'], 'document')} again, made {counted(result['embedded'], 'vector')}")
    if result["pending"]:
        say(f"{counted(result['pending'], 'text')} wait for their vector: memd serve makes them")
    if result["dropped"]:
        say(f"dropped {counted(result['dropped'], 'vector')} of other models")
    return 0
