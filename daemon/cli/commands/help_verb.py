"""`memd help [VERB]`: the help of memd or of one verb, as `memd VERB --help` prints it."""

from __future__ import annotations

import argparse
import io
from contextlib import redirect_stdout

from ..arguments import Verbs, add_verb
from ..output import print_json

_EXAMPLES = """\
  memd help
  memd help query
  memd help sources add
"""


def add(verbs: Verbs) -> None:
    """Its arguments."""
    parser = add_verb(verbs, "help", "print the help of memd or of one verb", _EXAMPLES, (0, 2))
    parser.add_argument("of", nargs="*", metavar="VERB", help="a verb, and what it takes before its flags")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print it.

    Raises:
        SystemExit: with 0, behind the help, as argparse ends.
        UsageError: there is no such verb.
    """
    from ..dispatch import build_parser  # which imports this file

    if not arguments.json:
        build_parser().parse_args([*arguments.of, "--help"])
        return 0
    written = io.StringIO()
    try:
        with redirect_stdout(written):
            build_parser().parse_args([*arguments.of, "--help"])
    finally:
        if written.getvalue():
            print_json({"help": written.getvalue()})
    return 0
