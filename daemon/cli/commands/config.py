"""`memd config`: every setting, its value, and where it came from, also when some are wrong; and a file to begin with."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any

from ..arguments import Verbs, add_verb
from ..output import print_json
from ..render.terminal import TerminalStyle, clean, say

_EXAMPLES = """\
  memd config
  memd config --json | jq '.["data_dir"].value'
  memd config --init         write a configuration with every setting, commented out
"""


def add(verbs: Verbs) -> None:
    """Its arguments."""
    parser = add_verb(verbs, "config", "print every setting and where it came from", _EXAMPLES, (0, 2, 6))
    parser.add_argument(
        "--init", action="store_true", help="write a configuration in which everything is commented out"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print them; with --json by name, each with its value and origin. What is wrong is left out, told, and the exit code."""
    if arguments.init:
        return _write(arguments)
    from ....schemas.errors import ConfigError
    from ...config.paths import config_path
    from ...config.resolution import resolve_settings
    from ...scheduler.settings_check import schedule_problems
    from ..settings import resolved

    try:
        found = resolved(arguments, partial=True)
        wrong = [*found.problems, *schedule_problems(found)]
    except ConfigError as error:  # the file as a whole cannot be read: what holds without it is still of use
        found = resolve_settings({"config": os.devnull}, partial=True)
        wrong = [error.message]
    lines = list(found.lines())
    if found.settings.config == Path(os.devnull):
        lines[0] = ("config", config_path(arguments.config), "cannot be read")
    if arguments.json:
        print_json({name: {"value": value, "origin": origin} for name, value, origin in lines})
    else:
        _print(lines)
    if not wrong:
        return 0
    hint = "the settings shown are those in force without what is wrong"
    raise ConfigError("; ".join(wrong), hint=hint, problems=tuple(wrong))


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
        print(f"{name:<{width}}  {_shown(value)}  {paint.dim(f'({clean(origin)})')}")


def _shown(value: Any) -> str:  # noqa: ANN401 - whatever a setting holds
    if value is None or value == {}:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return clean(value)
