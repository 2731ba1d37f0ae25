"""`memd people`: who writes with whom, how often, since when, about what."""

from __future__ import annotations

import argparse
from typing import Any

from ...operations import PEOPLE, PERSON
from ..arguments import Verbs, add_verb
from ..connect import request
from ..output import print_json
from ..render.terminal import counted, one_line, short_time
from .facts import print_fact

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
    elif arguments.name:
        _print_person(body)
    else:
        for person in body["people"]:
            print(f"{person['messages']:>9,}  {one_line(person['name'], 60)}")
    return 0


def _print_person(body: dict[str, Any]) -> None:
    print(" = ".join(one_line(name, 60) for name in body["names"]))
    print(f"  {counted(body['messages'], 'message')}, {short_time(body['first'])} to {short_time(body['last'])} UTC")
    _print_rows("writes in", body["chats"])
    _print_rows("writes with", body["contacts"])
    if body["topics"]:
        print(f"  {'about':<12} {', '.join(one_line(topic, 30) for topic in body['topics'])}")
    for fact in body["facts"]:
        print_fact(fact)


def _print_rows(title: str, rows: list[dict[str, Any]]) -> None:
    for number, row in enumerate(rows):
        days, name = counted(row["documents"], "day"), one_line(row["name"], 40)
        head = "" if number else title
        print(
            f"  {head:<12} {name:<40} {counted(row['messages'], 'message'):>16} on {days}, since {short_time(row['first'])} UTC"
        )
