"""Tables of PyWxDump, WeChatMsg (MemoTrace, in two layouts), WeFlow and chatlog. Streaming."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any, BinaryIO

from ...chats.json_messages import parsed_message
from ...chats.text_chats import NO_TIME, ChatFile, Item, Said, Section, Unread, item_at
from ...connector import Member
from ...opening.media_names import mime_of, name_in
from ...text.chat_lines import TOO_LONG, FileState
from ...text.csv_rows import csv_rows, fields, first_row
from ...text.json_fields import object_of, text_of
from ...times.instants import instant_of
from .kinds import SYSTEM_ACCOUNT, called, kind_of_number, kind_of_word, message_of

_BEGINS = re.compile(r"\d{1,12},\d{1,20},")
_PART = re.compile(r"(?P<name>.+?)_\d+(?:_\d+)?")
_STANDS_IN = re.compile(r"!?\[(?P<word>[^]|\n]{1,20})(?:\|(?P<title>[^]\n]{0,300}))?\]\(https?://[^\s()]{1,2000}\)")
"""Matches chatlog's links for content other than text: ``![图片](http://127.0.0.1:5030/image/…)``,
``[文件|a.pdf](http://…)``.
"""
_SECONDS = re.compile(r"\d{9,13}")
Row = dict[str, str]


@dataclass(frozen=True, slots=True)
class _Layout:
    """The table layout of one of the tools."""

    columns: frozenset[str]
    """The columns that identify the layout."""
    room: str
    """The column that distinguishes the chats of one file; empty if a file is one chat."""
    read: Callable[[int, Row, FileState, frozenset[str]], Item]
    """Converts a row to an item: its line, the row, the counts of the file, and the names of the files beside the
    table.
    """


def is_export(head: str) -> bool:
    """Return whether a file begins with the columns of one of the tools."""
    return _layout(_columns(head)) is not None


def _columns(head: str) -> list[str]:
    return [name.strip().casefold() for name in first_row(head)]


def _layout(columns: Collection[str]) -> _Layout | None:
    return next((each for each in _LAYOUTS if each.columns.issubset(columns)), None)


def chat_file(member: Member, head: str, name: str, held: frozenset[str]) -> ChatFile:
    """Return the chats of a file: one, or several if a column distinguishes them."""
    columns = _columns(head)
    layout = _layout(columns) or _LAYOUTS[0]
    rows = [dict(zip(columns, fields(line), strict=False)) for line in head.split("\n")[1:-1]]
    rooms = {room for row in rows if any(row.get(time) for time in _TIMES) and (room := row.get(layout.room))}
    part = _PART.fullmatch(name)
    title = part["name"] if part and layout.read is _pywxdump else name
    several = layout.room if len(rooms) > 1 else ""
    if len(rooms) == 1 and layout.read is not _memotrace:  # except MemoTrace, whose rooms are numbers
        title = rooms.pop()
    items = partial(_items, columns=columns, layout=layout, several=several, title=title, held=held)
    return ChatFile(member, title, items)


def _items(
    stream: BinaryIO,
    state: FileState,
    columns: Sequence[str],
    layout: _Layout,
    several: str,
    title: str,
    held: frozenset[str],
) -> Iterator[Item]:
    room = ""
    for number, (line, row) in enumerate(csv_rows(stream, state, _BEGINS)):
        if number == 0:
            continue
        if row is None:
            yield Unread(line, TOO_LONG)
            continue
        if not any(row):
            continue
        named = dict(zip(columns, row, strict=False))
        if several and named.get(several, "") != room:
            room = named.get(several, "")
            yield Section(f"{title}/{room}" if layout.read is _memotrace else room or title)
        yield item_at(line, layout.read, line, named, state, held)


def _time(text: str) -> tuple[datetime, bool] | None:
    """Return the time, and whether it is an instant rather than a local time."""
    text = text.strip()
    if _SECONDS.fullmatch(text) and (match := instant_of(text, UTC)):
        return match, True
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    return time, time.tzinfo is not None


def _memotrace(line: int, row: Row, state: FileState, _held: frozenset[str]) -> Item:
    when = _time(row.get("createtime", "")) or _time(row.get("strtime", ""))
    if when is None:
        return Unread(line, NO_TIME)
    kind = kind_of_number(row.get("type"), row.get("subtype"))
    if not kind:
        state.unknown += 1
    message = message_of(row.get("strcontent", ""), kind, called(row.get("type")))
    if number := row.get("msgsvrid", "").strip():
        message["id"] = number
    if kind == "system":
        return Said(line, "", when[0], "second", message, instant=when[1])
    if row.get("issender", "").strip() == "1":
        return Said(line, "", when[0], "second", message, own=True, instant=when[1])
    account = row.get("sender", "").strip()
    name = row.get("remark", "").strip() or row.get("nickname", "").strip() or account
    return Said(line, name, when[0], "second", message, account, instant=when[1])


def _pywxdump(line: int, row: Row, state: FileState, held: frozenset[str]) -> Item:
    when = _time(row.get("createtime", ""))
    if when is None:
        return Unread(line, NO_TIME)
    word = row.get("type_name", "")
    kind = kind_of_word(word)
    if not kind:
        state.unknown += 1
    content, source = row.get("msg", ""), row.get("src", "")
    if "msg" not in row:
        inner = _inner(row.get("content", ""))
        content, source = text_of(inner.get("msg")), text_of(inner.get("src"))
    message = message_of(content, kind, word.strip())
    if source and kind == "media":
        file = name_in(source) or source
        message["attachments"] = [{"name": file, "mime": mime_of(file), "missing": file not in held}]
    if (number := row.get("msgsvrid", "").strip()) and number != "0":
        message["id"] = number
    if kind == "system":
        return Said(line, "", when[0], "second", message, instant=when[1])
    is_own = row.get("is_sender", "").strip() == "1"
    talker = row.get("talker", "").strip()
    name = "" if is_own and talker in ("我", "me") else talker
    return Said(line, name, when[0], "second", message, "" if is_own else talker, is_own, instant=when[1])


def _worded(line: int, row: Row, state: FileState, _held: frozenset[str]) -> Item:
    """Convert a row of MemoTrace from version 2 on, or of chatlog's page, with Chinese columns; only the sender 我 is
    the user.
    """
    when = _time(row.get("时间", ""))
    if when is None:
        return Unread(line, NO_TIME)
    word = (row.get("类型") or row.get("消息类型", "")).strip()
    kind = kind_of_word(word)
    if not kind:
        state.unknown += 1
    message = message_of(row.get("内容", ""), kind, word)
    if (number := row.get("消息id", "").strip()) and number != "0":
        message["id"] = number
    speaker = "" if kind == "system" else (row.get("发送人") or row.get("发送者", "")).strip()
    is_own = speaker == "我"
    return Said(line, "" if is_own else speaker, when[0], "second", message, own=is_own, instant=when[1])


def _chatlog(line: int, row: Row, _state: FileState, held: frozenset[str]) -> Item:
    """Convert a row of chatlog's table, which has no types: a bracketed word with an address stands for content other
    than text.
    """
    when = _time(row.get("time", ""))
    if when is None:
        return Unread(line, NO_TIME)
    account = row.get("sender", "").strip()
    content = row.get("content", "")
    stands_in = _STANDS_IN.fullmatch(content.strip())
    message = message_of(content, (stands_in and kind_of_word(stands_in["word"])) or "text", "")
    if stands_in and stands_in["word"] == "文件" and (file := stands_in["title"]):
        message["attachments"] = [{"name": file, "mime": mime_of(file), "missing": file not in held}]
    if account == SYSTEM_ACCOUNT:
        return Said(line, "", when[0], "second", message | {"kind": "system"}, instant=when[1])
    name = row.get("sendername", "").strip() or account
    return Said(line, name, when[0], "second", message, account, instant=when[1])


def _inner(content: str) -> dict[str, Any]:
    """Return the text and file of a row in older versions, which write both as JSON into one column."""
    if content.startswith("{"):
        try:
            return object_of(parsed_message(content.encode()))
        except ValueError:
            return {"msg": content}
    return {"msg": content}


_TIMES = ("createtime", "时间", "time")
_LAYOUTS = (
    _Layout(frozenset({"type", "issender", "createtime", "strcontent"}), "talkerid", _memotrace),
    _Layout(frozenset({"type_name", "is_sender", "talker", "createtime"}), "room_name", _pywxdump),
    _Layout(frozenset({"消息id", "类型", "发送人", "时间", "内容"}), "", _worded),
    _Layout(frozenset({"时间", "发送者", "聊天对象", "消息类型", "内容"}), "聊天对象", _worded),
    _Layout(frozenset({"time", "sendername", "sender", "talkername", "talker", "content"}), "talkername", _chatlog),
)
