"""Accounts in `memd sources`: add one after a look at it, and store what it is logged in to with."""

from __future__ import annotations

import argparse
import getpass
import os
import shlex
import sys
from collections.abc import Callable, Mapping
from typing import Any

from ...client import DaemonError, UnreadableAccountError
from ...config.account_kinds import ACCOUNT_KINDS, AccountKind
from ...config.mail_providers import host_and_user
from ...operations import ADD_SOURCE, CHECK_SOURCE, LOGIN_SOURCE, SOURCE, Operation
from ..arguments import Parser, UsageError, whole_number
from ..connect import operate, request
from ..output import print_json
from ..render.prompts import confirmed
from ..render.sources import schedule_words
from ..render.terminal import clean, counted, one_line, print_told, say
from .oauth_login import SECRET_FLAGS, add_login_flags, add_oauth_flags, log_in, oauth_settings
from .secret_input import read_secret, usable_secret

_SHOWN = 40
"""Folders that are named before one asks whether they are wanted."""


def add_account_flags(parser: Parser) -> None:
    """Add the flags of a new account."""
    group = parser.add_argument_group("accounts")
    group.add_argument("--host", metavar="HOST", help="the server; then USER@HOST is the user alone")
    _add_settings(group)
    group.add_argument("--manifest", action="store_true", help="print what to make an app of Slack from; add nothing")
    add_secret_flags(group)
    group.add_argument("--dry-run", action="store_true", help="log in and show what would be read; add nothing")
    group.add_argument("--yes", action="store_true", help="do not ask")


def add_account_settings(parser: Parser) -> None:
    """Add the flags that change an account."""
    group = parser.add_argument_group("accounts")
    group.add_argument(
        "--host", metavar="HOST", help="the server; the password is asked for anew by `memd sources login`"
    )
    group.add_argument("--user", metavar="USER", help="whom the server knows the account by; then log in anew")
    _add_settings(group)
    group.add_argument("--password-file", metavar="FILE", help="read the password from this file at each login")
    group.add_argument("--token-file", metavar="FILE", help="read the token from this file at each login")
    group.add_argument(
        "--client-secret-file", metavar="FILE", help="read the secret of the client id from it at each login"
    )


def changed_account(arguments: argparse.Namespace) -> dict[str, Any]:
    """The settings of an account that flags change."""
    files = {
        name: getattr(arguments, name) for name in ("ca_file", "password_file", "token_file", "client_secret_file")
    }
    settings = {name: getattr(arguments, name) for name in ("host", "user", "port", "tls", "api_url")}
    settings |= {name: path and _absolute(path) for name, path in files.items()}
    settings |= {"folders": arguments.folder or None, **oauth_settings(arguments)}
    return {name: value for name, value in settings.items() if value is not None}


def _add_settings(group: Any) -> None:  # noqa: ANN401 - a group, which has no public type
    group.add_argument("--port", type=whole_number, metavar="PORT", help="default: 993, with starttls 143")
    group.add_argument(
        "--tls", choices=("tls", "starttls"), help="TLS from the first byte (default), or after STARTTLS"
    )
    group.add_argument("--ca-file", metavar="FILE", help="certificates in PEM to trust instead of the system's")
    group.add_argument(
        "--folder",
        action="append",
        default=[],
        metavar="NAME",
        help="read this folder (of Slack: conversation) alone; may be repeated",
    )
    group.add_argument(
        "--api-url", metavar="URL", help="a Bot API server of your own, instead of Telegram's; of Slack, its Web API"
    )
    add_oauth_flags(group)


def add_secret_flags(parser: Any) -> None:  # noqa: ANN401 - a parser or a group of one
    """Add the flags for the source of a secret."""
    parser.add_argument(
        "--password-file",
        "--token-file",
        metavar="FILE",
        help="read the password, or the token (of Slack: xoxp-…), from this file now, - is standard input; default: ask without echo",
    )
    parser.add_argument(
        "--app-token-file",
        metavar="FILE",
        help="of Slack: read the App-Level Token (xapp-…) from this file now, to be told at once what happens",
    )
    add_login_flags(parser)


