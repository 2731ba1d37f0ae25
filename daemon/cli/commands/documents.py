"""`memd documents`: what is stored, the newest first."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from ...operations import DOCUMENTS
from ..arguments import FILTERS, Verbs, add_filters, add_verb, again, filters_of, whole_number
from ..connect import request
from ..output import print_json
from ..render.terminal import TerminalStyle, counted, one_line, print_told, say_command, width_of
from ..render.wall_clock import local_time

_EXAMPLES = """\
  memd documents                                  the newest 20
  memd documents --source whatsapp --until 2020-01-01 -k 100
"""


def add(verbs: Verbs) -> None:
    """Its arguments."""
    parser = add_verb(verbs, "documents", "list what is stored, the newest first", _EXAMPLES, (0, 2, 5, 6, 7))
    parser.add_argument(
        "-k", "--limit", type=whole_number, default=20, metavar="N", help="how many, 1 to 1000; default 20"
    )
    parser.add_argument("--after", metavar="KEY", help="the `next` of the page before")
    add_filters(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print one page."""
    parameters: dict[str, Any] = {"limit": arguments.limit, "after": arguments.after, **filters_of(arguments)}
    page = request(arguments, DOCUMENTS, parameters)
    if arguments.json:
        print_json(page)
        return 0
    paint = TerminalStyle(sys.stdout)
    columns = paint.line_columns
    for line in page["documents"]:
        when = local_time(line.get("timestamp")) or "undated"
        size = counted(line["messages"], "message") if line["kind"] == "conversation" else "text"
        title = one_line(line.get("title", ""), 50)
        name = one_line(line["id"])
        head = f"{when:<16}  {size:>15}  "
        if width_of(head + name) > columns:  # an id stays whole, on a line of its own
            print(head.rstrip())
            head = "    "
        beside = bool(title) and width_of(f"{head}{name}  {title}") <= columns
        print(head + name + (paint.dim(f"  {title}") if beside else ""))
        for summary in line.get("summaries", ()):
            print(paint.dim(f"{'':<16}  {one_line(summary, min(100, columns - 18))}"))
    if not page["documents"]:
        print_told("nothing is stored that fits; memd ingest PATH stores an export")
    elif page.get("next"):
        say_command("more:", again(arguments, "documents", (*FILTERS, "limit"), "--after", page["next"]))
    return 0
