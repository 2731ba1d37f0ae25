"""`memd show`: a message in its day, or a document."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from typing import Any

from ...operations import SHOW
from ..arguments import Verbs, add_verb
from ..connect import request
from ..output import print_json
from ..render.terminal import TerminalStyle, clean, columns_of, counted, one_line, short_time, wrapped

_EXAMPLES = """\
  memd show 6b1f0c9e-…                     a hit's id: the message among its neighbours
  memd show whatsapp:Family:2024-01-15     a document
"""


def add(verbs: Verbs) -> None:
    """Its arguments."""
    parser = add_verb(verbs, "show", "show a message in its day, or a document", _EXAMPLES, (0, 2, 5, 6, 7))
    parser.add_argument("id", metavar="ID", help="a hit's id, a source's own message id, or a document's id")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print what is under this id."""
    found = request(arguments, SHOW, {"id": arguments.id})
    if arguments.json:
        print_json(found)
    else:
        _print(found)
    return 0


def _print(found: Mapping[str, Any]) -> None:
    out = sys.stdout
    paint, columns = TerminalStyle(out), columns_of(out)
    document = found["document"]
    title = document.get("metadata", {}).get("title") or document["id"]
    print(paint.bold(one_line(title)) + paint.dim(f"  {one_line(document['id'])}"))
    conversation = document.get("conversation")
    if conversation is None:
        _print_summaries(found, paint, columns)
        print()
        for line in wrapped(document.get("content", ""), "", columns):
            print(line)
        return
    print(paint.dim("with " + one_line(", ".join(conversation["people"]), columns - 6)))
    _print_summaries(found, paint, columns)
    print()
    marked = found.get("position")
    for index, message in enumerate(conversation["conversation"]):
        _print_message(message, paint, columns, marked=index == marked)


def _print_summaries(found: Mapping[str, Any], paint: TerminalStyle, columns: int) -> None:
    """What it is about, with how many messages tell so."""
    for summary in found.get("summaries", ()):
        print()
        for line in wrapped(summary["text"], "  ", columns):
            print(line)
        print(paint.dim(f"  — of {counted(len(summary['message_ids']), 'message')}"))


def _print_message(message: Mapping[str, Any], paint: TerminalStyle, columns: int, *, marked: bool) -> None:
    kind = message.get("kind", "text")
    marks = [f"[{clean(kind)}]"] if kind != "text" else []
    marks += ["[edited]"] if message.get("edited") else []
    marks += ["[deleted]"] if message.get("deleted") and kind != "deleted" else []
    speaker = one_line(message["speaker"], 40)
    head = f"{'>' if marked else ' '} {short_time(message['time'])}  {paint.bold(speaker)}  {' '.join(marks)}".rstrip()
    print(head)
    for line in wrapped(message["content"], "    ", columns):
        print(paint.bold(line) if marked else line)
    for edit in message.get("edits", ()):
        for line in wrapped(f"was: {edit['content']}", "      ", columns):
            print(paint.dim(line))
