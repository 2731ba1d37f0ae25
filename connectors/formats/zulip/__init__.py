"""Zulip: exports of organisations."""

from __future__ import annotations

from ...connector import Format

FORMATS = (
    Format(
        "zulip",
        rank=190,
        connector=f"{__name__}.connector:ZulipConnector",
        reads="Zulip: exports of organisations: channels by topic, direct messages, groups",
        leaves_out="uploaded files beyond their names, settings, avatars and all else of the organisation",
        receipts="counted",
    ),
)
