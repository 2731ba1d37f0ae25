"""One chat of signal-export, read from data.json or from Markdown; each chat has a folder of its own."""

from __future__ import annotations

import io
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from ....schemas import Rejected
from ...chats.export_files import read_file
from ...chats.notices import CONTENT_UNKNOWN, content_unknown
from ...chats.ordered_days import OrderedDays
from ...connector import Member, ReadOptions, Record
from ...opening.member_names import archive_stem
from ...opening.tracked_member import COPY, count_left_out
from ...text.unicode import as_utf8
from .detection import SOURCE
from .frames import frames
from .markdown import markdown_records
from .records import RecordReader

_NAMES = ("data", "chat", "index")
_LINE_CAP = 1024 * 1024
"""Characters of one piece of a line; longer lines come in pieces."""


@dataclass(frozen=True, slots=True)
class Chat:
    """The file of a chat, and its format."""

    member: Member
    markdown: bool

    @property
    def folder(self) -> str:
        """The path of the file's folder inside the source."""
        return self.member.name.rpartition("/")[0]

    @property
    def title(self) -> str:
        """The name of the file's folder, which signal-export names after the chat; the file's own name if it is not a
        default one.
        """
        name = self.member.name.rpartition("/")[2]
        stem = name.rpartition(".")[0] or name
        if stem not in _NAMES:
            return stem or "chat"
        around = self.member.locator.removesuffix(name)[
            :-1
        ]  # without the separator: a slash behind a folder, an exclamation mark behind an archive
        above = self.folder or archive_stem(around)
        return above.rpartition("/")[2] or stem


def chat_records(
    chat: Chat, options: ReadOptions, title: str, held: Collection[str], *, alone: bool
) -> Iterator[Record]:
    """Read the days of a chat, and rejections for the messages that cannot be read.

    Raises:
        SourceError: the file is ``alone`` and cannot be opened.
    """
    locator = chat.member.locator
    reader = RecordReader(options, chat.folder, held)
    days = OrderedDays(SOURCE, title, reader.user, {"title": title}, once=True)

    def messages(stream: BinaryIO) -> Iterator[Record]:
        text = as_utf8(stream).stream
        for line, record in _markdown(text) if chat.markdown else _json(text):
            result = reader.read(record) if isinstance(record, dict) else record
            if isinstance(result, str):
                yield Rejected(locator=f"{locator}:{line}", reason=result)
            else:
                yield from days.add(result, f"{locator}:{line}")

    yield from read_file(chat.member, messages, alone=alone)
    yield from days.close()
    count_left_out(chat.member, COPY, days.doubled)
    yield from content_unknown(reader.counts[CONTENT_UNKNOWN], locator)


def message_count(member: Member) -> int:
    """Count the messages of a chat in Markdown.

    Raises:
        SourceError: it cannot be read.
    """
    with member.open() as stream:
        return sum(1 for _ in _markdown(as_utf8(stream).stream))


def _json(stream: io.BufferedReader) -> Iterator[tuple[int, dict[str, Any] | str]]:
    for record in frames(stream):
        yield from enumerate(record.values, record.line)
        if record.reason:
            yield record.line, record.reason


def _markdown(stream: io.BufferedReader) -> Iterator[tuple[int, dict[str, Any] | str]]:
    lines = io.TextIOWrapper(stream, encoding="utf-8", errors="replace", newline="\n")
    try:
        for line, record in markdown_records(iter(lambda: lines.readline(_LINE_CAP), "")):
            yield line, "no message, or one that is too long" if record is None else record
    finally:
        lines.detach()  # the caller closes the stream
