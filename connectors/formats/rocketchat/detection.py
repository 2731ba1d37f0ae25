"""Detects Rocket.Chat files: a collection as BSON or JSON, or the export of a room."""

from __future__ import annotations

import re

from ...connector import Member
from ...files.whole_files import head_of
from ...text.json_beginnings import object_keys

MESSAGES, ROOMS, USERS, ROOM = "messages", "rooms", "users", "room"
SCORES = {MESSAGES: 0.97, ROOMS: 0.8, USERS: 0.7, ROOM: 0.85}
_BSON = re.compile(rb"[\s\S]{4}[\x02\x07]_id\x00")
_LARGEST = 64 << 20
_ROOM_KEYS = frozenset({"msg", "username", "ts"})


def kind_of(member: Member) -> tuple[str, bool]:
    """Return the kind of a file (empty for any other file), and whether it is BSON."""
    raw = head_of(member)
    if _BSON.match(raw) and 5 <= int.from_bytes(raw[:4], "little") <= _LARGEST:
        return _of_names(raw), True
    if raw.lstrip().startswith((b"{", b"[")):
        return next((kind for keys in object_keys(raw) if (kind := _of_keys(keys))), ""), False
    return "", False


def _of_names(raw: bytes) -> str:
    """Return the kind of a BSON collection by the field names in its first documents."""
    if b"\x02rid\x00" in raw and b"\x02msg\x00" in raw and b"\x09ts\x00" in raw:
        return MESSAGES
    if b"\x02username\x00" in raw and (b"\x04roles\x00" in raw or b"\x04emails\x00" in raw):
        return USERS
    if b"\x02t\x00" in raw and (b"msgs\x00" in raw or b"usersCount\x00" in raw or b"\x04usernames\x00" in raw):
        return ROOMS
    return ""


def _of_keys(keys: set[str]) -> str:
    if keys >= {"_id", "rid", "msg", "ts", "u"}:
        return MESSAGES
    if keys >= {"_id", "username"} and keys & {"roles", "emails", "services"}:
        return USERS
    if keys >= {"_id", "t"} and keys & {"msgs", "usersCount", "usernames"}:
        return ROOMS
    return ROOM if keys >= _ROOM_KEYS and not keys & {"_id", "rid"} else ""
