"""`memd query`: ask the memory; every answer cites the messages it rests on."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping
from typing import Any

from ...client import DaemonError, DaemonGoneError, DaemonTimeoutError
from ...config.paths import nothing_stored
from ...operations import DOCUMENTS, QUERY
from ..arguments import (
    UsageError,
    Verbs,
    add_filters,
    add_ids,
    add_ignore,
    add_verb,
    add_without,
    filters_of,
    parts_of,
    question,
    whole_number,
)
from ..connect import daemon_of, paths_of, request
from ..last_answer import remember_hits
from ..output import print_json
from ..render.hits import print_answer
from ..said_once import first_time

_EXAMPLES = """\
  memd query "where does Bob live?"
  memd query "Zugticket" --speaker Anna --since 2024-03-01 --until 2024-04-01 -k 3
  memd query "where does Bob live?" --as-of 2023-06-01    with the facts that held then
  memd query "who wrote last?" --ignore order    "last" is a word like any other; see --explain
  memd query "the flat" --kind media --kind location --sort time --json
"""

_MOST = 100
_WHO = "who are you? memd config me NAME"
_LONGEST = 1024 * 1024
"""Bytes of a question on standard input."""


def add(verbs: Verbs) -> None:
    """Its arguments."""
    parser = add_verb(verbs, "query", "ask what is stored", _EXAMPLES, (0, 1, 2, 5, 6, 7, 130))
    parser.add_argument("text", metavar="TEXT", nargs="+", help="the question; - reads it from standard input")
    parser.add_argument(
        "-k",
        "--limit",
        type=whole_number,
        metavar="N",
        help="how many hits, 1 to 100; default: settings, then on a terminal those that stand out, else 10",
    )
    add_filters(parser)
    parser.add_argument(
        "--as-of", metavar="TIME", help="show the facts that held at this time, or when this day began: 2023-06-01"
    )
    parser.add_argument("--superseded", action="store_true", help="show also facts that hold no more")
    parser.add_argument(
        "--sort", choices=("score", "time", "newest"), default="score", help="best first, oldest first, or newest first"
    )
    add_ignore(parser)
    add_without(parser)
    add_ids(parser)
    parser.add_argument("--show-chunks", action="store_true", help="show which chunks of each hit were found")
    parser.add_argument(
        "--memory",
        action="append",
        default=[],
        metavar="NAME",
        help="ask this mounted memory alone, or own; repeatable",
    )
    parser.add_argument("--explain", action="store_true", help="show what each way of finding contributed")
    parser.add_argument("--no-rerank", action="store_true", help="without the reranker of the settings")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Ask the daemon, or be the owner for as long as the answer takes."""
    text = question(_typed() if arguments.text == ["-"] else " ".join(arguments.text))
    body = {"text": text, "sort": arguments.sort, **filters_of(arguments), **parts_of(arguments)}
    body |= {} if arguments.limit is None else {"limit": arguments.limit}
    body |= {} if arguments.as_of is None else {"as_of": arguments.as_of}
    if arguments.superseded:
        body["superseded"] = True
    if arguments.ignore:
        body["ignore"] = arguments.ignore
    if arguments.memory:
        body["memories"] = arguments.memory
    if arguments.explain:
        body["explain"] = True
    if arguments.show_chunks:
        body["show_chunks"] = True
    if arguments.no_rerank:
        body["rerank"] = False
    result = request(arguments, QUERY, body)
    if arguments.json:
        print_json(result)
    else:
        # Where nothing matches well, a fact shown first would look like the answer.
        asked_for = arguments.superseded or arguments.as_of is not None
        facts = result.get("facts", ()) if asked_for or not result.get("weak") else ()
        empty = paths_of(arguments).data_dir if not result.get("hits") and _is_empty(arguments) else ""
        most, ids, explain = _most(arguments), arguments.ids, arguments.explain
        result = _asking_who(arguments, result)
        shown = print_answer(
            result, facts=facts, as_of=arguments.as_of, ids=ids, explain=explain, most=most, empty=empty
        )
        remember_hits(paths_of(arguments), shown)
    return 0


def _asking_who(arguments: argparse.Namespace, result: dict[str, Any]) -> dict[str, Any]:
    """Return an answer with the question who "I" is, if no user is known and nobody asked before."""
    understood: Mapping[str, Any] = result.get("understood") or {}
    notices: list[str] = result.get("notices") or []
    if not understood.get("anonymous") or any(_WHO in each for each in notices):
        return result
    return {**result, "notices": [_WHO, *notices]} if first_time(paths_of(arguments), _WHO) else result


def _is_empty(arguments: argparse.Namespace) -> bool:
    """Return whether nothing is stored, as far as that is known at once: the command does not become the owner to find
    out.
    """
    daemon = daemon_of(arguments)
    if daemon is None:
        return nothing_stored(paths_of(arguments))
    try:
        return not daemon.call(DOCUMENTS, {"limit": 1})["documents"]
    except (DaemonError, DaemonGoneError, DaemonTimeoutError):
        return False
    finally:
        daemon.close()


def _most(arguments: argparse.Namespace) -> int | None:
    """Return the maximum number of hits to show: None, for those that stand out, on a terminal, unless a flag or a setting
    gives a limit.

    The facts of the others are shown all the same.
    """
    if arguments.limit is not None or not sys.stdout.isatty() or "MEMD_QUERY_LIMIT" in os.environ:
        return _MOST
    section: object = paths_of(arguments).table.get("query")
    return _MOST if isinstance(section, Mapping) and "limit" in section else None


def _typed() -> str:
    """The question on standard input, which need not end.

    Raises:
        UsageError: it is longer than any question.
    """
    data = sys.stdin.buffer.read(_LONGEST + 1)
    if len(data) > _LONGEST:
        raise UsageError("the question is longer than 1 MiB", "ask in fewer words")
    return data.decode("utf-8", "replace")
