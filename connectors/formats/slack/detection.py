"""Detection of the kind of a file (messages, users, chats) by the keys of its first objects, whatever its name."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Literal, cast

from ....schemas.errors import SourceError
from ...connector import Member
from ...text.json_parsing import parse_json
from ...text.json_splitter import JSONSplitter
from ...text.unicode import as_utf8
from .records import is_dump
from .values import JSONObject, microseconds_of, text_of

FileKind = Literal["messages", "users", "chats", "empty", "other"]
SURE = 0.95

HEAD = 64 * 1024
_LOOKED_AT = 5
_TIME_STAMP = re.compile(r"\d{9,11}\.\d{1,6}")
_USER_ID = re.compile(r"[UWB][A-Z0-9]*")
_CHAT_ID = re.compile(r"[CGD][A-Z0-9]*")
# For objects larger than the head that is read.
_STAMP_SOMEWHERE = re.compile(rb'"ts"\s*:\s*"\d{9,11}\.\d{6}"')
_MESSAGE_SOMEWHERE = re.compile(rb'"type"\s*:\s*"message"')
_MESSAGES = re.compile(rb'"messages"\s*:\s*')

_MESSAGE_SIGNS = ("user", "text", "subtype", "bot_id", "blocks", "attachments", "files", "username", "client_msg_id")
_USER_SIGNS = ("team_id", "deleted", "real_name", "is_bot", "is_admin", "tz", "color", "updated")
_CHAT_SIGNS = ("creator", "is_archived", "is_general", "topic", "purpose", "pins", "members", "is_channel", "is_mpim")


def likeness(member: Member) -> tuple[FileKind, float]:
    """Return the kind of a file and its score. Raises SourceError where nothing of it can be read."""
    chunks: list[bytes] = []
    size = 0
    with member.open() as raw:
        stream = as_utf8(raw).stream
        try:
            while size < HEAD and (chunk := stream.read1(HEAD - size)):
                chunks.append(chunk)
                size += len(chunk)
        except SourceError:
            if not chunks:
                raise
    return likeness_of_head(b"".join(chunks))


def safe_likeness(member: Member) -> tuple[FileKind, float]:
    """Return the kind of a file and its score; ``other`` for an unreadable file."""
    try:
        return likeness(member)
    except SourceError:
        return "other", 0.0


def likeness_of_head(head: bytes) -> tuple[FileKind, float]:
    """Return the kind and the score of a file that begins with ``head``."""
    text = head.lstrip()
    if text.rstrip() in (b"[]", b"[\n]"):
        return "empty", 0.0
    if text[:1] not in (b"[", b"{"):
        return "other", 0.0
    if is_dump(text):
        match = _MESSAGES.search(text)
        text = text[match.end() :] if match else text
    best: tuple[FileKind, float] = ("other", 0.0)
    for record in _first_objects(text):
        scores: list[tuple[FileKind, float]] = [(kind, score(record)) for kind, score in _SCORES]
        best = max(best, *scores, key=lambda pair: pair[1])
        if best[1] >= SURE:
            return best
    if best[1] < 0.5 and _STAMP_SOMEWHERE.search(text) and _MESSAGE_SOMEWHERE.search(text):
        return "messages", 0.8
    return best


def is_message(record: JSONObject) -> bool:
    """Return whether an object is a message; next to broken JSON it may be only a part of one."""
    return _message_score(record) >= 0.5


def _first_objects(text: bytes) -> Iterator[JSONObject]:
    """Parse the first objects lazily: the first is nearly always enough."""
    pieces = JSONSplitter(io.BytesIO(text).read, parse_json, lambda parsed: isinstance(parsed.value, dict), HEAD)
    for piece in islice(pieces.pieces(), _LOOKED_AT):
        if piece.value is not None and isinstance(piece.value.value, dict):
            yield cast("JSONObject", piece.value.value)


def _message_score(record: JSONObject) -> float:
    """Score an object as a message: ``type: message`` with a fractional time stamp as a string is unique to Slack."""
    stamp = text_of(record, "ts")
    if not _TIME_STAMP.fullmatch(stamp) or microseconds_of(stamp) is None:
        return 0.0
    signs = sum(sign in record for sign in _MESSAGE_SIGNS)
    if record.get("type") == "message":
        return SURE if signs else 0.7
    return 0.7 if signs >= 2 and "type" not in record else 0.0


def _user_score(record: JSONObject) -> float:
    if not _USER_ID.fullmatch(text_of(record, "id")) or "name" not in record:
        return 0.0
    signs = sum(sign in record for sign in _USER_SIGNS)
    if isinstance(record.get("profile"), dict):
        return SURE if signs >= 2 else 0.7 if signs else 0.4
    return 0.7 if "team_id" in record and signs >= 3 else 0.0


def _chat_score(record: JSONObject) -> float:
    identifier = text_of(record, "id")
    if not _CHAT_ID.fullmatch(identifier):
        return 0.0
    signs = sum(sign in record for sign in _CHAT_SIGNS)
    if identifier[0] == "D":
        return 0.9 if "members" in record and "created" in record else 0.6 if "members" in record else 0.0
    if "name" not in record:
        return 0.0
    return SURE if signs >= 3 else 0.8 if signs == 2 else 0.0


_SCORES: tuple[tuple[FileKind, Callable[[JSONObject], float]], ...] = (
    ("messages", _message_score),
    ("users", _user_score),
    ("chats", _chat_score),
)
