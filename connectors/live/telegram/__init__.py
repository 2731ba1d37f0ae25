"""Telegram by its Bot API: the updates that a bot receives of its chats, as the same documents as from exports."""
