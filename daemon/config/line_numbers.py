"""Finds the line of each key in the configuration, because `tomllib` keeps none. For people; a key that is not found
has no line.
"""

from __future__ import annotations

import re

_TABLE = re.compile(r"\s*\[(\[?)\s*([\w.\"-]+)\s*\]")
_KEY = re.compile(r"\s*([\w.\"-]+)\s*=")


def line_numbers(text: str) -> dict[str, int]:
    """Return the line, from 1, of each key by its dotted name; tables of an array are numbered, ``sources.0.path``."""
    lines: dict[str, int] = {}
    counts: dict[str, int] = {}
    table = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if match := _TABLE.match(line):
            table = match[2].replace('"', "")
            lines.setdefault(table, number)
            if match[1]:
                counts[table] = counts.get(table, -1) + 1
                table = f"{table}.{counts[table]}"
                lines.setdefault(table, number)
        elif match := _KEY.match(line):
            key = match[1].replace('"', "")
            lines.setdefault(f"{table}.{key}" if table else key, number)
    return lines
