"""Skype messages other than text: calls, files, contacts, places, polls, and events of a chat. Pure."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from typing import Any

from ...opening.media_names import mime_of, word_of
from ...text.json_fields import size_of
from .rich_text import attributes_of, rich_text

_FILE_TYPES = {
    "RichText/UriObject": "[photo]",
    "RichText/Media_GenericFile": "[file]",
    "RichText/Media_Video": "[video]",
    "RichText/Media_AudioMsg": "[voice message]",
    "RichText/Media_FlikMsg": "[moji]",
    "RichText/Media_Album": "[album]",
    "RichText/Media_CallRecording": "[call recording]",
    "RichText/Media_CallTranscript": "[call transcript]",
    "RichText/Media_Card": "[card]",
    "RichText/Files": "[file]",
    "RichText/Sms": "",
}
_NAME = re.compile(r"<OriginalName\b([^<>]{0,1000})>", re.IGNORECASE)
_STORED = re.compile(r"<URIObject\b[^<>]{0,2000}?\buri=\"[^\"<>]{0,500}/objects/([\w-]{1,200})", re.IGNORECASE)
"""Finds the id under which a file is stored; in an export, its name begins so."""
_META = re.compile(r"<meta\b([^<>]{0,1000})>", re.IGNORECASE)
_SIZE = re.compile(r"<FileSize\b([^<>]{0,200})>", re.IGNORECASE)
_CONTACT = re.compile(r"<c\b([^<>]{0,1000})>", re.IGNORECASE)
_PLACE = re.compile(r"<location\b([^<>]{0,2000})>", re.IGNORECASE)
_CALL = re.compile(r"<partlist\b([^<>]{0,500})>|<(ended|started|missed)\s?/?>", re.IGNORECASE)
_INVITATION = re.compile(r"<scheduledcallinvite\b([^<>]{0,1000})>", re.IGNORECASE)
_DURATION = re.compile(r"<duration>([0-9.]{1,12})</duration>", re.IGNORECASE)
_FIELD = re.compile(r"<(initiator|target|value|mri|id)>([^<>]{0,500})</\1>", re.IGNORECASE)


def is_file(kind: str) -> bool:
    """Return whether messages of this type are files."""
    return kind in _FILE_TYPES and kind != "RichText/Sms"


def file_of(kind: str, content: str, held: frozenset[str]) -> tuple[dict[str, Any], str]:
    """Return the file's attachment and its placeholder; ``held`` are the ids of the files that the export has."""
    word = _FILE_TYPES.get(kind, "[file]")
    match = _NAME.search(content)
    meta = _META.search(content)
    name = attributes_of(match[1]).get("v", "") if match else ""
    name = (name or (attributes_of(meta[1]).get("originalname", "") if meta else "")).strip()
    mime = mime_of(name)
    if word == "[photo]" and mime and not mime.startswith("image/"):
        word = word_of(mime)
    stored = _STORED.search(content)
    missing = stored is None or stored[1] not in held
    attachment: dict[str, Any] = {"name": name or word.strip("[]"), "mime": mime, "missing": missing}
    size = _SIZE.search(content)
    if size and (count := size_of(attributes_of(size[1]).get("v", ""))) is not None:
        attachment["size"] = count
    return attachment, word


def contacts_of(content: str) -> str:
    """Return the names of the contacts sent."""
    names = [attributes_of(each[1]) for each in _CONTACT.finditer(content)]
    return ", ".join(name for contact in names if (name := contact.get("f") or contact.get("s") or "")) or "[contact]"


def place_of(content: str) -> tuple[str, str]:
    """Return a place as text, and its coordinates (degrees north and east)."""
    match = _PLACE.search(content)
    fields = attributes_of(match[1]) if match else {}
    address = fields.get("address", "").strip()
    return address or "[location]", _degrees(fields.get("latitude", ""), fields.get("longitude", ""))


def _degrees(north: str, east: str) -> str:
    """Convert Skype's millionths of degrees; empty for invalid numbers."""
    try:
        return f"{int(north) / 1e6:.6f},{int(east) / 1e6:.6f}"
    except ValueError:
        return ""


def call_of(content: str) -> tuple[str, int | None]:
    """Return a call's placeholder, and its duration in seconds."""
    if (invitation := _INVITATION.search(content)) is not None:
        title = attributes_of(invitation[1]).get("title", "").strip()
        return f"[call: {title}]" if title else "[call]", None
    match = _CALL.search(content)
    state = ""
    if match is not None:
        state = (match[2] or attributes_of(match[1] or "").get("type", "")).lower()
    word = {"ended": "[call ended]", "missed": "[missed call]", "started": "[call]"}.get(state, "[call]")
    durations = [float(each) for each in _DURATION.findall(content) if each.count(".") <= 1 and each != "."]
    return word, round(max(durations)) if durations else None


def event_text(kind: str, content: str, name_of: Callable[[str], str]) -> str:
    """Return the text of a chat's event: its kind in words, and the people and values it names."""
    word = kind.rpartition("/")[2]
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", word[:80]).lower()
    initiators: list[str] = []
    others: list[str] = []
    for key, value in _FIELD.findall(content):
        plain = html.unescape(value).strip()
        if not plain:
            continue
        shown = name_of(plain) if key.lower() in ("initiator", "target", "mri", "id") else plain
        (initiators if key.lower() == "initiator" else others).append(shown)
    who = f"{initiators[0]}: " if initiators else ""
    about = f": {', '.join(dict.fromkeys(others))}" if others else ""
    if not initiators and not others and (plain := rich_text(content).text.strip()) and len(plain) < 2_000:
        about = f": {plain}"
    return f"{who}{words}{about}"
