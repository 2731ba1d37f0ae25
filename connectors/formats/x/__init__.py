"""X, formerly Twitter: posts, direct messages and chats with Grok of the archive of an account."""

from .connector import XConnector

__all__ = ["XConnector"]
