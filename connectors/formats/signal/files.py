"""Attachments of Signal messages, and placeholders for messages without text. Pure."""

from __future__ import annotations

from collections.abc import Collection
from hashlib import sha256
from typing import Any

from ...text.json_fields import list_of, object_of, size_of, words_of
from .recipients import decoded

_KINDS = {"image": "[photo]", "video": "[video]", "audio": "[audio]"}
_VOICE, _GIF = ("VOICE_MESSAGE", 1), ("GIF", 3)
"""Attachment flags, by name and by number."""
_ENDINGS = {
    "image": ("avif", "bmp", "gif", "heic", "jpeg", "jpg", "png", "svg", "webp"),
    "video": ("m4v", "mkv", "mov", "mp4", "webm"),
    "audio": ("aac", "flac", "m4a", "mp3", "oga", "ogg", "opus", "wav"),
}


def attachments_of(listed: object, held: Collection[str]) -> list[dict[str, Any]]:
    """Return the attachments of a message.

    Args:
        listed: the attachments of a frame.
        held: the names of the files in the export, which are hashes, without their extensions.
    """
    attachments: list[dict[str, Any]] = []
    for entry in list_of(listed):
        attachment = object_of(entry)
        if file := pointed_file(object_of(attachment.get("pointer")), held):
            attachments.append(file)
    return attachments


def pointed_file(pointer: dict[str, Any], held: Collection[str]) -> dict[str, Any] | None:
    """Return the attachment of a frame's pointer; None for an empty pointer."""
    if not pointer:
        return None
    locator = object_of(pointer.get("locatorInfo"))
    mime = words_of(pointer.get("contentType")) or None
    name = words_of(pointer.get("fileName")) or f"attachment.{(mime or 'file').rpartition('/')[2]}"
    missing = file_name(pointer) not in held
    return {"name": name, "mime": mime, "size": size_of(locator.get("size")), "missing": missing}


def file_name(pointer: dict[str, Any]) -> str:
    """Return the file's name in the export: the hash of its content hash and local key; empty if either is missing."""
    locator = object_of(pointer.get("locatorInfo"))
    content, key = decoded(locator.get("plaintextHash")), decoded(locator.get("localKey"))
    return sha256(content + key).hexdigest() if content and key else ""


def placeholder_of(listed: object, files: list[dict[str, Any]]) -> str:
    """Return the placeholder text of a message that has attachments only."""
    flag = next((object_of(entry).get("flag") for entry in list_of(listed)), None)
    if flag in _VOICE:
        return "[voice message]"
    if flag in _GIF:
        return "[animation]"
    mime = files[0]["mime"] or mime_of(files[0]["name"]) or ""
    return _KINDS.get(mime.partition("/")[0], "[file]")


def mime_of(name: str) -> str | None:
    """Return the MIME type by the file's extension; None if it is no known image, video or audio."""
    ending = name.rpartition(".")[2].casefold()
    for kind, endings in _ENDINGS.items():
        if ending in endings:
            return f"{kind}/{'jpeg' if ending == 'jpg' else ending}"
    return None
