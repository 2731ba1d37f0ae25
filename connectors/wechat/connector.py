"""WeChat: chats that WeFlow, EchoTrace, PyWxDump, WeChatMsg (MemoTrace) and chatlog export as JSON or CSV."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING
from unicodedata import normalize

from ...schemas.errors import SourceError
from ..charset import decode
from ..connector import Connector, Member, Preview, ReadOptions, Record, Source
from ..text_chats import ChatFile, TextChats
from . import chatlog_export, csv_export, json_export

_HEAD = 64 * 1024
_SNIFFED_MEMBERS = 200
_SURE = 0.98


class WeChatConnector:
    """Reads chats of WeChat."""

    version = 1
    """Of what is read: told in receipts."""

    @property
    def name(self) -> str:
        """``wechat``."""
        return "wechat"

    def sniff(self, source: Source) -> float:
        """Sure when a file begins with a session and messages, or with the columns, as one of the tools writes them."""
        found = any(
            _recognised(member, frozenset(), known=True) is not None for member in source.members()[:_SNIFFED_MEMBERS]
        )
        return _SURE if found else 0.0

    def preview(self, source: Source, options: ReadOptions) -> Preview:
        """Who writes in the chats."""
        return _chats(source).preview(source, options)

    def read(self, source: Source, options: ReadOptions) -> Iterator[Record]:
        """Every chat, one local day after the other."""
        yield from _chats(source).read(source, options)


def _chats(source: Source) -> TextChats:
    files: list[ChatFile] = []
    others: list[Member] = []
    held = frozenset(member.name.rpartition("/")[2] for member in source.members())
    for member in source.members():
        file = _recognised(member, held)
        if isinstance(file, ChatFile):
            files.append(file)
        else:
            others.append(member)
    return TextChats("wechat", "WeChat", files, others)


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
