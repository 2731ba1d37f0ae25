"""`memd history`: how a fact came to be what it is; and `memd undo`, of facts and of imports."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from typing import Any

from ...operations import BELIEF, HISTORY, UNDO
from ..arguments import UsageError, Verbs, add_ids, add_verb
from ..connect import request
from ..output import print_json
from ..render.facts import fact_lines
from ..render.terminal import TerminalStyle, counted, one_line, print_told, say, told
from ..render.wall_clock import local_time
from .undo_import import undo_import, undo_plan

_HISTORY = """\
  memd history 1f0c9e2a   every version, and the facts before and after it
"""
_UNDO = """\
  memd undo 1f0c9e2a      stop believing what this fact rests on: what it replaced holds again
  memd undo 1f0c9e2a      again: believe it again
  memd undo 5e1d77ab      take back what an import brought: shows what goes, and asks
  memd undo 77aa02c4      of a mirror's run: the notes that went with their files come back
  memd undo 5e1d77ab 77aa  take back what these imports brought and no other
  memd undo 5e1d77ab --facts  only stop believing what was read in it
"""


def add(verbs: Verbs) -> None:
    """Their arguments."""
    parser = add_verb(verbs, "history", "how a fact came to be what it is", _HISTORY, (0, 2, 5, 6, 7))
    parser.add_argument(
        "id", metavar="ID", help="of a fact, or its first eight characters: `memd facts --ids` shows them"
    )
    add_ids(parser)
    parser.set_defaults(run=run)
    parser = add_verb(verbs, "undo", "stop believing a fact, or take an import back", _UNDO, (0, 2, 4, 5, 6, 7))
    parser.add_argument(
        "id", metavar="ID", help="of a fact or a run, or its first eight characters: `memd facts --ids`, `memd runs`"
    )
    parser.add_argument("more", metavar="RUN", nargs="*", help="other runs, which are taken back together with it")
    add_ids(parser)
    parser.add_argument("--facts", action="store_true", help="of a run, only stop believing what was read in it")
    parser.add_argument("--dry-run", action="store_true", help="show what would change, and change nothing")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.set_defaults(run=undo)


def run(arguments: argparse.Namespace) -> int:
    """Show every version, the oldest first."""
    body = request(arguments, HISTORY, {"id": arguments.id})
    if arguments.json:
        print_json(body)
        return 0
    for version in body["versions"]:
        replaced = version.get("replaced_at")
        if version.get("ended"):
            _print_why(version, f", {local_time(replaced)}")
            continue
        till = f", replaced {local_time(replaced)}" if replaced else ""
        _print_why(version)
        print_told(f"recorded {local_time(version['recorded_at'])}{till} by run {one_line(version['run'], 40)}")
        print("\n".join(fact_lines(version, ids=arguments.ids)))
    return 0


def undo(arguments: argparse.Namespace) -> int:
    """Change over, and tell what holds now.

    The command looks at the state first and names the other one, so that a request that arrives twice is as one.
    """
    if arguments.facts and arguments.more:
        raise UsageError("--facts takes one id", "disbelieve what was read in each run by a command of its own")
    plan = None if arguments.facts else undo_plan(arguments)
    if plan is not None:
        return undo_import(arguments, plan)
    now = request(arguments, BELIEF, {"id": arguments.id})
    wanted = {"id": now["id"], "believe": not now["believed"], "dry_run": arguments.dry_run}
    body = request(arguments, UNDO, wanted, idempotent=True)
    if arguments.json:
        print_json(body)
        return 0
    now = "believed again" if body["believed"] else "not believed any more"
    statements, facts = counted(body["statements"], "statement"), counted(len(body["facts"]), "fact")
    changes = f"would be {now}; {facts} would change" if arguments.dry_run else f"{now}; {facts} changed"
    meant = "" if body["id"] == arguments.id else f"{body['id']}: "
    say(f"{meant}{statements} {changes}" + (":" if body["facts"] else ""))
    for fact in body["facts"]:
        _print_why(fact)
        print("\n".join(fact_lines(fact, ids=arguments.ids)))
    say("nothing was changed" if arguments.dry_run else "the same command takes it back")
    return 0


def _print_why(version: Mapping[str, Any], more: str = "") -> None:
    """Print the change of a fact and its reason: ADD supersedes “Berlin”."""
    action = one_line(version["action"])
    first, *rest = told(f"{action}  {one_line(version['reason'], 200)}{more}", sys.stdout)
    print(TerminalStyle(sys.stdout).bold(action) + first[len(action) :], *rest, sep="\n")
