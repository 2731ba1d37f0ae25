"""Reads KakaoTalk: chats exported on Windows, Android, iOS (text) and macOS (CSV), in Korean and English."""

from __future__ import annotations

from functools import partial
from itertools import islice

from ...chats.text_chat_connector import TextChatConnector
from ...chats.text_chats import ChatFile
from ...connector import Member
from ...files.whole_files import head_text
from ...text.chat_lines import legacy_encoding
from ...text.json_beginnings import is_of_objects
from . import csv_export
from .parser import BARE_DAY, BRACKETS, DATED, MARKS, RULED_DAY, TIMED, Layout, items
from .titles import is_saved_line, title_in, title_of_file

_LINES = 400
_OLD_KOREAN = "cp949"
_LEAST = 2
_SHORT = 100


class KakaoTalkConnector(TextChatConnector):
    """Reads chats of KakaoTalk; recognises them by their title and date of saving, or by their days and messages."""

    name = "kakaotalk"
    version = 2
    program = "KakaoTalk"

    def chat_in(self, member: Member, head: bytes, held: frozenset[str], *, detect: bool) -> ChatFile | bool | None:
        """Return the chat of a file that begins like an export of KakaoTalk, else None."""
        del detect
        if is_of_objects(head):
            return None
        text = head_text(member, self.head_bytes)
        if not text:
            return None
        encoding = legacy_encoding(head, _OLD_KOREAN)
        text = head.decode(encoding, "replace") if encoding else text
        if csv_export.is_export(text):
            title = title_of_file(member.name)
            return ChatFile(member, title, partial(csv_export.items, encoding=encoding, held=held))
        lines = [line.strip(MARKS).rstrip() for line in islice(iter(text.splitlines()), _LINES)]
        title = next((name for name in map(title_in, [line for line in lines if line][:2]) if name), "")
        layout = _layout(lines)
        if layout is not None:
            return ChatFile(
                member, title or title_of_file(member.name), partial(items, layout=layout, encoding=encoding, held=held)
            )
        return None


def _layout(lines: list[str]) -> Layout | None:
    """Return the layout of the messages; None if the lines are no chat of KakaoTalk."""
    saved = any(is_saved_line(line) for line in [line for line in lines if line][:3])
    if sum(1 for line in lines if line[:1] == "[" and BRACKETS.match(line)):
        ruled = any(line.startswith("-----") and len(line) < _SHORT and RULED_DAY.fullmatch(line) for line in lines)
        return "brackets" if ruled else None
    dated = [line for line in lines if (match := DATED.match(line)) and match["named"]]
    if saved and dated:
        return "dated"
    if sum(1 for line in dated if "오전" in line[:24] or "오후" in line[:24]) >= _LEAST:
        return "dated"
    if any(line.partition(", ")[0] in lines for line in dated if "오전" in line[:24] or "오후" in line[:24]):
        return "dated"  # Android writes the time of a day's first message a second time, alone on the line before it
    days = any(len(line) < _SHORT and BARE_DAY.fullmatch(line) for line in lines)
    if saved and days and any((match := TIMED.match(line)) and match["named"] for line in lines):
        return "timed"
    return None
