"""`memd people`: who writes with whom, how often, since when, about what."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import Any

from ...operations import PEOPLE, PERSON
from ..arguments import Verbs, add_verb
from ..connect import request
from ..output import print_json
from ..render.terminal import TerminalStyle, counted, joined, line_columns, local_time, one_line, width_of
from .facts import fact_lines

_EXAMPLES = """\
  memd people             everybody who wrote
  memd people "Ann Smith" with whom, how much, since when, about what, and what is known of her
  memd people ann         the same, where `ann` means nobody else
"""


def add(verbs: Verbs) -> None:
    """Its arguments."""
    parser = add_verb(verbs, "people", "who writes with whom, since when, about what", _EXAMPLES, (0, 2, 5, 6, 7))
    parser.add_argument(
        "name", nargs="?", metavar="NAME", help="one person; a part of the name will do where it means nobody else"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Ask and show."""
    body = request(arguments, PERSON, {"id": arguments.name}) if arguments.name else request(arguments, PEOPLE)
    if arguments.json:
        print_json(body)
        return 0
    columns = line_columns(sys.stdout)
    if arguments.name:
        for line in _person_lines(body, columns):
            print(line)
        return 0
    width = max((len(f"{person['messages']:,}") for person in body["people"]), default=0)
    for person in body["people"]:
        print(f"{person['messages']:>{width},}  {one_line(person['name'], min(60, columns - width - 2))}")
    if not body["people"]:
        print("nobody wrote anything that is stored; memd ingest PATH stores an export")
    return 0


def _person_lines(body: dict[str, Any], columns: int) -> Iterator[str]:
    """A person: the names, how much and since when, where, with whom, about what, and what is known."""
    paint = TerminalStyle(sys.stdout)
    for line in joined(
        [one_line(name, min(60, columns - 4)) for name in body["names"]], " = ", "  ", columns, first=""
    ):
        yield paint.bold(line)
    span = [f"{local_time(body['first'])} to", local_time(body["last"])]
    yield from joined([f"{counted(body['messages'], 'message')},", *span], " ", "    ", columns, first="  ")
    yield from _rows("writes in", body["chats"], columns)
    yield from _rows("writes with", body["contacts"], columns)
    if body["topics"]:
        topics = [one_line(topic, 30) for topic in body["topics"]]
        yield from joined(topics, ", ", " " * 15, columns, first=f"  {'about':<13}")
    if body["facts"]:
        yield ""
    for fact in body["facts"]:
        yield from fact_lines(fact)


def _rows(title: str, rows: list[dict[str, Any]], columns: int) -> Iterator[str]:
    """A line for each; with too few columns for the name beside its counts, two."""
    width = max((width_of(one_line(row["name"], 40)) for row in rows), default=0)
    for number, row in enumerate(rows):
        name = one_line(row["name"], min(40, columns - 15))
        size = f"{counted(row['messages'], 'message')} on {counted(row['documents'], 'day')}"
        told = f"{size}, since {local_time(row['first'])[:10]}"
        head = f"  {'' if number else title:<13}"
        if 15 + width + 2 + width_of(told) <= columns:
            yield f"{head}{name}{' ' * (width - width_of(name))}  {told}"
        else:
            yield f"{head}{name}"
            yield f"{'':<17}{told}"
