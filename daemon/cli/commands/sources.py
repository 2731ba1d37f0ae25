"""`memd sources`: folders and accounts that are read again and again: add, list, show, set, log in, pause, resume, remove."""

from __future__ import annotations

import argparse
import os
import shlex
from typing import Any

from ....connectors.live.account_registry import ACCOUNT_FLAGS, ACCOUNT_KINDS
from ....connectors.live.oauth.presets import OAUTH_SETTINGS
from ...operations import ADD_SOURCE, CHANGE_SOURCE, PAUSE_SOURCE, REMOVE_SOURCE, SOURCE, SOURCES
from ..arguments import Parser, UsageError, Verbs, absolute, add_reading, add_verb, global_options, seconds
from ..connect import request
from ..output import print_json
from ..render.sources import file_lines, history_line, kept_notice_lines, maintenance_lines, source_lines
from ..render.terminal import print_told, say
from .accounts import (
    add_account_flags,
    add_account_settings,
    add_secret_flags,
    changed_account,
    refuse_account_flags,
    run_add_account,
    run_login,
)
from .agent_sources import run_add_agents

_EXAMPLES = """\
  memd sources add folder ~/Exports                      read every night at three
  memd sources add folder ~/Exports --every 6h --watch   and when something changes in it
  memd sources add folder ~/Vault --name notes --schedule "30 1 * * *"
  memd sources                                           what there is, and how it is
  memd sources show Exports                              with its runs, and files that cannot be read
  memd sources add imap ann@example.org                  an account of mail; asks for the password
  memd sources add slack --manifest                      what to make an app of Slack from
  memd sources add slack                                 a workspace of Slack; asks for your token
  memd sources add agents                                sessions of Claude Code, Codex, Gemini CLI, Copilot CLI on this disk
  memd sources add telegram                              a bot of Telegram; asks for its token
  memd sources login ann@example.org                     store another password
  memd sources set Exports --every 12h --no-watch        change it, without losing what is known of it
  memd sources pause Exports
  memd sources --formats                                 what exports can be read

A running `memd serve` reads them; `memd sync` reads them now, with or without it.
"""

_RESET = {
    "schedule": ("schedule",),
    "jitter": ("jitter_s",),
    "grace": ("misfire_grace_s",),
    "me": ("me",),
    "chat": ("chat",),
    "zone": ("zone",),
    "date-order": ("date_order",),
    "format": ("format",),
    "mirror": ("mirror",),
    **{
        flag.option[2:]: (flag.setting,)
        for flag in ACCOUNT_FLAGS
        if not flag.required and not flag.setting.startswith("oauth")
    },
    "oauth": OAUTH_SETTINGS,
}
"""By flag, the settings that get their default again."""
_KINDS = "; ".join(f"{name}: {kind.title}" for name, kind in ACCOUNT_KINDS.items())
_RESETS = ", ".join(_RESET)


