"""Detection of the files in exports of Zulip, by the names of their tables."""

from __future__ import annotations

import re

from ...connector import Member
from ...files.whole_files import head_of

MESSAGES, TABLES = "messages", "tables"
SCORES = {MESSAGES: 0.97, TABLES: 0.7}
_MESSAGES = re.compile(rb'"zerver_message"\s*:\s*\[')
_TABLE = re.compile(rb'"zerver_[a-z_]{2,60}"\s*:\s*\[')


def kind_of(member: Member) -> str:
    """Return the kind of a file; empty for any other."""
    head = head_of(member)
    if not head.lstrip().startswith(b"{"):
        return ""
    if _MESSAGES.search(head):
        return MESSAGES
    return TABLES if _TABLE.search(head) else ""
