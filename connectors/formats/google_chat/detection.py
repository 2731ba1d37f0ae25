"""Detects the kind of a file of a Google Chat Takeout by its first bytes."""

from __future__ import annotations

import re

from ...connector import Member
from ...files.whole_files import head_of

MESSAGES, GROUP, USER, HANGOUTS = "messages", "group", "user", "hangouts"
SCORES = {MESSAGES: 0.95, HANGOUTS: 0.95, GROUP: 0.6, USER: 0.6}
SURE = 0.95
_MARKS = {
    MESSAGES: (rb'"messages"\s*:\s*\[', rb'"(?:creator|message_state)"\s*:', rb'"(?:created|updated|deleted)_date"\s*:', rb'"(?:topic_id|message_id|user_type)"\s*:'),
    USER: (rb'\A\s*\{\s*"user"\s*:\s*\{', rb'"user_type"\s*:'),
    GROUP: (rb'\A\s*\{(?:\s*"name"\s*:\s*"[^"\n]*"\s*,)?\s*"members"\s*:\s*\[', rb'"user_type"\s*:'),
    HANGOUTS: (rb'"(?:conversations|conversation_state)"\s*:\s*\[', rb'"conversation_id"\s*:', rb'"(?:gaia_id|chat_id)"\s*:'),
}  # fmt: skip
"""The patterns by kind; all of a kind must match."""
_PATTERNS = {kind: tuple(re.compile(mark) for mark in marks) for kind, marks in _MARKS.items()}


def kind_of(member: Member) -> str:
    """Return the kind of a file; empty for any other file, and for one that cannot be read."""
    head = head_of(member)
    if head.lstrip().startswith(b"{"):
        for kind, patterns in _PATTERNS.items():
            if all(pattern.search(head) for pattern in patterns):
                return kind
    return ""
