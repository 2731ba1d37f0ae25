"""Parses a Notion page from Markdown or HTML: its title, properties, and text with links as titles. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from selectolax.lexbor import LexborNode

from ...text.html.links import addresses_in
from ...text.html.text import children_of, nodes_text
from ...text.html.tree import html_tree
from .detection import PAGE_OF_HTML
from .names import LINK

_LINK_TEXT = re.compile(r"(?<!!)\[(?P<text>[^\[\]\n]{0,500})\]" + LINK.pattern, re.IGNORECASE | re.ASCII)
_RELATION = re.compile(
    r" \((?:https://www\.notion\.so/)?[^()\s]{0,1000}?[0-9a-f]{32}(?:\.(?:md|html|csv)|\?pvs=\d+)?\)",
    re.IGNORECASE | re.ASCII,
)
_HREF = re.compile(r"(?:.*(?:%20|/))?([0-9a-f]{32})(?:_all)?\.(?:md|html|csv)", re.IGNORECASE | re.DOTALL)
_BOX = re.compile(r"(?m)^( *- \[[ x]\])  +")
_UNTITLED = "Untitled"
_LONGEST_PROPERTY = 4096


_TIMES = {"property-row-created_time": "created", "property-row-last_edited_time": "updated"}


@dataclass(slots=True)
class Page:
    """The content of a page."""

    title: str
    text: str
    """Markdown with the title as heading, the properties as lines below it, and links to pages as ``[[title]]``."""
    properties: dict[str, str] = field(default_factory=dict[str, str])
    """The properties of a row of a database."""
    page: str = ""
    """The id in the page itself; only in HTML."""
    links: list[str] = field(default_factory=list[str])
    """The distinct titles of pages that it links to."""
    times: dict[str, str] = field(default_factory=dict[str, str])
    """The properties ``created`` and ``updated``, where the page marks them; only in HTML."""


def markdown_page(text: str, columns: Collection[str], titles: Mapping[str, str]) -> Page:
    """Parse a page in Markdown.

    Args:
        text: of the file.
        columns: the columns of the database with this page as a row; empty for a page outside databases.
        titles: by id, of the pages of this export.
    """
    first, _, rest = text.lstrip("\ufeff").partition("\n")
    title = first.removeprefix("#").strip()
    properties = _properties(rest, columns)
    links: dict[str, None] = {}

    def linked(match: re.Match[str]) -> str:
        listed_title = titles.get(match["id"].lower(), "")
        shown = match["text"].strip() or listed_title or _UNTITLED
        # Notion shortens file names; the link text then is the whole title.
        target = shown if not listed_title or shown.startswith(listed_title) else listed_title
        links[target] = None
        return f"[[{target}]]" if target == shown else f"[[{target}|{shown}]]"

    page = Page(title or _UNTITLED, _LINK_TEXT.sub(linked, text.lstrip("\ufeff")), properties)
    page.links = list(links)
    return page


def _properties(rest: str, columns: Collection[str]) -> dict[str, str]:
    """Return the lines ``Name: value`` below the title whose names are columns of the database."""
    result: dict[str, str] = {}
    last = ""
    if not columns:
        return result
    for line in rest.lstrip("\r\n").split("\n"):
        name, mark, value = line.rstrip("\r").partition(": ")
        if mark and name in columns:
            result[name] = plain_value(value)
            last = name
        elif line.strip() and last and len(result[last]) < _LONGEST_PROPERTY:
            result[last] += f"\n{plain_value(line)}"  # a value of several lines
        else:
            break
    return {name: value for name, value in result.items() if value}


def plain_value(text: str) -> str:
    """Return a value without the paths after the names of related pages."""
    return _RELATION.sub("", text).strip()


def row_text(title: str, properties: Mapping[str, str]) -> str:
    """Return the text of a row without a page, in the form of Notion's pages."""
    lines = [f"{name}: {value}" for name, value in properties.items()]
    return "\n\n".join(part for part in (f"# {title}", "\n".join(lines)) if part) + "\n"


def html_page(text: str, titles: Mapping[str, str]) -> Page | None:
    """Parse a page in HTML; return None if parsing would be too costly or the text is not a Notion page.

    Args:
        text: of the file.
        titles: by id, of the pages of this export; rows with a page of their own are removed from database tables.
    """
    page_match = PAGE_OF_HTML.search(text)
    tree = html_tree(text) if page_match is not None else None
    article = tree.css_first("article.page") if tree is not None else None
    if page_match is None or article is None:
        return None
    heading = article.css_first(".page-title")
    title = " ".join(heading.text().split()) if heading is not None else ""
    message_id = page_match["id"].replace("-", "").lower()
    page = Page(title or _UNTITLED, "", page=message_id)
    _write_out(article)
    for row in article.css("table.properties tr"):
        cells = [child for child in children_of(row) if child.tag in ("th", "td")]
        if len(cells) >= 2 and (name := nodes_text(children_of(cells[0])).strip()):
            value = nodes_text(children_of(cells[1])).strip()[:_LONGEST_PROPERTY]
            if value:
                page.properties[name] = value
                for kind in (row.attributes.get("class") or "").split():
                    if kind in _TIMES:
                        page.times[_TIMES[kind]] = value
    _leave_rows_to_their_pages(article, titles)
    links = (_HREF.fullmatch(node.attributes.get("href") or "") for node in article.css("a"))
    page.links = list(dict.fromkeys(titles[key] for link in links if link and (key := link[1].lower()) in titles))
    page.links = list(dict.fromkeys([*page.links, *addresses_in(article)]))
    body = article.css_first(".page-body")
    words = _BOX.sub(r"\1 ", nodes_text([body], headings=True)) if body is not None else ""
    described = article.css_first(".page-description")
    words = "\n\n".join(filter(None, (nodes_text([described]).strip() if described is not None else "", words)))
    page.text = row_text(page.title, page.properties) + (f"\n{words}\n" if words else "")
    return page


def _write_out(article: LexborNode) -> None:
    """Write as text what a page shows by style: task boxes, and the separators between several values."""
    for box in article.css("div.checkbox"):
        on = "checkbox-on" in (box.attributes.get("class") or "").split()
        in_cell = box.parent is not None and box.parent.tag == "td"
        box.replace_with(("Yes" if on else "No") if in_cell else ("[x] " if on else "[ ] "))
    for shown in article.css(".katex-html, .katex-mathml semantics > mrow"):
        shown.decompose()  # a formula occurs three times; the one in TeX stays
    for value in article.css("td span.selected-value, td span.user"):
        if value.prev is not None and value.prev.tag == "span":
            value.insert_before(", ")


def _leave_rows_to_their_pages(article: LexborNode, titles: Mapping[str, str]) -> None:
    for row in article.css("table.collection-content tbody tr"):
        link = row.css_first("td.cell-title a")
        target = _HREF.fullmatch(link.attributes.get("href") or "") if link is not None else None
        if target is not None and target[1].lower() in titles:
            row.decompose()
