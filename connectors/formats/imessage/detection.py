"""Which files are databases of Messages, by what their tables are called. Pure but for reading them."""

from __future__ import annotations

import re
from contextlib import suppress

from ....schemas.errors import SourceError
from ...connector import Member

MAGIC = b"SQLite format 3\0"
_TABLES = (re.compile(rb"chat_message_join"), re.compile(rb"CREATE TABLE [\"'`\[]?message"))
"""What the statements hold by which the tables were made; they lie in the first pages of the file, as a rule."""
_SEARCHED = 64 * 1024 * 1024
_CHUNK = 1024 * 1024
_LONGEST = 32
"""Bytes of such a name that may lie in two chunks."""


def is_messages(member: Member) -> bool:
    """Whether a file is a database in which there are the tables of Messages."""
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
