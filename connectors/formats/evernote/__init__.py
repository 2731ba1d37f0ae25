"""Evernote: notebooks exported as .enex, one document for each note."""

from __future__ import annotations

from ...connector import Format

FORMATS = (
    Format(
        "evernote",
        rank=330,
        connector=f"{__name__}.connector:EvernoteConnector",
        reads="Evernote: exported notebooks (.enex), of any size",
        leaves_out="pictures and files beyond their names, encrypted passages, the history of notes",
        each_file_alone=True,
        takes_any_file=True,
        sent_in_chats=True,
    ),
)
