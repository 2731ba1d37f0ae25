"""Conversion of one chat item of Signal's plain export into a message of a document. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from datetime import datetime, tzinfo
from itertools import repeat
from typing import Any

from ....schemas import SYSTEM_SPEAKER
from ...chats.millisecond_times import MillisecondTimes
from ...chats.notices import CONTENT_UNKNOWN
from ...text.json_fields import id_of, list_of, object_of
from .content import Content, content_of, mentioned
from .recipients import Recipients
from .updates import update_text

Message = dict[str, Any]

_BESIDE_CONTENT = frozenset(
    [
        "chatId",
        "authorId",
        "dateSent",
        "expireStartDate",
        "expiresInMs",
        "revisions",
        "sms",
        "incoming",
        "outgoing",
        "directionless",
        "pinDetails",
    ]
)
_MILLISECONDS = re.compile(r"[1-9][0-9]{11,12}")
_PLAIN = frozenset(["chatId", "authorId", "dateSent", "incoming", "outgoing", "standardMessage"])
_READ = ("read", "viewed")
_REACHED = (*_READ, "delivered")


class ItemReader:
    """Converts the chat items of one export."""

    def __init__(self, recipients: Recipients, zone: tzinfo, held: Collection[str]) -> None:
        """``held``: the names of the files in the export, without their extensions."""
        self._recipients = recipients
        self._times = MillisecondTimes(zone)
        self._held = held
        self.counts: Counter[str] = Counter()
        """The number of messages that call for a notice, by the notice's code."""
        self.seen_me = False

    def read_run(self, items: Sequence[dict[str, Any]]) -> list[Message] | None:
        """Convert several items for which `chat_of_plain` names a chat, as `read` does each.

        Return None where any item has a field of an unusual form; the caller then reads them one by one.
        """
        try:
            authors = [item["authorId"] for item in items]
            sent = [item["dateSent"] for item in items]
            text_fields = [item["standardMessage"]["text"] for item in items]
            texts = [
                mentioned(text, self._recipients) if "bodyRanges" in text else text["body"] for text in text_fields
            ]
            numbers = [*map(int, sent)]
        except (KeyError, TypeError, ValueError):
            return None
        if {*map(type, text_fields)} != {dict} or {*map(type, (*authors, *sent, *texts))} != {str}:
            return None
        offset = self._times.offset_of_all(numbers)
        if offset is None or [*map(str, numbers)] != sent or "" in texts or any(map(str.isspace, texts)):
            return None
        names_by_author = {author: self._recipients.author(author) for author in {*authors}}
        times = map(datetime.fromtimestamp, [number / 1000 for number in numbers], repeat(offset))
        messages: list[Message] = [
            {
                "speaker": names_by_author[author][0],
                "content": text,
                "time": time,
                "id": f"{names_by_author[author][1]}:{milliseconds}",
                "kind": "text",
                "zone_origin": "explicit",
            }
            for author, text, time, milliseconds in zip(authors, texts, times, sent, strict=True)
        ]
        outgoing = [place for place, item in enumerate(items) if "outgoing" in item]
        self.seen_me = self.seen_me or bool(outgoing)
        for place in outgoing:
            if object_of(items[place]["outgoing"]).get("sendStatus"):
                self._describe_delivery(messages[place], items[place])
        return messages

    def read(self, item: dict[str, Any]) -> Message | str:
        """Return the message, or the reason why there is none."""
        if (plain := self._plain(item)) is not None:
            return plain
        revisions = [object_of(entry) for entry in list_of(item.get("revisions"))]
        first = revisions[0] if revisions else item
        time = self._time(first) or self._time(item)
        if time is None:
            return "a message without a time that can be read"
        author = item.get("authorId")
        name = self._recipients.name(author)
        details: dict[str, str] = {}
        if "updateMessage" in item:
            text, kind = update_text(object_of(item.get("updateMessage")), name, self._recipients)
            content = Content(text, kind)
            details["actor"] = name
        else:
            content = self._content(item)
        if content.kind == "unknown":
            self.counts[CONTENT_UNKNOWN] += 1
        if "outgoing" in item:
            self.seen_me = True
        message: Message = {
            "speaker": SYSTEM_SPEAKER if "updateMessage" in item else name,
            "content": content.text,
            "time": time,
            "id": f"{self._recipients.key(author)}:{id_of(first.get('dateSent')) or id_of(item.get('dateSent'))}",
            "kind": content.kind,
            "zone_origin": "explicit",
        }
        if content.files:
            message["attachments"] = content.files
        if content.deleted:
            message["deleted"] = True
        details |= content.details
        self._revise(message, item, revisions)
        self._refer(message, item, details)
        self._describe(message, item, details)
        if details:
            message["metadata"] = details
        return message

    def _plain(self, item: dict[str, Any]) -> Message | None:
        """Convert a message that has text and nothing else, as nearly all do; return None for any other."""
        standard = object_of(item.get("standardMessage"))
        if len(standard) != 1 or not _PLAIN.issuperset(item):
            return None
        entries, sent = object_of(standard.get("text")), item.get("dateSent")
        text = mentioned(entries, self._recipients) if "bodyRanges" in entries else entries.get("body")
        if type(text) is not str or not text or text.isspace():
            return None
        if type(sent) is not str or not _MILLISECONDS.fullmatch(sent):
            return None
        instant = self._times.instant(int(sent))
        if instant is None:
            return None
        name, key = self._recipients.author(item.get("authorId"))
        message: Message = {
            "speaker": name,
            "content": text,
            "time": instant[0],
            "id": f"{key}:{sent}",
            "kind": "text",
            "zone_origin": "explicit",
        }
        if "outgoing" in item:
            self.seen_me = True
            self._describe_delivery(message, item)
        return message

    def _content(self, item: dict[str, Any]) -> Content:
        content = content_of(item, self._recipients, self._held)
        if content is None:
            key = next((key for key in item if key not in _BESIDE_CONTENT), "")
            return Content(f"[{key[:80]}]" if key.isidentifier() else "[message without text]", "unknown")
        return content

    def _time(self, item: dict[str, Any]) -> datetime | None:
        sent = item.get("dateSent")
        if not id_of(sent).strip("0"):
            return None
        match = self._times.instant(int(sent) if isinstance(sent, str) and _MILLISECONDS.fullmatch(sent) else sent)
        return match[0] if match is not None else None

    def _revise(self, message: Message, item: dict[str, Any], revisions: list[dict[str, Any]]) -> None:
        """Add the earlier versions of the text, each with the time of the version that replaced it."""
        if not revisions:
            return
        edits: list[dict[str, Any]] = []
        for revision, following in zip(revisions, (*revisions[1:], item), strict=True):
            content = content_of(revision, self._recipients, self._held)
            if content is not None and content.kind == "text":
                edits.append({"content": content.text, "time": self._time(following)})
        message["edited"] = True
        message["edits"] = edits
        message["edited_at"] = self._time(item)

    def _refer(self, message: Message, item: dict[str, Any], details: dict[str, str]) -> None:
        """Add the reference to the quoted message, and the reactions."""
        body = object_of(next((item[key] for key in item if key not in _BESIDE_CONTENT), None))
        if quote := object_of(body.get("quote")):
            sent = id_of(quote.get("targetSentTimestamp"))
            if sent.strip("0"):
                message["reply_to"] = f"{self._recipients.key(quote.get('authorId'))}:{sent}"
            elif words := mentioned(object_of(quote.get("text")), self._recipients):
                details["quoted"] = words
        people: dict[str, dict[str, None]] = {}
        for entry in list_of(body.get("reactions")):
            reaction = object_of(entry)
            emoji = reaction.get("emoji")
            if isinstance(emoji, str) and emoji.strip():
                people.setdefault(emoji, {})[self._recipients.name(reaction.get("authorId"))] = None
        if people:
            message["reactions"] = [{"emoji": emoji, "people": list(names)} for emoji, names in people.items()]

    def _describe(self, message: Message, item: dict[str, Any], details: dict[str, str]) -> None:
        """Add the delivery status, and to `details` the properties without a field: SMS, pinned, disappearing."""
        self._describe_delivery(message, item)
        if item.get("sms") is True:
            details["service"] = "SMS"
        if item.get("pinDetails"):
            details["pinned"] = "true"
        if id_of(item.get("expiresInMs")).strip("0"):
            details["disappearing"] = "true"

    def _describe_delivery(self, message: Message, item: dict[str, Any]) -> None:
        statuses = [object_of(each) for each in list_of(object_of(item.get("outgoing")).get("sendStatus"))]
        if not statuses:
            return
        read = [
            self._recipients.name(each.get("recipientId")) for each in statuses if any(key in each for key in _READ)
        ]
        if read:
            message["read_by"] = list(dict.fromkeys(read))
        if len(read) == len(statuses):
            message["status"] = "read"
        elif all(any(key in each for key in _REACHED) for each in statuses):
            message["status"] = "delivered"
        else:
            message["status"] = "failed" if all("failed" in each for each in statuses) else "sent"


def chat_of_plain(frame: dict[str, Any]) -> str | None:
    """Return the chat of a frame whose only content is text, None for any other. Called for every frame."""
    try:
        item = frame["chatItem"]
        chat = item["chatId"]
        return chat if type(chat) is str and len(item["standardMessage"]) == 1 and _PLAIN.issuperset(item) else None
    except (KeyError, TypeError):
        return None
