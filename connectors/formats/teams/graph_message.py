"""Conversion of one message of Microsoft Graph into a message of a document. Pure."""

from __future__ import annotations

import re
from collections import Counter
from datetime import tzinfo
from typing import Any, cast

from ....schemas import SYSTEM_SPEAKER
from ...chats.accounts import Accounts
from ...chats.ordered_days import Message
from ...opening.media_names import mime_of
from ...text.html.links import as_metadata
from ...text.json_fields import entries_of, id_of, list_of, object_of, text_of, words_of
from ...times.instants import instant_of
from .page_text import page_text, placeholder_of
from .skype_message import parsed

_CARD_TEXTS = frozenset({"text", "title", "subtitle", "summary", "value", "altText", "fallbackText"})
_CARD_PARTS = 200
_DEPTH = 12
_KINDS_OF_FILES = frozenset({"reference", "file", "image"})
_REFERENCE = "messageReference"
_FORWARDED = "forwardedMessageReference"
_WORD = re.compile(r"(?<=[a-z])(?=[A-Z])")
_IDLE = frozenset({"EventType", "Initiator", "@odata.type"})


class GraphReader:
    """Converts the messages of all chats and channels."""

    def __init__(self, accounts: Accounts, zone: tzinfo) -> None:
        self._accounts = accounts
        self._zone = zone
        self.counts: Counter[str] = Counter()

    def read(self, raw: dict[str, Any]) -> Message | str:
        """Return the message of an object with capitalised keys, or the reason why there is none."""
        message_id = id_of(raw.get("Id"))
        time = instant_of(raw.get("CreatedDateTime"), self._zone)
        if not message_id or time is None:
            return "a message without an id" if not message_id else "a message without a time that can be read"
        speaker, program = self._speaker(object_of(raw.get("From")))
        message: Message = {
            "speaker": speaker,
            "content": "",
            "time": time,
            "id": message_id,
            "kind": "text",
            "zone_origin": "explicit",
        }
        if program:
            message["role"] = "tool"
        details: dict[str, str] = {}
        if thread := id_of(raw.get("ReplyToId")):
            message["thread"] = thread
        self._body(raw, message, details)
        if edited := instant_of(raw.get("LastEditedDateTime"), self._zone):
            message |= {"edited": True, "edited_at": edited}
        if words_of(raw.get("Importance")).lower() in ("high", "urgent"):
            message["priority"] = words_of(raw.get("Importance")).lower()
        if reactions := self._reactions(list_of(raw.get("Reactions"))):
            message["reactions"] = reactions
        if details:
            message["metadata"] = details
        return message

    def _speaker(self, sender: dict[str, Any]) -> tuple[str, bool]:
        """Return the author's name, and whether it is a program."""
        person = object_of(sender.get("User"))
        program = object_of(sender.get("Application")) or object_of(sender.get("Device"))
        account = person or program or object_of(sender.get("Conversation"))
        if not account:
            return SYSTEM_SPEAKER, False
        return self._accounts.name_of(id_of(account.get("Id")), words_of(account.get("DisplayName"))), not person

    def _body(self, raw: dict[str, Any], message: Message, details: dict[str, str]) -> None:
        """Fill in the text, attachments, quotes and forwards; or the text of an event."""
        kind = words_of(raw.get("MessageType"))
        if raw.get("EventDetail") or kind == "systemEventMessage":
            text = self._event(object_of(raw.get("EventDetail")))
            message |= {"kind": "system", "speaker": SYSTEM_SPEAKER, "content": text}
            return
        body = object_of(raw.get("Body"))
        content = text_of(body.get("Content"))
        pictures: list[dict[str, Any]] = []
        if words_of(body.get("ContentType")).lower() == "text":
            message["content"] = content
        else:
            page = page_text(content)
            message["content"], pictures = page.text, page.pictures
            details |= as_metadata(page.links)
            if page.segments:
                message["segments"] = page.segments
        if subject := text_of(raw.get("Subject")):
            self._put_before(message, subject)
        files = self._attached(list_of(raw.get("Attachments")), message, details)
        if pictures or files:
            message["attachments"] = pictures + files
        if raw.get("DeletedDateTime"):
            message |= {"kind": "deleted", "deleted": True}
        self._stand_in(kind, message, details)

    def _stand_in(self, kind: str, message: Message, details: dict[str, str]) -> None:
        if message["content"].strip(" \n\t\r\xa0"):
            return
        message.pop("segments", None)
        if message["kind"] == "deleted":
            message["content"] = "[deleted message]"
        elif "embeds" in details:
            text = details.pop("embeds")
            message |= {"content": text, "segments": [{"kind": "quote", "start": 0, "end": len(text)}]}
        elif message.get("attachments"):
            message |= {"kind": "media", "content": placeholder_of(message["attachments"])}
        else:
            is_message = kind in ("message", "")
            self.counts["content-unknown"] += not is_message
            message |= {"kind": "unknown", "content": "[message without text]"}
            self.counts["content-unknown"] += is_message

    @staticmethod
    def _put_before(message: Message, subject: str) -> None:
        """Put the subject, which is the author's text too, before the body."""
        body: str = message["content"]
        message["content"] = f"{subject}\n\n{body}" if body else subject
        for segment in message.get("segments", []):
            segment["start"] += len(subject) + 2
            segment["end"] += len(subject) + 2

    def _attached(self, entries: list[Any], message: Message, details: dict[str, str]) -> list[dict[str, Any]]:
        files: list[dict[str, Any]] = []
        shown: list[str] = []
        for entry in entries:
            attachment = object_of(entry)
            kind = words_of(attachment.get("ContentType"))
            name = words_of(attachment.get("Name"))
            held = object_of(parsed(attachment.get("Content")))
            if kind == _REFERENCE:
                message["reply_to"] = id_of(held.get("messageId")) or id_of(attachment.get("Id")) or None
            elif kind == _FORWARDED:
                self._forward(held, message)
            elif kind in _KINDS_OF_FILES or kind.startswith(("image/", "video/", "audio/")):
                mime = kind if "/" in kind and "*" not in kind else mime_of(name)
                files.append({"name": name or "file", "mime": mime, "missing": True})
            elif texts := _card_texts(held):
                shown += texts
            elif name:
                files.append({"name": name, "mime": mime_of(name), "missing": True})
        if shown:
            details["embeds"] = "\n".join(dict.fromkeys(shown))
        return files

    def _forward(self, held: dict[str, Any], message: Message) -> None:
        """Append the forwarded message behind the forwarder's own text."""
        words = page_text(text_of(held.get("originalMessageContent"))).text or "[forwarded message]"
        sender = object_of(object_of(held.get("originalMessageSender")).get("user"))
        author = id_of(sender.get("id"))
        message["forwarded_from"] = (
            self._accounts.name_of(author, words_of(sender.get("displayName"))) if author else "somebody"
        )
        before = f"{message['content']}\n\n" if message["content"] else ""
        start = len(before)
        message["content"] = before + words
        message.setdefault("segments", []).append({"kind": "forward", "start": start, "end": start + len(words)})

    def _event(self, detail: dict[str, Any]) -> str:
        """Return the text of an event, by the only kind in its detail."""
        who = self._person(object_of(detail.get("Initiator")))
        name = words_of(detail.get("@odata.type")).rpartition(".")[2].removesuffix("EventMessageDetail")
        fields = {key: value for key, value in detail.items() if key not in _IDLE and value not in (None, [], {})}
        if not name and len(fields) == 1:
            name = next(iter(fields))
        words = _WORD.sub(" ", name[:80]).lower() or "event of the chat"
        about = [self._person(object_of(each)) for value in fields.values() for each in entries_of(value)]
        about += [text for value in fields.values() if (text := words_of(value)) and len(text) < 500]
        named = ", ".join(dict.fromkeys(each for each in about if each))
        return (f"{who}: " if who else "") + words + (f": {named}" if named else "")

    def _person(self, value: dict[str, Any]) -> str:
        """Return the name of somebody in an event; empty for anything else."""
        inner = object_of(value.get("User")) or object_of(value.get("Application")) or value
        account = id_of(inner.get("Id"))
        if not account:
            return words_of(inner.get("DisplayName"))
        shown = words_of(inner.get("DisplayName"))
        return self._accounts.name_of(account, shown) if shown else self._accounts.known(account)

    def _reactions(self, entries: list[Any]) -> list[dict[str, Any]]:
        reactions: dict[str, list[str]] = {}
        for entry in entries:
            reaction = object_of(entry)
            if emoji := words_of(reaction.get("ReactionType")) or words_of(reaction.get("DisplayName")):
                name = self._person(object_of(reaction.get("User")))
                reactions.setdefault(emoji, []).extend([name] if name else [])
        return [{"emoji": emoji, "people": list(dict.fromkeys(people))} for emoji, people in reactions.items()]


def _card_texts(card: object) -> list[str]:
    """Return the texts that a card shows, in order."""
    result: list[str] = []
    stack: list[tuple[str, object, int]] = [("", card, 0)]
    while stack and len(result) < _CARD_PARTS:
        key, value, depth = stack.pop()
        if isinstance(value, str):
            if key in _CARD_TEXTS and value.strip():
                result.append(page_text(value).text if "<" in value else value)
        elif depth > _DEPTH:
            continue
        elif isinstance(value, dict):
            held = cast("dict[str, object]", value)
            stack += [(name, each, depth + 1) for name, each in reversed(held.items())]
        elif isinstance(value, list):
            stack += [(key, each, depth + 1) for each in reversed(cast("list[object]", value))]
    return [text for text in result if text.strip()]
