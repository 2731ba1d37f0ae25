"""Converts a row of Messages to a message of a document. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any

from ....schemas import SYSTEM_SPEAKER
from ...chats.notices import CONTENT_UNKNOWN
from ...text.json_fields import text_of, words_of
from .apps import app_content, app_of, link_preview
from .attachments import attachments_of, placeholder_of
from .edits import Summary, summary_of
from .events import event_text
from .people import People
from .reactions import reactions_of
from .tables import Chat
from .times import apple_time
from .typedstream import OBJECT, attributed_text, heard_words

Row = Mapping[str, Any]
Message = dict[str, Any]

_STICKER, _VOTE = 1000, 4000
"""The types of messages that refer to another message without being reactions."""
_NO_LETTER = "\N{REPLACEMENT CHARACTER}"
"""Stands for an app's message where other ones have ``OBJECT``."""
_SCHEDULED, _SENT = 2, 3
"""The type of a message that is to be sent at a later time, and its state once it is sent."""
_UNSENT = "[unsent message]"


@dataclass(frozen=True, slots=True)
class Related:
    """The rows of the files and reactions of a message."""

    files: list[Row]
    reactions: list[Row]


class MessageReader:
    """Reads the messages of a database."""

    def __init__(self, people: People, zone: tzinfo, held: Collection[str]) -> None:
        """Store the context; ``held`` is the ``place_of`` of each file in the source."""
        self._people = people
        self._zone = zone
        self._held = held
        self.counts: Counter[str] = Counter()
        """The number of messages that gave reason for a notice, by the notice's code."""

    def read(self, number: int, row: Row, related: Related, chat: Chat, *, deleted: bool) -> Message | str:
        """Return the message, or the reason why it cannot be read. ``deleted`` is set if the user deleted it, on this
        device only.
        """
        time = apple_time(row["date"], self._zone)
        if time is None:
            return "a message without a time that can be read"
        other = "" if chat.group else chat.key
        speaker = self._people.sender(row, other)
        attachments = attachments_of(related.files, self._held)
        summary = summary_of(row["message_summary_info"], self._zone)
        content, kind = self._content(row, attachments, summary)
        message: Message = {
            "speaker": speaker,
            "content": content,
            "time": time,
            "id": words_of(row["guid"]) or f"row {number}",
            "kind": kind,
            "zone_origin": "explicit",
        }
        details: dict[str, str] = {}
        if row["item_type"]:
            self._tell_event(message, row, speaker, details)
        if attachments:
            message["attachments"] = attachments
        if related.reactions:
            message["reactions"] = reactions_of((self._people.sender(each, other), each) for each in related.reactions)
        self._refer(message, row)
        self._revise(message, row, summary, details)
        if deleted:
            message["deleted"] = True
            details["recently_deleted"] = "true"
        self._describe(message, row, chat, details)
        if details:
            message["metadata"] = details
        return message

    def _content(self, row: Row, attachments: list[dict[str, Any]], summary: Summary) -> tuple[str, str]:
        """Return the text and its kind."""
        text = text_of(row["text"])
        if not text:
            body = row["attributedBody"]
            text = (attributed_text(body) if isinstance(body, bytes) else None) or summary.wording
        words = (
            text.replace(OBJECT, "").replace(_NO_LETTER, "") if row["balloon_bundle_id"] else text.replace(OBJECT, "")
        )
        if row["is_audio_message"] == 1 and not words.strip() and isinstance(row["attributedBody"], bytes):
            words = heard_words(row["attributedBody"])
        if app_of(row) and not words.strip():
            content, kind = app_content(row)
            self._count_unknown(kind)
            return content, kind
        if words.strip():
            return words, "text"
        if attachments:
            return placeholder_of(attachments, audio_message=row["is_audio_message"] == 1)
        if summary.is_unsent or row["date_retracted"]:
            return _UNSENT, "deleted"
        if row["associated_message_type"] in (_STICKER, _VOTE):
            return ("[sticker]", "media") if row["associated_message_type"] == _STICKER else ("[poll vote]", "poll")
        subject = text_of(row["subject"])
        if subject.strip():
            return subject, "text"
        if OBJECT in text:
            return "[file]", "media"
        if not row["item_type"]:
            self._count_unknown("unknown")
        return "[message without text]", "unknown"

    def _count_unknown(self, kind: str) -> None:
        if kind == "unknown":
            self.counts[CONTENT_UNKNOWN] += 1

    def _tell_event(self, message: Message, row: Row, actor: str, details: dict[str, str]) -> None:
        """Give a group event its text and the system as its speaker, for nobody wrote it; the actor goes into the
        metadata.
        """
        text = event_text(row, actor, self._people.named(row["other_handle"]))
        if text is not None:
            message["content"], message["kind"] = text, "system"
        elif message["kind"] == "unknown":
            self._count_unknown("unknown")
            message["content"] = "[event of the conversation]"
        else:
            return
        message["speaker"] = SYSTEM_SPEAKER
        details["actor"] = actor

    def _refer(self, message: Message, row: Row) -> None:
        """Set the message that it replies to: a reply names the first message of its thread, a sticker or vote the one
        it is put on.
        """
        if root := words_of(row["thread_originator_guid"]):
            message["reply_to"] = message["thread"] = root
        target = words_of(row["associated_message_guid"])
        if target and "reply_to" not in message and row["associated_message_type"] in (_STICKER, _VOTE):
            message["reply_to"] = target.rpartition("/")[2].removeprefix("bp:")

    def _revise(self, message: Message, row: Row, summary: Summary, details: dict[str, str]) -> None:
        edited_at = apple_time(row["date_edited"], self._zone)
        if message["kind"] == "deleted":
            message["deleted"] = True
            if gone := apple_time(row["date_retracted"], self._zone) or edited_at:
                details["unsent_at"] = gone.isoformat()
            return
        if summary.edits or (edited_at and not summary.unsent):
            message["edited"] = True
            message["edited_at"] = summary.edited_at or edited_at
            message["edits"] = summary.edits
        if summary.unsent:
            details["unsent_parts"] = str(summary.unsent)

    def _describe(self, message: Message, row: Row, chat: Chat, details: dict[str, str]) -> None:
        """Add the delivery status, and the properties without a field of their own to the metadata."""
        if row["is_from_me"] == 1 and (status := _status(row)):
            message["status"] = status
        if read := apple_time(row["date_read"], self._zone):
            details["read_at"] = read.isoformat()
        service = words_of(row["service"])
        if service and service != chat.service:
            details["service"] = service
        subject = text_of(row["subject"])
        if subject.strip() and subject != message["content"]:
            details["subject"] = subject
        if preview := link_preview(row):
            details["embeds"] = preview
        if app := app_of(row):
            details["app"] = app
        if effect := words_of(row["expressive_send_style_id"]):
            details["effect"] = effect.rpartition(".")[2]
        for key, column in (("automatic", "is_auto_reply"), ("forwarded", "is_forward"), ("spam", "is_spam")):
            if row[column] == 1:
                details[key] = "true"


def is_still_to_be_sent(row: Row) -> bool:
    """Return whether a message is scheduled for a later time and nobody has it yet."""
    scheduled = row["schedule_type"] == _SCHEDULED and row["schedule_state"] != _SENT
    return scheduled and not row["is_sent"] and not row["is_delivered"]


def _status(row: Row) -> str:
    if row["error"]:
        return "failed"
    if row["is_read"] == 1 or row["date_read"]:
        return "read"
    if row["is_delivered"] == 1:
        return "delivered"
    return "sent" if row["is_sent"] == 1 else ""
