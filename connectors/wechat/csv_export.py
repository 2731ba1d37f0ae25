"""Chats in tables of PyWxDump, WeChatMsg (MemoTrace) and WeFlow. Streaming."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any, BinaryIO

from ..chat_lines import TOO_LONG, FileState
from ..connector import Member
from ..csv_rows import csv_rows, fields, first_row
from ..json_fields import instant_of, object_of, text_of
from ..json_messages import parsed_message
from ..media_names import mime_of, name_in
from ..text_chats import NO_TIME, ChatFile, Item, Said, Section, Unread
from .kinds import called, kind_of_number, kind_of_word, message_of

_MEMOTRACE = {"type", "issender", "createtime", "strcontent"}
_PYWXDUMP = {"type_name", "is_sender", "talker", "createtime"}
_BEGINS = re.compile(r"\d{1,12},\d{1,20},")
_PART = re.compile(r"(?P<name>.+?)_\d+(?:_\d+)?")
_SECONDS = re.compile(r"\d{9,13}")
Row = dict[str, str]


def is_export(head: str) -> bool:
    """Whether a file begins with the columns of one of the tools."""
    columns = {name.strip().casefold() for name in first_row(head)}
    return columns >= _MEMOTRACE or columns >= _PYWXDUMP


def chat_file(member: Member, head: str, name: str, held: frozenset[str]) -> ChatFile:
    """The chats of a file: one, or several where a column tells them apart."""
    columns = [column.strip().casefold() for column in first_row(head)]
    memotrace = set(columns) >= _MEMOTRACE
    told = "talkerid" if memotrace else "room_name"
    rows = [dict(zip(columns, fields(line), strict=False)) for line in head.split("\n")[1:-1]]
    rooms = {row[told] for row in rows if row.get(told) and row.get("createtime")}
    part = _PART.fullmatch(name)
    title = part["name"] if part and not memotrace else name
    several = told if len(rooms) > 1 else ""
    if not memotrace and len(rooms) == 1:
        title = rooms.pop()
    return ChatFile(
        member, title, partial(_items, columns=columns, several=several, title=title, memotrace=memotrace, held=held)
    )


def _items(
    stream: BinaryIO,
    state: FileState,
    columns: Sequence[str],
    several: str,
    title: str,
    *,
    memotrace: bool,
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
            yield Section(f"{title}/{room}" if memotrace else room or title)
        yield _memotrace(line, named, state) if memotrace else _pywxdump(line, named, state, held)


def _time(text: str) -> tuple[datetime, bool] | None:
    """The time, and whether it is an instant rather than what a clock showed."""
    text = text.strip()
    if _SECONDS.fullmatch(text) and (found := instant_of(text, UTC)):
        return found, True
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    return time, time.tzinfo is not None


def _memotrace(line: int, row: Row, state: FileState) -> Item:
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
    own = row.get("is_sender", "").strip() == "1"
    talker = row.get("talker", "").strip()
    name = "" if own and talker in ("我", "me") else talker
    return Said(line, name, when[0], "second", message, "" if own else talker, own, instant=when[1])


def _inner(content: str) -> dict[str, Any]:
    """Older versions write words and file as JSON into one column."""
    if content.startswith("{"):
        try:
            return object_of(parsed_message(content.encode()))
        except ValueError:
            return {"msg": content}
    return {"msg": content}
