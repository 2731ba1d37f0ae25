"""DOCX: the text of documents of Word and other offices, with headings, tables, notes and comments."""

from .connector import DocxConnector

__all__ = ["DocxConnector"]
