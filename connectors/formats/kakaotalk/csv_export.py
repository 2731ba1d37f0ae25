"""Reads chats of KakaoTalk on a Mac: CSV with the columns Date, User, Message. Streaming."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import BinaryIO

from ...chats.text_chats import NO_TIME, Item, Said, Unread, item_at
from ...text.chat_lines import TOO_LONG, FileState
from ...text.csv_rows import csv_rows, first_row
from . import bodies

_COLUMNS = ["date", "user", "message"]
_BEGINS = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)?,")
_ROW = re.compile(r'^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,"', re.MULTILINE)
"""Matches a row of the app, with seconds and a quoted name."""


def is_export(head: str) -> bool:
    """Return whether a file begins with the columns of an export and has a row in its form.

    The columns alone do not show it: tables of other programs have them too.
    """
    columns = [name.strip().casefold() for name in first_row(head)]
    return columns == _COLUMNS and _ROW.search(head) is not None


def items(stream: BinaryIO, state: FileState, encoding: str = "", held: frozenset[str] = frozenset()) -> Iterator[Item]:
    """Yield every item of a file; ``held`` are the names of the files beside it."""
    for number, (line, row) in enumerate(csv_rows(stream, state, _BEGINS, encoding)):
        if number == 0:
            continue
        if row is None:
            yield Unread(line, TOO_LONG)
        elif any(row):
            yield item_at(line, _said, line, row, held)


def _said(line: int, row: list[str], held: frozenset[str]) -> Item:
    if len(row) < len(_COLUMNS):
        return Unread(line, "a row without all columns")
    try:
        when = datetime.fromisoformat(row[0].strip())
    except ValueError:
        return Unread(line, NO_TIME)
    body = row[2]
    if bodies.SYSTEM.fullmatch(body[:600]) and body.startswith(row[1]):
        return Said(line, "", when, "second", {"content": body, "kind": "system"})
    return Said(line, row[1].strip() and row[1], when, "second", bodies.recognise(body, held))
