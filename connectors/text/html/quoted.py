"""HTML of mails as text: the visible text, with ``>`` before quoted lines; hidden text is left out and counted."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from html import unescape

from selectolax.lexbor import LexborHTMLParser, LexborNode

from .links import leads_elsewhere
from .tree import html_tree

LONGEST = 8 << 20
"""The largest number of characters of HTML that are parsed; no person writes more, and programs that do repeat
themselves.
"""
MOST_LINKS = 500
DEEPEST = 500
"""Elements inside elements. A mail that goes deeper comes as its text without any structure."""
_TAG = re.compile(r"<[^<>]*>")
_SPACE = re.compile(r"[ \t\r\n\f\v]+")
_SCHEMES = ("http://", "https://", "mailto:", "tel:", "sms:")
_LONGEST_TARGET = 300
"""Characters of an address that still stands in the text; longer ones count readers."""

_LEFT_OUT = (
    "style", "script", "title", "template", "noscript", "meta", "link", "object", "svg", "head", "input", "select",
)  # fmt: skip
_INLINE = [
    "span", "font", "b", "i", "u", "em", "strong", "small", "big", "sub", "sup", "s", "strike", "code", "tt", "ins",
    "mark", "abbr", "bdi", "bdo", "label", "tbody", "thead", "tfoot", "center", "time",
]  # fmt: skip
_SPACED = frozenset({"p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "pre", "dl", "blockquote"})
_BLOCKS = _SPACED | {
    "address", "article", "aside", "body", "dd", "details", "div", "dt", "fieldset", "figcaption", "figure", "footer",
    "form", "header", "hr", "li", "main", "nav", "section", "summary", "table", "td", "th", "tr",
}  # fmt: skip
_STYLED = "[hidden],[style*='none' i],[style*='hidden' i],[style*=':0'],[style*=': 0'],[style*='1px' i],[style*='hide' i],[style*='fff' i],[style*='white' i],[style*='255' i]"
_HIDING = ("hidden", "none", ":0", ": 0", ":1px", ": 1px", "mso-hide", "color:")
"""The substrings of markup without which nothing is hidden."""
_HIDDEN_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all|(?<![-\w])font-size\s*:\s*1px"
    r"|(?<![-\w])(?:font-size|max-height|opacity)\s*:\s*0(?:\.0+)?(?:px|pt|em|rem|%)?\s*(?:;|!|$)",
    re.IGNORECASE,
)
_COLOUR = re.compile(r"(?<![-\w])color\s*:\s*([^;!]+)", re.IGNORECASE)
_BACKGROUND = re.compile(r"background(?:-color)?\s*:\s*([^;!]+)", re.IGNORECASE)
_WHITES = frozenset({"#fff", "#ffffff", "white", "rgb(255,255,255)"})
_DIVIDER = re.compile(
    r"divrplyfwdmsg|appendonsend|isforwardcontent|border-top\s*:\s*solid\s*#(?:e1e1e1|b5c4df)", re.IGNORECASE
)
_DIVIDERS = ("divrplyfwdmsg", "appendonsend", "isforwardcontent", "#e1e1e1", "#b5c4df")
_INDENTED = re.compile(r"margin\s*:\s*0\S*\s+0\S*\s+0\S*\s+40px", re.IGNORECASE)


@dataclass(slots=True)
class _QuotedLines:
    """Lines under construction."""

    lines: list[str] = field(default_factory=list[str])
    line: list[str] = field(default_factory=list[str])
    depth: int = 0
    hidden: int = 0
    preformatted: int = 0
    links: dict[str, None] = field(default_factory=dict[str, None])

    def text(self, text: str) -> None:
        """Add words to the line; runs of blanks become one blank, except in preformatted text."""
        if self.preformatted:
            first, *rest = text.replace("\r\n", "\n").split("\n")
            self.line.append(first)
            for each in rest:
                self.end(force=True)
                self.line.append(each)
            return
        shown = _SPACE.sub(" ", text)
        if shown[:1] == " " and (not self.line or self.line[-1].endswith((" ", "\t"))):
            shown = shown[1:]
        if shown:
            self.line.append(shown)

    def end(self, *, force: bool = False) -> None:
        """End the line; an empty one is written only if ``force`` is set."""
        if not self.line and not force:
            return
        text = "".join(self.line)
        text = text if self.preformatted else text.rstrip(" \t")
        if text.strip() or force:
            prefix = ">" * self.depth
            self.lines.append(f"{prefix} {text}" if prefix and text else prefix + text)
        self.line.clear()

    def blank(self) -> None:
        """Add a blank line, unless there is one or nothing stands above."""
        self.end()
        if self.lines and self.lines[-1].strip("> "):
            self.lines.append(">" * self.depth)

    def finished(self) -> str:
        """Return all lines, without blank ones at both ends."""
        self.end()
        while self.lines and not self.lines[-1].strip():
            self.lines.pop()
        start = next((index for index, line in enumerate(self.lines) if line.strip()), 0)
        return "\n".join(self.lines[start:])


@dataclass(slots=True)
class HtmlText:
    """A text that was made of HTML."""

    text: str
    hidden: int = 0
    """Characters that a reader does not see, which are left out."""
    links: tuple[str, ...] = ()
    """The addresses that the visible text links to, each once, in order."""


def html_to_text(html: str) -> HtmlText:
    """Return the text of a mail in HTML; never raises.

    Paragraphs are separated by a blank line, cells of a table by a tab; an address stands in ``<…>`` behind the words
    that link to it; each line of a ``blockquote`` begins with as many ``>`` as it is quoted deep.
    """
    html = html[:LONGEST].replace("\0", "")
    tree = html_tree(html, deepest=DEEPEST)
    if tree is None:
        return HtmlText(unescape(_TAG.sub(" ", html)).strip())
    low = html.lower()
    hidden = _hidden_nodes(tree) if any(hint in low for hint in _HIDING) else {}
    kept = set(hidden.values())
    # Every tag costs a search through the tree, so only those that occur are named.
    if left_out := [tag for tag in _LEFT_OUT if f"<{tag}" in low]:
        tree.strip_tags(left_out)
    if inline := [tag for tag in _INLINE if f"<{tag}" in low and tag not in kept]:
        tree.unwrap_tags(inline, delete_empty=False)
    writer = _QuotedLines()
    root = tree.body or tree.root
    if root is not None:
        _write(root, writer, hidden, dividers=any(each in low for each in _DIVIDERS))
    return HtmlText(writer.finished(), writer.hidden, tuple(writer.links)[:MOST_LINKS])


def _hidden_nodes(tree: LexborHTMLParser) -> dict[int, str]:
    """Return the elements that a reader does not see: their tags by their address in memory."""
    hidden: dict[int, str] = {}
    for node in tree.css(_STYLED):
        attributes = node.attributes
        if "hidden" in attributes or _is_hidden(attributes.get("style") or ""):
            hidden[node.mem_id] = node.tag or ""
    return hidden


@lru_cache(maxsize=4096)
def _is_hidden(style: str) -> bool:
    if _HIDDEN_STYLE.search(style):
        return True
    colour, background = _COLOUR.search(style), _BACKGROUND.search(style)
    return (
        colour is not None
        and background is not None
        and all(each[1].replace(" ", "").lower() in _WHITES for each in (colour, background))
    )


def _write(root: LexborNode, out: _QuotedLines, hidden: dict[int, str], *, dividers: bool) -> None:
    """Walk through an element without recursion: some mails are thousands of elements deep."""
    stack: list[tuple[LexborNode, str]] = []
    node = root.child
    while node is not None or stack:
        if node is None:
            node, tag = stack.pop()
            _close(node, tag, out)
            node = node.next
            continue
        tag = node.tag or ""
        if tag == "-text":
            out.text(node.text_content or "")
        elif hidden and node.mem_id in hidden:
            out.hidden += len(_SPACE.sub(" ", node.text() or "").strip())
        elif tag == "br":
            out.end(force=True)
        elif tag == "img":
            _image(node.attributes, out)
        elif tag[:1] not in "-!":
            tag = _open(node, tag, out, dividers=dividers)
            stack.append((node, tag))
            node = node.child
            continue
        node = node.next


def _open(node: LexborNode, tag: str, out: _QuotedLines, *, dividers: bool) -> str:
    """Write the text before an element's children; return the tag that closes the element."""
    if tag in ("td", "th"):
        if out.line:
            out.line.append("\t")
        return tag
    if tag not in _BLOCKS:
        return tag
    in_cell = tag in ("div", "p", "table", "tr") and out.line[-1:] == ["\t"]
    if not in_cell:
        out.end()
    if tag == "blockquote":
        attributes = node.attributes
        if _INDENTED.search(attributes.get("style") or "") and attributes.get("type") != "cite":
            return "div"
        out.blank()
        out.depth += 1
    elif (tag in _SPACED and not in_cell) or (
        dividers and tag in ("div", "hr") and _DIVIDER.search(" ".join(filter(None, node.attributes.values())))
    ):
        out.blank()
    if tag == "li":
        out.line.append("- ")
    out.preformatted += tag == "pre"
    return tag


