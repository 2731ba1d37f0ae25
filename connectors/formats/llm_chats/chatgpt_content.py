"""Reads the content of a ChatGPT message: its text, its files, and whether the text is code or a quote. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from ...text.json_fields import list_of, object_of, size_of, text_of, words_of

FindFile = Callable[[str], str]
"""A function that returns the name in the export of the file with an id; empty if the file is missing."""

_CITATION = re.compile("[\ue200][^\ue200\ue201]{0,2000}[\ue201]")
"""Matches a citation mark of the app, between private use characters; the app shows a link in its place."""
_PRIVATE = re.compile("[\ue200-\ue206]")
_MOST_REFERENCES = 1000
"""The maximum number of references of a message that are resolved; each is searched for in the whole text."""
_FILE_ID = re.compile(r"file[-_][A-Za-z0-9_-]+")
_TEXT_KEYS = ("text", "result", "content", "summary", "snippet")
_MEDIA = {
    "image_asset_pointer": "[photo]",
    "audio_asset_pointer": "[voice message]",
    "real_time_user_audio_video_asset_pointer": "[voice message]",
    "video_container_asset_pointer": "[video]",
}


@dataclass(slots=True)
class Content:
    """The text of a message and its properties."""

    text: str = ""
    type: str = "text"
    attachments: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    segment: str = ""
    """The kind of the segment that covers the whole text; empty for the speaker's own words."""
    kind: str = "text"
    known: bool = True


def read_content(message: dict[str, Any], find_file: FindFile) -> Content:
    """Return the content of a message; its text is empty if it contains nothing."""
    raw = object_of(message.get("content"))
    kind = words_of(raw.get("content_type")) or "text"
    content = Content(type=kind)
    files = _uploads(message, find_file)
    if kind in ("text", "multimodal_text"):
        _read_parts(raw, content, files, find_file)
    elif kind in _READERS:
        content.text, content.segment = _READERS[kind](raw)
    else:
        content.known = False
        content.text = _any_text(raw) or f"[{kind}]"
    content.attachments += files.values()
    if not content.text.strip() and content.attachments:
        content.text, content.kind = f"[{_placeholder(content.attachments)}]", "media"
    elif not content.known:
        content.kind = "unknown"
    return content


def custom_instructions(message: dict[str, Any]) -> str | None:
    """Return the custom instructions, which the user gives to every chat; None for any other message."""
    content = object_of(message.get("content"))
    metadata = object_of(message.get("metadata"))
    if content.get("content_type") != "user_editable_context" and not metadata.get("is_user_system_message"):
        return None
    data = object_of(metadata.get("user_context_message_data"))
    texts = [text_of(data.get(key)) for key in ("about_user_message", "about_model_message")]
    if not any(part.strip() for part in texts):
        texts = [_unwrapped(text_of(content.get(key))) for key in ("user_profile", "user_instructions")]
    if not any(part.strip() for part in texts):
        texts = [part for part in list_of(content.get("parts")) if isinstance(part, str)]
    return "\n\n".join(part for part in texts if part.strip())


def has_citations(text: str) -> bool:
    """Return whether a text may contain citation marks."""
    return not text.isascii() and _PRIVATE.search(text) is not None


def without_citations(text: str, message: dict[str, Any]) -> str:
    """Return the text with the links that the app shows instead of citation marks; marks without a link are removed."""
    if not has_citations(text):
        return text
    references = list_of(object_of(message.get("metadata")).get("content_references"))
    for reference in references[:_MOST_REFERENCES]:
        matched, shown = text_of(object_of(reference).get("matched_text")), object_of(reference).get("alt")
        if matched in text and _PRIVATE.search(matched):
            text = text.replace(matched, shown if isinstance(shown, str) and shown else _words_in(matched))
    return _PRIVATE.sub("", _CITATION.sub(_shown, text))


def _words_in(matched: str) -> str:
    """Return a piece of text with its marks replaced by their own words; empty if no words or an incomplete mark would
    remain.
    """
    words = _CITATION.sub(_shown, matched)
    return words if words.strip() and not _PRIVATE.search(words) else ""


def _shown(mark: re.Match[str]) -> str:
    """Return the words in a mark itself: the name of an entity, or a link; empty for any other mark."""
    kind, *parts = mark[0][1:-1].split("\ue202")
    if kind.startswith("entity"):
        with suppress(ValueError, RecursionError):
            values = list_of(json.loads(parts[0] if parts else kind.removeprefix("entity")))
            return words_of(values[1]) if len(values) > 1 else ""
    elif kind == "url" and parts:
        address = parts[-1] if parts[-1].startswith(("http://", "https://")) else ""
        return f"[{parts[0]}]({address})" if address and len(parts) > 1 else parts[0]
    return ""


