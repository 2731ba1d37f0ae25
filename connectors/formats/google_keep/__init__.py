"""Google Keep: notes of Google Takeout, one document for each."""

from __future__ import annotations

from ...connector import Format

FORMATS = (
    Format(
        "google_keep",
        rank=305,
        connector=f"{__name__}.connector:GoogleKeepConnector",
        reads="Google Keep: notes and lists of Google Takeout (JSON, or the pages where there is none)",
        leaves_out="notes in the trash, pictures and recordings beyond their names",
        receipts="counted",
        own_files=("Labels.txt",),
    ),
)
