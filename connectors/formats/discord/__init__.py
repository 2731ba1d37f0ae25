"""Discord: chats exported by DiscordChatExporter, and the data package that Discord itself provides."""

from __future__ import annotations

from ...connector import Format

FORMATS = (
    Format(
        "discord",
        rank=40,
        connector=f"{__name__}.connector:DiscordConnector",
        reads="Discord: JSON, HTML, TXT and CSV of DiscordChatExporter, and the data package of Discord",
        leaves_out="files beside the export; TXT and CSV hold no ids and answers",
        unmistakable=0.97,
    ),
)
