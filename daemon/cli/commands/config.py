"""`memd config`: every setting, its value, and where it came from, also when some are wrong; a file to begin with; and who
and where the user is, in one command.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, cast

from ..arguments import UsageError, Verbs, add_verb
from ..output import print_json
from ..render.terminal import TerminalStyle, clean, counted, joined, one_line, say, width_of

if TYPE_CHECKING:
    from ...config.resolution import ResolvedSettings
    from ...config.settings import Settings

_EXAMPLES = """\
  memd config
  memd config --json | jq '.["data_dir"].value'
  memd config --init         write a configuration with every setting, commented out
  memd config me "Ann Berg"  say who "I" is in questions, and in exports that do not show it
  memd config me             show who you are, and where that is set
  memd config zone Europe/Berlin   say where you are: times are shown in this zone
  memd config autostart yes  let a command that asks start memd, which ends when it is not used
"""


_VALUES = {"me": "name", "zone": "zone", "autostart": "one of yes, no, ask"}


def add(verbs: Verbs) -> None:
    """Its arguments."""
    parser = add_verb(verbs, "config", "print every setting and where it came from", _EXAMPLES, (0, 2, 6))
    parser.add_argument(
        "setting",
        metavar="me|zone|autostart",
        nargs="?",
        choices=tuple(_VALUES),
        help="what to set, or without a value to show",
    )
    parser.add_argument("value", metavar="VALUE", nargs="?", help="your name, or your time zone; yes, no or ask")
    parser.add_argument(
        "--init", action="store_true", help="write a configuration in which everything is commented out"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print them; with --json by name, each with its value and origin. What is wrong is left out, told, and the exit code."""
    if arguments.setting is not None:
        return _set_or_show(arguments)
    if arguments.init:
        return _write(arguments)
    from ....schemas.errors import ConfigError
    from ...config.paths import config_path
    from ...config.resolution import resolve_settings
    from ...scheduler.settings_check import setting_problems
    from ..settings import resolved

    try:
        resolution = resolved(arguments, partial=True)
        wrong = [*resolution.problems, *setting_problems(resolution)]
    except ConfigError as error:  # the file as a whole cannot be read: what holds without it is still of use
        resolution = resolve_settings({"config": os.devnull}, partial=True)
        wrong = [error.message]
    kept = _kept(resolution.settings)
    lines = [
        (name, *(kept[name] if origin == "default" and name in kept else (_without_passwords(value), origin)))
        for name, value, origin in resolution.lines()
    ]
    if resolution.settings.config == Path(os.devnull):
        lines[0] = ("config", config_path(arguments.config), "cannot be read")
    if arguments.json:
        print_json({name: {"value": value, "origin": origin} for name, value, origin in lines})
    else:
        _print(lines)
    if not wrong:
        return 0
    hint = "the settings shown are those in force without what is wrong"
    raise ConfigError("; ".join(wrong), hint=hint, problems=tuple(wrong))


def _kept(settings: Settings) -> dict[str, tuple[Any, str]]:
    """Return the user's names and zone where no setting has them: each with the file that `memd config` or an import wrote,
    or with the machine's zone.
    """
    from ...config.home_zone import NAMED_ZONE, named_zone
    from ...config.paths import REMEMBERED
    from ...config.user_names import remembered

    zone = named_zone(settings.data_dir)
    kept: dict[str, tuple[Any, str]] = {
        "zone": (
            str(settings.zone_in_force()[0]),
            str(settings.data_dir / NAMED_ZONE) if zone else "default: the machine's",
        )
    }
    if names := remembered(settings.data_dir):
        kept["me"] = (names, str(settings.data_dir / REMEMBERED))
    return kept


def _set_or_show(arguments: argparse.Namespace) -> int:
    """Keep the name or the zone of the user beside what is stored, or ``server.autostart`` in the
    configuration; or show the one in force.

    Raises:
        UsageError: the value is empty, or the settings have another, which would win.
        ConfigError: there is no such zone.
        StoreError: it cannot be kept.
    """
    from ..settings import remember_user, remember_zone_of, resolved

    setting, value = arguments.setting, " ".join((arguments.value or "").split())
    if arguments.init or (arguments.value is not None and not value):
        raise UsageError(f"which {_VALUES[setting]}?", f"memd config {setting} VALUE")
    resolution = resolved(arguments)
    if setting == "autostart":
        return _set_or_show_autostart(arguments, resolution, value)
    origin = resolution.origins.get(setting, "default")
    if not value:
        return _show_one(arguments, setting, resolution, origin)
    if origin != "default":
        raise UsageError(f"{setting} is set already: {origin}", "change it there")
    if setting == "zone":
        remember_zone_of(resolution.settings, value)
        if arguments.json:
            print_json({setting: value})
        else:
            say(f"times are shown in {value}")
        return 0
    remember_user(resolution.settings, "", value)
    wrote = _written_by(arguments, value)
    if arguments.json:
        print_json({setting: value} if wrote is None else {setting: value, "wrote": wrote})
    elif wrote is None:
        say(f"you are {value}")
    elif wrote:
        say(f"you are {value}, who wrote {counted(sum(wrote.values()), 'message')}{_as(value, wrote)}")
    else:
        say(f"you are {value}; nobody of that name wrote anything: `memd people` lists everybody who did")
    return 0


