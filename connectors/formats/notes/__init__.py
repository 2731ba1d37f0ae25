"""Folders, archives and files of notes: Markdown and plain text."""

from __future__ import annotations

from ...connector import Format

FORMATS = (
    Format(
        "notes",
        rank=350,
        connector=f"{__name__}.connector:NotesConnector",
        reads="notes: folders of Markdown and plain text (Obsidian, Logseq and others), single files",
        leaves_out="pictures",
        each_file_alone=True,
        takes_anything=True,
        sent_in_chats=True,
        of_documents=True,
    ),
)
