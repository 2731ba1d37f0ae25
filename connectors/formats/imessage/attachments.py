"""Files that came with messages, and what a message without words is called. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ...text.json_fields import size_of, words_of

_PREVIEW = ".pluginpayloadattachment"
"""Pictures of link previews and of apps, which nobody sent as files."""
_FOLDER = "/Attachments/"
"""Where Messages keeps its files; what stands behind it is the same in every copy of the folder."""
_KINDS = {"image": "[photo]", "video": "[video]", "audio": "[audio]"}
_MIMES = {
    "text/vcard": ("[contact]", "contact"),
    "text/x-vcard": ("[contact]", "contact"),
    "text/x-vlocation": ("[location]", "location"),
}
STICKER = "image/sticker"


def attachments_of(files: list[Mapping[str, Any]], held: Collection[str]) -> list[dict[str, Any]]:
    """The files of a message; ``missing`` where the source does not hold them.

    Args:
        files: rows of the table of attachments.
        held: what the source holds, by ``place_of``.
    """
    found: list[dict[str, Any]] = []
    for file in files:
        path = words_of(file["filename"])
        name = words_of(file["transfer_name"]) or path.rpartition("/")[2] or words_of(file["guid"])
        if not name or name.casefold().endswith(_PREVIEW):
            continue
        mime = words_of(file["mime_type"]) or None
        if file["is_sticker"] == 1:
            mime = STICKER
        found.append(
            {"name": name, "mime": mime, "size": size_of(file["total_bytes"]), "missing": place_of(path) not in held}
        )
    return found


def place_of(path: str) -> str:
    """What is the same of a file's path on the Mac, in a copy of the folder and in an archive of it."""
    _, mark, place = f"/{path}".rpartition(_FOLDER)
    return place if mark else path.rpartition("/")[2]


def placeholder_of(attachments: list[dict[str, Any]], *, audio_message: bool) -> tuple[str, str]:
    """What stands for the words of a message that has files alone, and its kind."""
    first = attachments[0]
    mime: str = first["mime"] or ""
    if audio_message:
        return "[voice message]", "media"
    if mime == STICKER:
        return "[sticker]", "media"
    if mime in _MIMES:
        return _MIMES[mime]
    return _KINDS.get(mime.partition("/")[0], "[file]"), "media"
