"""Google Chat: the chats and spaces in a Google Takeout, and those of Hangouts before it."""

from .connector import GoogleChatConnector

__all__ = ["GoogleChatConnector"]
