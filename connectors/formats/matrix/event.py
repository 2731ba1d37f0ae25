"""Converts one Matrix event to a message. Pure."""

from __future__ import annotations

from collections import Counter
from datetime import tzinfo
from typing import Any

from ....schemas import SYSTEM_SPEAKER
from ...chats.accounts import Accounts
from ...chats.ordered_days import Message
from ...text.json_fields import object_of, text_of, words_of
from ...times.instants import milliseconds_of
from .content import FILES, caption_of, file_of, new_content, place_of, poll_of, relation_of, text_in, without_fallback
from .relations import REACTION, VOTE, Relations
from .state import state_text

_UNDECRYPTED = "undecrypted"
_UNKNOWN = "content-unknown"
_WORDS = frozenset({"m.text", "m.notice", "m.emote", "m.server_notice", "m.key.verification.request"})
NO_TIME = "a message without a time that can be read"


class EventReader:
    """Reads the events of an export in their order."""

    def __init__(self, accounts: Accounts, relations: Relations, zone: tzinfo, files: list[str]) -> None:
        """``files``: the names of the files beside the export."""
        self._accounts = accounts
        self._relations = relations
        self._zone = zone
        self._files = files
        self.counts: Counter[str] = Counter()

    def read(self, event: dict[str, Any]) -> Message | str | None:
        """Return the message, the reason for its rejection, or None for an event that only changes another event."""
        content = object_of(event.get("content"))
        message_id, kind = words_of(event.get("event_id")), words_of(event.get("type"))
        if not message_id or not kind:
            return "an event without an id or a type"
        if self._belongs_to_another(kind, content):
            return None
        time = milliseconds_of(event.get("origin_server_ts"), self._zone)
        if time is None:
            return NO_TIME
        message: Message = {
            "speaker": self.speaker(words_of(event.get("sender"))),
            "content": "",
            "time": time,
            "id": message_id,
            "kind": "text",
            "zone_origin": "explicit",
        }
        details: dict[str, str] = {}
        self._refer(message, content)
        final = self._edit(event, content, message)
        if self._is_deleted(event, message_id, content):
            message |= {"kind": "deleted", "deleted": True}
            message["content"] = text_of(final.get("body")) or "[deleted message]"
        else:
            self._fill(kind, event, final, message, details)
        if reactions := self._relations.reactions.pop(message_id, None):
            message["reactions"] = [
                {"emoji": emoji, "people": [self.speaker(each) for each in people]}
                for emoji, people in reactions.items()
            ]
        if details:
            message["metadata"] = details
        return message

    def may_follow(self, event: dict[str, Any]) -> bool:
        """Return whether this is an edit whose event was not read yet: a server's list begins with the newest event."""
        relation = relation_of(object_of(event.get("content")))
        return relation.get("rel_type") == "m.replace" and words_of(relation.get("event_id")) in self._relations.edits

    def speaker(self, account: str) -> str:
        """Return the name of an account."""
        handle = account.removeprefix("@").partition(":")[0]
        return self._accounts.name_of(account, self._relations.name_of(account), *([handle] if handle else []))

    def _belongs_to_another(self, kind: str, content: dict[str, Any]) -> bool:
        """Return whether the event only changes another one: a reaction, redaction, vote, or applied edit."""
        relation = relation_of(content)
        if kind in (REACTION, "m.room.redaction") or kind.endswith(VOTE):
            return True
        target = words_of(relation.get("event_id"))
        return relation.get("rel_type") == "m.replace" and bool(target) and target not in self._relations.edits

    def _is_deleted(self, event: dict[str, Any], message_id: str, content: dict[str, Any]) -> bool:
        unsigned = object_of(event.get("unsigned"))
        because = bool(event.get("redacted_because") or unsigned.get("redacted_because"))
        emptied = not content and event.get("type") in ("m.room.message", "m.room.encrypted", "m.sticker")
        redacted = message_id in self._relations.redacted
        self._relations.redacted.discard(message_id)
        return because or emptied or redacted

    def _refer(self, message: Message, content: dict[str, Any]) -> None:
        relation = relation_of(content)
        answered = words_of(object_of(relation.get("m.in_reply_to")).get("event_id"))
        target = words_of(relation.get("event_id"))
        if relation.get("rel_type") in ("m.thread", "io.element.thread") and target:
            message["thread"] = target
            if relation.get("is_falling_back") is True:
                answered = ""
        elif relation.get("rel_type") in ("m.reference", "m.replace") and target:
            answered = answered or target
        if answered:
            message["reply_to"] = answered

    def _edit(self, event: dict[str, Any], content: dict[str, Any], message: Message) -> dict[str, Any]:
        """Return the content in its latest wording, and store the earlier wordings in the message."""
        message_id, sender = words_of(event.get("event_id")), words_of(event.get("sender"))
        edits = [edit for edit in self._relations.edits.pop(message_id, []) if edit.sender == sender]
        versions = [(edit.time, edit.value) for edit in sorted(edits, key=lambda edit: edit.time)]
        bundled = object_of(object_of(object_of(event.get("unsigned")).get("m.relations")).get("m.replace"))
        if bundled and not versions:
            inner = object_of(bundled.get("content"))
            versions = [(bundled.get("origin_server_ts"), new_content(inner) if inner else content)]
        first = new_content(content)
        if not versions:
            return first
        message["edited"] = True
        message["edited_at"] = milliseconds_of(versions[-1][0], self._zone)
        earlier: list[dict[str, Any]] = []
        before = (
            without_fallback(text_of(content.get("body")))[0] if "reply_to" in message else text_of(content.get("body"))
        )
        for moment, version in versions:
            words = text_of(version.get("body"))
            if before.strip() and before != words:
                earlier.append({"content": before, "time": milliseconds_of(moment, self._zone)})
            before = words
        if earlier:
            message["edits"] = earlier
        return versions[-1][1]

    def _fill(
        self, kind: str, event: dict[str, Any], content: dict[str, Any], message: Message, details: dict[str, str]
    ) -> None:
        """Set the text, the kind and the attachments of the message."""
        msgtype = words_of(content.get("msgtype"))
        body = text_of(content.get("body")) or text_in(content)
        if kind == "m.room.encrypted" or msgtype == "m.bad.encrypted":
            self.counts[_UNDECRYPTED] += 1
            message |= {"kind": "unknown", "content": "[encrypted message]"}
        elif "poll.start" in kind:
            message |= {"kind": "poll", "content": poll_of(content)[0].strip() or body or "[poll]"}
        elif "poll.end" in kind:
            message |= {"kind": "poll", "content": body or "[poll ended]"}
        elif kind == "m.sticker" or msgtype in FILES:
            self._file(msgtype or kind, content, message)
        elif msgtype == "m.location" or kind in ("m.location", "m.beacon_info", "org.matrix.msc3672.beacon_info"):
            message |= {"kind": "location", "content": body or place_of(content) or "[location]"}
            if place := place_of(content):
                details["place"] = place
        elif kind in (
            "m.call.invite",
            "m.call.hangup",
            "m.call.reject",
            "m.call.member",
            "org.matrix.msc3401.call.member",
        ):
            message |= {"kind": "call", "content": {"m.call.invite": "[call]"}.get(kind, "[call ended]")}
        elif kind == "m.room.message" and (msgtype in _WORDS or not msgtype) and body.strip():
            self._words(msgtype, body, message, details)
        elif kind != "m.room.message" and (text := state_text(kind, event, content, self.speaker)):
            message |= {"kind": "system", "speaker": SYSTEM_SPEAKER, "content": text}
        else:
            self.counts[_UNKNOWN] += 1
            message |= {"kind": "unknown", "content": body if body.strip() else "[message without text]"}

    @staticmethod
    def _words(msgtype: str, body: str, message: Message, details: dict[str, str]) -> None:
        if "reply_to" in message:
            body, quoted = without_fallback(body)
            if quoted:
                details["quoted"] = quoted
        message["content"] = body
        if msgtype in ("m.notice", "m.server_notice"):  # notices are messages of bots, by Matrix's specification
            message["role"] = "tool"
            details["bot"] = "true"
        elif msgtype == "m.emote":
            details["emote"] = "true"

    def _file(self, kind: str, content: dict[str, Any], message: Message) -> None:
        attachment, word = file_of(kind, content)
        stem, _, ending = attachment["name"].rpartition(".")
        start = f"{stem or ending}-"
        attachment["missing"] = not any(name == attachment["name"] or name.startswith(start) for name in self._files)
        message["attachments"] = [attachment]
        caption = caption_of(content)
        message |= {"kind": "text", "content": caption} if caption else {"kind": "media", "content": word}
