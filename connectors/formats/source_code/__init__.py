"""Source code: files of programming languages, one text document for each file."""

from __future__ import annotations

from ...connector import Format

FORMATS = (
    Format(
        "source_code",
        rank=340,
        connector=f"{__name__}.connector:SourceCodeConnector",
        reads="source code: files of some forty programming languages, cut along their definitions",
        leaves_out=(
            "files that programs wrote, minified code, packages (node_modules, site-packages), notebooks (.ipynb)"
        ),
        each_file_alone=True,
        takes_anything=True,
        takes_any_file=True,
        sent_in_chats=True,
        of_programs=True,
        of_documents=True,
    ),
)
