"""`memd status`: who owns the memory, where it lies, what is going on in it."""

from __future__ import annotations

import argparse

from .arguments import Verbs, add_verb
from .output import print_json
from .owner import ask
from .stats import flat

_EXAMPLES = """\
  memd status
  memd status --json | jq -r .socket
"""


def add(verbs: Verbs) -> None:
    """Its arguments."""
    parser = add_verb(verbs, "status", "say what is going on, and which paths are in force", _EXAMPLES, (0, 2, 5, 6))
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the state of the owner."""
    status = ask(arguments, "GET", "/v1/status")
    if arguments.json:
        print_json(status)
        return 0
    for line in flat(status):
        print(line)
    return 0
