"""What a file of an export of Signal is, by how it begins. Pure but for reading that beginning."""

from __future__ import annotations

import re
from contextlib import suppress
from itertools import islice

from ....schemas.errors import SourceError
from ...connector import Member
from ...text.unicode import as_utf8
from ..jsondocs.sniff import object_keys
from .markdown import HEADER

SOURCE = "signal"
FRAMES, RECORDS, MARKDOWN = "frames", "records", "markdown"
SCORES = {FRAMES: 0.97, RECORDS: 0.97, MARKDOWN: 1.0}
"""A chat in Markdown looks like one of WhatsApp, too, but for the blanks behind its lines."""
_HEAD = 64 * 1024
_LOOKED_AT = 20
_FRAME_KEYS = frozenset({"account", "recipient", "chat", "chatItem", "stickerPack", "adHocCall"})
_RECORD_KEYS = frozenset({"date", "sender", "body"})
_RECORD_MORE = frozenset({"quote", "sticker", "reactions", "attachments"})
_INNER = re.compile(
    rb'"(?:chatItem|recipient|chat|account)"\s*:\s*\{\s*"(?:chatId|authorId|id|profileKey|givenName|username)"'
)
_OLDEST = re.compile(r"\[\d{4}-\d{2}-\d{2}, \d{2}:\d{2}\] [^\n:]{1,200}: ")
"""Without seconds: WhatsApp writes them in brackets."""
_LINE_END = "  "
"""What signal-export puts behind the words of every message."""


def kind_of(member: Member) -> str:
    """What it is; empty for something else, and for what cannot be read."""
    with suppress(SourceError), member.open() as stream:
        head = as_utf8(stream).stream.read(_HEAD)
        start = head.lstrip()
        if start.startswith(b"{"):
            for keys in islice(object_keys(head), _LOOKED_AT):
                if keys >= _RECORD_KEYS and len(keys & _RECORD_MORE) > 2:
                    return RECORDS
                if {"version", "backupTimeMs"} <= keys or (
                    len(keys) == 1 and keys <= _FRAME_KEYS and _INNER.search(head)
                ):
                    return FRAMES
        elif start.startswith(b"["):
            return MARKDOWN if _is_markdown(start.decode("utf-8", "replace")) else ""
    return ""


def _is_markdown(head: str) -> bool:
    """Whether messages begin as signal-export writes them, and most end with two blanks."""
    lines = head.split("\n")
    if not HEADER.match(lines[0]):
        return False
    if _OLDEST.match(lines[0]):
        return True
    headers = sum(1 for line in lines if HEADER.match(line))
    ends = sum(
        1 for line in lines if line.rstrip("\r").endswith(_LINE_END) or line.endswith("(This message was deleted)")
    )
    return ends * 2 >= headers
