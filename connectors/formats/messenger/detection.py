"""Detects the kind of a file in Meta's exports and its app, from the folders in its name and from its first bytes."""

from __future__ import annotations

import re
from contextlib import suppress
from io import BufferedReader

from ....schemas.errors import SourceError
from ...connector import Member
from ...text.unicode import as_utf8
from .older_instagram import is_older_chat

MESSENGER, INSTAGRAM = "messenger", "instagram"
CHAT, OLDER, PROFILE = "chat", "older", "profile"
SURE = 0.95
_HEAD = 64 * 1024
_TAIL = 4096
_CHUNK = 1 << 18
_LARGEST = 16 << 20
"""The largest file whose end is read; ten thousand messages take a few megabytes."""
_SENDER = re.compile(rb'"sender_name"\s*:')
_TIME = re.compile(rb'"timestamp_ms"\s*:')
_LISTED = re.compile(rb'\{\s*"participants"\s*:\s*\[\s*\{\s*"name"\s*:\s*"')
_PEOPLE = re.compile(rb'"participants"\s*:\s*\[')
_MESSAGES = re.compile(rb'"messages"\s*:\s*\[')
_PATH = re.compile(rb'"thread_path"\s*:\s*"')
_ENCRYPTED_SENDER = re.compile(rb'"senderName"\s*:')
_ENCRYPTED_CHAT = re.compile(rb'"(?:threadName|isUnsent)"\s*:')
_PROFILES = {
    MESSENGER: re.compile(
        rb'\{\s*"(?:profile(?:_v2)?"\s*:\s*\{\s*"name"\s*:\s*\{|autofill_information(?:_v2)?"\s*:\s*\{)'
    ),
    INSTAGRAM: re.compile(rb'\{\s*"profile_user"\s*:\s*\['),
}
_OLDER_PROFILE = re.compile(
    rb'(?=\{[^{}]*"username"\s*:\s*")(?=\{[^{}]*"date_joined"\s*:)\{[^{}]*"private_account"\s*:'
)
_APP_FOLDER = re.compile(rb"\"(?:uri|thread_path)\"\s*:\s*\"[^\"\n]{0,80}(instagram|facebook)")
_THREAD = re.compile(
    rb"(?:inbox|archived_threads|filtered_threads|message_requests)\\?/[^\"/\\]{0,200}_(\d{4,})[\"/\\]"
)
_INSTAGRAM_THREAD = re.compile(rb"1[78]\d{15}")
"""Matches Instagram's thread ids, which have 17 digits; Facebook's ids of that length begin with 101."""


def kind_of(member: Member, *, any_app: bool = False) -> tuple[str, str, float]:
    """Return the kind of a file (empty for other files), its app (empty if nothing shows it), and the confidence.

    With `any_app` the end of a chat file is not searched for the app, which would require reading the whole file.
    """
    with suppress(SourceError), member.open() as stream:
        text = as_utf8(stream).stream
        head = text.read(_HEAD)
        if is_older_chat(head):
            return OLDER, INSTAGRAM, SURE
        if not head.lstrip().startswith(b"{"):
            return "", "", 0.0
        for app, pattern in _PROFILES.items():
            if pattern.match(head.lstrip()):
                return PROFILE, app, 0.6
        if _OLDER_PROFILE.match(head.lstrip()):
            return PROFILE, INSTAGRAM, 0.6
        if score := _chat_score(head):
            app = _app(member.name, head) or ("" if any_app else _app("", _tail(text)))
            return CHAT, app, score
    return "", "", 0.0


def score_for(app: str, member: Member) -> float:
    """Return an app's confidence for a file. Without signs of an app it is Messenger's rather than Instagram's."""
    kind, shown, score = kind_of(member)
    if not kind:
        return 0.0
    if shown:
        return score if shown == app else 0.3
    return min(score, 0.85) if app == MESSENGER else min(score, 0.6)


def _chat_score(head: bytes) -> float:
    if _SENDER.search(head) and _TIME.search(head):
        return SURE if _PEOPLE.search(head) or _PATH.search(head) else 0.75
    if _ENCRYPTED_SENDER.search(head) and _ENCRYPTED_CHAT.search(head):
        return SURE if _PEOPLE.search(head) and _MESSAGES.search(head) else 0.75
    if _PATH.search(head) and _PEOPLE.search(head) and _MESSAGES.search(head):
        return 0.9  # a chat whose messages are all gone
    return 0.7 if len(head) == _HEAD and _LISTED.match(head) else 0.0  # a group whose many members fill the head


def _tail(stream: BufferedReader) -> bytes:
    """Return the end of a file, which contains the thread's path; empty for files larger than `_LARGEST`."""
    tail = b""
    left = _LARGEST
    while left > 0:
        chunk = stream.read1(_CHUNK)  # in the pieces that arrive: joining larger pieces takes four times as long
        if not chunk:
            return tail
        left -= len(chunk)
        tail = chunk[-_TAIL:] if len(chunk) >= _TAIL else (tail + chunk)[-_TAIL:]
    return b""


def _app(name: str, head: bytes) -> str:
    """Return the app, from the folders in the name or in the addresses of pictures, or from the thread's id."""
    folders = name.casefold().rpartition("/")[0]
    for app, word in ((INSTAGRAM, "instagram"), (MESSENGER, "facebook")):
        if word in folders:
            return app
    if match := _THREAD.search(name.encode("utf-8", "replace")):
        return INSTAGRAM if _INSTAGRAM_THREAD.fullmatch(match[1]) else MESSENGER
    if match := _APP_FOLDER.search(head):
        return INSTAGRAM if match[1] == b"instagram" else MESSENGER
    if match := _THREAD.search(head):
        return INSTAGRAM if _INSTAGRAM_THREAD.fullmatch(match[1]) else MESSENGER
    return MESSENGER if _ENCRYPTED_SENDER.search(head) else ""
