"""LINE: chats that the app exports as text."""

from .connector import LineConnector

__all__ = ["LineConnector"]
