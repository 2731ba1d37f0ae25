"""What is told of files that lie beside an export and are not read. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..schemas import Notice
from .connector import Member

_DATA = (".json", ".jsonl", ".ndjson", ".csv", ".txt", ".html", ".htm")
"""Files of these kinds may hold messages; pictures and other attachments are expected beside them."""


def files_left_out(members: Iterable[Member], locator: str) -> Iterator[Notice]:
    """The notice that files which may hold something were not recognised, if there are any."""
    count = sum(1 for member in members if member.name.lower().endswith(_DATA))
    if count:
        hint = f"{count} file(s) beside the chats hold no messages that memd knows, and were left out"
        yield Notice(code="files-left-out", locator=locator, hint=hint)
