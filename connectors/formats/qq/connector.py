"""Reads QQ's text exports, of one contact or of the whole account, and QQChatExporter's JSON and text."""

from __future__ import annotations

from functools import partial
from itertools import islice

from ...chats.text_chat_connector import TextChatConnector, stem_of
from ...chats.text_chats import ChatFile
from ...connector import Member
from ...files.whole_files import head_text
from ...text.chat_lines import legacy_encoding
from ...text.json_beginnings import is_of_objects
from . import json_export, labelled_text
from .text_export import HEADER, SECTION, items

_LINES = 400
_OLD_CHINESE = "gb18030"
_LEAST = 3
_MARKS = "\ufeff\u200e\u200f"


class QQConnector(TextChatConnector):
    """Reads chats of QQ: the client's text exports, and the files of QQChatExporter."""

    name = "qq"
    program = "QQ"

    def chat_in(self, member: Member, head: bytes, held: frozenset[str], *, detect: bool) -> ChatFile | bool | None:
        """Recognise a file by its beginning."""
        if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") and json_export.is_export(head):
            return True if detect else json_export.chat_file(member, stem_of(member), held)
        if is_of_objects(head):
            return json_export.piece_file(member, stem_of(member), held) if json_export.is_piece(head) else None
        text = head_text(member, self.head_bytes)
        if not text:
            return None
        encoding = legacy_encoding(head, _OLD_CHINESE)
        text = head.decode(encoding, "replace") if encoding else text
        lines = [line.strip(_MARKS).rstrip() for line in islice(iter(text.splitlines()), _LINES)]
        if labelled_text.is_export(text):
            return labelled_text.chat_file(member, text, stem_of(member), encoding, held)
        if _is_export(lines):
            titles = [match["title"].strip() for line in lines if (match := SECTION.fullmatch(line))]
            return ChatFile(
                member, titles[0] if titles and titles[0] else stem_of(member), partial(items, encoding=encoding)
            )
        return None


def _is_export(lines: list[str]) -> bool:
    headers = [
        header for line in lines if line[:1].isdigit() and len(line) <= 320 and (header := HEADER.fullmatch(line))
    ]
    has_title = any(
        line.startswith("消息记录") or SECTION.fullmatch(line) for line in [line for line in lines if line][:8]
    )
    named = sum(1 for header in headers if header["number"] or header["mail"])
    # Without QQ's preamble, only the accounts after the names distinguish it from other logs.
    return bool(headers) and (has_title or (named >= _LEAST and named * 2 > len(headers)))