def _read_parts(raw: dict[str, Any], content: Content, files: dict[str, dict[str, Any]], find_file: FindFile) -> None:
    parts = list_of(raw.get("parts"))
    if len(parts) == 1 and isinstance(parts[0], str):  # nearly all messages
        content.text = parts[0]
        return
    said: list[str] = []
    for part in parts:
        if isinstance(part, str):
            said.append(part)
            continue
        item = object_of(part)
        kind = words_of(item.get("content_type"))
        if kind in _MEDIA:
            for attachment in _pointed(item, kind, find_file):
                listed_file = files.setdefault(attachment.pop("id"), attachment)
                listed_file["size"] = listed_file["size"] if listed_file["size"] is not None else attachment["size"]
        elif text := _any_text(item):
            said.append(text)
            content.known = content.known and kind in ("audio_transcription", "")
        elif item:
            said.append(f"[{kind or 'unknown'}]")
            content.known = False
    content.text = "\n".join(part for part in said if part)


def _uploads(message: dict[str, Any], find_file: FindFile) -> dict[str, dict[str, Any]]:
    """Return the files that the user uploaded, by id."""
    files: dict[str, dict[str, Any]] = {}
    listed = object_of(message.get("metadata")).get("attachments")
    if not listed:
        return files
    for number, entry in enumerate(list_of(listed)):
        item = object_of(entry)
        file_id = words_of(item.get("id")) or f"#{number}"
        name = words_of(item.get("name")) or file_id
        mime = words_of(item.get("mime_type")) or words_of(item.get("mimeType"))
        files[file_id] = _attachment(name, mime, size_of(item.get("size")), missing=not find_file(file_id))
    return files


def _pointed(item: dict[str, Any], kind: str, find_file: FindFile) -> list[dict[str, Any]]:
    """Return the files that a part points to; in a call the pointer to the sound is nested."""
    inner = object_of(item.get("audio_asset_pointer"))
    result: list[dict[str, Any]] = []
    for pointer in (inner, item):
        address = words_of(pointer.get("asset_pointer"))
        match = _FILE_ID.match(address.partition("://")[2] or address)
        if match:
            file_id = match[0]
            mime = {"[photo]": "image", "[voice message]": "audio"}.get(_MEDIA[kind], "")
            name = find_file(file_id)
            entry = _attachment(name or file_id, mime, size_of(pointer.get("size_bytes")), missing=not name)
            result.append({"id": file_id, **entry})
    return result


def _attachment(name: str, mime: str, size: int | None, *, missing: bool) -> dict[str, Any]:
    return {"name": name, "mime": mime or None, "size": size, "missing": missing}


def _placeholder(attachments: list[dict[str, Any]]) -> str:
    mime = attachments[0]["mime"] or ""
    return {"image": "photo", "audio": "voice message", "video": "video"}.get(mime.partition("/")[0], "file")


def _any_text(item: dict[str, Any]) -> str:
    """Return the text of content of an unknown type: the value of the first usual key, or the text parts."""
    for key in _TEXT_KEYS:
        if text_of(item.get(key)).strip():
            return text_of(item.get(key))
    return "\n".join(part for part in list_of(item.get("parts")) if isinstance(part, str) and part)


def _code(raw: dict[str, Any]) -> tuple[str, str]:
    return _any_text(raw), "code"


def _quoted(raw: dict[str, Any]) -> tuple[str, str]:
    """Return a quoted passage of a page, below the page's title and address."""
    heads = dict.fromkeys(words_of(raw.get(key)) for key in ("title", "url") if words_of(raw.get(key)))
    return "\n".join([*heads, _any_text(raw)]).strip("\n"), "quote"


def _error(raw: dict[str, Any]) -> tuple[str, str]:
    return ": ".join(part for part in (words_of(raw.get("name")), text_of(raw.get("text"))) if part), ""


def _thoughts(raw: dict[str, Any]) -> tuple[str, str]:
    said: list[str] = []
    for thought in list_of(raw.get("thoughts")):
        item = object_of(thought)
        said += [text_of(item.get(key)) for key in ("summary", "content") if text_of(item.get(key)).strip()]
    return "\n".join(said), ""


def _plain(raw: dict[str, Any]) -> tuple[str, str]:
    return _any_text(raw), ""


def _unwrapped(text: str) -> str:
    """Return the user's own words without the app's words around them: they are between two fences, the second at the
    end.
    """
    before, fence, rest = text.partition("```")
    inside, closing, after = rest.rpartition("```")
    return inside.strip("\n") if before and fence and closing and not after.strip() else text


_READERS: dict[str, Callable[[dict[str, Any]], tuple[str, str]]] = {
    "code": _code,
    "execution_output": _code,
    "tether_quote": _quoted,
    "tether_browsing_display": _quoted,
    "sonic_webpage": _quoted,
    "system_error": _error,
    "thoughts": _thoughts,
    "reasoning_recap": _plain,
}
