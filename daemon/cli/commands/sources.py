"""`memd sources`: folders and accounts that are read again and again: add, list, show, pause, resume, remove."""

from __future__ import annotations

import argparse
import os
from typing import Any

from ...operations import ADD_SOURCE, PAUSE_SOURCE, REMOVE_SOURCE, SOURCE, SOURCES
from ..arguments import Parser, Verbs, add_reading, add_verb, global_options, seconds
from ..connect import request
from ..output import print_json
from ..render.sources import history_line, maintenance_lines, source_lines, unreadable_lines
from ..render.terminal import print_told, say

_EXAMPLES = """\
  memd sources add folder ~/Exports                      read every night at three
  memd sources add folder ~/Exports --every 6h --watch   and when something changes in it
  memd sources add folder ~/Vault --name notes --schedule "30 1 * * *"
  memd sources                                           what there is, and how it is
  memd sources show Exports                              with its runs, and files that cannot be read
  memd sources pause Exports
  memd sources --formats                                 what exports can be read

A running `memd serve` reads them; `memd sync` reads them now, with or without it.
"""


def add(verbs: Verbs) -> None:
    """Its arguments."""
    parser = add_verb(verbs, "sources", "read folders again and again, by schedule", _EXAMPLES, (0, 2, 5, 6, 7))
    parser.set_defaults(run=run_list)
    parser.add_argument(
        "--formats", action="store_true", help="list every format that memd reads, and what it leaves out"
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION", title="actions", parser_class=Parser)
    _add_action(actions, "list", "every source and how it is; the same without an action").set_defaults(run=run_list)
    _add_source_parser(actions)
    for name, summary, run in (
        ("show", "one source, with its runs and unreadable files", run_show),
        ("remove", "read it no more; what was read stays", run_remove),
        ("pause", "do not read it by itself", run_pause),
        ("resume", "read it by itself again", run_pause),
    ):
        action = _add_action(actions, name, summary)
        action.add_argument("name", metavar="NAME", help="the source's name")
        action.set_defaults(run=run, action=name)


def _add_action(actions: Verbs, name: str, summary: str) -> Parser:
    parser: Parser = actions.add_parser(
        name, help=summary, description=f"{summary[:1].upper()}{summary[1:]}.", parents=[global_options()]
    )
    return parser


def _add_source_parser(actions: Verbs) -> None:
    parser = _add_action(actions, "add", "remember a source and read it by schedule")
    parser.add_argument("kind", choices=("folder",), help="what it is")
    parser.add_argument("path", metavar="PATH", help="the folder")
    parser.add_argument("--name", metavar="NAME", help="by which it is known; default: the folder's name")
    when = parser.add_mutually_exclusive_group()
    when.add_argument("--schedule", metavar="CRON", help='five fields as in crontab(5); default "0 3 * * *"')
    when.add_argument("--every", metavar="TIME", help="an interval instead: 30m, 6h, 1d")
    parser.add_argument("--watch", action="store_true", help="read also when something in the folder changes")
    parser.add_argument("--jitter", type=seconds, metavar="SECONDS", help="begin up to so much later, by chance")
    parser.add_argument("--grace", type=seconds, metavar="SECONDS", help="leave out a run missed by more than this")
    after = parser.add_mutually_exclusive_group()
    after.add_argument("--move-to", metavar="DIR", help="move exports there when they are kept")
    after.add_argument("--delete-read", action="store_true", help="delete exports when they are kept")
    add_reading(parser)
    parser.set_defaults(run=run_add)


def run_list(arguments: argparse.Namespace) -> int:
    """Every source, and scheduled maintenance; or every format."""
    if getattr(arguments, "formats", False):
        return _list_formats(arguments)
    body = request(arguments, SOURCES)
    if arguments.json:
        print_json(body)
        return 0
    if not body["sources"]:
        say("there is no source; `memd sources add folder PATH` adds one")
    for source in body["sources"]:
        for line in source_lines(source):
            print_told(line)
    for job in body["maintenance"]:
        for line in maintenance_lines(job):
            print_told(line)
    if body["sources"] and not body["scheduled"]:
        say("no daemon runs, so nothing is read by schedule: `memd serve` does, and `memd install-service` starts it")
    return 0


def _list_formats(arguments: argparse.Namespace) -> int:
    """What can be read at all; asks neither a daemon nor a store."""
    from ....connectors.format_descriptions import FORMATS

    if arguments.json:
        formats = [{"name": each.name, "reads": each.reads, "leaves_out": each.leaves_out} for each in FORMATS]
        print_json({"formats": formats})
        return 0
    for each in FORMATS:
        print(each.name)
        print_told(f"  {each.reads}")
        print_told(f"  not read: {each.leaves_out}")
    say("memd tells a format by the content of a file; `memd parse PATH` shows what is read of an export")
    return 0


def run_show(arguments: argparse.Namespace) -> int:
    """One source."""
    return _print(arguments, request(arguments, SOURCE, {"id": arguments.name}))


def run_add(arguments: argparse.Namespace) -> int:
    """Remember a source."""
    path = os.path.abspath(os.path.expanduser(arguments.path))  # noqa: PTH100, PTH111 - the light path
    every = f"every {arguments.every}" if arguments.every else None
    settings: dict[str, Any] = {
        "name": arguments.name or os.path.basename(path),  # noqa: PTH119
        "kind": arguments.kind,
        "path": path,
        "schedule": every or arguments.schedule,
        "watch": arguments.watch or None,
        "jitter_s": arguments.jitter,
        "misfire_grace_s": arguments.grace,
        "format": arguments.format,
        "me": arguments.me,
        "chat": arguments.chat,
        "zone": arguments.zone,
        "date_order": arguments.date_order,
        "after_read": "move" if arguments.move_to else "delete" if arguments.delete_read else None,
        "move_to": arguments.move_to and os.path.abspath(os.path.expanduser(arguments.move_to)),  # noqa: PTH100, PTH111
    }
    given = {name: value for name, value in settings.items() if value is not None}
    body = request(arguments, ADD_SOURCE, {"settings": given})
    code = _print(arguments, body)
    if not arguments.json:
        say(f"`memd sync {body['name']}` reads it now; a running `memd serve` reads it by its schedule")
    return code


def run_remove(arguments: argparse.Namespace) -> int:
    """Read a source no more."""
    body = request(arguments, REMOVE_SOURCE, {"name": arguments.name})
    if arguments.json:
        print_json(body)
    else:
        say(f"{arguments.name} is read no more; what was read of it stays, and `memd forget` removes it")
    return 0


def run_pause(arguments: argparse.Namespace) -> int:
    """Pause or resume a source."""
    wanted = {"name": arguments.name, "paused": arguments.action == "pause"}
    return _print(arguments, request(arguments, PAUSE_SOURCE, wanted))


def _print(arguments: argparse.Namespace, body: dict[str, Any]) -> int:
    if arguments.json:
        print_json(body)
        return 0
    for line in source_lines(body):
        print_told(line)
    for line in unreadable_lines(body["unreadable"], body["files"]["unreadable"]):
        print_told(line)
    for each in body["runs"]:
        print_told(f"  {history_line(each)}")
    return 0
