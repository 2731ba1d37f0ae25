"""KakaoTalk: chats that the app exports as text or CSV."""

from __future__ import annotations

from ...connector import Format

FORMATS = (
    Format(
        "kakaotalk",
        rank=110,
        connector=f"{__name__}.connector:KakaoTalkConnector",
        reads="KakaoTalk: chats exported as text (Windows, Android, iOS) and as CSV (macOS), in Korean and English",
        leaves_out="backups of the app, pictures and files, replies and reactions (no export has them)",
        each_file_alone=True,
    ),
)
