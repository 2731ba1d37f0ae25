"""EPUB: books, one document for each chapter and a collection for the book."""

from __future__ import annotations

from ...connector import Format

FORMATS = (
    Format(
        "epub",
        rank=300,
        connector=f"{__name__}.connector:EpubConnector",
        reads="books: .epub, a document for each chapter",
        leaves_out="books that are protected by their seller, pictures",
        each_file_alone=True,
        takes_any_file=True,
        sent_in_chats=True,
        of_documents=True,
    ),
)
