"""Converts a record of a backup into a message of a chat. Pure."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any

from ...chats.notices import CONTENT_UNKNOWN
from ...chats.ordered_days import Message
from ...chats.phone_contacts import Contacts, chat_of_numbers, message_id, number_key
from ...opening.media_names import word_of
from ...text.json_fields import size_of
from ...times.instants import instant_of
from .records import CALL, MMS, SMS, BackupRecord, value_of
from .repair import SIZE

_RECEIVED, _DRAFT, _FAILED = "1", "3", "5"
_SENDER = "137"
_STATUS = {"0": "delivered", "64": "failed"}
_CALLS = {
    "1": "incoming call", "2": "outgoing call", "3": "missed call", "4": "voicemail", "5": "rejected call",
    "6": "blocked call", "7": "call answered on another device",
}  # fmt: skip
_OUTGOING = "2"
_NOTIFICATION = "130"
"""The type of an MMS that was announced and never downloaded."""
_CONTACT_TYPES = ("text/x-vcard", "text/vcard")
_UNKNOWN = "unknown number"


@dataclass(frozen=True, slots=True)
class Placed:
    """A message with its chat."""

    chat: str
    metadata: dict[str, str]
    message: Message


class MessageReader:
    """Converts the records of a phone."""

    def __init__(self, contacts: Contacts, user: str, zone: tzinfo) -> None:
        self._contacts = contacts
        self._user = user
        self._zone = zone
        self.counts: Counter[str] = Counter()

    def read(self, record: BackupRecord) -> Placed | str | None:
        """Return the message, the reason why there is none, or None for a draft, which nobody ever got."""
        values = record.values
        box = value_of(values, "msg_box" if record.kind == MMS else "type")
        if record.kind != CALL and box == _DRAFT:
            return None
        time = instant_of(value_of(values, "date").lstrip("0"), self._zone)
        if time is None:
            return "a message without a time that can be read"
        numbers = self._numbers(record, received=box == _RECEIVED)
        people = self._people(numbers, value_of(values, "contact_name"))
        is_own = box == _OUTGOING if record.kind == CALL else box != _RECEIVED
        message: Message = {
            "speaker": self._user if is_own else people.get(self._sender(record, numbers), _UNKNOWN),
            "time": time,
            "zone_origin": "explicit",
        }
        if record.kind == CALL:
            message |= _call(values, box)
        else:
            message |= self._text(record)
            if status := _status(values, box, by_user=is_own):
                message["status"] = status
        message["id"] = _id_of(record, message, by_user=is_own)
        keys = sorted(people)
        metadata = {"title": ", ".join(sorted(people.values())) or _UNKNOWN}
        if len(keys) > 1:
            metadata["group"] = "true"
        return Placed(chat_of_numbers(keys), metadata, message)

    def _numbers(self, record: BackupRecord, *, received: bool) -> list[str]:
        """Return the numbers of the other people of the chat, as they are written."""
        written = value_of(record.values, "number" if record.kind == CALL else "address").split("~")
        numbers = [each for each in written if number_key(each)]
        if not numbers and record.kind == MMS:  # which of the recipients is the phone itself is not said
            senders = [each for each in record.addresses if (each.get("type") == _SENDER) == received]
            numbers = [each["address"] for each in senders if number_key(each.get("address", ""))]
        return numbers

    def _people(self, numbers: list[str], contact: str) -> dict[str, str]:
        """Return the names of people by the keys of their numbers. The contacts of a group stand in the order of the numbers."""
        contacts = [contact] if len(numbers) == 1 else contact.split(",")
        if len(contacts) != len(numbers):
            contacts = [""] * len(numbers)
        return {
            number_key(number): self._contacts.learn(number, name)
            for number, name in zip(numbers, contacts, strict=True)
        }

    def _sender(self, record: BackupRecord, numbers: list[str]) -> str:
        """Return the key of the number that a received message is from."""
        if len(numbers) == 1:
            return number_key(numbers[0])
        senders = [each.get("address", "") for each in record.addresses if each.get("type") == _SENDER]
        return number_key(senders[0]) if senders else ""

    def _text(self, record: BackupRecord) -> Message:
        """Return the words, the files and the kind of a message."""
        if record.kind == SMS:
            content, files = record.values.get("body", ""), []
        else:
            texts = [part.get("text", "") for part in record.parts if part.get("ct") == "text/plain"]
            content = "\n".join(text for text in texts if text != "null")
            files = [_file(part) for part in record.parts if part.get("ct") not in ("text/plain", "application/smil")]
        message: Message = {"attachments": files} if files else {}
        subject = value_of(record.values, "sub", "subject")
        if content.strip():
            message |= {"content": content, "kind": "text"}
            return message | ({"metadata": {"subject": subject}} if subject else {})
        if subject:
            return message | {"content": subject, "kind": "text"}
        if files:
            if (files[0]["mime"] or "").casefold() in _CONTACT_TYPES:
                return message | {"content": "[contact]", "kind": "contact"}
            return message | {"content": word_of(files[0]["mime"]), "kind": "media"}
        self.counts[CONTENT_UNKNOWN] += 1
        announced = value_of(record.values, "m_type") == _NOTIFICATION
        return {"content": "[message not downloaded]" if announced else "[message without text]", "kind": "unknown"}


def _file(part: dict[str, str]) -> dict[str, Any]:
    mime = value_of(part, "ct")
    data = part.get("data", "")
    length = int(left_out[1]) if (left_out := SIZE.fullmatch(data)) else len(data)
    return {
        "name": value_of(part, "name", "fn", "cl") or mime or "file",
        "mime": mime or None,
        "size": max(0, length * 3 // 4 - data[-2:].count("=")) or None,
        "missing": not data,
    }


def _call(values: dict[str, str], kind: str) -> Message:
    message: Message = {"content": f"[{_CALLS.get(kind, 'call')}]", "kind": "call"}
    if seconds := size_of(value_of(values, "duration")):
        message["metadata"] = {"duration_s": str(seconds)}
    return message


def _status(values: dict[str, str], box: str, *, by_user: bool) -> str:
    if not by_user:
        return ""
    if box == _FAILED:
        return "failed"
    return _STATUS.get(value_of(values, "status"), "sent" if box == "2" else "")


def _id_of(record: BackupRecord, message: Message, *, by_user: bool) -> str:
    """Return an id that every backup gives the message: that of the network, else one of its time, direction and words."""
    if own_id := value_of(record.values, "m_id") if record.kind == MMS else "":
        return own_id
    return message_id(value_of(record.values, "date"), message["content"], by_user=by_user)
