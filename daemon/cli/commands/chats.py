"""`memd chats`: every chat that something is stored of, the latest first."""

from __future__ import annotations

import argparse
import sys

from ...operations import CHATS
from ..arguments import Verbs, add_verb
from ..connect import request
from ..output import print_json
from ..render.terminal import TerminalStyle, counted, joined, line_columns, one_line, width_of
from ..render.wall_clock import local_time

_EXAMPLES = """\
  memd chats                                     title, messages, span, source, people
  memd query "the flat" --chat "Rowing club"      ask in one of them
"""
PEOPLE_SHOWN = 3


def add(verbs: Verbs) -> None:
    """Its arguments."""
    add_verb(verbs, "chats", "list the chats that are stored", _EXAMPLES, (0, 2, 5, 6)).set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print them."""
    body = request(arguments, CHATS)
    if arguments.json:
        print_json(body)
        return 0
    paint, columns = TerminalStyle(sys.stdout), line_columns(sys.stdout)
    for chat in body["chats"]:
        people = [one_line(name, 30) for name in chat["people"]]
        more = f" and {len(people) - PEOPLE_SHOWN} more" if len(people) > PEOPLE_SHOWN else ""
        span = " to ".join(dict.fromkeys(local_time(chat[name])[:10] for name in ("first", "last")))
        parts = [f"{counted(chat['messages'], 'message')},", span]
        title = one_line(chat["title"], min(60, columns))
        if width_of("  ".join([title, " ".join(parts)])) <= columns:
            print(f"{paint.bold(title)}  {' '.join(parts)}")
        else:
            print(paint.bold(title))
            print(f"    {' '.join(parts)}")
        who = one_line(", ".join(people[:PEOPLE_SHOWN]) + more, columns - 4)
        for line in joined([one_line(chat["source"], 30), who], " · ", "    ", columns):
            print(paint.dim(line))
    if not body["chats"]:
        print("no chat is stored; memd ingest PATH stores an export")
    return 0
