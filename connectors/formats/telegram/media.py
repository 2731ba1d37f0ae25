"""The media of a message (files, polls, contacts, places and the like) as placeholder, kind and attachment."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from ....schemas.message import MessageKind
from .rich_text import plain_text
from .values import Object, integer_of, list_of, number_of, object_of, text_of

_FILES = {
    "sticker": "sticker",
    "video_message": "video message",
    "voice_message": "voice message",
    "animation": "animation",
    "video_file": "video",
    "audio_file": "audio",
}
FILES = ("photo", "file", "contact_vcard")
"""The keys of the paths of files."""
_NOT_THERE = ("(File ", "(Photo ")
_CENTS = 100


@dataclass(slots=True)
class Media:
    """The media of a message; ``content`` replaces an empty text, or precedes the text if ``worded``."""

    content: str
    kind: MessageKind = "media"
    attachments: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    metadata: dict[str, str] = field(default_factory=dict[str, str])
    worded: bool = False
    """True if ``content`` holds words of the message (a poll's question, a place's name), to be kept beside a text."""


def media_of(message: Object) -> Media | None:
    """Return the media of a message; None if it has none of a known kind."""
    for key, read in MEDIA.items():
        if key in message:
            return read(message)
    return None


def _file(message: Object) -> Media:
    kind = text_of(message.get("media_type"))
    what = _FILES.get(kind) or kind.replace("_", " ") or "file"
    emoji = text_of(message.get("sticker_emoji"))
    title = " \N{EN DASH} ".join(filter(None, (text_of(message.get("performer")), text_of(message.get("title")))))
    label = f"[{what} {emoji}]" if emoji else f"[{what}: {title}]" if title else f"[{what}]"
    attachment = attachment_of(message, "file", what, text_of(message.get("mime_type")), "file_size")
    if label == "[file]" and attachment["name"] != what:
        label = f"[file: {attachment['name']}]"
    return Media(label, attachments=[attachment], metadata=_seconds(message))


def _photo(message: Object) -> Media:
    return Media("[photo]", attachments=[attachment_of(message, "photo", "photo", "", "photo_file_size")])


def attachment_of(message: Object, key: str, what: str, mime: str, size_key: str) -> dict[str, Any]:
    """Return the attachment of the file under a key; it is missing where the app wrote a reason in place of a path."""
    path = text_of(message.get(key))
    missing = not path or path.startswith(_NOT_THERE) or "(File " in path
    name = text_of(message.get("file_name")) or ("" if missing else path.rpartition("/")[2])
    result: dict[str, Any] = {"name": name if name.strip() else what}
    if mime:
        result["mime"] = mime
    size = integer_of(message.get(size_key))
    if size is not None and size >= 0:
        result["size"] = size
    if missing:
        result["missing"] = True
    return result


def _seconds(message: Object) -> dict[str, str]:
    seconds = number_of(message.get("duration_seconds"))
    return {"duration_seconds": seconds} if seconds else {}


def _poll(message: Object) -> Media:
    poll = object_of(message.get("poll"))
    lines = [plain_text(poll.get("question"))]
    chosen: list[str] = []
    for raw in list_of(poll.get("answers")) or list_of(poll.get("options")):
        answer = object_of(raw)
        text = plain_text(answer.get("text"))
        votes = number_of(answer.get("voters"))
        lines.append(f"- {text} ({votes})" if votes else f"- {text}")
        if answer.get("chosen") is True:
            chosen.append(text)
    data = {"total_voters": number_of(poll.get("total_voters")), "chosen": ", ".join(chosen)}
    if isinstance(poll.get("closed"), bool):
        data["closed"] = "true" if poll["closed"] else "false"
    content = "\n".join(lines)
    return Media(
        content if content.strip() else "[poll]", "poll", metadata={k: v for k, v in data.items() if v}, worded=True
    )


def _contact(message: Object) -> Media:
    info = object_of(message.get("contact_information"))
    name = " ".join(filter(None, (text_of(info.get("first_name")), text_of(info.get("last_name")))))
    words = ", ".join(filter(None, (name, text_of(info.get("phone_number")))))
    files = [attachment_of(message, "contact_vcard", "contact", "text/vcard", "contact_vcard_file_size")]
    return Media(
        f"[contact: {words}]" if words else "[contact]",
        "contact",
        files if message.get("contact_vcard") else [],
        worded=bool(words),
    )


def _place(message: Object) -> Media:
    point = object_of(message.get("location_information"))
    where = ", ".join(filter(None, (number_of(point.get("latitude")), number_of(point.get("longitude")))))
    words = ", ".join(filter(None, (text_of(message.get("place_name")), text_of(message.get("address")), where)))
    seconds = number_of(message.get("live_location_period_seconds"))
    what = "live location" if seconds else "location"
    data = {"live_location_period_seconds": seconds} if seconds else {}
    return Media(f"[{what}: {words}]" if words else f"[{what}]", "location", metadata=data, worded=bool(words))


def _game(message: Object) -> Media:
    words = ", ".join(filter(None, (text_of(message.get(f"game_{key}")) for key in ("title", "description", "link"))))
    return Media(f"[game: {words}]" if words else "[game]", worded=bool(words))


def _invoice(message: Object) -> Media:
    value = message.get("invoice_information")
    if isinstance(value, str):  # the app writes the object as a text
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            value = {"title": value}
    info = object_of(value)
    price = money(info.get("amount"), info.get("currency"))
    words = ", ".join(filter(None, (text_of(info.get("title")), text_of(info.get("description")), price)))
    return Media(f"[invoice: {words}]" if words else "[invoice]", worded=bool(words))


def money(amount: object, currency: object) -> str:
    """Format an amount; exports have it in hundredths, and stars in whole units."""
    number, unit = integer_of(amount), text_of(currency)
    if number is None:
        return " ".join(filter(None, (number_of(amount), unit)))
    if unit == "XTR":
        return f"{number} {unit}"
    whole, cents = divmod(abs(number), _CENTS)
    return f"{'-' if number < 0 else ''}{whole}.{cents:02d} {unit}".strip()


def _giveaway(message: Object) -> Media:
    key = "giveaway_information" if "giveaway_information" in message else "giveaway_results"
    info = object_of(message.get(key))
    words = ", ".join(
        f"{name.replace('_', ' ')} {number_of(value)}"
        for name, value in info.items()
        if number_of(value) and not name.endswith("_unixtime")
    )
    what = "giveaway" if key == "giveaway_information" else "giveaway results"
    return Media(f"[{what}: {words}]" if words else f"[{what}]", "event", worded=bool(words))


def _todo_list(message: Object) -> Media:
    info = object_of(message.get("todo_list"))
    items = list_of(info.get("answers")) or list_of(info.get("items")) or list_of(info.get("list"))
    lines = [plain_text(info.get("title")), *(f"- {plain_text(object_of(each).get('text'))}" for each in items)]
    content = "\n".join(lines)
    return Media(content if content.strip() else "[checklist]", "text", worded=True)


def _dice(message: Object) -> Media:
    shown = " ".join(filter(None, (text_of(message.get("dice_emoji")), number_of(message.get("dice_value")))))
    return Media(f"[dice {shown}]" if shown else "[dice]")


MEDIA = {
    "poll": _poll,
    "contact_information": _contact,
    "place_name": _place,
    "location_information": _place,
    "photo": _photo,
    "file": _file,
    "media_type": _file,
    "game_title": _game,
    "invoice_information": _invoice,
    "giveaway_information": _giveaway,
    "giveaway_results": _giveaway,
    "todo_list": _todo_list,
    "dice_emoji": _dice,
}
"""The converters of media, by the key that identifies the kind."""
