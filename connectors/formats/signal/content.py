"""The text of a Signal message, by its type: text, contact, sticker, poll and the like. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any

from ...text.json_fields import id_of, list_of, object_of, text_of, words_of
from .files import attachments_of, placeholder_of, pointed_file
from .recipients import Recipients

_MENTION = "\N{OBJECT REPLACEMENT CHARACTER}"
"""The placeholder in a text for the name of somebody mentioned."""
_NO_TEXT = "[message without text]"


@dataclass(slots=True)
class Content:
    """The text of a message, its kind and its attachments."""

    text: str
    kind: str = "text"
    files: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    details: dict[str, str] = field(default_factory=dict[str, str])
    deleted: bool = False


Reader = Callable[[dict[str, Any], Recipients, Collection[str]], Content]


def content_of(item: dict[str, Any], recipients: Recipients, held: Collection[str]) -> Content | None:
    """Return the content of an item; None for an unknown type.

    Args:
        item: a chat item, or an earlier version of one.
        recipients: the names of people mentioned and of voters.
        held: the names of the files in the export, without their extensions.
    """
    for key, read in _READERS.items():
        if key in item:
            return read(object_of(item.get(key)), recipients, held)
    return None


def _standard(message: dict[str, Any], recipients: Recipients, held: Collection[str]) -> Content:
    text = mentioned(object_of(message.get("text")), recipients)
    files = attachments_of(message.get("attachments"), held)
    content = Content(text, files=files)
    previews: list[str] = []
    for entry in list_of(message.get("linkPreview")):
        preview = object_of(entry)
        previews += filter(None, (words_of(preview.get("title")), words_of(preview.get("description"))))
    if previews:
        content.details["embeds"] = "\n".join(previews)
    if message.get("longText"):
        content.details["truncated"] = "true"
    captions = [
        text_of(object_of(object_of(each).get("pointer")).get("caption"))
        for each in list_of(message.get("attachments"))
    ]
    if not text.strip():
        caption = "\n".join(filter(None, captions))
        if caption.strip():
            content.text = caption
        elif files:
            content.text, content.kind = placeholder_of(message.get("attachments"), files), "media"
        else:
            content.text, content.kind = _NO_TEXT, "unknown"
    return content


def mentioned(text: dict[str, Any], recipients: Recipients) -> str:
    """Return the text with the names of the people mentioned. Offsets of mentions count UTF-16 units."""
    body = text_of(text.get("body"))
    ranges = text.get("bodyRanges")
    if not ranges or _MENTION not in body:
        return body
    names: dict[int, str] = {}
    for entry in list_of(ranges):
        each = object_of(entry)
        start = id_of(each.get("start")) or "0"
        if (name := recipients.service_name(each.get("mentionAci"))) and start.isdigit() and len(start) < 12:
            names[int(start)] = name
    parts: list[str] = []
    place = 0
    for character in body:
        name = names.get(place) if character == _MENTION else None
        parts.append(character if name is None else f"@{name}")
        place += 1 + (ord(character) > 0xFFFF)
    return "".join(parts)


def _contact(message: dict[str, Any], recipients: Recipients, held: Collection[str]) -> Content:
    del recipients, held
    contact = object_of(message.get("contact"))
    name = object_of(contact.get("name"))
    keys = ("prefix", "givenName", "middleName", "familyName", "suffix")
    shown = " ".join(filter(None, (words_of(name.get(key)) for key in keys)))
    shown = shown or words_of(name.get("nickname")) or words_of(contact.get("organization"))
    values = [
        words_of(object_of(each).get("value")) for key in ("number", "email") for each in list_of(contact.get(key))
    ]
    words = ", ".join(filter(None, (shown, *values)))
    return Content(f"[contact: {words}]" if words else "[contact]", "contact")


def _sticker(message: dict[str, Any], recipients: Recipients, held: Collection[str]) -> Content:
    del recipients
    sticker = object_of(message.get("sticker"))
    emoji = words_of(sticker.get("emoji"))
    file = pointed_file(object_of(sticker.get("data")), held)
    return Content(f"[sticker {emoji}]" if emoji else "[sticker]", "media", [file] if file else [])


def _deleted(message: dict[str, Any], recipients: Recipients, held: Collection[str]) -> Content:
    del held
    details = {"deleted_by": recipients.name(message.get("adminId"))} if id_of(message.get("adminId")) else {}
    return Content("[deleted message]", "deleted", details=details, deleted=True)


def _view_once(message: dict[str, Any], recipients: Recipients, held: Collection[str]) -> Content:
    del recipients
    attachment = message.get("attachment")
    return Content("[view-once media]", "media", attachments_of([attachment] if attachment else [], held))


def _payment(message: dict[str, Any], recipients: Recipients, held: Collection[str]) -> Content:
    del recipients, held
    amount, note = words_of(message.get("amountMob")), text_of(message.get("note"))
    text = f"[payment of {amount} MOB]" if amount else "[payment]"
    return Content(f"{text} {note}" if note.strip() else text, "event")


def _badge(message: dict[str, Any], recipients: Recipients, held: Collection[str]) -> Content:
    del message, recipients, held
    return Content("[gift badge]", "event")


def _story_reply(message: dict[str, Any], recipients: Recipients, held: Collection[str]) -> Content:
    del held
    text = mentioned(object_of(object_of(message.get("textReply")).get("text")), recipients)
    text = text or words_of(message.get("emoji"))
    return Content(text, details={"story_reply": "true"}) if text.strip() else Content("[reply to a story]", "unknown")


def _poll(message: dict[str, Any], recipients: Recipients, held: Collection[str]) -> Content:
    del held
    lines = [text_of(message.get("question"))]
    for entry in list_of(message.get("options")):
        option = object_of(entry)
        voters = [recipients.name(object_of(vote).get("voterId")) for vote in list_of(option.get("votes"))]
        lines.append(f"- {text_of(option.get('option'))}" + (f" ({', '.join(voters)})" if voters else ""))
    return Content("\n".join(lines) if any(line.strip() for line in lines) else "[poll]", "poll")


_READERS: dict[str, Reader] = {
    "standardMessage": _standard,
    "contactMessage": _contact,
    "stickerMessage": _sticker,
    "remoteDeletedMessage": _deleted,
    "adminDeletedMessage": _deleted,
    "viewOnceMessage": _view_once,
    "paymentNotification": _payment,
    "giftBadge": _badge,
    "directStoryReplyMessage": _story_reply,
    "poll": _poll,
}
