"""The rows of CSV files, with any text between their quotation marks. Streaming, with rows of bounded size."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from .chat_lines import MESSAGE_LIMIT, FileState, chat_lines

_QUOTED = re.compile(r'"([^"]*(?:""[^"]*)*)"([^,]*)')


def first_row(head: str) -> list[str]:
    """Return the fields of the first line of a text, without a byte order mark."""
    line = head.lstrip("\ufeff\r\n").partition("\n")[0][:4096].rstrip("\r")
    return fields(line)


def csv_rows(
    stream: BinaryIO, state: FileState, begins: re.Pattern[str], encoding: str = ""
) -> Iterator[tuple[int, list[str] | None]]:
    """Yield each row with the number of its first line; None for a row longer than a message may be.

    Args:
        stream: of the file.
        state: grows with what is met.
        begins: what only the beginning of a row looks like: there a field ends whose closing mark is lost.
        encoding: of the file, where it is known.
    """
    parts: list[str] = []
    start, size, marks = 1, 0, 0
    for line in chat_lines(stream, state, encoding):
        text = line.text.lstrip("\ufeff") if line.number == 1 and not line.torn else line.text
        if not line.torn and size and (marks % 2 == 0 or begins.match(text)):
            state.unclosed += marks % 2
            yield start, fields("".join(parts)) if size <= MESSAGE_LIMIT else None
            parts, size, marks = [], 0, 0
        if not size:
            start = line.number
        if size and not line.torn:
            parts.append("\n")
        parts.append(text)
        size += len(text) + 1
        marks += text.count('"')
        if size > MESSAGE_LIMIT:
            parts.clear()
    if size:
        state.unclosed += marks % 2
        yield start, fields("".join(parts)) if size <= MESSAGE_LIMIT else None


def fields(row: str) -> list[str]:
    """Return the fields of a row. After a quotation mark that is never closed, only commas divide them."""
    if '"' not in row:
        return row.split(",")
    fields: list[str] = []
    place = 0
    while True:
        if row.startswith('"', place):
            match = _QUOTED.match(row, place)
            if match is None:
                return fields + row[place:].split(",")
            fields.append(match[1].replace('""', '"') + match[2])
            place = match.end()
        else:
            comma = row.find(",", place)
            end = len(row) if comma < 0 else comma
            fields.append(row[place:end])
            place = end
        if place >= len(row):
            return fields
        place += 1
        if place == len(row):
            return [*fields, ""]
