"""HTML to plain text: paragraphs, lists and code as a reader sees them. Pure."""

from __future__ import annotations

import re
from html import unescape

from selectolax.lexbor import LexborNode

from .html_lines import HTMLLines
from .html_tree import html_tree
from .plain_html import text_of_plain_html

_UNSEEN = frozenset({"script", "style", "template", "head", "title", "noscript"})
_TAG = re.compile(r"<[^<>]*>")


def plain_text(html: str) -> str:
    """The text that a reader sees; of a page that is too costly to parse the words alone."""
    if (plain := text_of_plain_html(html)) is not None:
        return plain
    return text_of_html(html)


def text_of_html(html: str) -> str:
    """The same by the parser, whatever the page holds."""
    tree = html_tree(html)
    if tree is None:
        return words_alone(html)
    return nodes_text([tree.body]) if tree.body is not None else ""


def words_alone(html: str) -> str:
    """Everything between the tags of a page, without paragraphs."""
    return " ".join(unescape(_TAG.sub(" ", html)).split())


def nodes_text(nodes: list[LexborNode], *, headings: bool = False, code: str = "") -> str:
    """The text of some nodes that stand beside each other.

    Args:
        nodes: in their order.
        headings: whether they get the marks of Markdown.
        code: what the style of a block of code holds, beside ``<pre>``.
    """
    text = HTMLLines()
    # A node, how it ends (for what ends here instead of a node), whether it is in code, lists around it.
    stack: list[tuple[LexborNode | None, int, bool, int]] = [(node, 0, False, 0) for node in reversed(nodes)]
    while stack:
        node, ending, within_code, depth = stack.pop()
        if node is None:
            text.end_element(ending)
            continue
        tag = node.tag or ""
        if tag == "-text":
            text.add(node.text(deep=False) or "", verbatim=within_code)
            continue
        if tag in _UNSEEN or tag.startswith(("-", "!", "_")):
            continue
        if tag == "br":
            text.breaks += 1
            continue
        ending, depth = text.begin_element(tag, depth, headings=headings)
        if tag == "pre" or (code and tag == "div" and code in (node.attributes.get("style") or "")):
            within_code = True
        stack.append((None, ending, False, 0))
        stack.extend((child, 0, within_code, depth) for child in reversed(children_of(node)))
    return text.text()


def children_of(node: LexborNode) -> list[LexborNode]:
    """The nodes right below a node, texts among them."""
    found: list[LexborNode] = []
    child = node.child
    while child is not None:
        found.append(child)
        child = child.next
    return found
