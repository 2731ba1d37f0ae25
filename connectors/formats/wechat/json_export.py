"""Chats of WeFlow, EchoTrace, CipherTalk and similar tools: one JSON file for each chat, with the session and its
messages.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC
from functools import partial
from typing import Any, BinaryIO

from ...chats.json_chats import field_of, json_items, value_of
from ...chats.text_chats import NO_TIME, ChatFile, Item, Said, Unread
from ...connector import Member
from ...opening.media_names import mime_of, name_in
from ...text.chat_lines import FileState
from ...text.json_fields import id_of, list_of, object_of, text_of, words_of
from ...times.instants import instant_of
from .kinds import called, kind_of_word, message_of

_SESSION = re.compile(rb'"session"\s*:\s*\{')
_WXID = re.compile(rb'"(?:wxid|weflow|username)"\s*:')
_MESSAGE = re.compile(rb'"(?:senderDisplayName|senderUsername|localType|isSend|senderID)"\s*:')
_ROOM = "@chatroom"
_QUOTING = "引用"
_QUOTED = re.compile(r"\[引用 (?:[^：:\]\n]{1,60}[：:])?(?P<words>[^\n]*)\]\s*\Z")
"""Matches what a message answers, which WeFlow writes behind its own words: ``好的[引用 张三：在家吗]``."""
_DEEPEST = 8
_MOST_RECORDS = 5_000
_PATH = re.compile(r"(?:[^\s<>:\"|?*/\\]{0,200}[/\\])+[^\s<>:\"|?*/\\]{1,200}\.[A-Za-z0-9]{2,5}")


def is_export(head: bytes) -> bool:
    """Return whether a file begins like the tools' exports."""
    return bool(_SESSION.search(head) and _WXID.search(head) and (_MESSAGE.search(head) or b'"weflow"' in head))


def chat_file(member: Member, name: str, held: frozenset[str]) -> ChatFile:
    """Return the chat of a file; ``name`` replaces a missing title; ``held``: the names of the files beside it."""
    session = field_of(member, "session")
    wxid = words_of(session.get("wxid")) or words_of(session.get("username"))
    names = (words_of(session.get(key)) for key in ("displayName", "remark", "nickname"))
    title = next((each for each in names if each), "") or wxid or name
    group = wxid.endswith(_ROOM) or words_of(session.get("type")) in ("群聊", "group")
    metadata = {"group": "true"} if group else {}
    other = "" if group else wxid
    read = partial(_read, other=other, senders=_senders(member), held=held)
    return ChatFile(member, title, partial(_items, read=read), metadata, key=wxid)


def _items(
    stream: BinaryIO, state: FileState, read: Callable[[dict[str, Any], str, FileState], Item]
) -> Iterator[Item]:
    return json_items(stream, state, read, _is_message)


def _senders(member: Member) -> dict[str, tuple[str, str]]:
    """Return account and name by sender number, which one form of WeFlow's JSON (Arkme) has in place of both."""
    result: dict[str, tuple[str, str]] = {}
    for entry in map(object_of, list_of(value_of(member, "senders"))):
        names = (words_of(entry.get(key)) for key in ("displayName", "remark", "groupNickname", "nickname"))
        account = words_of(entry.get("wxid"))
        result[id_of(entry.get("senderID"))] = (account, next(filter(None, names), "") or account)
    return result


def _is_message(value: dict[str, Any]) -> bool:
    return "createTime" in value and ("content" in value or "localType" in value)


def _read(
    raw: dict[str, Any],
    pointer: str,
    state: FileState,
    other: str,
    senders: Mapping[str, tuple[str, str]],
    held: frozenset[str],
) -> Item:
    time = instant_of(raw.get("createTime"), UTC)
    if time is None:
        return Unread(pointer, NO_TIME)
    word = words_of(raw.get("type"))
    kind = kind_of_word(word, raw.get("localType"))
    if not kind:
        state.unknown += 1
    content = text_of(raw.get("content"))
    quote = object_of(raw.get("quote"))
    quoted = words_of(raw.get("quotedContent")) or words_of(quote.get("content"))
    if (quoted or word.startswith(_QUOTING)) and (match := _QUOTED.search(content)) is not None:
        quoted = quoted or match["words"].strip()
        content = content[: match.start()].rstrip() or content
    records = list(_records(raw.get("chatRecordList"), 0))[:_MOST_RECORDS]
    if records and not any(line in content for line in records):
        content = "\n".join([*([content] if content.strip() else []), *records])
        kind = "forward"
    message = message_of(content, kind, word or called(raw.get("localType")))
    if kind == "media" and _PATH.fullmatch(content):
        name = name_in(content)
        message["attachments"] = [{"name": name, "mime": mime_of(name), "missing": name not in held}]
    if own_id := id_of(raw.get("platformMessageId")) or id_of(raw.get("serverId")):
        message["id"] = own_id
    if reply := id_of(raw.get("replyToMessageId") or raw.get("replyTo") or quote.get("sourceMessageId")):
        message["reply_to"] = reply
    if quoted and _QUOTED.fullmatch(content):  # it has no words of its own
        message["segments"] = [{"kind": "quote", "start": 0, "end": len(content), "depth": 1}]
    if quoted:
        message["metadata"] = {"quoted": quoted}
    sent = raw.get("isSend")
    is_own = sent is True or sent == 1
    listed, listed_name = senders.get(id_of(raw.get("senderID")), ("", ""))
    account = words_of(raw.get("senderUsername")) or listed or ("" if is_own else other)
    if kind == "system" or account.endswith(_ROOM) or (sent is None and "isSend" in raw and not account):
        if kind in ("", "text"):
            message["kind"] = "system"
        return Said(pointer, "", time, "second", message, instant=True)
    name = words_of(raw.get("senderDisplayName")) or listed_name
    return Said(pointer, name or ("" if is_own else account), time, "second", message, account, is_own, instant=True)


def _records(entries: object, depth: int) -> Iterator[str]:
    """Yield the lines of a forwarded chat; those of a chat that was forwarded in it are indented."""
    for entry in map(object_of, list_of(entries)):
        inner = list_of(entry.get("chatRecordList")) if depth < _DEEPEST else []
        said = (words_of(entry.get(key)) for key in ("datadesc", "datatitle", "chatRecordTitle", "chatRecordDesc"))
        words = next(filter(None, said), "[…]")
        name = words_of(entry.get("sourcename"))
        yield "  " * depth + (f"{name}: {words}" if name else words)
        yield from _records(inner, depth + 1)
