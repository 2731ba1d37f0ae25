"""A reader process that ends itself, as by a defect of a parser, when an export says so."""

from __future__ import annotations

import os
import signal

from memd.daemon.sources import reader_process
from memd.schemas import Document

if __name__ == "__main__":
    written = reader_process.document_to_line

    def to_line(document: Document) -> bytes:
        """A document as it is written, unless it is deadly."""
        if "KILL" in document.content:
            os.kill(os.getpid(), signal.SIGKILL)
        return written(document)

    reader_process.document_to_line = to_line
    reader_process.main()
