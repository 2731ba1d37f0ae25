"""Telegram by its Bot API: what a bot is told of its chats, as the documents that exports of Telegram become."""

from .connector import TelegramAccount
from .polling import BotServer

__all__ = ["BotServer", "TelegramAccount"]
