"""`memd people`: who writes with whom, how often, since when, about what."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from ....memory.text.names import folded
from ...operations import PEOPLE, PERSON
from ..arguments import Verbs, add_verb
from ..connect import with_client
from ..output import print_json
from ..render.terminal import counted, one_line, short_time
from .facts import print_fact

if TYPE_CHECKING:
    from ...client import Client

SHOWN = 10
"""Candidates that are named where a name means several people."""
_EXAMPLES = """\
  memd people             everybody who wrote
  memd people "Ann Smith" with whom, how much, since when, about what, and what is known of her
  memd people ann         the same, where nobody else has a name that begins so
"""


def add(verbs: Verbs) -> None:
    """Its arguments."""
    parser = add_verb(verbs, "people", "who writes with whom, since when, about what", _EXAMPLES, (0, 2, 5, 6, 7))
    parser.add_argument(
        "name", nargs="?", metavar="NAME", help="one person; the beginning of a name will do where it means nobody else"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Ask and show."""
    from ...client import DaemonError

    def work(client: Client) -> dict[str, Any]:
        if not arguments.name:
            return client.call(PEOPLE)
        try:
            return client.call(PERSON, {"id": arguments.name})
        except DaemonError as error:
            if error.code != "NOT_FOUND":
                raise
            correlation = error.envelope()["correlation_id"]
            found = _like(arguments.name, [str(each["name"]) for each in client.call(PEOPLE)["people"]])
            if not found:
                raise
        if len(found) > 1:
            more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
            raise DaemonError(_ambiguous(arguments.name, f"{', '.join(found[:SHOWN])}{more}", correlation))
        return client.call(PERSON, {"id": found[0]})

    body = with_client(arguments, work, single_request=True, reads=True)
    if arguments.json:
        print_json(body)
    elif arguments.name:
        _print_person(body)
    else:
        for person in body["people"]:
            print(f"{person['messages']:>9,}  {one_line(person['name'], 60)}")
    return 0


def _like(name: str, names: list[str]) -> list[str]:
    """Those of whose name, or of a word of it, this is the beginning, whatever its case and the composition of its accents."""
    begin = folded(name.strip())
    return [each for each in names if begin and f" {folded(each)}".find(f" {begin}") >= 0]


def _ambiguous(name: str, candidates: str, correlation: str) -> dict[str, Any]:
    return {
        "code": "NOT_FOUND",
        "message": f"several people's names begin with {name!r}: {candidates}",
        "hint": "give the whole name",
        "retryable": False,
        "correlation_id": correlation,  # of the answer that knows nobody of just that name
    }


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
