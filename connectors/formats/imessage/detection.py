"""Detects databases of Messages by the names of their tables. Pure except for reading them."""

from __future__ import annotations

import re
from contextlib import suppress

from ....schemas.errors import SourceError
from ...connector import Member

MAGIC = b"SQLite format 3\0"
_TABLES = (re.compile(rb"chat_message_join"), re.compile(rb"CREATE TABLE [\"'`\[]?message"))
"""Patterns for the statements that created the tables; they are usually in the first pages of the file."""
_SEARCHED = 64 * 1024 * 1024
_CHUNK = 1024 * 1024
_LONGEST = 32
"""The number of bytes kept from a chunk, so that a name split between two chunks is found."""


def is_messages(member: Member) -> bool:
    """Return whether a file is a database with the tables of Messages."""
    with suppress(SourceError), member.open() as stream:
        data = stream.read(len(MAGIC))
        if data != MAGIC:
            return False
        missing = set(_TABLES)
        tail, passed = b"", 0
        while missing and passed < _SEARCHED and (data := stream.read(_CHUNK)):
            passed += len(data)
            missing -= {name for name in missing if name.search(tail + data)}
            tail = data[-_LONGEST:]
        return not missing
    return False
