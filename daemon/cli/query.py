"""`memd query`: ask the memory; every answer cites the messages it rests on."""

from __future__ import annotations

import argparse
import sys

from .arguments import UsageError, Verbs, add_filters, add_verb, filters_of
from .hits import print_answer
from .output import print_json
from .owner import ask

_EXAMPLES = """\
  memd query "where does Bob live?"
  memd query "Zugticket" --speaker Anna --since 2024-03-01 --until 2024-04-01 -k 3
  memd query "the flat" --kind media --kind location --sort time --json
"""

_LONGEST = 1024 * 1024
"""Bytes of a question on standard input."""


def add(verbs: Verbs) -> None:
    """Its arguments."""
    parser = add_verb(verbs, "query", "ask what is stored", _EXAMPLES, (0, 1, 2, 5, 6, 130))
    parser.add_argument("text", metavar="TEXT", nargs="+", help="the question; - reads it from standard input")
    parser.add_argument(
        "-k", "--limit", type=int, metavar="N", help="how many hits, 1 to 100; default: settings, then 10"
    )
    add_filters(parser)
    parser.add_argument("--sort", choices=("score", "time"), default="score", help="best first, or oldest first")
    parser.add_argument("--explain", action="store_true", help="show what each way of finding contributed")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Ask the daemon, or be the owner for as long as the answer takes."""
    text = _typed() if arguments.text == ["-"] else " ".join(arguments.text)
    body = {"text": text, "sort": arguments.sort, **filters_of(arguments)}
    body |= {} if arguments.limit is None else {"limit": arguments.limit}
    if arguments.explain:
        body["explain"] = True
    result = ask(arguments, "POST", "/v1/query", body=body)
    if arguments.json:
        print_json(result)
    else:
        print_answer(result)
    return 0


def _typed() -> str:
    """The question on standard input, which need not end.

    Raises:
        UsageError: it is longer than any question.
    """
    data = sys.stdin.buffer.read(_LONGEST + 1)
    if len(data) > _LONGEST:
        raise UsageError("the question is longer than 1 MiB", "ask in fewer words")
    return data.decode("utf-8", "replace")
