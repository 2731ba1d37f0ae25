"""`memd audit`: what was sent to a language model, and what it took."""

from __future__ import annotations

import argparse
import sys

from ...operations import AUDIT, LEDGER
from ..arguments import Verbs, add_verb
from ..connect import request
from ..output import print_json
from ..render.terminal import columns_of, one_line, say, short_time, wrapped

_EXAMPLES = """\
  memd audit                     what was sent, the latest first, as it left: with secrets hidden
  memd audit --spent day         calls, tokens and money by day
  memd audit --spent model --json
"""


def add(verbs: Verbs) -> None:
    """Its arguments."""
    parser = add_verb(verbs, "audit", "what was sent to a language model, and what it took", _EXAMPLES, (0, 2, 5, 6))
    parser.add_argument("--spent", choices=("model", "source", "run", "day", "purpose"), help="what it took, by this")
    parser.add_argument("-k", "--limit", type=int, default=20, metavar="N", help="how many; default 20")
    parser.add_argument("--before", metavar="N", help="the `next` of the page before")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Ask and show."""
    if arguments.spent:
        body = request(arguments, LEDGER, {"by": arguments.spent})
    else:
        body = request(arguments, AUDIT, {"limit": arguments.limit, "before": arguments.before})
    if arguments.json:
        print_json(body)
        return 0
    for total in body.get("totals", ()):
        money = "" if total["money"] is None else f"{total['money']:>10.4f}"
        tokens = total["prompt_tokens"] + total["completion_tokens"]
        print(f"{one_line(total['name'], 40):<40} {total['calls']:>7,} calls {tokens:>10,} tokens {money}")
    for each in body.get("sent", ()):
        print(
            f"{short_time(each['at'])}  {one_line(each['purpose'])} · {one_line(each['model'])} · {one_line(each['place'])}"
        )
        for line in wrapped(each["text"], "    ", columns_of(sys.stdout)):
            print(line)
    if not body.get("totals") and not body.get("sent"):
        say("nothing was sent")
    if "next" in body:
        say(f"more: --before {body['next']}")
    return 0
