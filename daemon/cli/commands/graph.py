"""`memd graph`: what connects people, places, organisations and things, with the messages behind it."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from ...operations import GRAPH
from ..arguments import UsageError, Verbs, add_verb, whole_number
from ..connect import request
from ..output import print_json
from ..render.graph import neighbour_lines, path_lines
from ..render.graphml import graphml_lines
from ..render.terminal import line_columns, one_line, say

_EXAMPLES = """\
  memd graph "Ann Smith"                    with whom and with what Ann is connected, and by which messages
  memd graph Lisbon --depth 2               also what is connected with those
  memd graph Ann Lisbon                     the shortest paths between two
  memd graph --format graphml > all.graphml for Gephi, yEd, networkx: the thousand strongest edges
  memd graph Ann --as-of 2023-06-01         by what held then

`memd show ID` shows a message that an edge rests on.
"""
_LIMITS = {0: 1_000, 1: 20, 2: 5}
"""The default limit by the number of names."""


def add(verbs: Verbs) -> None:
    """Its arguments."""
    parser = add_verb(
        verbs, "graph", "what connects people, places, organisations and things", _EXAMPLES, (0, 2, 5, 6, 7)
    )
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="one, or two for the paths between them; without it all, for a program"
    )
    parser.add_argument(
        "--format", choices=("text", "graphml", "json"), default="text", help="default: text; json is as --json"
    )
    parser.add_argument(
        "--depth", type=whole_number, metavar="N", help="steps from NAME, default 1; of a path at most, default 4"
    )
    parser.add_argument(
        "-k", "--limit", type=whole_number, metavar="N", help="edges, default 20, of all 1000; paths, default 5"
    )
    parser.add_argument("--as-of", metavar="TIME", help="what held at this time, or when this day began")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Ask and show."""
    names: list[str] = arguments.names
    if len(names) > 2:
        raise UsageError("two names at most", "write a name of several words in quotes")
    as_json = arguments.json or arguments.format == "json"
    if not names and not as_json and arguments.format == "text":
        raise UsageError("no name is given", "memd graph NAME; memd graph --format graphml for the whole graph")
    values: dict[str, Any] = {
        **dict(zip(("name", "other"), names, strict=False)),
        "limit": _LIMITS[len(names)] if arguments.limit is None else arguments.limit,
        "depth": arguments.depth,
        "as_of": arguments.as_of,
    }
    body = request(arguments, GRAPH, {name: value for name, value in values.items() if value is not None})
    if as_json:
        print_json(body)
    elif arguments.format == "graphml":
        for line in graphml_lines(body):
            print(line)
    else:
        _show(body, between=len(names) == 2)
    if body["more"] and not as_json:
        say(f"there is more; --limit N shows it, {body['total_edges']:,} edges in all")
    return 0


def _show(body: dict[str, Any], *, between: bool) -> None:
    columns = line_columns(sys.stdout)
    for line in path_lines(body, columns) if between else neighbour_lines(body, columns):
        print(line)
    if between and not body["paths"]:
        one, other = (one_line(node["name"], 40) for node in body["nodes"][:2])
        say(f"no path of so few steps leads from {one} to {other}; --depth N looks further, up to 6")
    elif not between and not body["edges"]:
        say("nothing is connected with it")
