"""Google Chat: the chats and spaces in a Google Takeout, and those of its predecessor Hangouts."""

from __future__ import annotations

from ...connector import Format

FORMATS = (
    Format(
        "google_chat",
        rank=70,
        connector=f"{__name__}.connector:GoogleChatConnector",
        reads="Google Chat: chats and spaces of Google Takeout, and Hangouts.json of Hangouts",
        leaves_out="files beyond their names, cards of apps",
        pieces=r"(?:(?<=\dZ)-\d{1,2})?-\d{3}",  # takeout-20240115T101500Z-001.zip, since 2025 …Z-1-001.zip and …Z-2-001.zip
        receipts="listed",
    ),
)
