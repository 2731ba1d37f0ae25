"""Source code: files of programming languages, a text document each."""

from .connector import SourceCodeConnector

__all__ = ["SourceCodeConnector"]
