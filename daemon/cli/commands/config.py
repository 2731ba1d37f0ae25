"""`memd config`: every setting, its value, and where it came from."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from ..arguments import Verbs, add_verb
from ..output import print_json
from ..render.terminal import TerminalStyle, clean

_EXAMPLES = """\
  memd config
  memd config --json | jq '.["data_dir"].value'
"""


def add(verbs: Verbs) -> None:
    """Its arguments."""
    parser = add_verb(verbs, "config", "print every setting and where it came from", _EXAMPLES, (0, 2, 6))
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print them; with --json by name, each with its value and origin."""
    from ..settings import resolved

    lines = list(resolved(arguments).lines())
    if arguments.json:
        print_json({name: {"value": value, "origin": origin} for name, value, origin in lines})
        return 0
    paint = TerminalStyle(sys.stdout)
    width = max(len(name) for name, _, _ in lines)
    for name, value, origin in lines:
        print(f"{name:<{width}}  {_shown(value)}  {paint.dim(f'({clean(origin)})')}")
    return 0


def _shown(value: Any) -> str:  # noqa: ANN401 - whatever a setting holds
    if value is None or value == {}:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return clean(value)
