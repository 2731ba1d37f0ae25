"""Detection of Signal exports by the beginning of a file. Pure but for reading that beginning."""

from __future__ import annotations

import re
from itertools import islice

from ...connector import Member
from ...files.whole_files import head_of
from ...text.json_beginnings import object_keys
from .markdown import HEADER

SOURCE = "signal"
_NAME = "chat.md"
FRAMES, RECORDS, MARKDOWN = "frames", "records", "markdown"
SCORES = {FRAMES: 0.97, RECORDS: 0.97, MARKDOWN: 1.0}
"""Certainty by kind. A chat in Markdown scores above its look-alikes of WhatsApp, whose lines lack the two trailing
blanks.
"""
_LOOKED_AT = 20
_FRAME_KEYS = frozenset({"account", "recipient", "chat", "chatItem", "stickerPack", "adHocCall"})
_RECORD_KEYS = frozenset({"date", "sender", "body"})
_RECORD_MORE = frozenset({"quote", "sticker", "reactions", "attachments"})
_INNER = re.compile(
    rb'"(?:chatItem|recipient|chat|account)"\s*:\s*\{\s*"(?:chatId|authorId|id|profileKey|givenName|username)"'
)
_OLDEST = re.compile(r"\[\d{4}-\d{2}-\d{2}, \d{2}:\d{2}\] [^\n:]{1,200}: ")
"""Matches a header without seconds; WhatsApp writes seconds in brackets."""
_LINE_END = "  "
"""The two blanks that signal-export appends to every message."""


def kind_of(member: Member) -> str:
    """Return the kind of a file; empty for other formats and for unreadable files."""
    head = head_of(member)
    start = head.lstrip()
    if start.startswith(b"{"):
        for keys in islice(object_keys(head), _LOOKED_AT):
            if keys >= _RECORD_KEYS and len(keys & _RECORD_MORE) > 2:
                return RECORDS
            if {"version", "backupTimeMs"} <= keys or (len(keys) == 1 and keys <= _FRAME_KEYS and _INNER.search(head)):
                return FRAMES
    elif start.startswith(b"["):
        is_named = member.name.rpartition("/")[2] == _NAME
        return MARKDOWN if _is_markdown(start.decode("utf-8", "replace"), is_named=is_named) else ""
    return ""


def _is_markdown(head: str, *, is_named: bool) -> bool:
    """Return whether the lines begin with headers of signal-export, and at least half as many end with two blanks, unless
    the file has its name: editors remove blanks at the ends of lines.
    """
    lines = head.split("\n")
    if not HEADER.match(lines[0]):
        return False
    if is_named or _OLDEST.match(lines[0]):
        return True
    headers = sum(1 for line in lines if HEADER.match(line))
    ends = sum(
        1 for line in lines if line.rstrip("\r").endswith(_LINE_END) or line.endswith("(This message was deleted)")
    )
    return ends * 2 >= headers
