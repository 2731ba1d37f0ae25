"""Accounts in `memd sources`: add one after a look at it, and store what it is logged in to with."""

from __future__ import annotations

import argparse
import getpass
import shlex
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from ....connectors.live.account_kind import AccountKind, Flag, Secret
from ....connectors.live.account_registry import ACCOUNT_FLAGS, ACCOUNT_KINDS, FIRST_SECRETS, MORE_SECRETS
from ...client import DaemonError, UnreadableAccountError
from ...operations import ADD_SOURCE, CHECK_SOURCE, LOGIN_SOURCE, SOURCE, Operation
from ..arguments import Parser, UsageError, absolute, whole_number
from ..connect import operate, request
from ..output import print_json
from ..render.prompts import confirmed
from ..render.sources import schedule_words
from ..render.terminal import clean, counted, one_line, print_told, say
from .oauth_login import SECRET_FLAGS, add_login_flags, log_in
from .secret_input import read_secret, usable_secret

_SHOWN = 40
"""Folders that are named before one asks whether they are wanted."""


def add_account_flags(parser: Parser) -> None:
    """Add the flags of a new account."""
    group = parser.add_argument_group("accounts")
    _add_flags(group, {flag: flag.help for flag in ACCOUNT_FLAGS})
    apps = ", ".join(kind.name.capitalize() for kind in ACCOUNT_KINDS.values() if kind.manifest)
    group.add_argument("--manifest", action="store_true", help=f"print what to make an app of {apps} from; add nothing")
    add_secret_flags(group)
    group.add_argument("--dry-run", action="store_true", help="log in and show what would be read; add nothing")
    group.add_argument("--yes", action="store_true", help="do not ask")


def add_account_settings(parser: Parser) -> None:
    """Add the flags that change an account."""
    group = parser.add_argument_group("accounts")
    _add_flags(group, {flag: flag.help_of_change or flag.help for flag in ACCOUNT_FLAGS})


