"""Detection of the files in exports of Zulip, by the names of their tables."""

from __future__ import annotations

import re
from contextlib import suppress

from ....schemas.errors import SourceError
from ...connector import Member
from ...text.unicode import as_utf8

MESSAGES, TABLES = "messages", "tables"
SCORES = {MESSAGES: 0.97, TABLES: 0.7}
_HEAD = 64 * 1024
_MESSAGES = re.compile(rb'"zerver_message"\s*:\s*\[')
_TABLE = re.compile(rb'"zerver_[a-z_]{2,60}"\s*:\s*\[')


def kind_of(member: Member) -> str:
    """Return the kind of a file; empty for any other."""
    with suppress(SourceError), member.open() as stream:
        head = as_utf8(stream).stream.read(_HEAD)
        if not head.lstrip().startswith(b"{"):
            return ""
        if _MESSAGES.search(head):
            return MESSAGES
        return TABLES if _TABLE.search(head) else ""
    return ""
