"""Reads chats of QQChatExporter: one JSON file per chat, or pieces of one with a message per line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC
from functools import partial
from typing import Any, BinaryIO
from unicodedata import normalize

import orjson

from ...chats.json_chats import field_of, json_items, values_of
from ...chats.text_chats import NO_TIME, ChatFile, Item, Said, Unread, item_at
from ...connector import Member
from ...opening.media_names import mime_of
from ...text.chat_lines import FileState
from ...text.json_fields import entries_of, id_of, object_of, size_of, text_of, words_of
from ...text.json_lines import json_lines
from ...times.instants import instant_of
from .elements import fields_of
from .text_export import recognise

_CHAT = re.compile(rb'"chatInfo"\s*:\s*\{')
_FOLDER = re.compile(
    r"(?:(?:group|friend)_(?:(?P<name>.+?)_)??(?P<number>(?:u_)?[A-Za-z0-9-]{4,40})_\d{8}_\d{6}|(?P<named>.+)\((?P<own>\w{4,40})\)(?:_\d+)?)"
    r"_chunked_jsonl"
)
_TYPES = {
    "image": "media",
    "video": "media",
    "audio": "media",
    "voice": "media",
    "file": "media",
    "location": "location",
}


def is_export(head: bytes) -> bool:
    """Return whether a file begins like a JSON export of QQChatExporter."""
    return bool(_CHAT.search(head)) and (b"QQChatExporter" in head or b'"selfUi' in head)


def is_piece(head: bytes) -> bool:
    """Return whether a file begins with one of its messages, alone on its line."""
    try:
        first = object_of(orjson.loads(head.lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")[0]))
    except orjson.JSONDecodeError:
        return False
    sender, content = object_of(first.get("sender")), object_of(first.get("content"))
    return bool(sender.keys() & {"uid", "uin"}) and {"text", "elements"} <= content.keys() and "timestamp" in first


@dataclass(frozen=True, slots=True)
class Manifest:
    """The list of a chat's pieces. ``order``: the time or number by which a piece comes, by its file's name."""

    info: dict[str, Any]
    order: dict[str, int]


def manifest_of(member: Member) -> Manifest | None:
    """Return the list of pieces that a file is; None for any other."""
    values = values_of(member, ("metadata", "chatInfo", "chunked"))
    chunked = object_of(values.get("chunked"))
    if not chunked and object_of(values.get("metadata")).get("format") != "chunked-jsonl":
        return None
    order: dict[str, int] = {}
    for number, entry in enumerate(entries_of(chunked.get("chunks"))):
        chunk = object_of(entry)
        file = words_of(chunk.get("file")) or words_of(chunk.get("relativePath")) or words_of(chunk.get("fileName"))
        start = chunk.get("startTime") or chunk.get("startTsMs")
        order[file.rpartition("/")[2]] = start if isinstance(start, int) else number
    return Manifest(object_of(values.get("chatInfo")), order)


def pieces_file(members: Sequence[Member], manifest: Manifest | None, name: str, held: frozenset[str]) -> ChatFile:
    """Return the chat of pieces.

    Args:
        members: the pieces.
        manifest: their list; without it, the title is that of their folder: ``group_Crew_4711_20240115_120000_chunked_jsonl``.
        name: in place of a title.
        held: the files beside them.
    """
    folders = [part for part in members[0].locator.replace("!", "/").split("/")[:-1] if part not in ("", "chunks")]
    folder = normalize("NFC", folders[-1]) if folders else ""
    match = _FOLDER.fullmatch(folder)
    title = (match["named"] or match["name"] or match["own"] or match["number"]) if match else name
    info = manifest.info if manifest else {}
    order = manifest.order if manifest else {}
    first, *more = sorted(members, key=lambda member: (order.get(member.name.rpartition("/")[2], 0), member.name))
    group = words_of(info.get("type")) == "group" if info.get("type") else folder.startswith("group_")
    read = partial(_pieces, user_ids=_user_ids(info), held=held)
    metadata = {"group": "true"} if group else {}
    return ChatFile(first, words_of(info.get("name")) or title, read, metadata, key=_key(info), more=more)


def _key(info: dict[str, Any]) -> str:
    return next((text for field in ("groupCode", "peerUin", "peerUid", "uin") if (text := id_of(info.get(field)))), "")


def _user_ids(info: dict[str, Any]) -> set[str]:
    return {id_of(info.get(field)) for field in ("selfUin", "selfUid")} - {""}


def _pieces(stream: BinaryIO, state: FileState, user_ids: set[str], held: frozenset[str]) -> Iterator[Item]:
    for line in json_lines(stream):
        if line.value is None:
            yield Unread(line.number, line.reason)
        else:
            yield item_at(line.number, _read, line.value, line.number, state, user_ids, held)


def chat_file(member: Member, name: str, held: frozenset[str]) -> ChatFile:
    """Return the chat of a file; ``name`` replaces a missing title; ``held`` are the files beside it."""
    info = field_of(member, "chatInfo")
    title = words_of(info.get("name")) or name
    group = words_of(info.get("type")) == "group"
    read = partial(_items, user_ids=_user_ids(info), held=held)
    return ChatFile(member, title, read, {"group": "true"} if group else {}, key=_key(info))


def _items(stream: BinaryIO, state: FileState, user_ids: set[str], held: frozenset[str]) -> Iterator[Item]:
    return json_items(stream, state, partial(_read, user_ids=user_ids, held=held), _is_message)


def _is_message(value: dict[str, Any]) -> bool:
    return "sender" in value and "content" in value


def _read(raw: dict[str, Any], pointer: int | str, state: FileState, user_ids: set[str], held: frozenset[str]) -> Item:
    time = instant_of(raw.get("timestamp"), UTC) or instant_of(raw.get("time"), UTC)
    if time is None:
        return Unread(pointer, NO_TIME)
    content = object_of(raw.get("content"))
    text = text_of(content.get("text")) or text_of(raw.get("content"))
    resources = [object_of(entry) for entry in entries_of(content.get("resources"))]
    fields = fields_of(text, content.get("elements"))
    text = fields["content"]
    message = recognise(text) | fields if text.strip() else recognise(text)
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
        if not text.strip():
            message["content"] = "[deleted message]"
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
    name = next((words for value in names if (words := words_of(value))), account)
    if not name:
        return Unread(pointer, "a message without an author")
    return Said(pointer, name, time, "second", message, account, own=bool(user_ids & set(ids)), instant=True)


def _attachment(raw: dict[str, Any], held: frozenset[str]) -> dict[str, Any]:
    name = words_of(raw.get("filename")) or words_of(raw.get("name")) or words_of(raw.get("type")) or "file"
    return {"name": name, "mime": mime_of(name), "size": size_of(raw.get("size")), "missing": name not in held}


def _answer(message: dict[str, Any], content: dict[str, Any]) -> None:
    """Set the id of the answered message: newer exports name it in an element, older ones beside the text."""
    reply = object_of(content.get("reply"))
    for entry in entries_of(content.get("elements")):
        element = object_of(entry)
        if words_of(element.get("type")) == "reply":
            reply = object_of(element.get("data")) or reply
    original = (
        id_of(reply.get(key)) for key in ("referencedMessageId", "messageId", "sourceMsgIdInRecords", "replyMsgId")
    )
    if answered := next((each for each in original if each and each != "0"), ""):
        message["reply_to"] = answered
