"""Signal: the plain export of the app (main.jsonl), and chats of signal-export (data.json, chat.md)."""

from __future__ import annotations

from ...connector import Format

FORMATS = (
    Format(
        "signal",
        rank=90,
        connector=f"{__name__}.connector:SignalConnector",
        reads="Signal: the app's own export (main.jsonl), and chats of signal-export (data.json, chat.md)",
        leaves_out="encrypted backups, the database of Signal Desktop, HTML of signal-export",
        files_in="files",
        receipts="counted",
    ),
)
