"""Conversion of X's direct messages and events of groups into messages of documents. Pure."""

from __future__ import annotations

from collections.abc import Callable
from datetime import tzinfo
from hashlib import sha256
from typing import Any

from ....schemas import SYSTEM_SPEAKER
from ...chats.accounts import Accounts
from ...chats.ordered_days import Message
from ...opening.media_names import mime_of, name_in, word_of
from ...text.json_fields import id_of, list_of, object_of, text_of, words_of
from ...times.instants import instant_of, milliseconds_of
from .posts import expanded

_REACTIONS = {
    "funny": "😂",
    "surprised": "😲",
    "sad": "😢",
    "like": "❤️",
    "excited": "🔥",
    "agree": "👍",
    "disagree": "👎",
}
_EVENTS = {
    "joinConversation": "joined the conversation",
    "participantsJoin": "added",
    "participantsLeave": "left",
    "conversationNameUpdate": "named the conversation",
    "conversationAvatarUpdate": "changed the picture of the conversation",
    "trustConversation": "accepted the conversation",
    "reactionCreate": "reacted",
    "disableNsfwInDms": "changed the filter of the conversation",
}
NO_TIME = "a message without a time that can be read"


class DirectReader:
    """Converts direct messages."""

    def __init__(self, accounts: Accounts, zone: tzinfo, held: Callable[[str, str], bool]) -> None:
        """``held``: returns whether the archive has a message's file."""
        self._accounts = accounts
        self._zone = zone
        self._held = held
        self.unknown = 0

    def read(self, raw: dict[str, Any]) -> Message | str:
        """Return the message, or the reason why there is none."""
        if "messageCreate" in raw:
            return self._message(object_of(raw.get("messageCreate")))
        kind = next(iter(raw), "")
        event = object_of(raw.get(kind))
        return self._event(kind, event) if event else "neither a message nor an event"

    def _message(self, raw: dict[str, Any]) -> Message | str:
        message_id, time = id_of(raw.get("id")), instant_of(words_of(raw.get("createdAt")), self._zone)
        if not message_id or time is None:
            return "a message without an id" if not message_id else NO_TIME
        message: Message = {
            "speaker": self._accounts.name_of(id_of(raw.get("senderId"))),
            "content": expanded(text_of(raw.get("text")), list_of(raw.get("urls"))),
            "time": time,
            "id": message_id,
            "kind": "text",
            "zone_origin": "explicit",
        }
        names = [name for url in list_of(raw.get("mediaUrls")) if (name := name_in(words_of(url)))]
        if names:
            message["attachments"] = [
                {"name": name, "mime": mime_of(name), "missing": not self._held(message_id, name)} for name in names
            ]
        self._change(list_of(raw.get("editHistory")), message)
        if reactions := self._reactions(list_of(raw.get("reactions"))):
            message["reactions"] = reactions
        if answered := id_of(object_of(raw.get("replyTo")).get("id")) or id_of(raw.get("replyToId")):
            message["reply_to"] = answered
        if not message["content"].strip():
            if names:
                message |= {"kind": "media", "content": word_of(mime_of(names[0]))}
            else:
                self.unknown += 1
                message |= {"kind": "unknown", "content": "[message without text]"}
        return message

    def _change(self, history: list[Any], message: Message) -> None:
        """Add the earlier versions of the text, in the order of the history."""
        versions = [object_of(entry) for entry in history]
        edits = [
            {"content": text, "time": milliseconds_of(each.get("createdAtMsec"), self._zone)}
            for each in versions
            if (text := text_of(each.get("editedText")) or text_of(each.get("text"))).strip()
            and text != message["content"]
        ]
        if history:
            message["edited"] = True
        if edits:
            message["edits"] = edits

    def _reactions(self, entries: list[Any]) -> list[dict[str, Any]]:
        reactions: dict[str, list[str]] = {}
        for entry in entries:
            reaction = object_of(entry)
            key = words_of(reaction.get("reactionKey"))
            emoji = _REACTIONS.get(key, key)
            if emoji:
                reactions.setdefault(emoji, []).append(self._accounts.name_of(id_of(reaction.get("senderId"))))
        return [{"emoji": emoji, "people": list(dict.fromkeys(people))} for emoji, people in reactions.items()]

    def _event(self, kind: str, event: dict[str, Any]) -> Message | str:
        """Return an event of a group as a message. X gives events no id, so one is derived from the content."""
        time = instant_of(words_of(event.get("createdAt")), self._zone)
        if time is None:
            return NO_TIME
        who = id_of(event.get("initiatingUserId")) or id_of(event.get("senderId"))
        people = [
            self._accounts.name_of(message_id) for each in list_of(event.get("userIds")) if (message_id := id_of(each))
        ]
        words = _EVENTS.get(kind)
        if words is None:
            self.unknown += 1
            words = kind[:80]
        first = self._accounts.name_of(who) if who else ""
        if kind == "participantsLeave" and not first:
            first, people = ", ".join(people), []
        key = words_of(event.get("reactionKey"))
        name = words_of(event.get("name")) or _REACTIONS.get(key, key)
        about = ", ".join([*people, *([name] if name else [])])
        text = " ".join(part for part in (first, words) if part) + (f": {about}" if about else "")
        key = sha256(f"{kind}\n{who}\n{about}".encode("utf-8", "replace")).hexdigest()[:12]
        return {
            "speaker": SYSTEM_SPEAKER,
            "content": text,
            "time": time,
            "id": f"{kind[:40]}:{words_of(event.get('createdAt'))}:{key}",
            "kind": "system" if kind in _EVENTS else "unknown",
            "zone_origin": "explicit",
        }
