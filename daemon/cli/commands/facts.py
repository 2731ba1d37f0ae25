"""`memd facts`: what is known beyond the words, with the messages it rests on."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from ...operations import FACTS
from ..arguments import Verbs, add_verb, whole_number
from ..connect import request
from ..output import print_json
from ..render.terminal import TerminalStyle, columns_of, counted, joined, one_line, say, short_time, wrapped

_EXAMPLES = """\
  memd facts                               what holds now
  memd facts --subject Bob --status all    also what does not any more
  memd facts --as-of 2023-06-01            what held then
  memd facts --attribute home --json
"""


def add(verbs: Verbs) -> None:
    """Its arguments."""
    parser = add_verb(verbs, "facts", "what is known, and on which messages it rests", _EXAMPLES, (0, 2, 5, 6))
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
    parser.add_argument("--as-of", metavar="TIME", help="what held at this day or time")
    parser.add_argument("--known-at", metavar="TIME", help="as it was recorded at this day or time")
    parser.add_argument("-k", "--limit", type=whole_number, default=50, metavar="N", help="how many; default 50")
    parser.add_argument("--after", metavar="N", help="the `next` of the page before")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Ask and show."""
    names = ("subject", "speaker", "attribute", "status", "as_of", "known_at", "limit", "after")
    page = request(arguments, FACTS, {name: getattr(arguments, name) for name in names})
    if arguments.json:
        print_json(page)
        return 0
    for fact in page["facts"]:
        print_fact(fact)
    if not page["facts"]:
        say("nothing is known that matches")
    if page.get("unread"):
        say(f"{counted(page['unread'], 'document')} not read yet; memd serve goes on with it")
    if "next" in page:
        say(f"more: --after {page['next']}")
    return 0


def print_fact(fact: Mapping[str, Any]) -> None:
    """Print the lines of a fact."""
    print("\n".join(fact_lines(fact)))


def fact_lines(fact: Mapping[str, Any]) -> Iterator[str]:
    """A fact in a few lines: what, since when, on which words."""
    paint = TerminalStyle(sys.stdout)
    columns = columns_of(sys.stdout)
    for line in wrapped(fact["content"], "", columns):
        yield paint.bold(line)
    for evidence in fact["evidence"]:
        yield from wrapped(f"“{one_line(evidence['quote'], 200)}”", "    │ ", columns)
    until = short_time(fact.get("valid_to"))
    notes = [fact["status"]] if fact.get("status", "active") != "active" else []
    notes += ["was over when it was said"] if fact.get("history") else []
    notes += ["beside another"] if fact.get("beside") else []
    notes += [one_line(fact["attribute"]), f"said by {one_line(fact['speaker'], 40)}"]
    notes += [
        f"since {short_time(fact.get('valid_from'))}" + (f" until {until}" if until else ""),
        one_line(fact["id"]),
    ]
    for line in joined(notes, " · ", "      ", paint.line_columns, first="    — "):
        yield paint.dim(line)
    for more in _more(fact):
        for line in joined(more.split(), " ", "      ", paint.line_columns, first="      "):
            yield paint.dim(line)


def _more(fact: Mapping[str, Any]) -> list[str]:
    """The mood in which it was said, what it ended, and what it is linked with."""
    told: list[str] = []
    if "sentiment" in fact:
        told.append(f"sentiment {fact['sentiment']:+.1f}")
    if fact.get("superseded_by"):
        told.append(f"ended by {one_line(fact['superseded_by'])}")
    if fact.get("retires"):
        told.append(f"ended {', '.join(map(one_line, fact['retires'][:_SHOWN]))}{_beyond(fact['retires'])}")
    links = [link for link in fact.get("links", ()) if link["kind"] != "supersedes"]
    if links:
        shown = ", ".join(f"{one_line(link['kind'])} {one_line(link['other'])}" for link in links[:_SHOWN])
        told.append(f"linked: {shown}{_beyond(links)}")
    return told


_SHOWN = 3


def _beyond(listed: list[Any]) -> str:
    return f" and {len(listed) - _SHOWN} more" if len(listed) > _SHOWN else ""
