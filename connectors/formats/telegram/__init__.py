"""Telegram: the exports of its desktop app, as JSON and as HTML."""

from __future__ import annotations

from ...connector import Format

FORMATS = (
    Format(
        "telegram",
        rank=20,
        connector=f"{__name__}.connector:TelegramConnector",
        reads="Telegram Desktop: result.json of a chat or of the whole account, and messages.html",
        leaves_out="files beside the export, secret chats (no export has them)",
        receipts="counted",
    ),
)
