"""PDF: the text of files, page by page, read by a process of its own with limits of memory and time."""

from .connector import PdfConnector

__all__ = ["PdfConnector"]
