"""WhatsApp: chat exports of Android and iOS become one conversation document for each chat and local day."""

from __future__ import annotations

from ...connector import Format

FORMATS = (
    Format(
        "whatsapp",
        rank=10,
        connector=f"{__name__}.connector:WhatsAppConnector",
        reads="WhatsApp: exported chats (.txt, .zip) of Android, iOS and the browser, in any language and date format",
        leaves_out="backups of the app (msgstore), the pictures and sounds beside a chat",
        each_file_alone=True,
        own_files=("chat.md",),
    ),
)
