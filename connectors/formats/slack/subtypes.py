"""The kind of each message subtype. The names are from Slack's reference of message events, and from exports."""

from __future__ import annotations

import re
from typing import Literal

SubtypeKind = Literal["text", "system", "call", "deleted", "change", "unknown"]
"""The kinds of messages; ``change`` is the record of an edit or a deletion."""

_WORDS = frozenset(
    {
        "",
        *("bot_message", "me_message", "thread_broadcast", "slackbot_response", "assistant_app_thread"),
        *("file_share", "file_comment", "file_mention", "share_shortcut", "list_record_comment"),
    }
)
_CALLS = frozenset({"huddle_thread", "sh_room_created", "sh_room_shared"})
_SYSTEM = frozenset(
    {
        *("bot_add", "bot_remove", "bot_enable", "bot_disable", "pinned_item", "unpinned_item", "reminder_add"),
        *("joiner_notification", "joiner_notification_for_inviter", "reply_broadcast", "message_replied"),
        *("app_conversation_join", "app_conversation_leave", "ekm_access_denied", "document_mention"),
        *("tabbed_canvas_updated", "reminder_delete", "user_removed", "emoji_changed", "huddle_invite"),
        *("file_created", "file_changed", "file_deleted", "file_shared", "file_unshared", "file_public"),
    }
)
_OF_CHANNELS = re.compile(r"(?:channel|group|mpim|im)_[a-z_]{1,60}")
"""Matches ``channel_join``, ``group_topic``, ``channel_convert_to_private``, …: events of a channel, without an author.
"""


def kind_of(subtype: str) -> SubtypeKind:
    """Return the kind of a subtype; ``unknown`` for subtypes newer than this list."""
    if subtype in _WORDS:
        return "text"
    if subtype in ("message_changed", "message_deleted"):
        return "change"
    if subtype == "tombstone":
        return "deleted"
    if subtype in _CALLS:
        return "call"
    if subtype in _SYSTEM or _OF_CHANNELS.fullmatch(subtype):
        return "system"
    return "unknown"
