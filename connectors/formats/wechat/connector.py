"""Connector for WeChat: chats that WeFlow, EchoTrace, PyWxDump, WeChatMsg (MemoTrace) and chatlog export as JSON or
CSV.
"""

from __future__ import annotations

from ...chats.text_chat_connector import TextChatConnector, stem_of
from ...chats.text_chats import ChatFile
from ...connector import Member
from ...files.whole_files import head_text
from . import chatlog_export, csv_export, json_export


class WeChatConnector(TextChatConnector):
    """Reads chats of WeChat: JSON with a session and messages, or a table, in the tools' forms."""

    name = "wechat"
    version = 2
    program = "WeChat"
    certain = 0.98

    def chat_in(self, member: Member, head: bytes, held: frozenset[str], *, detect: bool) -> ChatFile | bool | None:
        """Recognise a chat by the beginning of its file."""
        begin = head.lstrip(b"\xef\xbb\xbf \t\r\n")
        if begin.startswith(b"{"):
            if json_export.is_export(head):
                return True if detect else json_export.chat_file(member, stem_of(member), held)
            return None
        if begin.startswith(b"["):
            if chatlog_export.is_export(head):
                return True if detect else chatlog_export.chat_file(member, stem_of(member))
            return None
        text = head_text(member, self.head_bytes)
        if csv_export.is_export(text):
            return True if detect else csv_export.chat_file(member, text, stem_of(member), held)
        return None
