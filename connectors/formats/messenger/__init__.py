"""Facebook Messenger and Instagram: the chats in the JSON exports of Meta, and of Messenger's encrypted chats."""

from .connector import InstagramConnector, MessengerConnector

__all__ = ["InstagramConnector", "MessengerConnector"]
