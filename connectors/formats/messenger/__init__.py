"""Facebook Messenger and Instagram: chats from Meta's JSON exports, and Messenger's encrypted chats."""

from __future__ import annotations

from ...connector import Format

FORMATS = (
    Format(
        "messenger",
        rank=50,
        connector=f"{__name__}.connector:MessengerConnector",
        reads="Facebook Messenger: chats of the data export as JSON, and of the download of encrypted chats",
        leaves_out="HTML exports, pictures and sounds, posts and all else of Facebook",
        unmistakable=0.95,
        receipts="counted",
    ),
    Format(
        "instagram",
        rank=60,
        connector=f"{__name__}.connector:InstagramConnector",
        reads="Instagram: chats of the data export as JSON",
        leaves_out="HTML exports, pictures and sounds, posts and all else of Instagram",
        unmistakable=0.95,
        receipts="counted",
    ),
)
