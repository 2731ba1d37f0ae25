"""Folders, archives and files of notes: Markdown and plain text."""

from .connector import NotesConnector

__all__ = ["NotesConnector"]
