"""Bear: notes of a backup, and text bundles, one document for each."""

from __future__ import annotations

from ...connector import Format

FORMATS = (
    Format(
        "bear",
        rank=308,
        connector=f"{__name__}.connector:BearConnector",
        reads="Bear: backups (.bear2bk, .bearbk), and text bundles of any program (.textbundle, .textpack)",
        leaves_out="notes in the trash and encrypted ones, pictures and files beyond their names",
        receipts="listed",
        own_files=("text.markdown", "text.md", "text.txt"),
    ),
)
