"""A page of HTML as Markdown: the visible text, without menus, scripts and hidden parts. Pure."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode

from ..charset import Decoded, decode
from .links import addresses_in
from .text import nodes_text
from .tree import html_tree

_LEFT_OUT = frozenset({"nav", "script", "style", "noscript", "template", "iframe", "button", "select", "svg", "dialog"})
_EDGES = frozenset({"footer", "aside"})
"""Left out of a page, kept in an article."""
_HIDDEN = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
_NOTED = "[hidden], [aria-hidden], [style], [role]"
"""Elements whose attributes tell more than their name; reading the attributes of all others takes half of the time."""
_NONE: dict[str, str | None] = {}
_CHARSET = re.compile(
    rb"<(?:meta\s[^>]{0,400}?charset|\?xml\s[^>]{0,200}?encoding)\s*=\s*[\"']?\s*([\w.:-]{2,40})", re.IGNORECASE
)
_META = {
    "author": "author",
    "article:author": "author",
    "article:published_time": "created",
    "date": "created",
    "dc.date": "created",
    "datepublished": "created",
    "article:modified_time": "updated",
    "og:url": "url",
    "og:title": "title",
    "keywords": "keywords",
}
_LONGEST = 4096
_MAIN_SHARE = 0.4
"""The part of a page's text that its main part has at least; else all is the page's text."""
_NEARLY_ALL = 2 * _MAIN_SHARE
"""The part of a page's raw text above which the main part is taken without a look at the rest."""


@dataclass(slots=True)
class PageText:
    """The text and the metadata of a page."""

    text: str = ""
    """Markdown: headings with ``#``, lists, tables with ``|``."""
    title: str = ""
    heading: str = ""
    """The first heading."""
    language: str = ""
    said: dict[str, str] = field(default_factory=dict[str, str])
    """The metadata of the page: ``author``, ``created``, ``updated``, ``url``, ``keywords``."""
    hidden: int = 0
    """Characters that a reader does not see."""
    links: list[str] = field(default_factory=list[str])
    """The addresses behind the words of the text."""
    too_costly: bool = False
    """True if the page was not read: `tree.TOO_COSTLY`."""


def decoded_page(data: bytes) -> Decoded | None:
    """Return the text of a page, decoded by its byte order mark, its stated encoding or else by evidence; None if it is
    no text.
    """
    charset = _CHARSET.search(data[:4096])
    if charset is not None and not data.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        name = charset[1].decode("ascii", "replace").lower()
        name = {"iso-8859-1": "cp1252", "latin1": "cp1252", "us-ascii": "cp1252", "utf-16": "utf-8"}.get(name, name)
        try:
            text = data.decode(name, "replace")
        except (LookupError, UnicodeError):
            return decode(data)
        return Decoded(text, codecs.lookup(name).name, replaced="\ufffd" in text)
    return decode(data)


def page_text(html: str, *, whole: bool = False) -> PageText:
    """Return the text of a page.

    Args:
        html: the page.
        whole: everything in the body counts, as in a book; else the main part of a page, where there is one.
    """
    page = PageText()
    tree = html_tree(html)
    if tree is None:
        page.too_costly = True
        return page
    _head(tree, page)
    body = tree.body
    if body is None:
        return page
    mains = [] if whole else _tidy(body, page)
    if whole:
        _tidy(body, page, edges=False)
    shown = body
    if len(mains) == 1:
        page.text, shown = nodes_text(mains, headings=True), mains[0]
    if shown is body or len(page.text) < len(body.text()) * _NEARLY_ALL:
        text = nodes_text([body], headings=True)
        if len(page.text) < len(text) * _MAIN_SHARE or shown is body:
            page.text, shown = text, body
    page.links = addresses_in(shown)
    first = re.search(r"^#{1,6} (.+)$", page.text, re.MULTILINE)
    page.heading = first[1].strip() if first else ""
    return page


def _head(tree: LexborHTMLParser, page: PageText) -> None:
    root = tree.root
    if root is not None:
        page.language = (root.attributes.get("lang") or "").strip()[:35]
    for node in tree.css("title"):
        if node.parent is not None and node.parent.tag == "head":
            page.title = " ".join(node.text().split())[:_LONGEST]
            break
    for node in tree.css("meta"):
        attributes = node.attributes
        key = (attributes.get("property") or attributes.get("name") or attributes.get("itemprop") or "").lower()
        value = " ".join((attributes.get("content") or "").split())
        if key in _META and value:
            page.said.setdefault(_META[key], value[:_LONGEST])
    for node in tree.css('link[rel="canonical"]'):
        if address := (node.attributes.get("href") or "").strip():
            page.said["url"] = address[:_LONGEST]
            break
    page.title = page.title or page.said.get("title", "")


def _tidy(body: LexborNode, page: PageText, *, edges: bool = True) -> list[LexborNode]:
    """Remove the parts that people do not read; return the main parts of the page."""
    mains: list[LexborNode] = []
    gone: list[LexborNode] = []
    noted = {node.mem_id for node in body.css(_NOTED)}
    stack: list[tuple[LexborNode, bool]] = [(child, False) for child in body.iter()]
    while stack:
        node, in_article = stack.pop()
        tag = node.tag or ""
        attributes = node.attributes if node.mem_id in noted else _NONE
        if attributes and _is_hidden(attributes):
            page.hidden += len(nodes_text([node]))
            gone.append(node)
            continue
        role = attributes.get("role") or ""
        edge = edges and not in_article and (tag in _EDGES or role in ("navigation", "banner", "contentinfo"))
        if tag in _LEFT_OUT or edge:
            gone.append(node)
            continue
        if tag == "main" or role == "main" or (tag == "article" and not in_article):
            if not in_article:
                mains.append(node)
            in_article = True
        stack.extend([(child, in_article) for child in node.iter()])
    for node in gone:
        node.decompose()
    return mains


def _is_hidden(attributes: dict[str, str | None]) -> bool:
    if "hidden" in attributes or attributes.get("aria-hidden") == "true":
        return True
    style = attributes.get("style")
    return bool(style) and _HIDDEN.search(style or "") is not None
