"""IRC: logs of clients, bouncers and bots."""

from .connector import IrcConnector

__all__ = ["IrcConnector"]
