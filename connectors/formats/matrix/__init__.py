"""Matrix: rooms as Element exports them in JSON, and plain lists of events."""

from __future__ import annotations

from ...connector import Format

FORMATS = (
    Format(
        "matrix",
        rank=160,
        connector=f"{__name__}.connector:MatrixConnector",
        reads="Matrix: rooms exported by Element as JSON, and lists of events",
        leaves_out="HTML and plain text of Element, which hold no ids; pictures and files beyond their names",
        receipts="counted",
    ),
)
