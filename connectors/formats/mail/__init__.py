"""Mail: reads mailboxes and groups their messages into threads."""

from __future__ import annotations

from ...connector import Format

FORMATS = (
    Format(
        "mail",
        rank=250,
        connector=f"{__name__}.connector:MailConnector",
        reads="mail: mbox (Google Takeout, Thunderbird), Maildir, .eml, .emlx",
        leaves_out="PST and OST, encrypted mail, attachments beyond their names and sizes",
        each_file_alone=True,
        sent_in_chats=True,
        receipts="counted",
    ),
)
