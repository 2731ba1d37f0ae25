"""Detects the files of Webex by the keys of their objects: messages, and lists of spaces, members and people."""

from __future__ import annotations

from ...connector import Member
from ...files.whole_files import head_of
from ...text.json_beginnings import object_keys

MESSAGES, LISTS = "messages", "lists"
SCORES = {MESSAGES: 0.97, LISTS: 0.7}
_SAY = frozenset({"text", "html", "markdown", "files", "attachments", "roomType"})
_OPENS = (b"{", b"[")


def kind_of(member: Member) -> str:
    """Return the kind of a file; empty for any other."""
    raw = head_of(member)
    if not raw.lstrip().startswith(_OPENS):
        return ""
    return next((kind for keys in object_keys(raw) if (kind := _of_keys(keys))), "")


def _of_keys(keys: set[str]) -> str:
    if keys >= {"id", "roomId", "created"} and keys & {"personEmail", "personId"}:
        # A membership has the same keys, but says nothing.
        # So have a hotel's bookings.
        if keys & {"isModerator", "isMonitor", "isRoomHidden"}:
            return LISTS
        return MESSAGES if keys & _SAY else ""
    space = keys >= {"id", "title", "type", "creatorId"} and keys & {"lastActivity", "isLocked", "ownerId"}
    person = keys >= {"id", "emails", "displayName"} and keys & {"orgId", "nickName"}
    return LISTS if space or person or keys == {"space", "creator"} else ""
