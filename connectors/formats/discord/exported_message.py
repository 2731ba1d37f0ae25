"""Converts a message of DiscordChatExporter to a message of a document. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from datetime import tzinfo
from typing import Any

from ...chats.notices import CONTENT_UNKNOWN
from ...record_faults import or_reason
from ...text.json_fields import id_of, list_of, object_of, text_of, words_of
from ...times.instants import instant_of
from .embeds import component_text, embed_text
from .files import attachments_of, placeholder_of
from .people import Names

Message = dict[str, Any]

_WORDS = frozenset({"Default", "Reply", "0", "19", "20", "23"})
"""The types of messages that a person or a bot writes, including answers to commands."""
_SYSTEM_NAMES = frozenset(
    {
        "RecipientAdd",
        "RecipientRemove",
        "ChannelNameChange",
        "ChannelIconChange",
        "ChannelPinnedMessage",
        "GuildMemberJoin",
        "ThreadCreated",
    }
)
_SYSTEM_NUMBERS = frozenset(
    {1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15, 16, 17, 18, 21, 22, 24, 25, 26, 27, 28, 29, 31, 32, 36, 37, 38, 39, 44}
)
_SYSTEM = _SYSTEM_NAMES | {str(number) for number in _SYSTEM_NUMBERS}
"""The types of messages that the app writes; the numbers are those of Discord's API that the exporter has no names for.
"""
_CALLS = frozenset({"Call", "3"})
_POLLS = frozenset({"46"})
_MENTION = re.compile(r"<@!?(\d{5,20})>")


class MessageReader:
    """Reads the messages of one chat."""

    def __init__(self, chat: str, names: Names, zone: tzinfo, held: Callable[[str], bool], *, thread: bool) -> None:
        """``held``: returns whether the export has the file at a path."""
        self._held = held
        self._chat = chat
        self._names = names
        self._zone = zone
        self._thread = chat if thread else None
        self.counts: Counter[str] = Counter()
        """The number of messages that gave reason for a notice, by the notice's code."""

    @or_reason
    def read(self, raw: dict[str, Any]) -> Message | str:
        """Return the message, or the reason why it cannot be read."""
        message_id = id_of(raw.get("id"))
        if not message_id:
            return "a message without an id"
        time = instant_of(raw.get("timestamp"), self._zone)
        if time is None:
            return "a message without a time that can be read"
        account = object_of(raw.get("author"))
        speaker = self._names.name_of(account)
        attachments = attachments_of(raw, self._held)
        details: dict[str, str] = {}
        content, kind, segments = self._content(raw, attachments, details)
        message: Message = {
            "speaker": speaker,
            "content": content,
            "time": time,
            "id": message_id,
            "kind": kind,
            "zone_origin": "explicit",
        }
        if attachments:
            message["attachments"] = attachments
        if segments:
            message["segments"] = segments
        if raw.get("timestampEdited"):
            message["edited"] = True
            message["edited_at"] = instant_of(raw.get("timestampEdited"), self._zone)
        if raw.get("reactions"):
            message["reactions"] = self._reactions(list_of(raw.get("reactions")), details)
        if raw.get("reference"):
            self._refer(object_of(raw.get("reference")), message, details)
        if self._thread:
            message["thread"] = self._thread
        if account.get("isBot") is True:
            details["bot"] = "true"
            message["role"] = "tool"
        self._describe(raw, details)
        if details:
            message["metadata"] = details
        return message

    def _describe(self, raw: dict[str, Any], details: dict[str, str]) -> None:
        """Add the properties without a field of their own to the metadata: pinned, command, end of a call."""
        if raw.get("isPinned") is True:
            details["pinned"] = "true"
        if raw.get("interaction"):
            details["command"] = self._command(object_of(raw.get("interaction")))
        if ended := instant_of(raw.get("callEndedTimestamp"), self._zone):
            details["call_ended"] = ended.isoformat()

    def _content(
        self, raw: dict[str, Any], attachments: list[dict[str, Any]], details: dict[str, str]
    ) -> tuple[str, str, list[dict[str, Any]]]:
        """Return the text, its kind, and the segments of it that are quoted or forwarded."""
        content = text_of(raw.get("content"))
        if raw.get("mentions") and "<@" in content:
            named = self._names.resolved(list_of(raw.get("mentions")))
            content = _MENTION.sub(lambda match: f"@{named[match[1]]}" if match[1] in named else match[0], content)
        kind = self._kind(words_of(raw.get("type")) or id_of(raw.get("type")))
        boxes = embed_text(list_of(raw.get("embeds"))) if raw.get("embeds") else ""
        forwarded = object_of(raw.get("forwardedMessage")) if raw.get("forwardedMessage") else {}
        if forwarded:
            return self._forwarded(content, forwarded, attachments, kind)
        if content and not content.isspace():
            if boxes:
                details["embeds"] = boxes
            if raw.get("components") and (labels := component_text(list_of(raw.get("components")))):
                details["components"] = labels
            return content, kind, []
        if raw.get("components") and not boxes:
            boxes = component_text(list_of(raw.get("components")))
        if boxes:
            bot = object_of(raw.get("author")).get("isBot") is True
            return boxes, kind, [] if bot else [{"kind": "quote", "start": 0, "end": len(boxes)}]
        if attachments:
            return placeholder_of(attachments), "media", []
        if kind == "text":
            # A poll, or components of a kind that the exporter does not export.
            self.counts[CONTENT_UNKNOWN] += 1
            kind = "unknown"
        return f"[{'message without text' if kind == 'unknown' else kind}]", kind, []

    def _forwarded(
        self, content: str, forwarded: dict[str, Any], attachments: list[dict[str, Any]], kind: str
    ) -> tuple[str, str, list[dict[str, Any]]]:
        """Return the text, kind and segments of a forwarded message of another chat, below the text written with it."""
        files = attachments_of(forwarded, self._held)
        attachments += files
        words = text_of(forwarded.get("content"))
        if not words.strip():
            words = embed_text(list_of(forwarded.get("embeds")))
        if not words.strip():
            words, kind = placeholder_of(files) if files else "[forwarded message]", "media" if files else "unknown"
        above = f"{content}\n" if content.strip() else ""
        return above + words, kind, [{"kind": "forward", "start": len(above), "end": len(above) + len(words)}]

    def _kind(self, type_name: str) -> str:
        if type_name in _WORDS or not type_name:
            return "text"
        if type_name in _SYSTEM:
            return "system"
        if type_name in _CALLS:
            return "call"
        if type_name in _POLLS:
            return "poll"
        self.counts[CONTENT_UNKNOWN] += 1
        return "unknown"

    def _reactions(self, reactions: list[Any], details: dict[str, str]) -> list[dict[str, Any]]:
        result: list[dict[str, Any]] = []
        unnamed: list[str] = []
        for entry in reactions:
            reaction = object_of(entry)
            emoji = object_of(reaction.get("emoji"))
            shown = words_of(emoji.get("name")) or words_of(emoji.get("code"))
            if not shown:
                continue
            if id_of(emoji.get("id")):
                shown = f":{shown}:"
            users = [object_of(user) for user in list_of(reaction.get("users"))]
            people = list(dict.fromkeys(self._names.name_of(user) for user in users if user))
            result.append({"emoji": shown, "people": people})
            count = reaction.get("count")
            if isinstance(count, int) and count > len(people):
                unnamed.append(f"{shown} {count}")
        if unnamed:
            details["reaction_counts"] = ", ".join(unnamed)
        return result

    def _refer(self, reference: dict[str, Any], message: Message, details: dict[str, str]) -> None:
        """Set the message that this one answers or is about; one of another chat or a forwarded one goes into the
        metadata.
        """
        message_id, chat = id_of(reference.get("messageId")), id_of(reference.get("channelId"))
        if not message_id:
            return
        if chat in ("", self._chat) and reference.get("type") != "Forward":
            message["reply_to"] = message_id
        else:
            details["reference"] = f"{chat}/{message_id}" if chat else message_id

    def _command(self, interaction: dict[str, Any]) -> str:
        name = words_of(interaction.get("name"))
        user = object_of(interaction.get("user"))
        return f"/{name} {self._names.name_of(user)}" if user else f"/{name}"
