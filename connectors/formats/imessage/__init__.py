"""iMessage: the database of Messages on a Mac (chat.db), or of an iPhone's backup (sms.db)."""

from .connector import IMessageConnector

__all__ = ["IMessageConnector"]
