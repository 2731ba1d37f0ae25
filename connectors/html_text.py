"""HTML to plain text: paragraphs, lists and code as a reader sees them. Pure."""

from __future__ import annotations

import re
from html import unescape

from selectolax.lexbor import LexborHTMLParser, LexborNode

from .html_depth import too_deep

_SPACED = frozenset({"blockquote", "h1", "h2", "h3", "h4", "h5", "h6", "ol", "p", "pre", "table", "ul"})
"""Between these and what stands beside them there is an empty line."""
_BLOCKS = _SPACED | {
    "article",
    "div",
    "dd",
    "dl",
    "dt",
    "figure",
    "footer",
    "header",
    "hr",
    "li",
    "main",
    "section",
    "tr",
}
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_UNSEEN = frozenset({"script", "style", "template", "head", "title", "noscript"})
_BLANKS = re.compile(r"[ \t\r\n\f]+")
_TAG = re.compile(r"<[^<>]*>")


class _Text:
    """Text that grows; line ends are added when the next words come."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.breaks = 0
        self.at_start = True

    def lines(self, count: int) -> None:
        """At least so many line ends before what comes next."""
        self.breaks = max(self.breaks, count)

    def add(self, text: str, *, verbatim: bool = False) -> None:
        """Add words; blanks at the begin of a line say nothing, but in code."""
        if not verbatim:
            text = _BLANKS.sub(" ", text)
            if (self.at_start or self.breaks) and not (text := text.lstrip(" ")):
                return
        if not text:
            return
        if not self.at_start:
            self.parts.append("\n" * self.breaks)
        self.parts.append(text)
        self.breaks, self.at_start = 0, False


def plain_text(html: str) -> str:
    """The text that a reader sees; of what nests too deep for the parser the words alone."""
    if too_deep(html):
        return " ".join(unescape(_TAG.sub(" ", html)).split())
    root = LexborHTMLParser(html).body
    return nodes_text([root]) if root is not None else ""


def nodes_text(nodes: list[LexborNode], *, headings: bool = False) -> str:
    """The text of some nodes that stand beside each other; ``headings`` get the marks of Markdown."""
    text = _Text()
    stack: list[tuple[LexborNode | None, int, bool]] = [(node, 0, False) for node in reversed(nodes)]
    while stack:
        node, lines, within_code = stack.pop()
        if node is None:
            text.lines(lines)
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
        lines = 2 if tag in _SPACED else 1 if tag in _BLOCKS else 0
        text.lines(lines)
        if headings and tag in _HEADINGS:
            text.add(f"{'#' * int(tag[1])} ", verbatim=True)
        elif tag == "li":
            text.add("- ", verbatim=True)
        elif tag in ("td", "th") and not text.breaks:
            text.add(" | ")
        stack.append((None, lines, False))
        stack.extend((child, 0, within_code or tag == "pre") for child in reversed(children_of(node)))
    return "".join(text.parts).rstrip()


def children_of(node: LexborNode) -> list[LexborNode]:
    """The nodes right below a node, texts among them."""
    found: list[LexborNode] = []
    child = node.child
    while child is not None:
        found.append(child)
        child = child.next
    return found
