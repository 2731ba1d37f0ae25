"""`memd sync`: read sources now, through the daemon or without one."""

from __future__ import annotations

import argparse
from typing import Any

from ...exit_codes import NOTHING_READ, PARTLY
from ...operations import SYNC
from ..arguments import UsageError, Verbs, add_verb
from ..connect import daemon_of, operate
from ..output import print_json
from ..render.ingest_summary import print_notices
from ..render.read_files import print_files
from ..render.sources import history_line, outcome
from ..render.terminal import clean, one_line, print_told, say

_EXAMPLES = """\
  memd sync                    all sources that are not paused
  memd sync Exports --wait     one, and wait until what is new is found
  memd sync --again Exports    also files that were read before
  memd sync --nightly          what a daemon does at night, for a timer without one

Without a daemon it reads them itself, and waits. A source that has stopped, because its login was refused for example, is
read when it is named; without names it is told, and the exit code is that of the others.
"""


def add(verbs: Verbs) -> None:
    """Its arguments."""
    parser = add_verb(verbs, "sync", "read sources now", _EXAMPLES, (0, 1, 2, 3, 4, 5, 6, 7, 130))
    parser.add_argument("names", nargs="*", metavar="NAME", help="sources; default: all that are not paused")
    parser.add_argument("--wait", action="store_true", help="until what is new is found by words and meaning")
    parser.add_argument("--again", action="store_true", help="also what was read before")
    parser.add_argument(
        "--nightly",
        action="store_true",
        help="also do backups and checks whose time has come, and send the message of [notify]; waits; where no daemon does",
    )
    parser.add_argument("--verbose", action="store_true", help="name every file that was read or left out")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Ask the owner, or be it, to read; tell what came of it."""
    alone = daemon_of(arguments) is None
    if alone:
        from ...scheduler.settings_check import require_own_folders
        from ..settings import resolved

        require_own_folders(resolved(arguments))
    wait = arguments.wait or alone or arguments.nightly
    if arguments.nightly and arguments.names:
        raise UsageError("--nightly reads all sources", "leave the names out")
    wanted = {"sources": arguments.names, "wait": wait, "again": arguments.again}
    wanted |= {"nightly": True} if arguments.nightly else {}
    body = operate(arguments, SYNC, wanted, single_request=False)
    if arguments.json:
        print_json(body)
    else:
        _print(body, all_of_them=arguments.verbose)
    jobs = (*body["sources"], *body.get("maintenance", ()))
    outcomes = {str(each.get("outcome", "ok")) for each in jobs}
    if outcomes <= {"ok"}:
        return 0
    return NOTHING_READ if outcomes == {"failed"} else PARTLY


def _print(body: dict[str, Any], *, all_of_them: bool) -> None:
    stopped = body.get("stopped", ())
    if not body["sources"] and not stopped:
        say("there is no source that is not paused; `memd sources` lists them, `memd sources add folder PATH` adds one")
    elif body["sources"] and not body["waited"]:
        names = ", ".join(clean(each["name"]) for each in body["sources"])
        say(f"asked for: {names}; `memd sources` tells how they are, `memd watch` follows them")
    for each in body["sources"] if body["waited"] else ():
        detail = f" - {one_line(each['detail'], 300)}" if each.get("detail") else ""
        print_told(f"{clean(each['name'])}  {outcome(each)}{detail}")
    for each in body["sources"]:
        print_files(each, all_of_them=all_of_them)
        print_notices(each.get("notices", ()), each["name"])
    for each in body.get("maintenance", ()):
        print_told(history_line(each))
    for each in stopped:
        why = f": {one_line(each['why'], 300)}" if each["why"] else ""
        say(f"{clean(each['name'])}  left out, it has stopped{why}; {clean(each['hint'])}")
