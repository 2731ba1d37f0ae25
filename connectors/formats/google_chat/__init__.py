"""Google Chat: the chats and spaces in a Google Takeout, and those of its predecessor Hangouts."""

from __future__ import annotations

from ...connector import Format
from ...opening.member_names import TAKEOUT_PIECES

FORMATS = (
    Format(
        "google_chat",
        rank=70,
        connector=f"{__name__}.connector:GoogleChatConnector",
        reads="Google Chat: chats and spaces of Google Takeout, and Hangouts.json of Hangouts",
        leaves_out="files beyond their names, cards of apps",
        pieces=TAKEOUT_PIECES,
        receipts="listed",
    ),
)