def add(verbs: Verbs) -> None:
    """Its arguments."""
    parser = add_verb(verbs, "sources", "read folders again and again, by schedule", _EXAMPLES, (0, 2, 3, 4, 5, 6, 7))
    parser.set_defaults(run=run_list)
    parser.add_argument(
        "--formats", action="store_true", help="list every format that memd reads, and what it leaves out"
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION", title="actions", parser_class=Parser)
    _add_action(actions, "list", "every source and how it is; the same without an action").set_defaults(run=run_list)
    _add_source_parser(actions)
    _set_source_parser(actions)
    login = _add_action(actions, "login", "store the password or token of an account, after trying it")
    login.add_argument("name", metavar="NAME", help="the source's name")
    add_secret_flags(login)
    login.add_argument("--no-check", action="store_true", help="store it without a login")
    login.set_defaults(run=run_login)
    for name, summary, run in (
        ("show", "one source, with its runs, and files that were not read or not whole", run_show),
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
    parser.add_argument(
        "kind",
        choices=("folder", "agents", *ACCOUNT_KINDS),
        help=f"what it is: a folder; agents: sessions of coding agents, found by themselves; {_KINDS}",
    )
    parser.add_argument(
        "where", metavar="WHERE", nargs="?", help="the folder, USER@HOST of an account of mail, or a name for a bot"
    )
    parser.add_argument(
        "--name", metavar="NAME", help="by which it is known; default: the folder's name, or the account"
    )
    _add_watching(parser)
    _add_settings(parser)
    add_account_flags(parser)
    parser.set_defaults(run=run_add)


def _add_watching(parser: Parser) -> None:
    watching = parser.add_mutually_exclusive_group()
    told = "read also when something in the folder changes, or the account's server tells of something new"
    watching.add_argument("--watch", action="store_true", default=None, dest="watch", help=told)
    watching.add_argument("--no-watch", action="store_false", dest="watch", help="read only by schedule")


def _set_source_parser(actions: Verbs) -> None:
    parser = _add_action(actions, "set", "change settings of a source; what was read, and its history, stay")
    parser.add_argument("name", metavar="NAME", help="the source's name")
    parser.add_argument("--path", metavar="PATH", help="the folder, where it was moved")
    _add_watching(parser)
    _add_settings(parser, present=True)
    add_account_settings(parser)
    parser.add_argument(
        "--reset", action="append", default=[], choices=tuple(_RESET), metavar="FLAG", help=f"its default: {_RESETS}"
    )
    parser.set_defaults(run=run_set)


def _add_settings(parser: Parser, *, present: bool = False) -> None:
    """Add the flags of a new source, or of one that is ``present``."""
    when = parser.add_mutually_exclusive_group()
    when.add_argument("--schedule", metavar="CRON", help='five fields as in crontab(5); default "0 3 * * *"')
    when.add_argument("--every", metavar="TIME", help="an interval instead: 30m, 6h, 1d")
    parser.add_argument("--jitter", type=seconds, metavar="SECONDS", help="begin up to so much later, by chance")
    parser.add_argument("--grace", type=seconds, metavar="SECONDS", help="leave out a run missed by more than this")
    after = parser.add_mutually_exclusive_group()
    after.add_argument("--move-to", metavar="DIR", help="move exports there when they are kept")
    after.add_argument("--delete-read", action="store_true", help="delete exports when they are kept")
    mirroring = parser.add_mutually_exclusive_group()
    step = "take a note out of the memory when its file is gone; `memd undo` of the run brings it back"
    mirroring.add_argument("--mirror", action="store_true", default=None, help=step)
    if present:
        mirroring.add_argument(
            "--no-mirror", action="store_false", dest="mirror", help="keep notes whose files are gone"
        )
        after.add_argument("--keep-read", action="store_true", help="leave exports where they are")
    add_reading(parser)


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
    """List the formats that can be read; asks neither a daemon nor a store."""
    from ....connectors.reading.registry import formats

    if arguments.json:
        rows = [{"name": each.name, "reads": each.reads, "leaves_out": each.leaves_out} for each in formats()]
        print_json({"formats": rows})
        return 0
    for each in formats():
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
    if arguments.kind in ACCOUNT_KINDS:
        return run_add_account(arguments, _given(arguments))
    refuse_account_flags(arguments)
    if arguments.kind == "agents":
        return run_add_agents(arguments, _given(arguments))
    if not arguments.where:
        raise UsageError("which folder?", "memd sources add folder PATH")
    path = absolute(arguments.where)
    name = arguments.name or os.path.basename(path)  # noqa: PTH119
    settings = {"name": name, "kind": arguments.kind, "path": path} | _given(arguments)
    body = request(arguments, ADD_SOURCE, {"settings": settings})
    if arguments.zone:
        from ..settings import settings_of, show_times_in_named_zone

        show_times_in_named_zone(settings_of(arguments), arguments.zone)
    code = _print(arguments, body)
    if not arguments.json:
        say(f"`memd sync {shlex.quote(body['name'])}` reads it now; a running `memd serve` reads it by its schedule")
    return code


def run_set(arguments: argparse.Namespace) -> int:
    """Change settings of a source."""
    settings: dict[str, Any] = dict.fromkeys(setting for flag in arguments.reset for setting in _RESET[flag])
    if arguments.keep_read:
        settings |= {"after_read": None, "move_to": None}
    if arguments.delete_read:
        settings |= {"move_to": None}
    if arguments.path is not None:
        settings["path"] = absolute(arguments.path)
    settings |= _given(arguments) | changed_account(arguments)
    if not settings:
        raise UsageError("nothing to set", "`memd sources set --help` names the settings")
    return _print(arguments, request(arguments, CHANGE_SOURCE, {"name": arguments.name, "settings": settings}))


def _given(arguments: argparse.Namespace) -> dict[str, Any]:
    """The settings that flags name."""
    every = f"every {arguments.every}" if arguments.every else None
    settings: dict[str, Any] = {
        "schedule": every or arguments.schedule,
        "watch": arguments.watch,
        "jitter_s": arguments.jitter,
        "misfire_grace_s": arguments.grace,
        "format": arguments.format,
        "me": arguments.me,
        "chat": arguments.chat,
        "zone": arguments.zone,
        "date_order": arguments.date_order,
        "mirror": arguments.mirror,
        "after_read": "move" if arguments.move_to else "delete" if arguments.delete_read else None,
        "move_to": arguments.move_to and absolute(arguments.move_to),
    }
    return {name: value for name, value in settings.items() if value is not None}


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
    for line in source_lines(body, alone=True):
        print_told(line)
    for line in (*file_lines(body), *kept_notice_lines(body.get("notices", ()))):
        print_told(line)
    for each in body["runs"]:
        print_told(f"  {history_line(each, files_told=True)}")
    return 0
