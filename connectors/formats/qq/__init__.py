"""QQ: chats that the client exports as text, and what QQChatExporter writes."""

from .connector import QQConnector

__all__ = ["QQConnector"]
