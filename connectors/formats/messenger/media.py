"""Converts attachments of messages in Meta's apps: pictures, sounds, videos, stickers and files. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...opening.media_names import is_remote, mime_of, name_in, word_of
from ...text.json_fields import entries_of, object_of
from .mojibake import repaired_name

_KINDS = {
    "photos": "[photo]",
    "videos": "[video]",
    "audio_files": "[voice message]",
    "gifs": "[GIF]",
    "sticker": "[sticker]",
    "files": "[file]",
    "media": "",
}
"""Placeholders by the export's keys. Encrypted chats use ``media`` for all kinds; the file name shows the kind."""


MEDIA_KEYS = frozenset(_KINDS)


def attachments_of(raw: dict[str, Any], held: Callable[[str], bool]) -> list[tuple[dict[str, Any], str]]:
    """Return each attachment with its placeholder. ``missing``: its address points to the app, or to no file of the
    export, which has those that are ``held``.
    """
    attachments: list[tuple[dict[str, Any], str]] = []
    for key, word in _KINDS.items():
        if key not in raw:
            continue
        for entry in entries_of(raw[key]):
            address = repaired_name(entry if isinstance(entry, str) else object_of(entry).get("uri"))
            name = name_in(address)
            mime = mime_of(name)
            if mime == "video/mp4" and word == "[voice message]":
                mime = "audio/mp4"  # voice messages have the file extension of videos
            shown = word or word_of(mime)
            missing = not address or is_remote(address) or not held(address)
            attachments.append(({"name": name or shown.strip("[]"), "mime": mime, "missing": missing}, shown))
    return attachments
