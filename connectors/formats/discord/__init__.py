"""Discord: chats exported by DiscordChatExporter as JSON, and the data package that Discord itself gives out."""

from .connector import DiscordConnector

__all__ = ["DiscordConnector"]
