"""Notion: exports in Markdown and CSV, and in HTML; a document for each page and each row of a database."""

from .connector import NotionConnector

__all__ = ["NotionConnector"]
