"""Converts the files of messages, and names messages that have no text. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ...text.json_fields import size_of, words_of

_PREVIEW = ".pluginpayloadattachment"
"""The file name suffix of pictures in link previews and app messages, which nobody sent as files."""
_FOLDER = "/Attachments/"
"""The folder in which Messages keeps its files; the path below it is the same in every copy of the folder."""
_KINDS = {"image": "[photo]", "video": "[video]", "audio": "[audio]"}
_MIMES = {
    "text/vcard": ("[contact]", "contact"),
    "text/x-vcard": ("[contact]", "contact"),
    "text/x-vlocation": ("[location]", "location"),
}
STICKER = "image/sticker"


def attachments_of(files: list[Mapping[str, Any]], held: Collection[str]) -> list[dict[str, Any]]:
    """Return the files of a message; a file that the source does not contain is ``missing``.

    Args:
        files: rows of the table of attachments.
        held: the ``place_of`` of each file in the source.
    """
    attachments: list[dict[str, Any]] = []
    for file in files:
        path = words_of(file["filename"])
        name = words_of(file["transfer_name"]) or path.rpartition("/")[2] or words_of(file["guid"])
        if not name or name.casefold().endswith(_PREVIEW):
            continue
        mime = words_of(file["mime_type"]) or None
        if file["is_sticker"] == 1:
            mime = STICKER
        attachments.append(
            {"name": name, "mime": mime, "size": size_of(file["total_bytes"]), "missing": place_of(path) not in held}
        )
    return attachments


def place_of(path: str) -> str:
    """Return the part of a file's path that is the same on the Mac, in a copy of the folder and in an archive of it."""
    _, mark, place = f"/{path}".rpartition(_FOLDER)
    return place if mark else path.rpartition("/")[2]


def placeholder_of(attachments: list[dict[str, Any]], *, audio_message: bool) -> tuple[str, str]:
    """Return the placeholder for the text of a message that has only files, and its kind."""
    first = attachments[0]
    mime: str = first["mime"] or ""
    if audio_message:
        return "[voice message]", "media"
    if mime == STICKER:
        return "[sticker]", "media"
    if mime in _MIMES:
        return _MIMES[mime]
    return _KINDS.get(mime.partition("/")[0], "[file]"), "media"
