"""Chats and their keys, which are the same in every export even if the title or the access changes. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .values import Object, integer_of, text_of

_PEERS = {
    "saved_messages": "user",
    "personal_chat": "user",
    "bot_chat": "user",
    "replies": "user",
    "verification_codes": "user",
    "private_group": "chat",
    "private_supergroup": "channel",
    "public_supergroup": "channel",
    "private_channel": "channel",
    "public_channel": "channel",
}
CHAT_TYPES = frozenset(_PEERS)
_UNNAMED = {"saved_messages": "Saved Messages", "replies": "Replies", "verification_codes": "Verification Codes"}
_OLD_KINDS = {1: "chat", 2: "channel"}
OLD_ID = re.compile(r"\Auser(?=[0-9]+\Z)", re.ASCII | re.IGNORECASE)
"""Matches the prefix of a person's id, which older exports leave out."""
DELETED = "Deleted Account"
"""The name that the app shows for a deleted account."""


@dataclass(frozen=True, slots=True)
class Chat:
    """One chat of an export."""

    key: str
    """``user42``, ``chat42``, ``channel42``, as the export names the authors of messages; or the configured key."""
    title: str
    type: str
    """The export's name for the type; empty if unknown."""

    @property
    def metadata(self) -> dict[str, str]:
        """Return the metadata of the chat's documents."""
        data = {"title": self.title, "chat": self.key, "chat_type": self.type}
        return {key: value for key, value in data.items() if value}


def peer_key(value: object) -> str:
    """Return the key of an id: ``user42`` unchanged; older exports have a number, whose high bits are the type."""
    if isinstance(value, str) and not value.isdigit():
        return value
    number = integer_of(value)
    if number is None:
        return ""
    kind = _OLD_KINDS.get(number >> 32)
    return f"{kind}{number & 0xFFFFFFFF}" if kind else f"user{number}"


def chat_of(fields: Object, chat_name: str | None, fallback: str) -> Chat:
    """Return the chat that these fields describe.

    Args:
        fields: ``name``, ``type`` and ``id``, as far as they are there.
        chat_name: the configured key and title, which replaces them.
        fallback: the key of a chat without an id and a name.
    """
    kind = text_of(fields.get("type"))
    kind = kind if kind in _PEERS else ""
    name = text_of(fields.get("name"))
    if chat_name:
        return Chat(chat_name, chat_name, kind)
    number = integer_of(fields.get("id"))
    title = name if name.strip() else _UNNAMED.get(kind, DELETED if number is not None else "")
    if number is None:
        return Chat(title or fallback, title or fallback, kind)
    peer = _PEERS.get(kind, "peer")
    if _OLD_KINDS.get(number >> 32) == peer:
        number &= 0xFFFFFFFF
    return Chat(f"{peer}{number}", title, kind)
