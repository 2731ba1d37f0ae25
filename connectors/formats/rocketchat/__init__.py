"""Rocket.Chat: dumps of its database, and exports of rooms."""

from .connector import RocketChatConnector

__all__ = ["RocketChatConnector"]
