"""Finds what the elements of a message of QQChatExporter say beyond its text: forwarded chats, cards, places, Markdown."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Any

import orjson

from ...text.json_fields import entries_of, object_of, text_of, words_of

_PLACEHOLDER = re.compile(r"\s*\[[^\[\]\n]{1,40}\]\s*")
_ANSWERS = "[回复消息]"
_ANSWERED = re.compile(r"\A\s*\[回复[^\[\]\n]{0,500}\]\s*")
"""Matches what stands for the answered message before a message's own words."""
_TITLE = re.compile(r"<title[^<>]*>([^<>]*)</title>")
_DEEPEST = 8
_MOST_LINES = 5_000
_SAYS = ("title", "description", "desc", "summary", "address", "content", "text", "prompt", "name")
"""The keys of words in a card or a place."""
_ADDRESSES = ("url", "jumpUrl", "qqdocurl")
_KINDS = {"location": "location", "av_record": "call", "wallet": "event", "long_message": "unknown"}
_PLAIN = frozenset(
    {"text", "at", "face", "reply", "image", "video", "audio", "voice", "ptt", "file", "system", "av_record"}
)
"""Types of elements whose words are in the text."""


def fields_of(text: str, elements: object) -> dict[str, Any]:
    """Return what the elements say: the fields ``content``, ``segments``, ``kind`` and ``metadata``, as far as they differ
    from those of a message with this text alone.
    """
    lines: list[str] = []
    quoted = kind = ""
    forwards = False
    for entry in entries_of(elements):
        element = object_of(entry)
        name, data = words_of(element.get("type")), object_of(element.get("data"))
        kind = kind or _KINDS.get(name, "")
        if name == "reply":
            quoted = text_of(data.get("content")).strip()
            text = _ANSWERED.sub("", text, count=1)
        elif name == "forward":
            forwards = True
            lines += list(_forwarded(data, 0))[:_MOST_LINES]
        elif name not in _PLAIN:
            lines += [line for line in dict.fromkeys(_words(data, 0)) if line not in text]
    result: dict[str, Any] = {"kind": kind} if kind else {}
    if quoted:
        result["metadata"] = {"quoted": quoted}
        text = text.lstrip() if text.strip() else _ANSWERS
    if lines:
        # A text that only names the type, or only previews what is forwarded, says nothing more.
        alone = forwards or not text.strip() or _PLACEHOLDER.fullmatch(text)
        before = "" if alone else f"{text.rstrip()}\n"
        more = "\n".join(lines)
        text = before + more
        if forwards:
            result["segments"] = [{"kind": "forward", "start": len(before), "end": len(text)}]
    return result | {"content": text}


def _forwarded(data: dict[str, Any], depth: int) -> Iterator[str]:
    """Yield the lines of a forwarded chat; those of a chat that was forwarded in it are indented."""
    inner = [object_of(entry) for entry in entries_of(data.get("messages"))]
    title = words_of(data.get("title"))
    if title:
        yield "  " * depth + title
    if not inner:
        previews = [words for line in entries_of(data.get("preview")) if (words := words_of(line))]
        for words in previews or _titles(words_of(data.get("summary"))):
            yield "  " * depth + words
    for message in inner:
        content = object_of(message.get("content")) or {"elements": message.get("elements")}
        if "elements" not in content:
            content = {**content, "elements": message.get("elements")}
        sender = object_of(message.get("sender"))
        name = words_of(sender.get("name")) or words_of(message.get("senderName")) or words_of(sender.get("uin"))
        fields = fields_of(text_of(content.get("text")) or text_of(message.get("text")), [
            entry for entry in entries_of(content.get("elements")) if words_of(object_of(entry).get("type")) != "forward"
        ])  # fmt: skip
        words = (fields["content"] if fields["content"].strip() else "[…]").replace("\n", "\n" + "  " * (depth + 1))
        yield "  " * depth + (f"{name}: {words}" if name else words)
        if depth < _DEEPEST:
            for entry in entries_of(content.get("elements")):
                element = object_of(entry)
                if words_of(element.get("type")) == "forward":
                    yield from _forwarded(object_of(element.get("data")), depth + 1)


def _titles(summary: str) -> list[str]:
    """Return the lines of a forwarded chat that older exports keep as the XML of its card."""
    return [words for each in _TITLE.findall(summary) if (words := html.unescape(each).strip())][:_MOST_LINES]


def _words(data: dict[str, Any], depth: int) -> Iterator[str]:
    """Yield the words of a card: its titles and descriptions, then its address; those of JSON in it as well."""
    for key in _SAYS:
        words = text_of(data.get(key)).strip()
        if words[:1] == "{":
            try:
                card = object_of(orjson.loads(words))
            except orjson.JSONDecodeError:
                card = {}
            if depth == 0:
                yield from _words({**card, **_flat(card.get("meta"))}, 1)
        elif words:
            yield words
    for key in _ADDRESSES:
        if address := words_of(data.get(key)):
            yield address


def _flat(meta: object) -> dict[str, Any]:
    """Return the fields of the first object in a card's ``meta``, which has one under a name of its app."""
    fields = object_of(meta)
    inner = next((each for value in fields.values() if (each := object_of(value))), dict[str, Any]())
    return {**inner, **{key: value for key, value in fields.items() if not isinstance(value, dict)}}
