"""Rocket.Chat: dumps of its database, and exports of rooms."""

from __future__ import annotations

from ...connector import Format

FORMATS = (
    Format(
        "rocketchat",
        rank=210,
        connector=f"{__name__}.connector:RocketChatConnector",
        reads="Rocket.Chat: dumps of its database (BSON or JSON), and rooms exported as JSON",
        leaves_out="rooms exported as HTML or CSV, uploaded files beyond their names, encrypted messages",
        receipts="counted",
    ),
)