def _set_or_show_autostart(arguments: argparse.Namespace, resolution: ResolvedSettings, value: str) -> int:
    """Write the setting into the configuration, all other lines of which stay, or show it.

    Raises:
        UsageError: it is no such value.
        ConfigError: the file is written so that it cannot be changed.
        StoreError: it cannot be written.
    """
    from ...config.file_edit import with_settings, write_settings

    name = "server.autostart"
    if not value:
        now, origin = resolution.settings.server.autostart, resolution.origins.get(name, "default")
        if arguments.json:
            print_json({"autostart": {"value": now, "origin": origin}})
        else:
            _print([(name, now, origin)])
        return 0
    if value not in ("yes", "no", "ask"):
        raise UsageError(f"which {_VALUES['autostart']}?", "memd config autostart VALUE")
    path = resolution.settings.config
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    write_settings(path, with_settings(text, "server", {"autostart": value}))
    if arguments.json:
        print_json({"autostart": value})
    else:
        say(f"autostart = {value} is written to {path}")
    return 0


def _show_one(arguments: argparse.Namespace, setting: str, resolution: ResolvedSettings, origin: str) -> int:
    """Show who or where the user is, and where that is set."""
    value = {name: value for name, value, _ in resolution.lines()}[setting]
    hint = ""
    if origin == "default":
        value, origin = _kept(resolution.settings).get(setting, (value, origin))
        hint = f"memd config {setting} {'NAME' if setting == 'me' else 'ZONE'} sets it"
    if arguments.json:
        print_json({setting: {"value": value, "origin": origin}})
        return 0
    _print([(setting, value, origin)])
    if hint:
        say(hint)
    return 0


def _written_by(arguments: argparse.Namespace, name: str) -> dict[str, int] | None:
    """Return the messages of the user, now of this name, by their names; None if nothing is stored, or it cannot be read."""
    from ....memory.text.names import folded
    from ....schemas.errors import MemdError
    from ...client import DaemonError
    from ...config.paths import nothing_stored
    from ...operations import PEOPLE
    from ..connect import paths_of, request

    if nothing_stored(paths_of(arguments)):
        return None
    try:
        people = request(arguments, PEOPLE)["people"]
    except (MemdError, DaemonError):
        return None  # the name is kept all the same
    wrote: Counter[str] = Counter()
    for each in people:
        names = {each["name"], *chain.from_iterable(each["names"].values())}
        if each["is_user"] or folded(name) in map(folded, names):
            wrote[each["name"]] += each["messages"]
    return wrote


def _as(name: str, wrote: Mapping[str, int]) -> str:
    """Return the other names of the user, if there are any."""
    others = [each for each in wrote if each.casefold() != name.casefold()]
    return f" as {', '.join(map(one_line, others))}" if others else ""


def _without_passwords(value: Any) -> Any:  # noqa: ANN401 - whatever a setting holds
    """The same value; an address with a user and a password in it shows neither."""
    from ....schemas.secret_urls import without_password

    if isinstance(value, str):
        return without_password(value)
    if isinstance(value, list | tuple):
        return [_without_passwords(each) for each in cast("Sequence[Any]", value)]
    if isinstance(value, dict):
        return {name: _without_passwords(each) for name, each in cast("dict[str, Any]", value).items()}
    return value


def _write(arguments: argparse.Namespace) -> int:
    from ...config.paths import config_path
    from ...config.template import write_template

    path = Path(config_path(arguments.config))
    write_template(path)
    if arguments.json:
        print_json({"config": str(path)})
    else:
        say(f"wrote {path}: everything in it is commented out, and means the default")
        say("next: edit it, then `memd config` shows what is in force")
    return 0


def _print(lines: list[tuple[str, Any, str]]) -> None:
    paint = TerminalStyle(sys.stdout)
    width = max(len(name) for name, _, _ in lines)
    for name, value, origin in lines:
        for line, line_text in _lines(
            f"{name:<{width}}  ", _shown(name, value), f"({clean(origin)})", paint.line_columns
        ):
            print(line + paint.dim(line_text))


def _lines(head: str, value: str, origin: str, columns: int) -> list[tuple[str, str]]:
    """A setting in as few lines as it needs, each with what is dim at its end. Paths stay whole, to be copied."""
    indent = "    "
    if width_of(f"{head}{value}  {origin}") <= columns:
        return [(f"{head}{value}  ", origin)]
    parts = value.split(" ")
    if width_of(head + parts[0]) <= columns:
        shown = joined(parts, " ", indent, columns, first=head)
    else:
        shown = [head.rstrip(), *joined(parts, " ", indent, columns)]
    path, colon, line = origin.rpartition(":")
    if width_of(indent + origin) > columns and colon:  # the whole path stands in the first lines
        origin = f"({PurePath(path).name}:{line}"
    fits = width_of(f"{shown[-1]}  {origin}") <= columns
    last = (f"{shown.pop()}  ", origin) if fits else (indent, origin)
    return [*((each, "") for each in shown), last]


def _shown(name: str, value: Any) -> str:  # noqa: ANN401 - whatever a setting holds
    """A value as a person writes it; lists and tables, and texts that would not show, as TOML has them."""
    from ...config.template import toml_value

    if value is None or value in ({}, [], ()):
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if name == "sources":  # `memd sources show NAME` tells the rest
        return clean(", ".join(each["name"] for each in value))
    if name == "me" and [*value] == [""]:
        return _shown("", value[""])
    plain = isinstance(value, str | Path) and str(value) == " ".join(str(value).split()) != ""
    return clean(value if plain or isinstance(value, int | float) else toml_value(value))
