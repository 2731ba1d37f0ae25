"""Detects Notion's files: pages in Markdown and HTML, tables of databases."""

from __future__ import annotations

import re

from ...connector import Member
from ...files.whole_files import head_text
from ...text.csv_rows import first_row
from .names import is_notion_page, notion_name

CERTAIN = 0.95
TABLE = 0.9
HEAD = 64 * 1024
PAGE_OF_HTML = re.compile(
    r"<article id=\"(?P<id>[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\"[^>]{0,40}? class=\"page\b",
    re.IGNORECASE,
)
_HTML = re.compile(r"\s{0,20}(?:<!doctype\s|<html[\s>])", re.IGNORECASE)


def score(member: Member) -> float:
    """Return the confidence that a file belongs to a Notion export.

    Raises:
        SourceError: it cannot be read.
    """
    text = head_text(member, HEAD).lstrip("\ufeff")
    if not text.strip():
        return 0.0
    if is_notion_page(member.name, text):
        return CERTAIN
    if _HTML.match(text):
        return CERTAIN if PAGE_OF_HTML.search(text) else 0.0
    name = notion_name(member.name)
    return TABLE if name is not None and name.ending == "csv" and any(first_row(text)) else 0.0
