"""`memd config`: every setting, its value, and where it came from."""

from __future__ import annotations

import argparse

from .arguments import Verbs, add_verb

_EXAMPLES = """\
  memd config
  memd config --json | jq .data_dir
"""


def add(verbs: Verbs) -> None:
    """Its arguments."""
    parser = add_verb(verbs, "config", "print every setting and where it came from", _EXAMPLES, (0, 2))
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print them."""
    return 0
