"""DOCX: the text of documents of Word and other offices, with headings, tables, notes and comments."""

from __future__ import annotations

from ...connector import Format

FORMATS = (
    Format(
        "docx",
        rank=290,
        connector=f"{__name__}.connector:DocxConnector",
        reads="Word: .docx, with headings, tables, text boxes, notes and comments",
        leaves_out=".doc, pictures, headers and footers, what tracked changes deleted",
        each_file_alone=True,
        takes_any_file=True,
        sent_in_chats=True,
        of_documents=True,
    ),
)
