"""Text of Skype messages: plain text with a few tags, in which line ends count and quotes are elements. Pure."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field
from typing import Any

_TAG = re.compile(r"<(/?)([A-Za-z_][\w:.-]{0,40})((?:\s[^<>]*)?)>")
_ATTRIBUTE = re.compile(r'([\w:.-]{1,60})\s?=\s?"([^"]*)"')
_CODE = frozenset({"pre", "code"})


@dataclass(slots=True)
class RichText:
    """Plain text, with the segments that are quotes or code."""

    text: str = ""
    segments: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    answers: str = ""
    """The id of the quoted message."""
    quoted_author: str = ""
    edited: bool = False
    edited_ms: str = ""


def attributes_of(tag: str) -> dict[str, str]:
    """Return the attributes of a tag."""
    return {name.lower(): html.unescape(value) for name, value in _ATTRIBUTE.findall(tag)}


def rich_text(content: str) -> RichText:
    """Parse a text; mentions, emoticons and links become their text."""
    rich = RichText()
    parts: list[str] = []
    length = at = hidden = 0
    opened: list[tuple[str, int]] = []
    for tag in _TAG.finditer(content):
        if not hidden and tag.start() > at:
            words = html.unescape(content[at : tag.start()])
            parts.append(words)
            length += len(words)
        at = tag.end()
        name, closes = tag[2].lower(), bool(tag[1])
        if name == "legacyquote":  # the fallback text of quotes, for programs without quotes
            hidden = max(0, hidden - 1) if closes else hidden + 1
        elif name == "e_m":
            rich.edited = True
            rich.edited_ms = attributes_of(tag[3]).get("ts_ms", "") or rich.edited_ms
        elif name == "quote" or name in _CODE:
            _bracket(rich, opened, name, tag[3], length, closes=closes)
            if name == "quote" and closes:
                parts.append("\n")
                length += 1
        elif name == "br":
            parts.append("\n")
            length += 1
    if not hidden:
        parts.append(html.unescape(content[at:]))
    rich.text = "".join(parts)
    return rich


def _bracket(rich: RichText, opened: list[tuple[str, int]], name: str, rest: str, length: int, *, closes: bool) -> None:
    """Open a quote or code at this offset, or close it and add its segment."""
    if not closes:
        if name == "quote" and not rich.answers:
            attributes = attributes_of(rest)
            rich.answers, rich.quoted_author = attributes.get("messageid", ""), attributes.get("authorname", "")
        if not rest.rstrip().endswith("/"):
            opened.append((name, length))
    elif opened and opened[-1][0] == name:
        _, start = opened.pop()
        if start < length and not opened:
            rich.segments.append({"kind": "quote" if name == "quote" else "code", "start": start, "end": length})
