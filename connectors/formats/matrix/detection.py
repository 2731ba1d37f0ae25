"""Detects Matrix files: Element's export of a room, a list of events, or one event per line."""

from __future__ import annotations

import re

from ...connector import Member
from ...files.whole_files import head_of

EXPORT, LIST, LINES = "export", "list", "lines"
SCORES = {EXPORT: 0.97, LIST: 0.92, LINES: 0.92}
_ROOM = re.compile(rb'"(?:room_name|room_creator|exported_by|export_date)"\s*:')
_MESSAGES = re.compile(rb'"messages"\s*:\s*\[')
_LISTED = re.compile(rb'"(?:messages|chunk|events)"\s*:\s*\[')
_EVENT_ID = re.compile(rb'"event_id"\s*:\s*"\$')
_TIME = re.compile(rb'"origin_server_ts"\s*:\s*-?\d')
_SENDER = re.compile(rb'"sender"\s*:\s*"@[^"\\\n]{1,255}:')
_ROOM_FIELDS = 3
_WORDS = (b'"messages"', b'"event_id"')
"""The strings of which an export has one; testing these first is much faster than the expressions."""


def kind_of(member: Member) -> str:
    """Return the kind of a file: EXPORT, LIST, LINES, or empty for any other file."""
    head = head_of(member).lstrip()
    if not head.startswith((b"{", b"[")) or not any(word in head for word in _WORDS):
        return ""
    listed = _LISTED.search(head)
    before = head[: listed.start()] if listed else b""
    if listed and len(set(_ROOM.findall(before))) >= _ROOM_FIELDS and _MESSAGES.match(head, listed.start()):
        return EXPORT
    if _EVENT_ID.search(head) and _TIME.search(head) and _SENDER.search(head):
        first = _EVENT_ID.search(head)
        inside = listed is not None and first is not None and listed.start() < first.start()
        return LIST if inside or head.startswith(b"[") else LINES
    return ""
