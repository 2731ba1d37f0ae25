"""HTML: saved pages (.html, SingleFile) and web archives (.mht, .mhtml)."""

from __future__ import annotations

from ...connector import Format

FORMATS = (
    Format(
        "html",
        rank=310,
        connector=f"{__name__}.connector:HtmlConnector",
        reads="pages: saved HTML, also of SingleFile, and web archives (.mht, .mhtml)",
        leaves_out="pictures, menus, what only a script would show",
        each_file_alone=True,
        takes_anything=True,
        takes_any_file=True,
        sent_in_chats=True,
        of_documents=True,
    ),
)
