"""`memd people`: who writes with whom, how often, since when, about what; and who is one person under several names."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ...operations import DECISIONS, MERGE_PEOPLE, PEOPLE, PERSON, PROPOSALS, SPLIT_PERSON, UNDO_PEOPLE
from ..arguments import UsageError, Verbs, add_verb
from ..connect import request
from ..output import print_json
from ..render.people import decision_line, other_names, person_lines, plan_lines
from ..render.prompts import confirmed
from ..render.terminal import counted, joined, line_columns, one_line, print_told, say

_EXAMPLES = """\
  memd people                           everybody who wrote
  memd people "Ann Smith"               with whom, how much, since when, about what, and what is known of her
  memd people ann                       the same, where `ann` means nobody else
  memd people --proposals               who may be one person, and why
  memd people merge priya slack:priyas  one person from now on, in filters, questions and facts
  memd people split priya               several again; with more names only these stand by themselves
  memd people log                       what was merged, split and taken back, with numbers
  memd people undo 3                    take back number 3; without a number the last that stands

A person is named by a part of the name that means nobody else, by SOURCE:NAME, by mail address or phone number.
Merging changes no message: it is a decision beside them, kept in backups, and taken back at any time. Nobody is merged
by memd itself but you, whom [me] in the settings names. Somebody called "merge" is shown by `memd people show merge`.
"""
_ACTIONS = ("show", "merge", "split", "undo", "log")


def add(verbs: Verbs) -> None:
    """Its arguments."""
    parser = add_verb(
        verbs, "people", "who writes with whom; one person under several names", _EXAMPLES, (0, 2, 5, 6, 7)
    )
    parser.add_argument(
        "words",
        nargs="*",
        metavar="NAME",
        help="one person; a part of the name will do where it means nobody else. After merge, split, undo, log or show: "
        "what these are about",
    )
    parser.add_argument("--proposals", action="store_true", help="who may be one person, with the evidence")
    parser.add_argument("--dry-run", action="store_true", help="of merge and split: show the plan and change nothing")
    parser.add_argument(
        "--yes", action="store_true", help="of merge and split: do not ask; names must be whole then. undo never asks"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Ask and show, or decide."""
    action, words = _action(arguments.words)
    if arguments.proposals:
        if arguments.words:
            raise UsageError("--proposals stands alone", "memd people --proposals")
        return _propose(arguments)
    if action == "merge":
        return _decide(arguments, len(words) > 1, {"people": words})
    if action == "split":
        return _decide(arguments, bool(words), {"person": words[0], "names": words[1:]} if words else {})
    if arguments.dry_run or (arguments.yes and action != "undo"):
        raise UsageError("--dry-run and --yes belong to merge and split", "memd people --help")
    if action == "undo":  # which asks nothing, with --yes or without
        return _undo(arguments, words)
    if action == "log":
        return _log(arguments, words)
    if len(words) > 1:
        raise UsageError("one person at a time", "write a name of several words in quotes")
    return _show(arguments, words[0]) if words else _list(arguments)


def _action(words: Sequence[str]) -> tuple[str, list[str]]:
    if words and words[0] in _ACTIONS:
        return words[0], list(words[1:])
    return "show", list(words)


def _list(arguments: argparse.Namespace) -> int:
    body = request(arguments, PEOPLE)
    if arguments.json:
        print_json(body)
        return 0
    columns = line_columns(sys.stdout)
    width = max((len(f"{person['messages']:,}") for person in body["people"]), default=0)
    often = Counter(person["name"] for person in body["people"])
    for person in body["people"]:
        name = one_line(person["name"], min(60, columns - width - 2))
        others = other_names(person)
        where = [f"({next(iter(person['names']))})"] if often[person["name"]] > 1 and not others else []
        parts = [name, *(f"= {other}" for other in others), *where, *(["· you"] if person["is_user"] else [])]
        for line in joined(parts, " ", " " * (width + 4), columns, first=f"{person['messages']:>{width},}  "):
            print(line)
    if not body["people"]:
        print_told("nobody wrote anything that is stored; memd ingest PATH stores an export")
    return 0


def _propose(arguments: argparse.Namespace) -> int:
    body = request(arguments, PROPOSALS)
    if arguments.json:
        print_json(body)
        return 0
    columns = line_columns(sys.stdout)
    for proposal in body["proposals"]:
        lines = [
            f"{one_line(each['name'], 40)} ({one_line(each['source'], 20)}, {counted(each['messages'], 'message')})"
            for each in proposal["identities"]
        ]
        for line in joined(lines, " = ", "  ", columns, first=""):
            print(line)
        for each in proposal["evidence"]:
            print_told(f"  same {each['kind']}: {one_line(each['value'], 80)}")
        names = [shlex.quote(one_line(f"{each['source']}:{each['name']}")) for each in proposal["identities"]]
        print(f"  memd people merge {' '.join(names)}")
    if not body["proposals"]:
        say("nobody has the account, mail address, phone number or full name of somebody else")
    return 0


def _decide(arguments: argparse.Namespace, enough: bool, wanted: Mapping[str, Any]) -> int:
    """Plan, show, ask, decide."""
    if not enough:
        if "people" in wanted:
            raise UsageError("who is one person?", "memd people merge NAME NAME")
        raise UsageError("whose names are they?", "memd people split NAME")
    operation = MERGE_PEOPLE if "people" in wanted else SPLIT_PERSON
    whole = arguments.yes and not arguments.dry_run
    plan = request(arguments, operation, {**wanted, "dry_run": True, "whole_names": whole}, idempotent=True)
    if not arguments.json:
        for line in plan_lines(plan):
            say(line)
    if arguments.dry_run:
        if arguments.json:
            print_json(plan)
        return 0
    if not (arguments.yes or confirmed("One person from now on?" if "people" in plan else "Several from now on?")):
        return 0
    done = request(arguments, operation, {**_of_plan(wanted, plan), "dry_run": False})
    if arguments.json:
        print_json(done)
    else:
        what = "they are one person now" if "people" in done else "they stand by themselves again"
        say(f"{what}; memd people undo {done['decision']} takes it back")
    return 0


def _of_plan(wanted: Mapping[str, Any], plan: Mapping[str, Any]) -> dict[str, Any]:
    """Return the request with the keys of the people in the plan that was shown."""
    keys = [each["key"] for each in plan["identities"]]
    if "people" in wanted:
        return {"people": keys}
    return {"person": keys[0], "names": keys if wanted["names"] else []}


def _undo(arguments: argparse.Namespace, words: Sequence[str]) -> int:
    if len(words) > 1 or (words and not (words[0].isascii() and words[0].isdigit())):
        raise UsageError("undo takes the number of a decision", "memd people log lists them")
    body = request(arguments, UNDO_PEOPLE, {"decision": int(words[0])} if words else {})
    if arguments.json:
        print_json(body)
    else:
        say(f"taken back: {decision_line(body['undone'])}")
    return 0


def _log(arguments: argparse.Namespace, words: Sequence[str]) -> int:
    if words:
        raise UsageError("log takes no name", "memd people NAME shows one person")
    body = request(arguments, DECISIONS)
    if arguments.json:
        print_json(body)
        return 0
    for each in body["decisions"]:
        print_told(f"{decision_line(each)}{'' if each['stands'] else ' · taken back'}")
    if not body["decisions"]:
        say("nobody was merged or split")
    return 0


def _show(arguments: argparse.Namespace, name: str) -> int:
    body = request(arguments, PERSON, {"id": name})
    if arguments.json:
        print_json(body)
        return 0
    for line in person_lines(body, line_columns(sys.stdout)):
        print(line)
    return 0
