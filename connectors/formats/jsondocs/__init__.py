"""Documents in memd's own JSON form: whole files and JSON lines."""

from __future__ import annotations

from ...connector import Format

FORMATS = (
    Format(
        "documents",
        rank=360,
        connector=f"{__name__}.connector:DocumentsConnector",
        reads="documents: JSON or JSON lines in memd's own form (docs/documents.md), as memd export writes them",
        leaves_out="nothing",
        each_file_alone=True,
        takes_anything=True,
        takes_any_file=True,
        sent_in_chats=True,
    ),
)
