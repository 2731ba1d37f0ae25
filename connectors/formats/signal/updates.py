"""Texts of the events that Signal notes in a chat: calls, joins and leaves, names, timers. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ...text.json_fields import id_of, list_of, object_of, words_of
from .recipients import Recipients

Told = tuple[str, str]
"""The text and its kind."""

_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_GROUP_CALLS = {"MISSED": "missed", "DECLINED": "declined", "OUTGOING_RING": "outgoing", "RINGING": "incoming"}
_NUMBERED_CALLS = {"1": "AUDIO_CALL", "2": "VIDEO_CALL"}
_NUMBERED_DIRECTIONS = {"1": "INCOMING", "2": "OUTGOING"}
_NUMBERED_STATES = {"1": "ACCEPTED", "2": "NOT_ACCEPTED", "3": "MISSED", "4": "MISSED_NOTIFICATION_PROFILE"}
_MINUTE_MS = 60_000


def update_text(update: dict[str, Any], author: str, recipients: Recipients) -> Told:
    """Return the text of an update and its kind; an unknown update is named by its key."""
    for key, tell in _UPDATES.items():
        if key in update:
            return tell(object_of(update.get(key)), author, recipients)
    key = next(iter(update), "")
    return f"[{_worded(key) or 'update'}]", "unknown"


def _call(call: dict[str, Any], author: str, recipients: Recipients) -> Told:
    del author, recipients
    kind = _enum(call.get("type"), _NUMBERED_CALLS)
    direction = _enum(call.get("direction"), _NUMBERED_DIRECTIONS)
    state = _enum(call.get("state"), _NUMBERED_STATES)
    words = "outgoing" if direction == "OUTGOING" else "incoming"
    media = "video call" if kind == "VIDEO_CALL" else "voice call"
    if state.startswith("MISSED"):
        return f"[missed {media}]", "call"
    return f"[{words} {media}, not accepted]" if state == "NOT_ACCEPTED" else f"[{words} {media}]", "call"


def _group_call(call: dict[str, Any], author: str, recipients: Recipients) -> Told:
    state = _GROUP_CALLS.get(words_of(call.get("state")), "")
    starter = id_of(call.get("startedCallRecipientId")) or id_of(call.get("ringerRecipientId"))
    by = f" of {recipients.name(starter)}" if starter else f" of {author}" if author else ""
    return f"[{state} group call{by}]" if state else f"[group call{by}]", "call"


def _simple(update: dict[str, Any], author: str, recipients: Recipients) -> Told:
    del recipients
    name = id_of(update.get("type")).lower().replace("_", " ")
    return f"{author}: {name or 'update'}", "system"


def _timer(update: dict[str, Any], author: str, recipients: Recipients) -> Told:
    del recipients
    milliseconds = id_of(update.get("expiresInMs"))
    if not milliseconds.isdigit() or not milliseconds.strip("0"):
        return f"{author} turned off disappearing messages", "system"
    return f"{author} set disappearing messages to {int(milliseconds[:18]) / _MINUTE_MS:g} min", "system"


def _profile(update: dict[str, Any], author: str, recipients: Recipients) -> Told:
    del recipients
    before, after = words_of(update.get("previousName")), words_of(update.get("newName"))
    return f"{author} changed the profile name from {before} to {after}", "system"


def _poll(update: dict[str, Any], author: str, recipients: Recipients) -> Told:
    del recipients
    return f"{author} ended the poll: {words_of(update.get('question'))}", "system"


def _group(change: dict[str, Any], author: str, recipients: Recipients) -> Told:
    lines: list[str] = []
    for entry in list_of(change.get("updates")):
        update = object_of(entry)
        lines.extend(_group_line(key, object_of(update.get(key)), author, recipients) for key in update)
    return "\n".join(filter(None, lines)) or f"{author} changed the group", "system"


def _group_line(key: str, update: dict[str, Any], author: str, recipients: Recipients) -> str:
    """Return the text of one change: the most common in words, others by the change's key and the names
    of its people.
    """

    def named(*fields: str) -> str:
        return next(filter(None, (recipients.service_name(update.get(field)) for field in fields)), "")

    who = named("updaterAci", "removerAci", "inviterAci") or author
    title, picture = words_of(update.get("newGroupName")), "removed" if update.get("wasRemoved") is True else "changed"
    lines = {
        "groupNameUpdate": f"{who} named the group {title}" if title else f"{who} removed the name of the group",
        "groupDescriptionUpdate": f"{who} described the group: {words_of(update.get('newDescription'))}",
        "groupMemberAddedUpdate": f"{who} added {named('newMemberAci') or 'somebody'}",
        "groupMemberRemovedUpdate": f"{named('removerAci') or 'somebody'} removed {named('removedAci') or 'somebody'}",
        "groupMemberLeftUpdate": f"{named('aci') or author} left the group",
        "groupMemberJoinedUpdate": f"{named('newMemberAci') or author} joined the group",
        "groupMemberJoinedByLinkUpdate": f"{named('newMemberAci') or author} joined the group by its link",
        "groupCreationUpdate": f"{who} created the group",
        "groupAvatarUpdate": f"{who} {picture} the picture of the group",
    }
    if key in lines:
        return lines[key]
    people = dict.fromkeys(filter(None, (recipients.service_name(value) for value in update.values())))
    return f"[{_worded(key)}{': ' if people else ''}{', '.join(people)}]"


def _worded(key: str) -> str:
    """Return a key in words: ``groupJoinRequestUpdate`` as ``group join request``."""
    return _CAPITAL.sub(" ", key[:100]).lower().removesuffix(" update")


def _enum(value: object, numbered: dict[str, str]) -> str:
    """Return the name of an enum value that may be given by its number."""
    text = id_of(value)
    return numbered.get(text, text)


def _named(line: str) -> Callable[[dict[str, Any], str, Recipients], Told]:
    def tell(update: dict[str, Any], author: str, recipients: Recipients) -> Told:
        del update, recipients
        return line.replace("{author}", author), "system"

    return tell


_UPDATES: dict[str, Callable[[dict[str, Any], str, Recipients], Told]] = {
    "individualCall": _call,
    "groupCall": _group_call,
    "simpleUpdate": _simple,
    "groupChange": _group,
    "expirationTimerChange": _timer,
    "profileChange": _profile,
    "learnedProfileChange": _named("the name of {author} was learned"),
    "threadMerge": _named("chats with {author} became one"),
    "sessionSwitchover": _named("the number of {author} was confirmed"),
    "pollTerminate": _poll,
    "pinMessage": _named("{author} pinned a message"),
}
