"""Telegram: the exports of its desktop app, as JSON and as HTML."""

from .connector import TelegramConnector

__all__ = ["TelegramConnector"]
