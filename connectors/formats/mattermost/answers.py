"""Reads posts as the REST API of the Mattermost server returns them, with their ids and the ids of their threads."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, BinaryIO

import orjson

from ....schemas import Rejected
from ....schemas.errors import SourceError
from ...chats.accounts import Accounts
from ...chats.exported_chats import Said, chat_of_file
from ...chats.json_messages import parsed_message
from ...connector import Member
from ...files.whole_files import head_of
from ...record_faults import records_at
from ...text.json_fields import entries_of, id_of, list_of, object_of, words_of
from ...text.json_lines import json_lines
from ...text.json_stream import Broken, Element, Field, JSONStream, Skipped, Started
from ...text.unicode import as_utf8
from .post import PostReader

_HEAD = 64 * 1024
_LARGEST = 64 << 20
"""The largest size of the posts that are the fields of one object."""
_POST = tuple(
    re.compile(key)
    for key in (rb'"create_at"\s*:\s*\d{12,14}\b', rb'"message"\s*:', rb'"root_id"\s*:', rb'"user(?:_id|name)?"\s*:')
)
"""The expressions that a post matches; other programs use such keys too, but no milliseconds."""
_NAMED = re.compile(rb'"(?:username|display_name)"\s*:')
_FIELDS = 100
"""The largest number of fields that are kept for a file with a single post; a post has fewer."""
_LISTS = ((), ("posts",))


def is_answer(member: Member) -> bool:
    """Return whether a file begins with such posts."""
    head = head_of(member).lstrip()
    return head.startswith((b"{", b"[")) and b'"root_id"' in head and all(each.search(head) for each in _POST)


class AnswerReader:
    """Reads the posts of files, with names from the posts and from other files."""

    def __init__(self, accounts: Accounts, reader: PostReader, others: list[Member]) -> None:
        """``others``: the files beside the posts; lists of people and channels among them are read."""
        self._accounts = accounts
        self._reader = reader
        self._titles: dict[str, str] = {}
        self._known: set[str] = set()
        for member in others:
            self._learn(member)

    def read(self, member: Member, stream: BinaryIO) -> Iterator[Said | Rejected]:
        """Yield every post of a file."""
        for value, place in _posts(member, as_utf8(stream).stream):
            if isinstance(value, str):
                yield Rejected(locator=place, reason=value)
                continue
            yield from records_at(place, self._post, member, value, place)

    def _post(self, member: Member, value: dict[str, Any], place: str) -> Iterator[Said | Rejected]:
        chat = id_of(value.get("channel_id")) or chat_of_file(member)
        result = self._reader.read(_as_exported(value), chat, id_of(value.get("root_id")) or None)
        if isinstance(result, str):
            yield Rejected(locator=place, reason=result)
            return
        account = _author(value)
        if account not in self._known and (name := words_of(value.get("username"))):
            self._accounts.name_of(account, name)
        result["id"] = id_of(value.get("id")) or result["id"]
        if value.get("delete_at"):
            result |= {"kind": "deleted", "deleted": True}
        yield Said(chat, {"title": self._titles.get(chat) or chat}, result, place)

    def _learn(self, member: Member) -> None:
        with suppress(SourceError, orjson.JSONDecodeError), member.open() as stream:
            text = as_utf8(stream).stream
            if not _NAMED.search(text.peek(_HEAD)[:_HEAD]):
                return
            value = orjson.loads(text.read(_LARGEST))
            for each in entries_of(value):
                held = object_of(each)
                account, name = id_of(held.get("id")), words_of(held.get("username"))
                full = " ".join(filter(None, (words_of(held.get("first_name")), words_of(held.get("last_name")))))
                if account and name:
                    self._known.add(account)
                    self._accounts.name_of(account, words_of(held.get("nickname")) or full or name, name, f"@{name}")
                elif account and (title := words_of(held.get("display_name")) or words_of(held.get("name"))):
                    self._titles[account] = title


def _posts(member: Member, stream: Any) -> Iterator[tuple[dict[str, Any] | str, str]]:  # noqa: ANN401 - a buffered reader
    """Yield the posts of a list, of JSON lines, of an answer with its posts by id, or of a single object."""
    head = stream.peek(_HEAD)[:_HEAD].lstrip()
    if head.startswith(b"{") and re.match(rb'\{[^\n]*"create_at"[^\n]*\}\s*\n\s*\{', head):
        for line in json_lines(stream):
            yield line.reason if line.value is None else line.value, f"{member.locator}:{line.number}"
        return
    started = False
    fields: dict[str, Any] = {}
    for event in JSONStream(stream.read1, _LISTS, parsed_message, genuine=_genuine, field_cap=_LARGEST).events():
        if isinstance(event, Element):
            yield object_of(event.value), f"{member.locator}#{event.pointer}"
        elif isinstance(event, Broken):
            yield event.reason, f"{member.locator}#{event.pointer}"
        elif isinstance(event, Skipped):
            yield f"more than {_LARGEST} bytes", f"{member.locator}#{event.holder}/{event.key}"
        elif isinstance(event, Started):
            started = True
        elif isinstance(event, Field) and not event.holder and (event.key == "posts" or len(fields) < _FIELDS):
            fields[event.key] = event.value
    if "posts" in fields:
        for post_id, post in object_of(fields["posts"]).items():
            yield {"id": post_id, **object_of(post)}, f"{member.locator}#/posts/{post_id}"
    elif not started:
        yield fields if _genuine(fields) else "the file has no list of posts", member.locator


def _author(value: dict[str, Any]) -> str:
    return id_of(value.get("user_id")) or words_of(value.get("username")) or words_of(value.get("user"))


def _as_exported(value: dict[str, Any]) -> dict[str, Any]:
    """Convert a post to the shape of a bulk export, which keeps files and reactions in other fields."""
    more = object_of(value.get("metadata"))
    reactions = list_of(more.get("reactions")) or list_of(value.get("reactions"))
    files = [words_of(object_of(each).get("name")) for each in list_of(more.get("files"))]
    files = files or [id_of(each) for each in list_of(value.get("file_ids"))]
    return {
        **value,
        "user": _author(value),
        "message": value.get("message") or ("[deleted message]" if value.get("delete_at") else ""),
        "reactions": [{**object_of(each), "user": _author(object_of(each))} for each in reactions],
        "attachments": [{"path": name} for name in files if name],
    }


def _genuine(value: object) -> bool:
    return "create_at" in object_of(value)
