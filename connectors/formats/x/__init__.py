"""X, formerly Twitter: posts, direct messages and chats with Grok of the archive of an account."""

from __future__ import annotations

from ...connector import Format

FORMATS = (
    Format(
        "x",
        rank=180,
        connector=f"{__name__}.connector:XConnector",
        reads=(
            "X (Twitter): direct messages, groups, posts with long ones, and chats with Grok of the account's archive"
        ),
        leaves_out="likes, followers, lists, advertising, pictures and films beyond their names",
        receipts="counted",
    ),
)
