"""Text of Teams messages from HTML: mentions and emoji as text, quotes and code as segments, pictures as attachments.
Pure.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field
from typing import Any

from selectolax.lexbor import LexborNode

from ...opening.media_names import mime_of, name_in, word_of
from ...text.html.links import addresses_in
from ...text.html.text import children_of, nodes_text, words_alone
from ...text.html.tree import html_tree

_EMOJI = re.compile(r'<emoji\s[^<>]{0,400}?\balt="([^"<>]{0,64})"[^<>]{0,400}>', re.IGNORECASE)
_READ_CODE = re.compile(r"<(/?)codeblock\b", re.IGNORECASE)
_REPLY = re.compile(
    r'<blockquote\s[^<>]{0,300}?itemtype="[^"<>]{0,200}Reply"[^<>]{0,300}?itemid="([^"<>]{1,80})"', re.IGNORECASE
)
_SEGMENTS = {"blockquote": "quote", "pre": "code"}
_UNWRAPPED = 8
"""The maximum depth of nested elements with a single child that are unwrapped."""


@dataclass(slots=True)
class PageText:
    """Plain text, with the segments that are quotes or code, and the pictures."""

    text: str = ""
    segments: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    pictures: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    links: list[str] = field(default_factory=list[str])
    """The addresses behind the text."""
    answers: str = ""
    """The id of the quoted message."""


def page_text(content: str) -> PageText:
    """Parse a message's HTML."""
    page = PageText()
    if reply := _REPLY.search(content):
        page.answers = html.unescape(reply[1])
    content = _EMOJI.sub(lambda emoji: emoji[1], content)
    content = _READ_CODE.sub(r"<\1pre", content)
    tree = html_tree(content)
    if tree is None:
        page.text = words_alone(content)
        return page
    body = tree.body
    if body is None:
        return page
    for image in body.css("img"):
        picture = _picture(image)
        if picture is not None:
            page.pictures.append(picture)
    page.links = addresses_in(body)
    length = 0
    parts: list[str] = []
    for kind, nodes in _groups(body):
        words = nodes_text(nodes).strip("\n")
        if not words.strip(" \n\xa0"):
            continue
        if parts:
            parts.append("\n\n")
            length += 2
        if kind:
            page.segments.append({"kind": kind, "start": length, "end": length + len(words)})
        parts.append(words)
        length += len(words)
    page.text = "".join(parts)
    return page


def _groups(body: LexborNode) -> list[tuple[str, list[LexborNode]]]:
    """Group adjacent nodes, split where quotes and code begin and end."""
    children = children_of(body)
    for _ in range(_UNWRAPPED):
        if len(children) != 1 or children[0].tag != "div":
            break
        children = children_of(children[0])
    groups: list[tuple[str, list[LexborNode]]] = []
    for child in children:
        kind = _SEGMENTS.get(child.tag or "", "")
        if groups and groups[-1][0] == kind == "":
            groups[-1][1].append(child)
        else:
            groups.append((kind, [child]))
    return groups


def _picture(image: LexborNode) -> dict[str, Any] | None:
    """Return a picture inside the text; None for emoji."""
    attributes = image.attributes
    kind = attributes.get("itemtype") or ""
    if "Emoji" in kind or "emoticon" in (attributes.get("class") or ""):
        return None
    address = attributes.get("src") or ""
    name = (attributes.get("alt") or "").strip() or name_in(address) or "image"
    if name.startswith("$") or len(name) > 200:
        name = "image"
    return {"name": name, "mime": mime_of(name), "missing": True}


def placeholder_of(files: list[dict[str, Any]]) -> str:
    """Return the placeholder for the text of a message that has files alone."""
    return word_of(files[0]["mime"]) if files else "[file]"
