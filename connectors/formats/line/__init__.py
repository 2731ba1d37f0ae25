"""LINE: chats that the app exports as text."""

from __future__ import annotations

from ...connector import Format

FORMATS = (
    Format(
        "line",
        rank=100,
        connector=f"{__name__}.connector:LineConnector",
        reads="LINE: chats saved as text (.txt) by phones and computers, in any language",
        leaves_out="backups of the app, pictures and files, replies and reactions (no export has them)",
        each_file_alone=True,
    ),
)
