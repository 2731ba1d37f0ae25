"""iMessage: the database of Messages on a Mac (chat.db) or in an iPhone's backup (sms.db)."""

from __future__ import annotations

from ...connector import Format

FORMATS = (
    Format(
        "imessage",
        rank=80,
        connector=f"{__name__}.connector:IMessageConnector",
        reads="iMessage, SMS and RCS: the database of Messages on a Mac (chat.db) or of an iPhone's backup (sms.db)",
        leaves_out="names of the address book, calls, encrypted backups",
        receipts="export",
    ),
)
