"""Describes the state events of a room: joins, names, topics, permissions. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...text.json_fields import list_of, object_of, words_of

_MEMBERS = {
    "invite": "invited",
    "ban": "banned",
    "knock": "asked to join",
}
_PLAIN = {
    "m.room.create": "created the room",
    "m.room.encryption": "turned on encryption",
    "m.room.avatar": "changed the picture of the room",
    "m.room.power_levels": "changed the rights of members",
    "m.room.pinned_events": "changed the pinned messages",
    "m.room.server_acl": "changed the servers that may take part",
    "m.room.tombstone": "moved the room",
    "m.room.canonical_alias": "changed the address of the room",
    "m.room.aliases": "changed the addresses of the room",
    "m.room.third_party_invite": "invited somebody",
    "m.space.child": "changed the rooms of the space",
    "m.space.parent": "changed the space of the room",
    "im.vector.modular.widgets": "changed the widgets",
    "m.widget": "changed the widgets",
    "m.room.bot.options": "changed the options of bots",
}
_VALUES = {
    "m.room.join_rules": ("join_rule", "changed who may join"),
    "m.room.history_visibility": ("history_visibility", "changed who may read the history"),
    "m.room.guest_access": ("guest_access", "changed whether guests may join"),
}


def state_text(kind: str, event: dict[str, Any], content: dict[str, Any], name_of: Callable[[str], str]) -> str:
    """Return a sentence for a state event; empty for other events.

    Args:
        kind: the event's type.
        event: as exported.
        content: its content.
        name_of: returns the name of an account.
    """
    who = name_of(words_of(event.get("sender")))
    if kind == "m.room.member":
        return _member(who, event, content, name_of)
    if kind == "m.room.name":
        return f"{who} named the room: {words_of(content.get('name')) or '(no name)'}"
    if kind == "m.room.topic":
        return f"{who} set the topic: {words_of(content.get('topic')) or '(no topic)'}"
    if kind in _VALUES:
        key, text = _VALUES[kind]
        return f"{who} {text}: {words_of(content.get(key)) or '?'}"
    if kind == "m.room.pinned_events":
        count = len(list_of(content.get("pinned")))
        return f"{who} changed the pinned messages: {count}"
    if text := _PLAIN.get(kind):
        return f"{who} {text}"
    if "state_key" in event or kind.startswith(("m.room.", "m.space.", "m.key.", "m.policy.", "m.call.")):
        return f"{who}: {kind}"
    return ""


def _member(who: str, event: dict[str, Any], content: dict[str, Any], name_of: Callable[[str], str]) -> str:
    target = words_of(event.get("state_key"))
    whom = name_of(target) if target else who
    now = words_of(content.get("membership"))
    unsigned = object_of(event.get("unsigned"))
    before = object_of(unsigned.get("prev_content")) or object_of(event.get("prev_content"))
    was = words_of(before.get("membership"))
    reason = words_of(content.get("reason"))
    behind = f": {reason}" if reason else ""
    if now == "join" and was == "join":
        if before.get("displayname") != content.get("displayname"):
            old = words_of(before.get("displayname")) or target
            return f"{old} is now called {words_of(content.get('displayname')) or target}"
        return f"{whom} changed the picture or profile"
    if now == "join":
        return f"{whom} joined"
    if now == "leave" and whom == who:
        return f"{whom} left{behind}" if was != "invite" else f"{whom} declined the invitation{behind}"
    if now == "leave":
        done = {"ban": "unbanned", "invite": "took back the invitation of"}.get(was, "removed")
        return f"{who} {done} {whom}{behind}"
    if now in _MEMBERS:
        return f"{who} {_MEMBERS[now]}{behind}" if now == "knock" else f"{who} {_MEMBERS[now]} {whom}{behind}"
    return f"{who} changed the membership of {whom}"
