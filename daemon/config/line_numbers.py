"""In which line of the configuration each key is set: `tomllib` keeps none. For people; a key that is not found has no line."""

from __future__ import annotations

import re

_TABLE = re.compile(r"\s*\[(\[?)\s*([\w.\"-]+)\s*\]")
_KEY = re.compile(r"\s*([\w.\"-]+)\s*=")


def line_numbers(text: str) -> dict[str, int]:
    """The line, from 1, of each key by its dotted name; of the tables of an array with their number, ``sources.0.path``."""
    found: dict[str, int] = {}
    counts: dict[str, int] = {}
    table = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if match := _TABLE.match(line):
            table = match[2].replace('"', "")
            found.setdefault(table, number)
            if match[1]:
                counts[table] = counts.get(table, -1) + 1
                table = f"{table}.{counts[table]}"
                found.setdefault(table, number)
        elif match := _KEY.match(line):
            key = match[1].replace('"', "")
            found.setdefault(f"{table}.{key}" if table else key, number)
    return found
