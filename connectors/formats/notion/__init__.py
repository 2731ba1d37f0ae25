"""Notion: exports in Markdown and CSV, and in HTML; one document per page and per row of a database."""

from __future__ import annotations

from ...connector import Format

FORMATS = (
    Format(
        "notion",
        rank=320,
        connector=f"{__name__}.connector:NotionConnector",
        reads="Notion: exports as Markdown & CSV or HTML, with databases, properties and archives in parts",
        leaves_out="comments, pictures and files, formulas beyond their values",
        pieces=r"-Part-\d+",  # Export-Part-1.zip
        receipts="counted",
    ),
)
