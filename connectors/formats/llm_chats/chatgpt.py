"""ChatGPT's data export: every conversation of ``conversations.json``, or of the files it is split into."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ....schemas import UNKNOWN_USER, Rejected
from ...connector import Connector, Member, Preview, ReadOptions, Record, Source
from ...opening.left_out import files_left_out, without_messages
from ...opening.member_subset import held_files
from ...opening.notice_places import place_of
from ...opening.tracked_member import note_role
from ...text.json_fields import object_of, words_of
from .chatgpt_content import FindFile
from .chatgpt_conversation import SOURCE, ConversationReader
from .documents import Chat, chat_records, named, user_unknown
from .members import Value, by_kind, first_values, json_kind, surest, values

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
"""By name, what the files beside the conversations are."""
_FILE_ID = re.compile(r"file[-_][A-Za-z0-9]+")


class ChatGPTConnector:
    """Reads the conversations that ChatGPT exports."""

    version = 1
    """Of what is read: told in receipts."""

    @property
    def name(self) -> str:
        """``chatgpt``."""
        return SOURCE

    def sniff(self, source: Source) -> float:
        """Sure when a first object is a conversation with a tree of messages."""
        return surest(source, _kind, _SCORES)

    def preview(self, source: Source, options: ReadOptions) -> Preview:
        """Who exported; the chats say everything else themselves."""
        files = _files(source)
        user = options.me or _user(files.get(ACCOUNT, []))
        place = place_of(source, files.get(CHATS, []))
        notices = () if user else (user_unknown(place),)
        return Preview(format=self.name, title=source.name, user=user or None, notices=notices)

    def read(self, source: Source, options: ReadOptions) -> Iterator[Record]:
        """One document for each conversation, then one for each wording of the custom instructions."""
        files = _files(source)
        chats = files.get(CHATS) or (files[""] if options.format == self.name else [])
        if not chats:
            lists = [*files.get(ACCOUNT, []), *files.get(COMPANION, [])]
            yield from without_messages(source, lists, "conversation of ChatGPT")
            return
        user = options.me or _user(files.get(ACCOUNT, []))
        place = place_of(source, chats)
        if not user:
            yield user_unknown(place)
        reader = ConversationReader(user or UNKNOWN_USER, options.zone, _file_finder(source))
        yield from named(_chats(chats, reader), options, source.locator)
        for chat in reader.instructions.chats(reader.user, source.locator):
            yield from chat_records(chat)
        yield from reader.tally.notices(place)
        if options.format != self.name or CHATS in files:
            yield from files_left_out((each for each in files[""] if _base(each) not in _ROLES), source.locator)
        _note_roles(files)


def _chats(members: list[Member], reader: ConversationReader) -> Iterator[Chat | Record]:
    for member in members:
        for item in values(member, _is_conversation, alone=len(members) == 1):
            if isinstance(item, Value):
                found = reader.chat(object_of(item.value), item.locator)
                yield Rejected(locator=item.locator, reason=found) if isinstance(found, str) else found
            else:
                yield item


def _files(source: Source) -> dict[str, list[Member]]:
    """The files by what they hold. An account may tell no more than anybody's id and address: beside chats its name tells
    what it is.
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
    for member in (*files.get(COMPANION, []), *files[""]):  # an empty list has no keys to be known by
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
    """The exporter's name, else the address of the account."""
    for value in first_values(members, lambda _: True, 1):
        account = object_of(value)
        if found := words_of(account.get("name")) or words_of(account.get("email")):
            return found
    return ""


def _file_finder(source: Source) -> FindFile:
    """Finds files of the export by their ids: a file is called ``<id>-<its own name>``, or ``<id>.<ending>``."""
    names: dict[str, str] = {}
    for member in held_files(source):
        name = member.name.rpartition("/")[2]
        if match := _FILE_ID.match(name):
            names.setdefault(match[0], name)

    def find(own: str) -> str:
        match = _FILE_ID.match(own)
        return names.get(match[0], "") if match else ""

    return find


if TYPE_CHECKING:
    _: type[Connector] = ChatGPTConnector
