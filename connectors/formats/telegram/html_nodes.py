"""Helpers for the nodes of a page: elements by class, and text as the app wrote it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborNode

from ...text.html.links import leads_elsewhere
from ...text.html.text import children_of, nodes_text
from .values import Object

_ENTITIES = {
    "strong": "bold",
    "em": "italic",
    "u": "underline",
    "s": "strikethrough",
    "code": "code",
    "pre": "pre",
    "blockquote": "blockquote",
    "a": "link",
    "span": "spoiler",
}
_BLANKS = re.compile(r"(?<![ \t])[ \t]*+\n[ \t\n]*+")
_DEPTH = 64


def children(node: LexborNode, name: str) -> Iterator[LexborNode]:
    """Yield the direct child elements that have this class."""
    for at in children_of(node):
        if at.is_element_node and name in (at.attributes.get("class") or "").split():
            yield at


def child(node: LexborNode, name: str) -> LexborNode | None:
    """Return the first direct child element with this class."""
    return next(children(node, name), None)


def own_text(node: LexborNode) -> str:
    """Return the text directly inside a node, without that of its elements."""
    return "".join(at.text_content or "" for at in children_of(node) if at.is_text_node)


def words(node: LexborNode) -> str:
    """Return all text of a node, on one line."""
    return " ".join(node.text(deep=True, separator="").split())


def text_parts(node: LexborNode) -> list[str | Object]:
    """Return the text of a message as in ``result.json``: strings and entities. Line breaks and blanks of the page are
    dropped; those of the text are elements. A rich message, whose blocks are elements, is one text.
    """
    if "rich_message" in (node.attributes.get("class") or "").split():
        addresses = [link.attributes.get("href") or "" for link in node.css("a") if _leads_elsewhere(link)]
        return [nodes_text([node]), *({"type": "text_link", "text": "", "href": each} for each in addresses)]
    parts = [part for part in _parts(node, 0) if not isinstance(part, str) or part]
    if parts and isinstance(parts[0], str):
        parts[0] = parts[0].lstrip(" \n\t")
    if parts and isinstance(parts[-1], str):
        parts[-1] = parts[-1].rstrip(" \n\t")
    return [part for part in parts if part]


def _leads_elsewhere(link: LexborNode) -> bool:
    return leads_elsewhere(link.attributes.get("href") or "", words(link))


def _parts(node: LexborNode, depth: int) -> Iterator[str | Object]:
    for at in children_of(node):
        if at.is_text_node:
            yield _BLANKS.sub("", at.text_content or "")
        elif at.tag == "br":
            yield "\n"
        elif at.is_element_node:
            inner = _flat(at, depth + 1)
            kind = _ENTITIES.get(at.tag or "")
            if kind is None:
                yield inner
            elif inner:
                entity: Object = {"type": kind, "text": inner}
                href = at.attributes.get("href") or ""
                if kind == "link" and leads_elsewhere(href, inner):
                    entity |= {"type": "text_link", "href": href}
                yield entity


def _flat(node: LexborNode, depth: int) -> str:
    """Return the text of an element with its line breaks."""
    if depth > _DEPTH:
        return node.text(deep=True, separator="")
    parts = ""
    for at in children_of(node):
        if at.is_text_node:
            parts += at.text_content or "" if node.tag == "pre" else _BLANKS.sub("", at.text_content or "")
        elif at.tag == "br":
            parts += "\n"
        elif at.is_element_node:
            parts += _flat(at, depth + 1)
    return parts
