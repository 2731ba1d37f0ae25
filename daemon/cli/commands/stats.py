"""`memd stats`: how much is stored, how far the vectors are, how fast questions are answered."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from typing import Any, cast

from ...operations import PART_STATS, STATS
from ..arguments import Verbs, add_verb
from ..connect import request
from ..output import print_json
from ..render.terminal import clean, in_bytes, lasting
from ..render.wall_clock import local_time

_EXAMPLES = """\
  memd stats
  memd stats --chat "Rowing club"     of one chat
  memd stats --json | jq .vectors
"""


def add(verbs: Verbs) -> None:
    """Its arguments."""
    parser = add_verb(verbs, "stats", "count what is stored and how fast it is found", _EXAMPLES, (0, 2, 5, 6, 7))
    parser.add_argument(
        "--chat",
        action="append",
        default=[],
        metavar="NAME",
        help="count this chat alone, by title or id; here and below, a part that means one name will do",
    )
    parser.add_argument("--source", action="append", default=[], metavar="NAME", help="count this source alone")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the numbers."""
    part = {"chats": arguments.chat, "sources": arguments.source}
    stats = request(arguments, PART_STATS, part) if any(part.values()) else request(arguments, STATS)
    if arguments.json:
        print_json(stats)
        return 0
    for line in flat(_on_screen(stats)):
        print(line)
    return 0


def _on_screen(stats: Mapping[str, Any]) -> dict[str, Any]:
    """Return the statistics of a part for the screen: times by the local clock, and only the given names."""
    if "first" not in stats:
        return dict(stats)
    shown_stats = {name: value for name, value in stats.items() if name not in ("chats", "sources") or value}
    return shown_stats | {name: local_time(stats[name]) or None for name in ("first", "last")}


def flat(body: Mapping[str, Any], indent: str = "", *, unit: str = "") -> Iterator[str]:
    """An object as aligned lines; objects inside are indented. ``unit`` of its numbers: ``bytes`` or ``ms``."""
    width = max((len(_label(name)) for name in body), default=0)
    for name, value in body.items():
        label = f"{indent}{_label(name):<{width}}"
        if isinstance(value, dict):
            yield label.rstrip() if value else f"{label}  none"
            inner = "bytes" if name == "bytes" else "ms" if name.endswith("_ms") else ""
            yield from flat(value, indent + "  ", unit=inner)  # pyright: ignore[reportUnknownArgumentType]
        elif rows := _rows(value):
            yield label.rstrip()
            for row in rows:
                yield f"{indent}  {_row(row)}"
        else:
            yield f"{label}  {_shown(unit or name, value)}"


def _label(name: str) -> str:
    """A key as words; its unit stands behind its number."""
    return clean(name).removesuffix("_ms").removesuffix("_s").replace("_", " ")


def _rows(value: object) -> list[Mapping[str, Any]]:
    """A list of objects as such; nothing of any other value."""
    items = cast("list[object]", value) if isinstance(value, list) else []
    return [cast("Mapping[str, Any]", item) for item in items if isinstance(item, dict)]


def _row(body: Mapping[str, Any]) -> str:
    """An object of a list in one line, without what is empty or 0."""
    return " · ".join(f"{_label(name)} {_shown(name, value)}" for name, value in body.items() if value)


def _shown(name: str, value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        if name == "pid":
            return str(value)
        return in_bytes(value) if name in ("bytes", "total_bytes") else f"{value:,}"
    if isinstance(value, float):
        return lasting(value) if name.endswith("_s") else f"{value:,.1f}{' ms' if name.endswith('ms') else ''}"
    if isinstance(value, list):
        return ", ".join(clean(item) for item in cast("list[object]", value)) or "–"
    return clean(value) or "–"
