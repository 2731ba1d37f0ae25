"""`memd version`: the version, as `memd --version` prints it."""

from __future__ import annotations

import argparse

from ..arguments import Verbs, add_verb
from ..output import print_json

_EXAMPLES = """\
  memd version
"""


def add(verbs: Verbs) -> None:
    """Its arguments."""
    add_verb(verbs, "version", "print the version", _EXAMPLES, (0, 2)).set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print it."""
    from .... import __version__

    if arguments.json:
        print_json({"version": __version__})
    else:
        print(f"memd {__version__}")
    return 0
