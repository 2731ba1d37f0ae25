"""The embedded backend: SQLite, tantivy and usearch in one directory."""

from .backend import EmbeddedBackend

__all__ = ["EmbeddedBackend"]
