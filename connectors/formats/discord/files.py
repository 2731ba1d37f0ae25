"""Converts the files and stickers of Discord messages, and names messages that have no text. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

from ...opening.media_names import is_remote, mime_of, word_of
from ...text.json_fields import list_of, object_of, size_of, words_of

VOICE_MESSAGE = "voice-message.ogg"
"""The file name that the app gives to every voice message."""


def attachments_of(message: dict[str, Any], held: Callable[[str], bool] = bool) -> list[dict[str, Any]]:
    """Return the files, then the stickers; those that the exporter did not download (their addresses are remote), or that
    the export does not have (``held`` returns whether it has one), are ``missing``.
    """
    attachments: list[dict[str, Any]] = []
    for entry in list_of(message.get("attachments")):
        item = object_of(entry)
        url = words_of(item.get("url"))
        name = words_of(item.get("fileName")) or name_in(url)
        if name:
            size = size_of(item.get("fileSizeBytes"))
            attachments.append(
                {"name": name, "mime": mime_of(name), "size": size, "missing": is_remote(url) or not held(url)}
            )
    for entry in list_of(message.get("stickers")):
        item = object_of(entry)
        name = words_of(item.get("name")) or "sticker"
        url = words_of(item.get("sourceUrl"))
        attachments.append({"name": name, "mime": "image/sticker", "missing": is_remote(url) or not held(url)})
    return attachments


def placeholder_of(attachments: list[dict[str, Any]]) -> str:
    """Return the placeholder for the text of a message that has only files."""
    first = attachments[0]
    if first["mime"] == "image/sticker":
        return f"[sticker: {first['name']}]"
    if first["name"] == VOICE_MESSAGE:
        return "[voice message]"
    return word_of(first["mime"])


def name_in(url: str) -> str:
    """Return the name of the file at an address."""
    path = url.partition("?")[0].partition("#")[0].replace("\\", "/").rstrip("/")
    return unquote(path.rpartition("/")[2])
