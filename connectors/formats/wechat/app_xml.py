"""Finds the words in the XML of WeChat's messages: links, files, places, name cards, quotes and forwarded chats. Pure."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

_ELEMENT = re.compile(
    r"<(title|des|url|sourcename|datatitle|datadesc|displayname|nickname)>(?:<!\[CDATA\[(.*?)\]\]>|([^<>]*))</\1>",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(r'\s(label|poiname|nickname)="([^"]*)"')
_DEEPEST = 4


def words_of_xml(text: str) -> list[str]:
    """Return the words that people see of a message, each once; none if there are none."""
    return list(dict.fromkeys(_words(text, 0)))


def _words(text: str, depth: int) -> Iterator[str]:
    for _, words in _ATTRIBUTE.findall(text):
        if plain := html.unescape(words).strip():
            yield plain
    for _, raw, escaped in _ELEMENT.findall(text):
        plain = (raw or html.unescape(escaped)).strip()
        if plain and not plain.startswith("<"):
            yield plain
    if depth < _DEEPEST and "&lt;" in text:  # what is quoted or forwarded is XML within XML
        yield from _words(html.unescape(text), depth + 1)
