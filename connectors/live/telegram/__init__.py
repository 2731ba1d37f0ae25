"""Telegram by its Bot API: the updates that a bot receives of its chats, as the same documents as from exports."""

from .connector import TelegramAccount
from .polling import BotServer

__all__ = ["BotServer", "TelegramAccount"]
