"""Matrix: rooms as Element exports them in JSON, and plain lists of events."""

from .connector import MatrixConnector

__all__ = ["MatrixConnector"]
