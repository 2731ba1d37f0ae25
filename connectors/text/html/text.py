"""HTML as plain text or Markdown: paragraphs, lists and code as a reader sees them. Pure.

Pages whose elements nest as they are written, such as answers of models, are read in a fifth of the parser's time: their
elements are known, end where they should, and stand where they may. Whatever is not sure to be read as it is written is left
to the parser.
"""

from __future__ import annotations

import re
from html import unescape

from selectolax.lexbor import LexborNode

from .lines import HTMLLines
from .tree import html_tree

_UNSEEN = frozenset({"script", "style", "template", "head", "title", "noscript"})
_TAG = re.compile(r"<[^<>]*>")
_DEEPEST = 60
_INLINE = frozenset({"a", "b", "br", "code", "em", "i", "s", "span", "strong", "sub", "sup", "u"})
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_FLOW = _INLINE | _HEADINGS | {"blockquote", "div", "hr", "ol", "p", "pre", "table", "ul"}
_WITHIN: dict[str, frozenset[str]] = {
    **dict.fromkeys(("", "blockquote", "div", "li", "td", "th"), _FLOW),
    **dict.fromkeys((*_INLINE - {"br"}, *_HEADINGS, "p", "pre"), _INLINE),
    **dict.fromkeys(("ol", "ul"), frozenset({"li"})),
    "table": frozenset({"thead", "tbody"}),
    **dict.fromkeys(("thead", "tbody"), frozenset({"tr"})),
    "tr": frozenset({"td", "th"}),
}
"""The tags that each element may contain without being closed by them."""
_ROWS = frozenset({"table", "thead", "tbody", "tr"})
"""Words in these would be moved before the table."""
_BLANKS = " \t\n\f"
DISPLAYED = frozenset[str]().union(*_WITHIN.values())
"""The elements that the fast path knows."""
_PLAIN_TAG = re.compile(rf"<(/?)({'|'.join(sorted(DISPLAYED))})(?: [a-z-]{{1,40}}=\"[^\"<>&]*\")*+>")
_UNSURE = re.compile(r"[\ud800-\udfff\ufeff]")
_UNSURE_ENTITY = re.compile(r"&(?!(?:amp|gt|lt|nbsp|quot|#39);)")


def plain_text(html: str) -> str:
    """Return the visible text of a page; for a page that is too costly to parse, its words alone."""
    if (plain := text_of_plain_html(html)) is not None:
        return plain
    return text_of_html(html)


def text_of_html(html: str) -> str:
    """Return the visible text by the parser, for any page."""
    tree = html_tree(html)
    if tree is None:
        return words_alone(html)
    return nodes_text([tree.body]) if tree.body is not None else ""


def words_alone(html: str) -> str:
    """Return everything between the tags of a page, without paragraphs."""
    return " ".join(unescape(_TAG.sub(" ", html)).split())


def nodes_text(nodes: list[LexborNode], *, headings: bool = False, code: str = "") -> str:
    """Return the text of nodes that are neighbours.

    Args:
        nodes: in their order.
        headings: whether they get the marks of Markdown.
        code: what the style of a block of code holds, beside ``<pre>``.
    """
    text = HTMLLines()
    # A node, how it ends (for an end in place of a node), whether it is in code, and the number of lists around it.
    stack: list[tuple[LexborNode | None, int, bool, int]] = [(node, 0, False, 0) for node in reversed(nodes)]
    while stack:
        node, ending, within_code, depth = stack.pop()
        if node is None:
            text.end_element(ending)
            continue
        tag = node.tag or ""
        if tag == "-text":
            text.add(node.text_content or "", verbatim=within_code)
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
        stack.extend([(child, 0, within_code, depth) for child in reversed(children_of(node))])
    return text.text()


def children_of(node: LexborNode) -> list[LexborNode]:
    """Return the nodes right below a node, texts among them."""
    children: list[LexborNode] = []
    child = node.child
    while child is not None:
        children.append(child)
        child = child.next
    return children


def text_of_plain_html(html: str) -> str | None:
    """Return the result of `text_of_html`; None if the fast path cannot be sure of it."""
    pieces = _pieces(html)
    if pieces is None:
        return None
    text = HTMLLines()
    text.add(pieces[0])
    # For each open element: its name, how it ends, whether it is in code, and the number of lists around it.
    stack: list[tuple[str, int, bool, int]] = []
    within, ending, within_code, depth = "", 0, False, 0
    for slash, tag, words in zip(pieces[1::3], pieces[2::3], pieces[3::3], strict=True):
        if slash:
            if tag != within:
                return None
            text.end_element(ending)
            within, ending, within_code, depth = stack.pop()
        elif tag not in _WITHIN[within] or len(stack) > _DEEPEST:
            return None
        elif tag == "br":
            text.breaks += 1
        elif tag == "hr":
            text.end_element(text.begin_element(tag, depth)[0])
        else:
            stack.append((within, ending, within_code, depth))
            if (tag == "pre" and words.startswith("\n")) or (tag == "a" and any(each[0] == "a" for each in stack)):
                return None
            within, within_code = tag, within_code or tag == "pre"
            ending, depth = text.begin_element(tag, depth)
        if words:
            if within in _ROWS and words.strip(_BLANKS):
                return None
            text.add(words, verbatim=within_code)
    return None if stack else text.text()


def _pieces(html: str) -> list[str] | None:
    """Return the words before the first tag, then for each tag the slash of an end tag, the tag's name and the words
    after it; None if the page contains other markup.
    """
    pieces = _PLAIN_TAG.split(html)
    if html.count("<") != len(pieces) // 3 or "\0" in html or "\r" in html:
        return None
    if not html.isascii() and _UNSURE.search(html):
        return None
    if "&" in html:
        if _UNSURE_ENTITY.search(html):
            return None
        pieces[::3] = map(unescape, pieces[::3])
    return pieces
