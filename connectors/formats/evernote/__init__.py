"""Evernote: notebooks exported as .enex, a document for each note."""

from .connector import EvernoteConnector

__all__ = ["EvernoteConnector"]
