"""Reads QQChatExporter's text exports, which put a label before each part of a message. Streaming."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any, BinaryIO

from ...chats.text_chats import NO_TIME, ChatFile, Item, Said, Unread, items_at
from ...connector import Member
from ...opening.media_names import mime_of
from ...text.chat_lines import MESSAGE_LIMIT, TOO_LONG, FileState, Line, chat_lines
from .text_export import recognise

_TITLE_LINE = "QQ聊天记录导出文件"
_NAME = re.compile(r"(?m)^聊天名称[:：] ?(?P<name>[^\n]{1,200})$")
_GROUP = re.compile(r"(?m)^聊天类型[:：] ?群聊\r?$")
_TIME = re.compile(r"时间: (?P<time>\d{4}[-/]\d{1,2}[-/]\d{1,2} \d{1,2}:\d\d:\d\d)")
_SENDER = re.compile(r"(?:\[[^\[\]\n]{1,60}\] )?(?P<name>[^\n]{1,200}):")
"""Matches ``Ann:``, in groups also ``[title] Ann:``."""
_ACCOUNT = re.compile(r"发送者ID: (?P<account>\S{1,60})")
_HEAD = re.compile(rf"(?:\[[^\n]*\]|={{20,}}|{_TITLE_LINE}|[\u4e00-\u9fff]{{1,4}}(?:ID)?[:：][^\n]*)?")
_NUMBER = re.compile(r"\[\d{1,9}\]")
_PARTS = re.compile(
    r"(?:类型: [^\n]*\n?)?(?:内容: ?(?P<words>.*?))?"
    r"(?:(?:^|\n)资源: \d+ 个文件(?P<files>(?:\n {1,4}- [^\n]*)*))?(?:(?:^|\n)提及: [^\n]*)?(?P<reply>(?:^|\n)回复: .*)?",
    re.DOTALL,
)
_FILE = re.compile(r"\n {1,4}- (?P<type>\w{1,40}): (?P<name>[^\n]+)")
_NAMING, _LONGEST = 2, 1000
"""The number of earlier lines that may name the next author, and the largest length of such a line in characters."""
_END = re.compile(r"\n={20,}\n *导出完成[^\n]*(?:\n={20,}\n总计导出[^\n]*(?:\n导出时间[^\n]*)?)?\s*\Z")


def is_export(text: str) -> bool:
    """Return whether a file begins like a text export of QQChatExporter."""
    return any(line.strip() == _TITLE_LINE for line in text[:2000].split("\n", 12)[:12])


def chat_file(member: Member, text: str, name: str, encoding: str, held: frozenset[str]) -> ChatFile:
    """Return the chat of a file; ``name`` replaces a missing title; ``held`` are the files beside it."""
    match = _NAME.search(text)
    title = match["name"].strip() if match else ""
    metadata = {"group": "true"} if _GROUP.search(text) else {}
    return ChatFile(member, title or name, partial(_items, encoding=encoding, held=held), metadata)


@dataclass(slots=True)
class _Message:
    """A message whose lines are being read; without a time it is the text before the first message."""

    line: int = 1
    name: str = ""
    account: str = ""
    time: str = ""
    lines: list[str] = field(default_factory=list[str])
    size: int = 0

    def add(self, line: Line) -> None:
        """Add a line, or a piece of a long one."""
        self.size += len(line.text) + 1
        if self.size > MESSAGE_LIMIT:
            # The last lines may name the author of the next message; a line of that length does not.
            self.lines = [*self.lines[-_NAMING:], "" if line.torn or len(line.text) > _LONGEST else line.text.rstrip()]
        elif line.torn and self.lines:
            self.lines[-1] += line.text
        else:
            self.lines.append(line.text.rstrip())

    def next(self, line: Line, time: str) -> _Message | None:
        """Return the message that begins with this time, and move the lines that name its author to it."""
        place = len(self.lines) - 1
        account = _ACCOUNT.fullmatch(self.lines[place]) if place >= 0 else None
        place -= account is not None
        sender = _SENDER.fullmatch(self.lines[place]) if place >= 0 else None
        if sender is None:
            return None
        if place and _NUMBER.fullmatch(self.lines[place - 1]):
            place -= 1
        first = line.number - (len(self.lines) - place)
        del self.lines[place:]
        return _Message(first, sender["name"], account["account"] if account else "", time)


def _items(stream: BinaryIO, state: FileState, encoding: str, held: frozenset[str]) -> Iterator[Item]:
    message = _Message()
    for line in chat_lines(stream, state, encoding):
        match = None if line.torn else _TIME.fullmatch(line.text.rstrip())
        following = message.next(line, match["time"]) if match else None
        if following is None:
            message.add(line)
            continue
        yield from items_at(message.line, _item, message, held, state)
        message = following
    yield from items_at(message.line, _item, message, held, state)


def _item(message: _Message, held: frozenset[str], state: FileState) -> Iterator[Item]:
    if message.time:
        yield _said(message, held, state)
    elif message.size > MESSAGE_LIMIT or not all(_HEAD.fullmatch(line.strip("\ufeff ")) for line in message.lines):
        yield Unread(message.line, "text before the first message")


def _said(message: _Message, held: frozenset[str], state: FileState) -> Item:
    if message.size > MESSAGE_LIMIT:
        return Unread(message.line, TOO_LONG)
    try:
        time = datetime.strptime(message.time.replace("/", "-"), "%Y-%m-%d %H:%M:%S")  # noqa: DTZ007 - the wall clock
    except ValueError:
        return Unread(message.line, NO_TIME)
    content = _content("\n".join(message.lines), held)
    if content.get("kind") == "unknown":
        state.unknown += 1
    if message.name == "系统消息":
        return Said(message.line, "", time, "second", content | {"kind": "system"})
    return Said(message.line, message.name, time, "second", content, message.account)


def _content(text: str, held: frozenset[str]) -> dict[str, Any]:
    """Return the text and the files of a message; an answered message has no id here and stays in the text."""
    text = _END.sub("", text).strip("\n")
    match = _PARTS.fullmatch(text)
    if match is None:  # an unknown label
        return recognise(text)
    words, files = (match["words"] or "").strip("\n"), list(_FILE.finditer(match["files"] or ""))
    answered = (match["reply"] or "").strip("\n")
    if answered:
        words = f"{words}\n{answered}" if words else answered
    if not files:
        return recognise(words)
    message = recognise(words or f"[{files[0]['type']}]")
    message["attachments"] = [
        {"name": name, "mime": mime_of(name), "missing": name not in held} for name in (each["name"] for each in files)
    ]
    if message["content"].lstrip().startswith("["):
        message["kind"] = "media"
    return message
