"""Reads the data export of ChatGPT: every conversation in ``conversations.json``, or in the files it is split into."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from ....schemas import UNKNOWN_USER
from ...chats.chat_connector import ChatConnector
from ...chats.notices import user_unknown
from ...connector import Member, Preview, ReadOptions, Record, Source
from ...opening.left_out import files_left_out, without_messages
from ...opening.member_subset import held_files
from ...opening.notice_places import place_of
from ...opening.tracked_member import note_role
from ...record_faults import or_rejected
from ...text.json_fields import object_of, words_of
from .chatgpt_content import FindFile
from .chatgpt_conversation import SOURCE, ConversationReader
from .documents import NOBODY, Chat, chat_records, named
from .members import by_kind, first_values, json_kind, read_values

CHATS, ACCOUNT, COMPANION = "chats", "account", "companion"
_SCORES = {CHATS: 0.97, ACCOUNT: 0.6, COMPANION: 0.55}
_CHAT_KEYS = frozenset({"current_node", "create_time", "update_time", "title", "conversation_id"})
_TREE = re.compile(rb'"(?:author|content_type|current_node)"\s*:')
_ACCOUNT_KEYS = frozenset({"chatgpt_plus_user", "phone_number", "birth_year"})
_ROLES = {
    "chat.html": "shows the conversations again: not read",
    "shared_conversations.json": "links to conversations that were shared: not kept",
    "message_feedback.json": "votes on answers: not kept",
}
"""The roles of the files beside the conversations, by file name."""
_FILE_ID = re.compile(r"file[-_][A-Za-z0-9]+")


class ChatGPTConnector(ChatConnector):
    """Reads the conversations that ChatGPT exports."""

    name = SOURCE
    certain = max(_SCORES.values())

    def score(self, member: Member) -> float:
        """Return the score of the file's kind, 0 for a file that is not of ChatGPT."""
        return _SCORES.get(_kind(member), 0.0)

    def preview(self, source: Source, options: ReadOptions) -> Preview:
        """Return the exporter; the chats state everything else themselves."""
        files = _files(source)
        user = options.me or _user(files.get(ACCOUNT, []))
        place = place_of(source, files.get(CHATS, []))
        notices = () if user else (user_unknown(place, NOBODY),)
        return Preview(format=self.name, title=source.name, user=user or None, notices=notices)

    def read(self, source: Source, options: ReadOptions) -> Iterator[Record]:
        """Yield one document for each conversation, then one for each version of the custom instructions."""
        files = _files(source)
        chats = files.get(CHATS) or (files[""] if options.format == self.name else [])
        if not chats:
            lists = [*files.get(ACCOUNT, []), *files.get(COMPANION, [])]
            yield from without_messages(source, lists, "conversation of ChatGPT")
            return
        user = options.me or _user(files.get(ACCOUNT, []))
        place = place_of(source, chats)
        if not user:
            yield user_unknown(place, NOBODY)
        reader = ConversationReader(user or UNKNOWN_USER, options.zone, _file_finder(source))

        def one(record: dict[str, Any], place: str) -> Iterable[Chat | Record]:
            return (or_rejected(reader.chat(record, place), place),)

        conversations = read_values(chats, _is_conversation, one, alone=len(chats) == 1)
        yield from named(conversations, options, source.locator)
        for chat in reader.instructions.chats(reader.user, source.locator):
            yield from chat_records(chat)
        yield from reader.tally.notices(place)
        if options.format != self.name or CHATS in files:
            yield from files_left_out((each for each in files[""] if _base(each) not in _ROLES), source.locator)
        _note_roles(files)


def _files(source: Source) -> dict[str, list[Member]]:
    """Return the files by kind.

    The file of an account may contain only an id and an address, as files of others do: it counts beside chats if it is
    called ``user.json``.
    """
    files = by_kind(source, _kind)
    if CHATS in files and ACCOUNT not in files:
        bare = [each for each in files[""] if _base(each) == "user.json" and _is_bare(each)]
        files[""] = [each for each in files[""] if each not in bare]
        files |= {ACCOUNT: bare} if bare else {}
    return files


def _note_roles(files: dict[str, list[Member]]) -> None:
    for member in files.get(ACCOUNT, []):
        note_role(member, "the account: says who the user is", used=True)
    for member in (*files.get(COMPANION, []), *files[""]):  # an empty list has no keys that show its kind
        if role := _ROLES.get(_base(member)):
            note_role(member, role, used=False)


def _base(member: Member) -> str:
    return member.name.rpartition("/")[2]


def _is_bare(member: Member) -> bool:
    return bool(json_kind(member, lambda keys, _: ACCOUNT if keys == {"id", "email"} else ""))


def _kind(member: Member) -> str:
    return json_kind(member, _kind_of)


def _kind_of(keys: set[str], head: bytes) -> str:
    if "mapping" in keys and keys & _CHAT_KEYS and _TREE.search(head):
        return CHATS
    if {"id", "email"} <= keys and keys & _ACCOUNT_KEYS:
        return ACCOUNT
    if {"conversation_id", "is_anonymous", "title"} <= keys or {"conversation_id", "rating"} <= keys:
        return COMPANION
    return ""


def _is_conversation(value: Any) -> bool:  # noqa: ANN401 - JSON may be anything
    return isinstance(value, dict) and "mapping" in value


def _user(members: list[Member]) -> str:
    """Return the exporter's name, else the address of the account."""
    for value in first_values(members, lambda _: True, 1):
        account = object_of(value)
        if text := words_of(account.get("name")) or words_of(account.get("email")):
            return text
    return ""


def _file_finder(source: Source) -> FindFile:
    """Return a function that finds files of the export by id: a file is called ``<id>-<its own name>``, or
    ``<id>.<ending>``.
    """
    names: dict[str, str] = {}
    for member in held_files(source):
        name = member.name.rpartition("/")[2]
        if match := _FILE_ID.match(name):
            names.setdefault(match[0], name)

    def find(file_id: str) -> str:
        match = _FILE_ID.match(file_id)
        return names.get(match[0], "") if match else ""

    return find
