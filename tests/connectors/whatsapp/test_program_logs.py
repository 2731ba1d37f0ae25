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


@pytest.mark.parametrize("words", ["INFO: job done", "local.ERROR: no disk: full", "⚠️ Warning: no disk", "debug: x"])
@pytest.mark.parametrize("header", ["[2025-05-03 21:00:{:02d}]", "[05/03/25 21:00:{:02d}]", "2025-05-03, 21:{:02d} -"])
def test_a_level_is_nobodys_name(tmp_path: Path, words: str, header: str) -> None:
    """Nor behind the headers of newer exports; a person who says such words is one."""
    path = tmp_path / "chat.txt"
    for text, is_chat in ((words, False), (f"Ann: {words}", True)):
        path.write_text("".join(f"{header.format(second)} {text}\n" for second in range(40)), "utf-8")
        assert (WhatsAppConnector().sniff(open_source(path)) > 0) == is_chat


@pytest.mark.parametrize("part", ["Worker-{}", "server{}", "app.main[{}]"])
def test_a_part_of_a_program_is_nobodys_name(tmp_path: Path, part: str) -> None:
    """A person beside them is one, and so is a name with a number in an export of an iPhone, which has marks, or in a file
    with a name of the app.
    """
    path = tmp_path / "chat.txt"
    log = "".join(f"[2025-05-03 21:00:{second:02d}] {part.format(second % 3)}: job done\n" for second in range(9))
    mark = f"[2025-05-03 21:01:00] {part.format(1)}: \u200eimage omitted\n"
    for text, is_chat in ((log, False), (log + "[2025-05-03 21:01:00] Ann: is it?\n", True), (log + mark, True)):
        path.write_text(text, "utf-8")
        assert (WhatsAppConnector().sniff(open_source(path)) > 0) == is_chat
    path = path.rename(tmp_path / "WhatsApp Chat with Ann2.txt")
    path.write_text(log, "utf-8")
    assert WhatsAppConnector().sniff(open_source(path)) > 0


def test_a_text_of_element_is_no_chat_of_whatsapp(tmp_path: Path) -> None:
    """It has rooms, which people join; the same times without them are a chat."""
    path = tmp_path / "chat.txt"
    for first, is_chat in (("Ann joined the room", False), ("Ann added Bo", True)):
        path.write_text(f"1/15/2024, 9:15:02 PM - {first}\n1/15/2024, 9:16:02 PM - Ann: hi\n", "utf-8")
        assert (WhatsAppConnector().sniff(open_source(path)) > 0) == is_chat
