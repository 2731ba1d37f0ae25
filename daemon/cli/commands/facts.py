"""`memd facts`: what is known beyond the words, with the messages it rests on."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from ...operations import FACTS, REFUSED_FACTS
from ..arguments import UsageError, Verbs, add_ids, add_verb, again, whole_number
from ..connect import request
from ..output import print_json
from ..render.facts import grouped_fact_lines, refused_lines
from ..render.terminal import counted, one_line, say, say_command

_EXAMPLES = """\
  memd facts                               what holds now
  memd facts --subject Bob --status all    also what does not any more
  memd facts --as-of 2023-06-01            what held then
  memd facts --attribute home --json
  memd facts --rejected                    what readers proposed and no check let pass, with the reason
  memd facts --rejected --reason question  of one reason
"""

_FILTERS = ("subject", "speaker", "attribute", "status", "as_of", "known_at")


def add(verbs: Verbs) -> None:
    """Its arguments."""
    parser = add_verb(verbs, "facts", "what is known, and on which messages it rests", _EXAMPLES, (0, 2, 5, 6, 7))
    parser.add_argument("--subject", action="append", default=[], metavar="NAME", help="about whom or what")
    parser.add_argument("--speaker", action="append", default=[], metavar="NAME", help="who said it")
    parser.add_argument("--attribute", action="append", default=[], metavar="NAME", help="home, employer, likes, …")
    parser.add_argument(
        "--status",
        action="append",
        default=[],
        choices=("active", "superseded", "retracted", "all"),
        help="default: active",
    )
    parser.add_argument("--as-of", metavar="TIME", help="what held at this time, or when this day began")
    parser.add_argument("--known-at", metavar="TIME", help="as it was recorded at this time, or when this day began")
    add_ids(parser)
    parser.add_argument("--rejected", action="store_true", help="instead, what became no fact, and why")
    parser.add_argument("--reason", action="append", default=[], metavar="REASON", help="with --rejected: only these")
    parser.add_argument("--run", dest="of_run", metavar="ID", help="with --rejected: only what this run read")
    parser.add_argument("-k", "--limit", type=whole_number, default=50, metavar="N", help="how many; default 50")
    parser.add_argument("--after", metavar="N", help="the `next` of the page before")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Ask and show."""
    if arguments.rejected:
        return _rejected(arguments)
    if arguments.reason or arguments.of_run is not None:
        raise UsageError("--reason and --run go with --rejected", "try: memd facts --help")
    page = request(arguments, FACTS, {name: getattr(arguments, name) for name in (*_FILTERS, "limit", "after")})
    if arguments.json:
        print_json(page)
        return 0
    for line in grouped_fact_lines(page["facts"], of=_moment(arguments), ids=arguments.ids):
        print(line)
    if not page["facts"]:
        say(_why_empty(arguments, page))
    if page.get("unread"):
        say(f"{counted(page['unread'], 'document')} not read yet; memd serve goes on with it")
    if "next" in page:
        say_command("more:", again(arguments, "facts", (*_FILTERS, "limit"), "--after", str(page["next"])))
    return 0


def _moment(arguments: argparse.Namespace) -> str:
    moments = [("as of", arguments.as_of), ("as recorded at", arguments.known_at)]
    return ", ".join(f"{words} {one_line(time)}" for words, time in moments if time)


def _why_empty(arguments: argparse.Namespace, page: Mapping[str, Any]) -> str:
    if any(getattr(arguments, name) for name in _FILTERS):
        return "nothing is known that matches"
    if arguments.after:
        return "no more"
    if disbelieved := page.get("disbelieved", 0):
        reason = f"no fact is left: {counted(disbelieved, 'statement')} undone"
        return f"{reason}; memd undo RUN --facts takes that back for what an import brought, memd runs lists them"
    return "nothing is known yet; memd ingest PATH stores an export"


def _rejected(arguments: argparse.Namespace) -> int:
    if flags := [name for name in _FILTERS if getattr(arguments, name)]:
        raise UsageError(f"--{flags[0].replace('_', '-')} does not go with --rejected", "try: memd facts --help")
    if arguments.of_run == "":
        raise UsageError("--run takes the id of a run", "`memd runs` lists them")
    filters = {"reason": arguments.reason, "run": arguments.of_run, "limit": arguments.limit, "after": arguments.after}
    page = request(arguments, REFUSED_FACTS, filters)
    if arguments.json:
        print_json(page)
        return 0
    for refused in page["refused"]:
        print("\n".join(refused_lines(refused)))
    if page["counts"] and not (arguments.reason or arguments.of_run):
        say("in all: " + ", ".join(f"{count:,} {reason}" for reason, count in page["counts"].items()))
    if not page["refused"]:
        say("nothing was rejected" + (" that matches" if arguments.reason or arguments.of_run else ""))
    if "next" in page:
        of_run = ["--run", arguments.of_run] if arguments.of_run else []
        after = [*of_run, "--rejected", "--after", str(page["next"])]
        say_command("more:", again(arguments, "facts", ("reason", "limit"), *after))
    return 0
