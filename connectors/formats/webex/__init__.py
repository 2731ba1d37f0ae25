"""Webex: messages of spaces as its API answers and as archivers of spaces save them."""

from __future__ import annotations

from ...connector import Format

FORMATS = (
    Format(
        "webex",
        rank=195,
        connector=f"{__name__}.connector:WebexConnector",
        reads="Webex: messages of spaces as JSON, as its API answers and as archivers save them",
        leaves_out="pages of archivers, files beyond their names, avatars",
        own_files=("*.txt", "*.html"),
        receipts="counted",
    ),
)
