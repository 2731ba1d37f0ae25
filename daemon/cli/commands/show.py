"""`memd show`: a message in its day, or a document."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from ...operations import SHOW
from ..arguments import UsageError, Verbs, add_verb, whole_number
from ..connect import paths_of, request
from ..last_answer import hit_id, is_number
from ..output import print_json
from ..render.pager import print_paged
from ..render.terminal import (
    TerminalStyle,
    clean,
    columns_of,
    counted,
    joined,
    one_line,
    width_of,
    wrapped,
    wrapped_with_marks,
)
from ..render.wall_clock import local_time

_EXAMPLES = """\
  memd show 2                              the second hit of the last answer
  memd show 6b1f0c9e                       a hit, by the first eight characters of its id
  memd show 2e0a14ec                       of a fact, the message that it rests on
  memd show 6b1f0c9e --context 3           with three messages before and after it
  memd show whatsapp:Family:2024-01-15     a document

What is longer than the terminal goes through $PAGER (default: less), which opens at the message.
"""
SYSTEM = "(system)"
"""`schemas.SYSTEM_SPEAKER`, which is not imported here, and is nobody."""
AROUND = 20
"""Messages before and after the one that was asked for, on a terminal; elsewhere all of its document are printed."""


def add(verbs: Verbs) -> None:
    """Its arguments."""
    parser = add_verb(verbs, "show", "show a message in its day, or a document", _EXAMPLES, (0, 2, 5, 6, 7))
    parser.add_argument(
        "id",
        metavar="ID",
        help="the number of a hit of the last answer, or the id of a hit, a fact, a message or a document; eight characters suffice",
    )
    parser.add_argument(
        "--context",
        type=whole_number,
        metavar="N",
        help=f"of a message's id: N messages before and after it; default: {AROUND} on a terminal, else the document",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print what is under this id."""
    context: int | None = arguments.context
    if context is not None and context < 0:
        raise UsageError("--context is less than 0", "say how many messages are shown before and after: --context 5")
    identifier = hit_id(paths_of(arguments), arguments.id) if is_number(arguments.id) else arguments.id
    body = request(arguments, SHOW, {"id": identifier})
    if arguments.json:
        print_json(body if context is None else _cut(body, context))
        return 0
    if context is None and sys.stdout.isatty():
        context = AROUND
    lines, at = _lines(body, context)
    print_paged(lines, at=at)
    return 0


def _cut(body: Mapping[str, Any], context: int) -> Mapping[str, Any]:
    """The same with the messages around the one that was asked for; its position is that among those."""
    if "position" not in body:
        return body
    document, conversation = body["document"], body["document"]["conversation"]
    first, messages = _around(conversation["conversation"], body["position"], context)
    document = document | {"conversation": conversation | {"conversation": messages}}
    return {**body, "document": document, "position": body["position"] - first}


def _around(messages: list[Any], position: int, context: int) -> tuple[int, list[Any]]:
    """The index of the first message that is shown, and those that are."""
    first = max(0, position - context)
    return first, messages[first : position + context + 1]


def _lines(body: Mapping[str, Any], context: int | None) -> tuple[list[str], int]:
    """All lines, and the index of that where what was asked for begins."""
    paint, columns = TerminalStyle(sys.stdout), columns_of(sys.stdout)
    document = body["document"]
    title = one_line(document.get("metadata", {}).get("title") or document["id"], columns)
    name = one_line(document["id"])
    beside = width_of(f"{title}  {name}") <= columns
    lines = [paint.bold(title) + paint.dim(f"  {name}")] if beside else [paint.bold(title), paint.dim(name)]
    conversation = document.get("conversation")
    if conversation is None:
        lines += [*_summaries(body, paint, columns), ""]
        return _text(body, lines, paint, columns)
    people = ", ".join(name for name in conversation["people"] if name != SYSTEM)
    lines.append(paint.dim("with " + one_line(people, columns - 5)))
    lines += [*_summaries(body, paint, columns), ""]
    messages, position = conversation["conversation"], body.get("position")
    first, shown = (0, messages) if position is None or context is None else _around(messages, position, context)
    below = len(messages) - first - len(shown)
    at = 0
    if first:
        lines += [paint.dim(f"… {counted(first, 'message')} above")]
    for index, message in enumerate(shown, first):
        at = len(lines) if index == position else at
        lines += _message(message, paint, columns, marked=index == position)
        if index == position and (annotation := body.get("annotation")):
            parts = [f"keywords: {one_line(', '.join(annotation['keywords']))}"] if annotation["keywords"] else []
            parts += [f"{one_line(link['kind'])} {one_line(link['id'])}" for link in annotation["links"]]
            lines += [paint.dim(line) for line in joined(parts, " · ", "      ", paint.line_columns, first="      ")]
    if first or below:
        more = counted(below, "more message") if below else "all of it"
        parts = [f"… {more}:", f"memd show {shlex.quote(name)}"]
        lines += [paint.dim(line) for line in joined(parts, " ", "  ", paint.line_columns, first="")]
    return lines, at


def _text(body: Mapping[str, Any], lines: list[str], paint: TerminalStyle, columns: int) -> tuple[list[str], int]:
    """The lines before and the text, with the piece that was asked for in bold where there is more than that."""
    content, part = body["document"].get("content", ""), body.get("passage")
    marks = [(part["start"], part["end"])] if part and part["end"] - part["start"] < len(content.strip()) else []
    wrapped_lines = wrapped_with_marks(content, marks, "", columns, paint)
    at = next((index for index, (_, begun) in enumerate(wrapped_lines) if begun), 0)
    return [*lines, *(line for line, _ in wrapped_lines)], len(lines) + at if at else 0


def _summaries(body: Mapping[str, Any], paint: TerminalStyle, columns: int) -> Iterator[str]:
    """Yield the summaries, each with the number of its messages."""
    for summary in body.get("summaries", ()):
        yield ""
        yield from wrapped(summary["text"], "  ", columns)
        yield paint.dim(f"  — of {counted(len(summary['message_ids']), 'message')}")


def _message(message: Mapping[str, Any], paint: TerminalStyle, columns: int, *, marked: bool) -> Iterator[str]:
    kind = message.get("kind", "text")
    notes = [f"[{clean(kind)}]"] if kind != "text" else []
    notes += ["[edited]"] if message.get("edited") else []
    notes += ["[deleted]"] if message.get("deleted") and kind != "deleted" else []
    about = " ".join(notes)
    speaker = one_line(message["speaker"], max(10, min(40, columns - 22 - len(about))))
    # A day without a time of day has none here either, and may be another day by the clock on this wall.
    when = message["time"][:10] if message.get("time_precision") == "day" else local_time(message["time"])
    yield f"{'>' if marked else ' '} {when:<16}  {paint.bold(speaker)}  {about}".rstrip()
    for line in wrapped(message["content"], "    ", columns):
        yield paint.bold(line) if marked and line else line
    for edit in message.get("edits", ()):
        for line in wrapped(f"was: {edit['content']}", "      ", columns):
            yield paint.dim(line)
