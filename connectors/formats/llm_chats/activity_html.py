"""Parses one record of Google's My Activity on a page. Pure."""

from __future__ import annotations

from datetime import tzinfo

from selectolax.lexbor import LexborNode

from ...record_faults import or_reason
from ...text.html.text import children_of, nodes_text
from ...text.html.tree import TOO_COSTLY, html_tree
from .activity_dates import activity_date
from .gemini_activity import Activity, is_gemini

MARK = b'<div class="outer-cell'
"""The bytes with which each record begins."""


@or_reason
def html_activity(piece: bytes, zone: tzinfo) -> Activity | str | None:
    """Return a record of the page, or the reason why it cannot be read; None for a record of another product."""
    tree = html_tree(piece.decode("utf-8", "replace"))
    if tree is None:
        return TOO_COSTLY
    cell = tree.css_first("div.outer-cell")
    if cell is None:
        return "a record that is cut off"
    bodies = [node for node in cell.css("div.content-cell") if "text-right" not in (node.attributes.get("class") or "")]
    labels = [node.text(deep=True) for node in cell.css("div.header-cell, div.mdl-typography--caption")]
    if not is_gemini([label.strip() for label in labels]):
        return None
    if not bodies:
        return "a record without a text"
    return _activity(children_of(bodies[0]), zone)


def _activity(nodes: list[LexborNode], zone: tzinfo) -> Activity | str:
    """Split a record at its date: the title is before it, the answer after it."""
    for number, node in enumerate(nodes):
        if node.tag != "-text":
            continue
        instant = activity_date(node.text(deep=False) or "", zone)
        if instant is None:
            continue
        before = nodes[:number]
        title = nodes_text([each for each in before if each.tag != "a" or not _is_file(each)])
        files = [name for each in before if _is_file(each) and (name := each.attributes.get("href"))]
        answer = nodes_text(nodes[number + 1 :])
        return Activity(_without_bullets(title), instant[0], answer, files, zone_known=instant[1])
    return "a record without a date that can be read"


def _is_file(node: LexborNode) -> bool:
    address = node.attributes.get("href") if node.tag == "a" else None
    return bool(address) and "://" not in str(address) and not str(address).startswith(("#", "mailto:"))


def _without_bullets(title: str) -> str:
    """Return the title without the dashes before the names of files, which were removed."""
    lines = title.split("\n")
    while lines and lines[-1].strip(" \u00a0") in ("", "-"):
        lines.pop()
    return "\n".join(lines)
