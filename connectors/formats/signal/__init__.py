"""Signal: the plain export of the app (main.jsonl), and chats of signal-export (data.json, chat.md)."""

from .connector import SignalConnector

__all__ = ["SignalConnector"]