_PARTS = {"slack": "conversation"}
"""The names of the parts of an account, by kind, if they are not folders."""
_OAUTH_FLAGS = ("oauth", "client_id", "authorize_url", "device_url", "token_url", "scope")
_FLAGS = (
    *("host", "port", "tls", "ca_file", "folder", "api_url", "manifest", "app_token_file", "password_file"),
    *("dry_run", *_OAUTH_FLAGS, *SECRET_FLAGS),
)
"""The flags that only accounts have; ``--yes`` is accepted for folders, too, which ask nothing."""


def refuse_account_flags(arguments: argparse.Namespace, *flags: str) -> None:
    """Raises UsageError: one of these flags, by default of all that accounts have, was given to what has none."""
    for name in flags or _FLAGS:
        if getattr(arguments, name):
            flag = f"--{name.replace('_', '-')}"
            raise UsageError(f"{flag} says nothing of a source of the kind {arguments.kind}", "leave it out")


def run_add_account(arguments: argparse.Namespace, given: Mapping[str, Any]) -> int:
    """Log in, show what there is, and add the account when that was confirmed."""
    kind = ACCOUNT_KINDS[arguments.kind]
    if arguments.manifest and arguments.kind == "slack":
        sys.stdout.write(_slack_manifest())
        return 0
    settings = _SETTINGS_OF[arguments.kind](arguments) | dict(given)
    secrets = _secrets(arguments, settings, kind)
    view = _looked_at(arguments, CHECK_SOURCE, {"settings": settings, "secrets": secrets})
    if not arguments.json:
        for line in _view_lines(view, arguments.kind):
            print_told(line)
        say(
            f"{kind.title}: read {schedule_words(settings.get('schedule') or kind.schedule or '0 3 * * *')}, as the source"
            f" {settings['name']!r}"
        )
    if arguments.dry_run:
        if arguments.json:
            print_json({"added": False, "settings": settings, "account": view})
        return 0
    if not (arguments.yes or confirmed("Add it?")):
        return 0
    source = request(arguments, ADD_SOURCE, {"settings": settings, "secrets": secrets})
    if arguments.json:
        print_json({"added": True, "settings": settings, "account": view, "source": source})
    else:
        name = shlex.quote(source["name"])
        say(f"added; `memd sync {name}` reads it now, a running `memd serve` by its schedule")
        say(f"`memd sources remove {name}` ends it; what was read stays")
    return 0


def run_login(arguments: argparse.Namespace) -> int:
    """Store the secret of an account that is a source."""
    settings = request(arguments, SOURCE, {"id": arguments.name})["settings"]
    kind = settings.get("kind", "folder")
    if kind not in ACCOUNT_KINDS:
        raise UsageError(f"the source {arguments.name!r} is no account", "a folder needs no login")
    arguments.kind = kind
    secrets = _secrets(arguments, settings, ACCOUNT_KINDS[kind])
    wanted = {"name": arguments.name, "secrets": secrets, "check": not arguments.no_check}
    body = _looked_at(arguments, LOGIN_SOURCE, wanted)
    if arguments.json:
        print_json(body)
        return 0
    for line in _view_lines(body, kind):
        print_told(line)
    say("the login works, and is stored" if body["checked"] else "stored, and not tried")
    return 0


def _looked_at(arguments: argparse.Namespace, operation: Operation, given: Mapping[str, Any]) -> dict[str, Any]:
    """Raises UnreadableAccountError: the login was refused, the certificate is not trusted, nobody answers."""
    try:
        return operate(arguments, operation, given)
    except DaemonError as error:
        raise UnreadableAccountError(error.envelope()) from error


