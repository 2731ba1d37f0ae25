"""Telegram by its Bot API: the updates that a bot receives of its chats, as the same documents as from exports."""

from __future__ import annotations

from ..account_kind import API_URL, TOKEN_FILE, AccountKind, Secret

ACCOUNT = AccountKind(
    "telegram",
    "a bot of Telegram",
    settings=f"{__name__}.settings:TelegramSettings",
    connector=f"{__name__}.connector:open_account",
    secrets=(Secret("token", "the token of the bot: write /token to @BotFather"),),
    flags=(TOKEN_FILE, API_URL),
    schedule="5m",  # Telegram keeps what a bot is told for a day at most
    one_connector=True,
)
