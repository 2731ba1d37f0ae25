"""`memd undo RUN`: shows what taking an import back removes, asks, and does it."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from ...client import DaemonError
from ...operations import BELIEF, RUN, UNDO_IMPORT
from ..arguments import UsageError, command_text
from ..connect import operate, request
from ..output import print_json
from ..render.affected_chats import chat_lines
from ..render.prompts import confirmed
from ..render.terminal import counted, line_columns, one_line, say


def undo_plan(arguments: argparse.Namespace) -> dict[str, Any] | None:
    """Return the plan of undoing the run of this id; None if a fact has the id, or only facts may depend on the run.

    Raises:
        NotFoundError: neither a fact nor a run has the id.
        DaemonError: the run is not over, nothing that it brought is there, or memd cannot look.
    """
    try:
        return operate(
            arguments, UNDO_IMPORT, {"run": arguments.id, "also": arguments.more, "dry_run": True}, reads=True
        )
    except DaemonError as error:
        if error.code != "NOT_FOUND" or arguments.more or _is_ambiguous(error):  # several ids can be runs only
            raise
        nothing_left = error
    try:
        request(arguments, BELIEF, {"id": arguments.id})
    except DaemonError as error:
        if error.code != "NOT_FOUND" or _is_ambiguous(error):
            raise
        try:
            request(arguments, RUN, {"id": arguments.id})
        except DaemonError as error:
            if error.code != "NOT_FOUND":
                raise
            raise _nothing_of(arguments.id) from None
        raise nothing_left from None
    return None


def _is_ambiguous(error: DaemonError) -> bool:
    """Return whether several ids begin as the one that was given: the error lists them."""
    from ....schemas.id_prefixes import AMBIGUOUS

    return error.message == AMBIGUOUS


def _nothing_of(name: str) -> Exception:
    from ....schemas.errors import NotFoundError
    from ....schemas.keys import SHORTEST_KEY

    message = f"neither a fact nor a run has the id '{one_line(name, 60)}'"
    if len(name) < SHORTEST_KEY:
        message = f"an id needs {SHORTEST_KEY} characters at least"
    return NotFoundError(
        message, hint="`memd runs` lists what was imported, `memd facts --ids` what is known, with ids"
    )


def undo_import(arguments: argparse.Namespace, plan: Mapping[str, Any]) -> int:
    """Show, ask, act.

    Raises:
        UsageError: there is no terminal on which to confirm it, or nobody is asked and only the beginning of the id is given.
    """
    runs = [plan["run"], *plan.get("also", [])]
    wanted = {"run": runs[0], "also": runs[1:], "dry_run": False, "plan": plan["plan"]}
    if not any(plan[name] for name in ("messages", "documents", "restored", "amended", "retagged")):
        operate(arguments, UNDO_IMPORT, wanted)  # is refused, with the reason and with what to do
        return 0
    parts = [each for each in (arguments.id, *arguments.more) if each not in runs]
    if arguments.yes and not arguments.dry_run and parts:
        command = command_text(arguments, ["undo", *runs, "--yes"])
        message = f"'{one_line(parts[0], 60)}' is only the beginning of the id of a run"
        raise UsageError(message, f"--yes takes a whole id: {command}")
    if not arguments.json:
        _print_plan(plan)
    if arguments.dry_run:
        if arguments.json:
            print_json(dict(plan))
        return 0
    question = "Take these imports back?" if plan.get("also") else "Take this import back?"
    if not (arguments.yes or confirmed(question, "--facts is for facts alone")):
        return 0
    done = operate(arguments, UNDO_IMPORT, wanted, single_request=False)
    if arguments.json:
        print_json(done)
    else:
        say(", ".join(_done(done)))
        if done["messages"]:
            say(_way_back(arguments, runs))
    return 4 if done["unpurged"] else 0


def _done(done: Mapping[str, Any]) -> list[str]:
    """Return the parts of the undoing that changed anything."""
    parts = [f"took back {counted(done['messages'], 'message')}"] if done["messages"] else []
    if done["restored"]:
        parts.append(f"{counted(done['restored'], 'message')} came back or got back the former wording")
    if done["amended"]:
        parts.append(f"{counted(done['amended'], 'message')} got back what stood beside the wording")
    if done["retagged"]:
        parts.append(f"{counted(done['retagged'], 'document')} got back the former tags")
    return parts


def _way_back(arguments: argparse.Namespace, runs: Sequence[str]) -> str:
    """Return the way to bring undone messages back. A source that is read by schedule does not bring them back by
    itself.
    """
    jobs = {str(request(arguments, RUN, {"id": run}).get("job", "")) for run in runs}
    names = sorted(job.removeprefix("source:") for job in jobs if job.startswith("source:"))
    if not names:
        return "to have again what was taken back, import the same again"
    again = f"to have again what was taken back: `memd sync --again {' '.join(map(shlex.quote, names))}`; no run by schedule reads it"
    return again if "" not in jobs else f"{again}; what was imported comes back by importing it again"


def _print_plan(plan: Mapping[str, Any]) -> None:
    if plan["messages"]:
        whole = f", with {counted(plan['documents'], 'whole document')}" if plan["documents"] else ""
        say(f"{counted(plan['messages'], 'message')} would go{whole}, and what is known only from them:")
        for line in chat_lines(plan, line_columns(sys.stderr)):
            say(line)
    if plan["restored"]:
        say(f"{counted(plan['restored'], 'message')} would come back or get back the former wording")
    if plan["amended"]:
        say(
            f"{counted(plan['amended'], 'message')} would keep the wording, and not what came in beside it: edits, a zone, a name"
        )
    if plan["retagged"]:
        say(f"{counted(plan['retagged'], 'document')} would get back the former tags")
    if plan["shared"]:
        say(f"{_unchanged(plan['shared'])}: brought by other imports, too")
    if plan["kept"]:
        say(f"{_unchanged(plan['kept'])}: something was forgotten there since")


def _unchanged(documents: int) -> str:
    return f"{counted(documents, 'document')} {'stays as it is' if documents == 1 else 'stay as they are'}"
