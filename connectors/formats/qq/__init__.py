"""QQ: chats that the client exports as text, and exports of QQChatExporter."""

from __future__ import annotations

from ...connector import Format

FORMATS = (
    Format(
        "qq",
        rank=130,
        connector=f"{__name__}.connector:QQConnector",
        reads=(
            "QQ: chats exported as text, of one contact or the whole account, and JSON (also in pieces) or "
            "text of QQChatExporter"
        ),
        leaves_out="the app's databases, .mht and .bak files, HTML of QQChatExporter, pictures and files",
    ),
)
