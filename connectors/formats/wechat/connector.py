"""WeChat: chats that WeFlow, EchoTrace, PyWxDump, WeChatMsg (MemoTrace) and chatlog export as JSON or CSV."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING
from unicodedata import normalize

from ....schemas.errors import SourceError
from ...chats.text_chat_connector import TextChatConnector
from ...chats.text_chats import ChatFile
from ...connector import Connector, Member
from ...text.charset import decode
from . import chatlog_export, csv_export, json_export

_HEAD = 64 * 1024


class WeChatConnector(TextChatConnector):
    """Reads chats of WeChat: a session and messages, or the columns, as one of the tools writes them."""

    source = "wechat"
    program = "WeChat"
    sure = 0.98

    def recognised(self, member: Member, held: frozenset[str], *, known: bool) -> ChatFile | bool | None:
        """By what stands at its beginning."""
        return _recognised(member, held, known=known)


def _recognised(member: Member, held: frozenset[str], *, known: bool = False) -> ChatFile | bool | None:
    """The chat of a file; with ``known`` only whether it is one. ``held``: the names of all files beside it."""
    with suppress(SourceError):
        with member.open() as stream:
            head = stream.read(_HEAD)
        begin = head.lstrip(b"\xef\xbb\xbf \t\r\n")
        if begin.startswith(b"{"):
            if json_export.is_export(head):
                return True if known else json_export.chat_file(member, _stem(member), held)
            return None
        if begin.startswith(b"["):
            if chatlog_export.is_export(head):
                return True if known else chatlog_export.chat_file(member, _stem(member))
            return None
        decoded = decode(head, cut=True)
        if decoded is not None and csv_export.is_export(decoded.text):
            return True if known else csv_export.chat_file(member, decoded.text, _stem(member), held)
    return None


def _stem(member: Member) -> str:
    name = normalize("NFC", member.name.rpartition("/")[2])
    return name.rpartition(".")[0] or name or "chat"


if TYPE_CHECKING:
    _: type[Connector] = WeChatConnector