def _mail_settings(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the settings of a mail account from the flags."""
    refuse_account_flags(arguments, "api_url", "manifest", "app_token_file")
    where = arguments.where or ""
    host, user = (arguments.host, where) if arguments.host else host_and_user(where)
    if not host or not user:
        told = f"{where!r} names no account" if where else "it is not said which account"
        raise UsageError(told, "memd sources add imap USER@HOST, or USER with --host HOST")
    settings: dict[str, Any] = {
        "name": arguments.name or where,
        "kind": arguments.kind,
        "host": host,
        "user": user,
        "port": arguments.port,
        "tls": arguments.tls,
        "ca_file": arguments.ca_file and _absolute(arguments.ca_file),
        "folders": arguments.folder or None,
        **oauth_settings(arguments),
    }
    return {name: value for name, value in settings.items() if value is not None}


def _bot_settings(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the settings of a Telegram bot from the flags; its token identifies it."""
    refuse_account_flags(
        arguments, "host", "port", "tls", "ca_file", "folder", "manifest", "app_token_file", *_OAUTH_FLAGS
    )
    settings: dict[str, Any] = {"name": arguments.name or arguments.where or "telegram", "kind": arguments.kind}
    return settings | ({"api_url": arguments.api_url} if arguments.api_url else {})


def _workspace_settings(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the settings of a Slack workspace from the flags; the token identifies it."""
    refuse_account_flags(arguments, "host", "port", "tls", "ca_file", *_OAUTH_FLAGS)
    settings: dict[str, Any] = {"name": arguments.name or arguments.where or "slack", "kind": arguments.kind}
    more = {"api_url": arguments.api_url, "folders": arguments.folder}
    return settings | {name: value for name, value in more.items() if value}


_SETTINGS_OF: Mapping[str, Callable[[argparse.Namespace], dict[str, Any]]] = {
    "imap": _mail_settings,
    "slack": _workspace_settings,
    "telegram": _bot_settings,
}


def _absolute(path: str) -> str:
    """A path of the command line for the daemon, which has another folder."""
    return os.path.abspath(os.path.expanduser(path))  # noqa: PTH100, PTH111 - the light path


def _secrets(arguments: argparse.Namespace, settings: Mapping[str, Any], kind: AccountKind) -> dict[str, str]:
    """Return the secrets of an account: given ones, or tokens after a login by OAuth.

    Raises:
        UsageError: there is none, or one that this kind does not have.
    """
    name, known = settings["name"], kind.secrets
    if "app_token" not in known:
        refuse_account_flags(arguments, "app_token_file")
    if settings.get("oauth") is not None:
        refuse_account_flags(arguments, "password_file")
        return log_in(arguments, settings)
    refuse_account_flags(arguments, *SECRET_FLAGS)
    found = {known[0]: _secret(arguments.password_file, name, known[0], kind.where)}
    if arguments.app_token_file:
        where = "the App-Level Token of your app of Slack (xapp-…): api.slack.com/apps, Basic Information"
        found["app_token"] = _secret(arguments.app_token_file, name, "token of the app", where)
    return found


def _secret(path: str | None, name: str, what: str, where: str) -> str:
    """The first line of a file or of standard input, or what somebody types, who is told ``where`` it is found.

    Raises:
        UsageError: there is none.
    """
    if path is None and sys.stdin.isatty():
        say(f"memd needs {where}")
        return usable_secret(getpass.getpass(f"{what} of {clean(name)}: "), what, where)
    return read_secret(path or "-", what, where)


def _slack_manifest() -> str:
    """Return the manifest of the Slack app: a file of the connector, which is not imported for it."""
    folder = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120 - the light path
    path = os.path.join(folder, *[os.pardir] * 3, "connectors", "live", "slack", "manifest.yaml")  # noqa: PTH118
    with open(path, encoding="utf-8") as file:  # noqa: PTH123 - the light path
        return file.read()


def _view_lines(view: Mapping[str, Any], kind: str) -> list[str]:
    """Return the lines that list the contents of an account, and the parts that are not read."""
    read = [part for part in view["parts"] if not part["left_out"]]
    known = [part["messages"] for part in read if part["messages"] is not None]
    total = f" with {sum(known):,} messages" if known else ""
    lines = [f"{counted(len(read), _PARTS.get(kind, 'folder'))}{total}:"] if read else []
    for part in read[:_SHOWN]:
        count = "" if part["messages"] is None else f"  {part['messages']:,}"
        lines.append(f"  {one_line(part['name'], 60)}{count}")
    if len(read) > _SHOWN:
        lines.append(f"  … and {len(read) - _SHOWN:,} more")
    unread = [f"{one_line(part['name'], 60)} ({part['left_out']})" for part in view["parts"] if part["left_out"]]
    if unread:
        more = f", and {len(unread) - _SHOWN:,} more" if len(unread) > _SHOWN else ""
        lines.append(f"not read: {', '.join(unread[:_SHOWN])}{more}")
    return lines + [f"note: {one_line(each, 300)}" for each in view["notes"]]
