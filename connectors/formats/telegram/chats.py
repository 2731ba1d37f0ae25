"""Chats and their keys, the same in every export whatever the chat is called now and whoever can join it. Pure."""

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
"""What older exports leave out before the id of a person."""
DELETED = "Deleted Account"
"""What the app shows for somebody whose account is gone."""


@dataclass(frozen=True, slots=True)
class Chat:
    """One chat of an export."""

    key: str
    """``user42``, ``chat42``, ``channel42``: as the export names the authors of messages; else what was given."""
    title: str
    type: str
    """The export's own word for it; empty if unknown."""

    @property
    def metadata(self) -> dict[str, str]:
        """What every document of the chat says about itself."""
        data = {"title": self.title, "chat": self.key, "chat_type": self.type}
        return {key: value for key, value in data.items() if value}


def peer_key(value: object) -> str:
    """Who an id names: ``user42`` as it is; of older exports a number, whose high bits say what it is of."""
    if isinstance(value, str) and not value.isdigit():
        return value
    number = integer_of(value)
    if number is None:
        return ""
    kind = _OLD_KINDS.get(number >> 32)
    return f"{kind}{number & 0xFFFFFFFF}" if kind else f"user{number}"


def chat_of(fields: Object, given: str | None, fallback: str) -> Chat:
    """The chat that these fields of an export stand beside.

    Args:
        fields: ``name``, ``type`` and ``id``, as far as they are there.
        given: the key and title to take instead.
        fallback: the key of a chat without an id and a name.
    """
    kind = text_of(fields.get("type"))
    kind = kind if kind in _PEERS else ""
    name = text_of(fields.get("name"))
    if given:
        return Chat(given, given, kind)
    number = integer_of(fields.get("id"))
    title = name if name.strip() else _UNNAMED.get(kind, DELETED if number is not None else "")
    if number is None:
        return Chat(title or fallback, title or fallback, kind)
    peer = _PEERS.get(kind, "peer")
    if _OLD_KINDS.get(number >> 32) == peer:
        number &= 0xFFFFFFFF
    return Chat(f"{peer}{number}", title, kind)