def changed_account(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the settings of an account that flags change."""
    return _settings(arguments, ACCOUNT_FLAGS)


def _add_flags(group: Any, helps: Mapping[Flag, str]) -> None:  # noqa: ANN401 - a group, which has no public type
    types: dict[str, dict[str, Any]] = {"number": {"type": whole_number}, "texts": {"action": "append", "default": []}}
    for flag, text in helps.items():
        if text:
            more = {"choices": flag.choices} if flag.choices else {"metavar": flag.metavar}
            group.add_argument(flag.option, help=text, **more, **types.get(flag.holds, {}))


def _settings(arguments: argparse.Namespace, flags: Iterable[Flag]) -> dict[str, Any]:
    """Return the settings that flags name."""
    values = {flag: getattr(arguments, flag.attribute) for flag in flags}
    return {
        flag.setting: absolute(value) if flag.holds == "file" else value
        for flag, value in values.items()
        if value not in (None, [])
    }


def add_secret_flags(parser: Any) -> None:  # noqa: ANN401 - a parser or a group of one
    """Add the flags for the source of a secret."""
    parser.add_argument(
        *(f"--{name}-file" for name in FIRST_SECRETS),
        dest="password_file",
        metavar="FILE",
        help="read the password, or the token (of Slack: xoxp-…), from this file now, - is standard input; default: ask without echo",
    )
    for secret in MORE_SECRETS:
        parser.add_argument(f"--{secret.name.replace('_', '-')}-file", metavar="FILE", help=secret.help)
    add_login_flags(parser)


_MORE_FLAGS = tuple(f"{secret.name}_file" for secret in MORE_SECRETS)
_FLAGS = (
    *(flag.attribute for flag in ACCOUNT_FLAGS if flag.help),
    *("manifest", *_MORE_FLAGS, "password_file", "dry_run", *SECRET_FLAGS),
)
"""The flags that only accounts have; ``--yes`` is accepted for folders, too, which ask nothing."""


def refuse_account_flags(arguments: argparse.Namespace, flags: Iterable[str] = _FLAGS) -> None:
    """Raise UsageError if one of these flags, by default of all that accounts have, was given to what has none."""
    for name in flags:
        if getattr(arguments, name):
            flag = f"--{name.replace('_', '-')}"
            raise UsageError(f"{flag} says nothing of a source of the kind {arguments.kind}", "leave it out")


def run_add_account(arguments: argparse.Namespace, given: Mapping[str, Any]) -> int:
    """Log in, show what there is, and add the account when that was confirmed."""
    kind = ACCOUNT_KINDS[arguments.kind]
    if arguments.manifest and kind.manifest:
        with open(kind.manifest, encoding="utf-8") as file:  # noqa: PTH123 - the light path
            sys.stdout.write(file.read())
        return 0
    settings = _account_settings(arguments, kind) | dict(given)
    secrets = _secrets(arguments, settings, kind)
    view = _looked_at(arguments, CHECK_SOURCE, {"settings": settings, "secrets": secrets})
    if not arguments.json:
        for line in _view_lines(view, kind):
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
    for line in _view_lines(body, ACCOUNT_KINDS[kind]):
        print_told(line)
    say("the login works, and is stored" if body["checked"] else "stored, and not tried")
    return 0


def _looked_at(arguments: argparse.Namespace, operation: Operation, given: Mapping[str, Any]) -> dict[str, Any]:
    """Raises UnreadableAccountError: the login was refused, the certificate is not trusted, nobody answers."""
    try:
        return operate(arguments, operation, given)
    except DaemonError as error:
        raise UnreadableAccountError(error.envelope()) from error


def _account_settings(arguments: argparse.Namespace, kind: AccountKind) -> dict[str, Any]:
    """Return the settings of an account from the flags.

    Raises:
        UsageError: it is not said which account, or a flag is of another kind.
    """
    others = [flag.attribute for flag in ACCOUNT_FLAGS if flag.help and flag not in kind.flags]
    if not kind.manifest:
        others.append("manifest")
    refuse_account_flags(arguments, others)
    where = arguments.where or ""
    settings: dict[str, Any] = {"name": arguments.name or where or kind.name, "kind": kind.name}
    if kind.locate is not None:
        place = kind.locate(where, arguments.host or "")
        if not place:
            words = f"{where!r} names no account" if where else "it is not said which account"
            raise UsageError(words, f"memd sources add {kind.name} {kind.example}")
        settings |= place
    return settings | _settings(arguments, (flag for flag in kind.flags if flag.help))


def _secrets(arguments: argparse.Namespace, settings: Mapping[str, Any], kind: AccountKind) -> dict[str, str]:
    """Return the secrets of an account: given ones, or tokens after a login by OAuth.

    Raises:
        UsageError: there is none, or one that this kind does not have.
    """
    name, (first, *more) = settings["name"], kind.secrets
    refuse_account_flags(arguments, (f for f in _MORE_FLAGS if f.removesuffix("_file") not in kind.secret_names))
    if settings.get("oauth") is not None:
        refuse_account_flags(arguments, ("password_file",))
        return log_in(arguments, settings)
    refuse_account_flags(arguments, SECRET_FLAGS)
    secrets = {first.name: _secret(arguments.password_file, name, first)}
    for secret in more:
        if path := getattr(arguments, f"{secret.name}_file"):
            secrets[secret.name] = _secret(path, name, secret)
    return secrets


def _secret(path: str | None, name: str, secret: Secret) -> str:
    """Return the first line of a file or of standard input, or what somebody types.

    Raises:
        UsageError: there is none.
    """
    title = secret.title or secret.name
    if path is None and sys.stdin.isatty():
        say(f"memd needs {secret.where}")
        return usable_secret(getpass.getpass(f"{title} of {clean(name)}: "), title, secret.where)
    return read_secret(path or "-", title, secret.where)


def _view_lines(view: Mapping[str, Any], kind: AccountKind) -> list[str]:
    """Return the lines that list the contents of an account, and the parts that are not read."""
    read = [part for part in view["parts"] if not part["left_out"]]
    known = [part["messages"] for part in read if part["messages"] is not None]
    total = f" with {sum(known):,} messages" if known else ""
    lines = [f"{counted(len(read), kind.part)}{total}:"] if read else []
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