def _close(node: LexborNode, tag: str, out: _QuotedLines) -> None:
    if tag == "a":
        _link(node, out)
        return
    if tag not in _BLOCKS or tag in ("td", "th"):
        return
    out.end()
    out.preformatted -= tag == "pre"
    if tag == "blockquote":
        while out.lines and out.lines[-1] == ">" * out.depth:
            out.lines.pop()
        out.depth -= 1
    if tag in _SPACED:
        out.blank()


def _image(attributes: dict[str, str | None], out: _QuotedLines) -> None:
    """Add an image's description, unless the image is there to count readers."""
    tiny = attributes.get("width") in ("0", "1") or attributes.get("height") in ("0", "1")
    words = (attributes.get("alt") or "").strip()
    if words and not tiny:
        out.text(f"[{words}]")


def _link(node: LexborNode, out: _QuotedLines) -> None:
    target = (node.attributes.get("href") or "").strip()
    if not target.lower().startswith(_SCHEMES):
        return
    out.links[target] = None
    if len(target) >= _LONGEST_TARGET:
        return
    shown = _SPACE.sub(" ", node.text() or "").strip()
    if target.startswith(("tel:", "sms:")) and not leads_elsewhere(target, shown):
        return
    plain = target.removeprefix("mailto:").removeprefix("tel:").removeprefix("sms:")
    if shown and plain.rstrip("/") not in (shown, f"http://{shown}", f"https://{shown}"):
        out.line.append(f" <{plain}>")
