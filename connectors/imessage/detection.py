"""Which files are databases of Messages, by what their tables are called. Pure but for reading them."""

from __future__ import annotations

from contextlib import suppress

from ...schemas.errors import SourceError
from ..connector import Member

MAGIC = b"SQLite format 3\0"
_TABLES = (b"chat_message_join", b"CREATE TABLE message")
"""What the statements hold by which the tables were made; they lie in the first pages of the file, as a rule."""
_SEARCHED = 64 * 1024 * 1024
_CHUNK = 1024 * 1024


def is_messages(member: Member) -> bool:
    """Whether a file is a database in which there are the tables of Messages."""
    with suppress(SourceError), member.open() as stream:
        data = stream.read(len(MAGIC))
        if data != MAGIC:
            return False
        missing = set(_TABLES)
        longest = max(len(name) for name in _TABLES)
        tail, passed = b"", 0
        while missing and passed < _SEARCHED and (data := stream.read(_CHUNK)):
            passed += len(data)
            missing -= {name for name in missing if name in tail + data}
            tail = data[-longest:]
        return not missing
    return False
