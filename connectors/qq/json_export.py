"""Chats of QQChatExporter: one JSON file for each chat."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC
from functools import partial
from typing import Any, BinaryIO

from ..chat_lines import FileState
from ..connector import Member
from ..json_chats import field_of, json_items
from ..json_fields import entries_of, id_of, instant_of, object_of, size_of, text_of, words_of
from ..media_names import mime_of
from ..text_chats import NO_TIME, ChatFile, Item, Said, Unread
from .text_export import recognise

_CHAT = re.compile(rb'"chatInfo"\s*:\s*\{')
_MEDIA = frozenset({"image", "video", "audio", "voice", "file", "ptt"})
_TYPES = {
    "image": "media",
    "video": "media",
    "audio": "media",
    "voice": "media",
    "file": "media",
    "location": "location",
}


def is_export(head: bytes) -> bool:
    """Whether a file begins as QQChatExporter writes it."""
    return bool(_CHAT.search(head)) and (b"QQChatExporter" in head or b'"selfUi' in head)


def chat_file(member: Member, name: str, held: frozenset[str]) -> ChatFile:
    """The chat of a file; ``name`` stands for a title that is not there; ``held`` are the files beside it."""
    info = field_of(member, "chatInfo")
    title = words_of(info.get("name")) or name
    key = next((found for field in ("groupCode", "peerUin", "peerUid", "uin") if (found := id_of(info.get(field)))), "")
    group = words_of(info.get("type")) == "group"
    own = {id_of(info.get(field)) for field in ("selfUin", "selfUid")} - {""}
    return ChatFile(member, title, partial(_items, own=own, held=held), {"group": "true"} if group else {}, key=key)


def _items(stream: BinaryIO, state: FileState, own: set[str], held: frozenset[str]) -> Iterator[Item]:
    return json_items(stream, state, partial(_read, own=own, held=held), _is_message)


def _is_message(value: dict[str, Any]) -> bool:
    return "sender" in value and "content" in value


def _read(raw: dict[str, Any], pointer: str, state: FileState, own: set[str], held: frozenset[str]) -> Item:
    time = instant_of(raw.get("timestamp"), UTC) or instant_of(raw.get("time"), UTC)
    if time is None:
        return Unread(pointer, NO_TIME)
    content = object_of(raw.get("content"))
    text = text_of(content.get("text")) or text_of(raw.get("content"))
    resources = [object_of(entry) for entry in entries_of(content.get("resources"))]
    message = recognise(text)
    if resources:
        message["attachments"] = [_attachment(each, held) for each in resources]
        kind = _TYPES.get(words_of(resources[0].get("type")), "media")
        if not text.strip() or text.strip().startswith("["):
            message["kind"] = kind
            message["content"] = text if text.strip() else f"[{words_of(resources[0].get('type')) or 'file'}]"
    if own_id := id_of(raw.get("messageId")) or id_of(raw.get("id")):
        message["id"] = own_id
    if raw.get("isRecalled") is True or raw.get("recalled") is True:
        message |= {"kind": "deleted", "deleted": True}
    _answer(message, content)
    if raw.get("isSystemMessage") is True or raw.get("system") is True or words_of(raw.get("type")) == "system":
        return Said(pointer, "", time, "second", message | {"kind": "system"}, instant=True)
    if message.get("kind") == "unknown":
        state.unknown += 1
    sender, inner = object_of(raw.get("sender")), object_of(raw.get("rawMessage"))
    ids = [
        id_of(value) for value in (sender.get("uin"), sender.get("uid"), inner.get("senderUin"), inner.get("senderUid"))
    ]
    account = next((each for each in ids if each and each != "0"), "")
    names = (
        inner.get("sendMemberName"),
        sender.get("groupCard"),
        sender.get("name"),
        sender.get("nickname"),
        inner.get("sendNickName"),
    )
    name = next((found for value in names if (found := words_of(value))), account)
    if not name:
        return Unread(pointer, "a message without an author")
    return Said(pointer, name, time, "second", message, account, own=bool(own & set(ids)), instant=True)


def _attachment(raw: dict[str, Any], held: frozenset[str]) -> dict[str, Any]:
    name = words_of(raw.get("filename")) or words_of(raw.get("name")) or words_of(raw.get("type")) or "file"
    return {"name": name, "mime": mime_of(name), "size": size_of(raw.get("size")), "missing": name not in held}


def _answer(message: dict[str, Any], content: dict[str, Any]) -> None:
    """What is answered: the newer forms name it in an element, the older ones beside the words."""
    reply = object_of(content.get("reply"))
    for entry in entries_of(content.get("elements")):
        element = object_of(entry)
        if words_of(element.get("type")) == "reply":
            reply = object_of(element.get("data")) or reply
    found = (
        id_of(reply.get(key)) for key in ("referencedMessageId", "messageId", "sourceMsgIdInRecords", "replyMsgId")
    )
    if answered := next((each for each in found if each and each != "0"), ""):
        message["reply_to"] = answered
