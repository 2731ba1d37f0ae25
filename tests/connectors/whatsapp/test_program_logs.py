"""WhatsApp: logs of programs have times like old exports, and are no chats."""

from __future__ import annotations

from pathlib import Path

import pytest

from memd.connectors.formats.whatsapp.connector import WhatsAppConnector
from memd.connectors.opening.open_source import open_source


@pytest.mark.parametrize("words", ['[error] 12#12: *1 open() "/x" failed (2: No such file)', "INFO: job done"])
def test_a_log_with_levels_is_no_chat(tmp_path: Path, words: str) -> None:
    """As nginx writes its errors, and many others their lines; the same times with a person are a chat."""
    path = tmp_path / "chat.txt"
    for text, is_chat in ((words, False), ("Ann: job done", True)):
        path.write_text("".join(f"2023/10/10 13:55:{second:02d} {text}\n" for second in range(40)))
        assert (WhatsAppConnector().sniff(open_source(path)) > 0) == is_chat
