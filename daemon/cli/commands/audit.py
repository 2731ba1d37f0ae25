"""`memd audit`: what was sent to a language model, and what it took."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from ...operations import AUDIT, LEDGER
from ..arguments import Verbs, add_verb, again, whole_number
from ..connect import request
from ..output import print_json
from ..render.terminal import columns_of, joined, one_line, say, say_command, width_of, wrapped
from ..render.wall_clock import local_time

_EXAMPLES = """\
  memd audit                     what was sent, the latest first, as it left: with secrets hidden
  memd audit --spent day         calls, tokens and money by day
  memd audit --spent model --json
"""
_NAME, _FIGURES = 40, 43
"""Columns of a name, where there is room, and of the figures behind it with a blank before them."""


def add(verbs: Verbs) -> None:
    """Its arguments."""
    parser = add_verb(verbs, "audit", "what was sent to a language model, and what it took", _EXAMPLES, (0, 2, 5, 6))
    parser.add_argument("--spent", choices=("model", "source", "run", "day", "purpose"), help="what it took, by this")
    parser.add_argument("-k", "--limit", type=whole_number, default=20, metavar="N", help="how many; default 20")
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
    for line in _lines(body, columns_of(sys.stdout)):
        print(line)
    if not body.get("totals") and not body.get("sent"):
        say("nothing was sent")
    if "next" in body:
        say_command("more:", again(arguments, "audit", ("limit",), "--before", str(body["next"])))
    return 0


def _lines(body: Mapping[str, Any], columns: int) -> Iterator[str]:
    """Totals, or what was sent; names and ids stay whole, to be copied."""
    for total in body.get("totals", ()):
        money = "" if total["money"] is None else f"{total['money']:>10.4f}"
        tokens = total["prompt_tokens"] + total["completion_tokens"]
        figures = f"{total['calls']:>7,} calls {tokens:>10,} tokens {money}".rstrip()
        name, room = one_line(total["name"]), min(_NAME, columns - _FIGURES)
        if width_of(name) > room:
            yield from wrapped(name, "", columns)
            name = ""
        yield f"{name}{' ' * (room - width_of(name))} {figures}"
    for each in body.get("sent", ()):
        head = f"{local_time(each['at'])}  {one_line(each['purpose'])}"
        yield from joined([head, one_line(each["model"]), one_line(each["place"])], " · ", "    ", columns, first="")
        yield from wrapped(each["text"], "    ", columns)
