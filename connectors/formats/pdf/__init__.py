"""PDF: the text of each page, extracted by a separate process with limits of memory and time."""

from __future__ import annotations

from ...connector import Format

FORMATS = (
    Format(
        "pdf",
        rank=280,
        connector=f"{__name__}.connector:PdfConnector",
        reads="PDF: the text of each page",
        leaves_out=(
            "pictures of pages (they need text recognition first), files that ask for a password, forms and attachments"
        ),
        each_file_alone=True,
        takes_any_file=True,
        sent_in_chats=True,
        of_documents=True,
    ),
)
