"""Parse the content of a Matrix event: text, files, polls, places, replies. Pure."""

from __future__ import annotations

import re
from typing import Any

from ...opening.media_names import mime_of, word_of
from ...text.json_fields import list_of, object_of, size_of, text_of, words_of

FILES = {"m.image": "[photo]", "m.video": "[video]", "m.audio": "[audio]", "m.file": "[file]", "m.sticker": "[sticker]"}
_VOICE = ("org.matrix.msc3245.voice", "org.matrix.msc3245.voice.v2", "m.voice")
_POLLS = ("m.poll", "m.poll.start", "org.matrix.msc3381.poll.start")
_TEXTS = ("m.text", "org.matrix.msc1767.text", "body")
_FALLBACK = re.compile(r"(?:> [^\n]*(?:\n|\Z)|>(?:\n|\Z))+\n?")
"""Matches the quotation of the answered message that clients put before a reply, for clients without replies."""


def relation_of(content: dict[str, Any]) -> dict[str, Any]:
    """Return the relation of an event to another one; empty if it has none."""
    return object_of(content.get("m.relates_to"))


def new_content(content: dict[str, Any]) -> dict[str, Any]:
    """Return the content that an edit gives to its target; the content of the event itself if it has none."""
    return object_of(content.get("m.new_content")) or content


def text_in(value: object, depth: int = 4) -> str:
    """Return the text of an extensible event: a string, an object with one, or a list of variants."""
    if isinstance(value, str):
        return value
    if depth:
        held = object_of(value)
        for entry in [*list_of(value), *(held[key] for key in _TEXTS if key in held)]:
            if text := text_in(entry, depth - 1):
                return text
    return ""


def without_fallback(body: str) -> tuple[str, str]:
    """Split a reply into its text and the quotation before it."""
    match = _FALLBACK.match(body)
    if match is None or match.end() >= len(body):
        return body, ""
    return body[match.end() :], match[0].rstrip("\n")


def poll_of(content: dict[str, Any]) -> tuple[str, dict[str, str]]:
    """Return a poll as text, and its answers by their ids; empty if the content has no poll."""
    poll = next((held for key in _POLLS if (held := object_of(content.get(key)))), None)
    if poll is None:
        return "", {}
    answers: dict[str, str] = {}
    for entry in list_of(poll.get("answers")):
        answer = object_of(entry)
        answer_id = words_of(answer.get("id")) or words_of(answer.get("m.id"))
        if answer_id:
            answers[answer_id] = text_in(answer) or answer_id
    question = text_in(poll.get("question"))
    return "\n".join([question, *(f"- {answer}" for answer in answers.values())]), answers


def votes_of(content: dict[str, Any]) -> list[str]:
    """Return the ids of the answers that a vote chooses."""
    held = object_of(content.get("m.poll.response")) or object_of(content.get("org.matrix.msc3381.poll.response"))
    chosen = list_of(content.get("m.selections")) or list_of(held.get("answers"))
    return [answer_id for each in chosen if (answer_id := words_of(each))]


def file_of(kind: str, content: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """Return the attachment of a file event, and the placeholder for its text."""
    info = object_of(content.get("info"))
    body = text_of(content.get("body"))
    name = words_of(content.get("filename")) or body.strip()
    mime = words_of(info.get("mimetype")) or mime_of(name)
    word = FILES.get(kind, "")
    if any(key in content for key in _VOICE):
        word = "[voice message]"
    shown = word or word_of(mime)
    attachment: dict[str, Any] = {"name": name or shown.strip("[]"), "mime": mime or None, "missing": True}
    if (size := size_of(info.get("size"))) is not None:
        attachment["size"] = size
    return attachment, shown


def caption_of(content: dict[str, Any]) -> str:
    """Return the caption of a file. Without a separate file name the body is the name, so there is no caption."""
    name, body = words_of(content.get("filename")), text_of(content.get("body"))
    return body if name and body.strip() and body.strip() != name else ""


def place_of(content: dict[str, Any]) -> str:
    """Return the address of a place, ``geo:…``."""
    held = object_of(content.get("m.location")) or object_of(content.get("org.matrix.msc3488.location"))
    return words_of(content.get("geo_uri")) or words_of(held.get("uri"))
