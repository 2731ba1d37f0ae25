"""Joplin: notes of an export (JEX or RAW), one document for each."""

from __future__ import annotations

from ...connector import Format

FORMATS = (
    Format(
        "joplin",
        rank=307,
        connector=f"{__name__}.connector:JoplinConnector",
        reads="Joplin: exports as JEX or RAW, with notebooks, tags and to-dos",
        leaves_out="notes in the trash and encrypted ones, pictures and files beyond their names",
        receipts="counted",
    ),
)
