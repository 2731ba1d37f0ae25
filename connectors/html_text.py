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
_LISTS = frozenset({"ol", "ul"})
_DEEPEST_LIST = 12
_CELL_ENDS = -1
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
        self._marked = False
        """The last thing is a mark, whose words may stand in a block of their own: it ends no line."""
        self._line = 0
        """How many line ends there are before the last words."""
        self._cells: list[int | None] = []
        """Of each open cell, the line in which its words begin; None before the first."""

    def lines(self, count: int) -> None:
        """At least so many line ends before what comes next."""
        if not self._marked:
            self.breaks = max(self.breaks, count)

    def begin_item(self, depth: int) -> None:
        """An item of a list."""
        self._marked = False
        self.add(f"{'  ' * (depth - 1)}- ", verbatim=True)
        self._marked = True

    def begin_list(self) -> None:
        """Where an item or cell begins with a list, that has lines of its own."""
        self._marked = False

    def begin_cell(self) -> None:
        """A cell goes on in the line of the one before."""
        if not self.breaks:
            self.add(" | ")
        self._marked = True
        self._cells.append(None)

    def end_cell(self) -> None:
        """The words of a cell, in a block or not, end the line only where they are several lines."""
        self._marked = False
        if self._cells and self._cells.pop() == self._line:
            self.breaks = 0

    def add(self, text: str, *, verbatim: bool = False) -> None:
        """Add words; blanks at the begin of a line say nothing, but in code."""
        if not verbatim:
            text = _BLANKS.sub(" ", text)
            if (self.at_start or self.breaks or self._marked) and not (text := text.lstrip(" ")):
                return
        if not text:
            return
        if not self.at_start:
            self.parts.append("\n" * self.breaks)
            self._line += self.breaks
        self.parts.append(text)
        self.breaks, self.at_start, self._marked = 0, False, False
        at = len(self._cells)
        while at and self._cells[at - 1] is None:
            at -= 1
            self._cells[at] = self._line


def plain_text(html: str) -> str:
    """The text that a reader sees; of what nests too deep for the parser the words alone."""
    if too_deep(html):
        return " ".join(unescape(_TAG.sub(" ", html)).split())
    root = LexborHTMLParser(html).body
    return nodes_text([root]) if root is not None else ""


def nodes_text(nodes: list[LexborNode], *, headings: bool = False, code: str = "") -> str:
    """The text of some nodes that stand beside each other.

    Args:
        nodes: in their order.
        headings: whether they get the marks of Markdown.
        code: what the style of a block of code holds, beside ``<pre>``.
    """
    text = _Text()
    # A node, the line ends behind it (for what ends here instead of a node), whether it is in code, lists around it.
    stack: list[tuple[LexborNode | None, int, bool, int]] = [(node, 0, False, 0) for node in reversed(nodes)]
    while stack:
        node, lines, within_code, depth = stack.pop()
        if node is None:
            if lines == _CELL_ENDS:
                text.end_cell()
            else:
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
        if tag in _LISTS:
            text.begin_list()
            lines, depth = (1 if depth else lines), min(depth + 1, _DEEPEST_LIST)
        text.lines(lines)
        if headings and tag in _HEADINGS:
            text.add(f"{'#' * int(tag[1])} ", verbatim=True)
        elif tag == "li":
            text.begin_item(max(depth, 1))
        elif tag in ("td", "th"):
            text.begin_cell()
            lines = _CELL_ENDS
        if tag == "pre" or (code and tag == "div" and code in (node.attributes.get("style") or "")):
            within_code = True
        stack.append((None, lines, False, 0))
        stack.extend((child, 0, within_code, depth) for child in reversed(children_of(node)))
    return "".join(text.parts).rstrip()


def children_of(node: LexborNode) -> list[LexborNode]:
    """The nodes right below a node, texts among them."""
    found: list[LexborNode] = []
    child = node.child
    while child is not None:
        found.append(child)
        child = child.next
    return found
