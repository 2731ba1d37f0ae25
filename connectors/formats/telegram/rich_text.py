"""Texts of an export, strings or lists of strings and entities, converted to one text with segments for quotes and
code.
"""

from __future__ import annotations

from typing import Any

from .values import list_of, object_of, text_of

RichText = tuple[str, list[dict[str, Any]], list[str], list[str]]
"""A text, its segments, its links' addresses, and the ids of people mentioned by name."""
_SEGMENTS = {"blockquote": "quote", "code": "code", "pre": "code"}


def rich_text(value: object) -> RichText:
    """Return the text verbatim, with its segments, links and mentions."""
    if isinstance(value, str):
        return value, [], [], []
    parts: list[str] = []
    segments: list[dict[str, Any]] = []
    links: list[str] = []
    mentions: list[str] = []
    length = 0
    for part in list_of(value):
        if isinstance(part, str):
            parts.append(part)
            length += len(part)
            continue
        entity = object_of(part)
        text, kind = text_of(entity.get("text")), text_of(entity.get("type"))
        segment = _SEGMENTS.get(kind)
        if segment and text:
            segments.append({"kind": segment, "start": length, "end": length + len(text)})
        if href := text_of(entity.get("href")):
            links.append(href)
        if kind == "mention_name" and (user := entity.get("user_id")) is not None:
            mentions.append(str(user) if str(user).startswith("user") else f"user{user}")
        parts.append(text)
        length += len(text)
    return "".join(parts), segments, links, mentions


def plain_text(value: object) -> str:
    """Return the text without its segments."""
    return rich_text(value)[0]
