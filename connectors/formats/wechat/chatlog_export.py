"""Chats that chatlog exports as JSON: a list of messages, each naming its chat. Streaming."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC
from functools import partial
from typing import Any, BinaryIO

from ....schemas.errors import SourceError
from ...chats.json_chats import json_items
from ...chats.json_messages import parsed_message
from ...chats.text_chats import NO_TIME, ChatFile, Item, Said, Section, Unread
from ...connector import Member
from ...text.chat_lines import FileState
from ...text.json_fields import entries_of, id_of, object_of, text_of, words_of
from ...text.json_stream import Element, JSONStream
from ...text.unicode import as_utf8
from ...times.instants import instant_of
from .kinds import SYSTEM_ACCOUNT, called, kind_of_number, message_of

_SAYS = ("title", "label", "desc", "url")
_ITEM_SAYS = ("DataTitle", "DataDesc", "StreamWebURL", "Location")
_DEEPEST = 8
_LISTED = ((),)
"""The path of the list: the file itself."""
_KEYS = tuple(re.compile(rb'"%b"\s*:' % key) for key in (b"time", b"talker", b"sender(?:Name)?", b"isSelf"))


def is_export(head: bytes) -> bool:
    """Return whether a file begins like the tool's exports."""
    return all(key.search(head) for key in _KEYS)


def chat_file(member: Member, name: str) -> ChatFile:
    """Return the chats of a file, titled after the first message's chat; ``name`` replaces a missing title."""
    first: dict[str, Any] = {}
    with suppress(SourceError), member.open() as stream:
        events = JSONStream(as_utf8(stream).stream.read1, _LISTED, parsed_message).events()
        first = next((object_of(event.value) for event in events if isinstance(event, Element)), dict[str, Any]())
    title = _title(first) or name
    return ChatFile(member, title, partial(_items, title=title))


def _title(raw: dict[str, Any]) -> str:
    return words_of(raw.get("talkerName")) or words_of(raw.get("talker"))


def _items(stream: BinaryIO, state: FileState, title: str) -> Iterator[Item]:
    def read(raw: dict[str, Any], pointer: str, state: FileState) -> tuple[str, Item]:
        return _title(raw), _read(raw, pointer, state)

    current = title
    for item in json_items(stream, state, read, _is_message, _LISTED):
        if isinstance(item, Unread):
            yield item
            continue
        chat, said = item
        if chat and chat != current:
            current = chat
            yield Section(chat)
        yield said


def _is_message(value: dict[str, Any]) -> bool:
    return "time" in value and "talker" in value


def _read(raw: dict[str, Any], pointer: str, state: FileState) -> Item:
    time = instant_of(raw.get("time"), UTC)
    if time is None:
        return Unread(pointer, NO_TIME)
    kind = kind_of_number(raw.get("type"), raw.get("subType"))
    if not kind:
        state.unknown += 1
    contents = object_of(raw.get("contents"))
    text = text_of(raw.get("content"))
    more = [line for line in _lines(contents) if line not in text] if contents else []
    words = "\n".join([text, *more] if text else more)
    message = message_of(words, kind, words_of(raw.get("typeDesc")) or called(raw.get("type")))
    if refer := object_of(contents.get("refer")):
        if answered := id_of(refer.get("seq")):
            message["reply_to"] = answered
        if quoted := "\n".join([text_of(refer.get("content")), *_lines(object_of(refer.get("contents")))]).strip():
            message["metadata"] = {"quoted": quoted}
    if number := id_of(raw.get("seq")):
        message["id"] = number
    account = words_of(raw.get("sender"))
    if kind == "system" or account == SYSTEM_ACCOUNT:
        return Said(pointer, "", time, "second", message | {"kind": "system"}, instant=True)
    is_own = raw.get("isSelf") is True
    name = words_of(raw.get("senderName"))
    return Said(pointer, name or ("" if is_own else account), time, "second", message, account, is_own, instant=True)


def _lines(contents: dict[str, Any], depth: int = 0) -> Iterator[str]:
    """Yield the words of a link, a file, a place or a forwarded chat, of which each message is a line."""
    record = object_of(contents.get("recordInfo"))
    # The description of a forwarded chat previews its first lines.
    said = (text_of(contents.get(key)).strip() for key in _SAYS if not (record and key == "desc"))
    yield from dict.fromkeys(words for words in said if words)
    for entry in entries_of(object_of(_any_case(record, "DataList")).get("DataItems")):
        item = object_of(entry)
        name, said = words_of(item.get("SourceName")), (text_of(item.get(key)).strip() for key in _ITEM_SAYS)
        words = "\n".join(dict.fromkeys(each for each in said if each)) or f"[{called(item.get('DataType')) or '消息'}]"
        yield "  " * depth + (f"{name}: {words}" if name else words)
        inner = object_of(item.get("RecordInfo")) or object_of(item.get("recordInfo"))
        if inner and depth < _DEEPEST:
            yield from _lines({"recordInfo": inner}, depth + 1)


def _any_case(record: dict[str, Any], key: str) -> object:
    return record.get(key) or record.get(key[0].lower() + key[1:])
