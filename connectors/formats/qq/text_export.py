"""Reads QQ's text exports, with one chat or all chats of an account in a file. Streaming."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any, BinaryIO, NamedTuple

from ...chats.text_chats import NO_TIME, Item, Said, Section, Unread, item_at
from ...text.chat_lines import TOO_LONG, FileState, chat_lines, headed
from ...times.clock_times import TIME, ClockTimes

_MARKS = "\ufeff\u200e\u200f"
HEADER = re.compile(
    rf"(?P<year>\d{{4}})[-/](?P<month>\d{{1,2}})[-/](?P<day>\d{{1,2}}) (?P<time>{TIME}) (?:【[^】\n]{{0,60}}】)?"
    r"(?P<name>[^\n]{0,120}?)(?:\((?P<number>\d{4,14})\)|<(?P<mail>[^<>\s]{1,100}@[^<>\s]{1,100})>)?"
)
"""Matches ``2024-01-02 13:04:05 Name(12345)``; the text follows on the lines below."""
SECTION = re.compile(r"消息对象[:：] ?(?P<title>[^\n]{0,200})")
PREAMBLE = re.compile(
    r"={8,}|消息(?:记录|分组|类型)[（(:：][^\n]{0,200}|消息对象[:：][^\n]{0,200}|(?:日期|导出时间)[:：][^\n]{0,60}|"
)
_RULE = re.compile(r"={30,}")
_SYSTEM_NUMBERS = frozenset({"10000", "1000000"})
_KINDS = {
    **dict.fromkeys(
        ("[图片]", "[表情]", "[语音]", "[视频]", "[文件]", "[闪照]", "[动画表情]", "[大表情]", "[原创表情]"), "media"
    ),
    **dict.fromkeys(("[位置]", "[地理位置]", "[位置分享]"), "location"),
    **dict.fromkeys(("[语音通话]", "[视频通话]", "[通话]"), "call"),
    **dict.fromkeys(("[红包]", "[QQ红包]", "[转账]", "[戳一戳]", "[窗口抖动]"), "event"),
    "[名片]": "contact",
    "[投票]": "poll",
}


class _Header(NamedTuple):
    """The header of a message; without a time it is a line between chats."""

    time: str = ""
    day: tuple[int, int, int] = (0, 0, 0)
    name: str = ""
    account: str = ""
    section: str | None = None


def items(stream: BinaryIO, state: FileState, encoding: str = "") -> Iterator[Item]:
    """Yield all messages, sections and unread lines of a file."""
    clock = ClockTimes()
    started = False
    for record in headed(chat_lines(stream, state, encoding), _header_of):
        header, text = record.header, record.text
        if text is None:
            yield Unread(record.line, TOO_LONG)
        elif header is not None and header.time:
            started = True
            yield item_at(record.line, _said, record.line, header, text, clock)
        elif header is not None and header.section is not None and header.section.strip():
            yield Section(header.section.strip())
            if _stray(text):
                yield Unread(record.line + 1, "text without a message")
        elif _stray(text):
            yield Unread(record.line, "text without a message" if started else "text before the first message")


def _stray(text: str) -> bool:
    return not all(PREAMBLE.fullmatch(line.strip(_MARKS).strip()) for line in text.split("\n", 40))


def _header_of(line: str) -> tuple[_Header, str] | None:
    text = line.strip(_MARKS).rstrip()
    first = text[:1]
    if first.isdigit():
        if len(text) <= 320 and (match := HEADER.fullmatch(text)):
            day = int(match["year"]), int(match["month"]), int(match["day"])
            account = match["number"] or match["mail"] or ""
            return _Header(match["time"], day, match["name"].strip(), account), ""
    elif first == "=" and _RULE.fullmatch(text):
        return _Header(), ""
    elif first == "消":
        if section := SECTION.fullmatch(text):
            return _Header(section=section["title"]), ""
        if PREAMBLE.fullmatch(text):
            return _Header(), ""
    return None


def _said(line: int, header: _Header, text: str, clock: ClockTimes) -> Item:
    time = clock.read(header.time)
    try:
        when = datetime(*header.day, *time) if time is not None else None  # noqa: DTZ001 - the wall clock
    except ValueError:
        when = None
    if when is None:
        return Unread(line, NO_TIME)
    message = recognise(text.removeprefix("\n").rstrip("\n"))
    if header.account in _SYSTEM_NUMBERS or header.name == "系统消息":
        return Said(line, "", when, "second", message | {"kind": "system"})
    return Said(line, header.name or header.account, when, "second", message, header.account)


def recognise(body: str) -> dict[str, Any]:
    """Return the fields of a message that follow from its text: ``content``, and ``kind`` for placeholders."""
    if not body.strip():
        return {"content": "[message without text]", "kind": "unknown"}
    message: dict[str, Any] = {"content": body}
    if kind := _KINDS.get(body.strip()):
        message["kind"] = kind
    return message
