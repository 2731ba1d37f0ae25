"""EPUB: books, a document for each chapter and a collection for the book."""

from .connector import EpubConnector

__all__ = ["EpubConnector"]
