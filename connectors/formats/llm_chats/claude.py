"""Reads the data export of Claude: conversations, the files and instructions of projects, and Claude's memory of the
user.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from ....schemas import Rejected
from ...chats.chat_connector import ChatConnector
from ...chats.notices import user_unknown
from ...connector import Member, Preview, ReadOptions, Record, Source
from ...opening.left_out import files_left_out, without_messages
from ...opening.notice_places import place_of
from ...opening.tracked_member import note_role
from ...record_faults import or_rejected, records_at
from ...text.json_fields import object_of, words_of
from .claude_conversation import SOURCE, ConversationReader, memory_texts, not_messages, project_texts
from .documents import NOBODY, Chat, named
from .members import by_kind, first_values, json_kind, read_values

CHATS, ACCOUNT, PROJECTS, MEMORIES = "chats", "account", "projects", "memories"
_SCORES = {CHATS: 0.97, PROJECTS: 0.9, MEMORIES: 0.9, ACCOUNT: 0.6}
_MOST_ACCOUNTS = 100_000
_RECORD_KEYS = ("chat_messages", "docs", "conversations_memory", "messages")
_PROJECT_KEYS = frozenset({"docs", "prompt_template", "is_starter_project"})


class ClaudeConnector(ChatConnector):
    """Reads the conversations that Claude exports."""

    name = SOURCE
    certain = max(_SCORES.values())

    def score(self, member: Member) -> float:
        """Return the score of the file's kind, 0 for a file that is not of Claude."""
        return _SCORES.get(_kind(member), 0.0)

    def preview(self, source: Source, options: ReadOptions) -> Preview:
        """Return the exporter; the chats state everything else themselves."""
        files = by_kind(source, _kind)
        names = set(_accounts(files.get(ACCOUNT, [])).values())
        place = place_of(source, files.get(CHATS, []))
        user = options.me or (next(iter(names)) if len(names) == 1 else None)
        notices = () if user or names else (user_unknown(place, NOBODY),)
        return Preview(format=self.name, title=source.name, user=user, notices=notices)

    def read(self, source: Source, options: ReadOptions) -> Iterator[Record]:
        """Yield one document for each conversation, then the texts of projects and memories."""
        files = by_kind(source, _kind)
        chats = files.get(CHATS, [])
        if options.format == self.name and not files.keys() - {"", ACCOUNT}:
            chats = files[""]
        if not chats and not files.keys() - {"", ACCOUNT}:
            yield from without_messages(source, files.get(ACCOUNT, []), "conversation of Claude")
            return
        accounts = _accounts(files.get(ACCOUNT, []))
        place = place_of(source, chats)
        if not options.me and not accounts and chats:
            yield user_unknown(place, NOBODY)
        reader = ConversationReader(options.me, accounts, options.zone)
        alone = len(source.members()) == 1
        conversations = read_values(chats, _is_record, partial(_chat, reader), alone=alone)
        yield from named(conversations, options, source.locator)
        texts = (*files.get(PROJECTS, []), *files.get(MEMORIES, []))
        yield from read_values(texts, _is_record, partial(_texts, options), alone=alone)
        for member in files.get(ACCOUNT, []):
            note_role(member, "the accounts: say who the user is", used=True)
        yield from reader.tally.notices(place)
        if options.format != self.name or CHATS in files:
            yield from files_left_out(files[""], source.locator)


def _chat(reader: ConversationReader, record: dict[str, Any], locator: str) -> Iterator[Chat | Record]:
    yield from not_messages(record, locator)
    yield or_rejected(reader.chat(record, locator), locator)


def _texts(options: ReadOptions, record: dict[str, Any], locator: str) -> Iterator[Record]:
    if not record:
        yield Rejected(locator=locator, reason="neither a project nor a memory")
    elif "conversations_memory" in record or "project_memories" in record:
        yield from records_at(locator, memory_texts, record, locator)
    else:
        yield from records_at(locator, project_texts, record, options.zone, locator)


def _kind(member: Member) -> str:
    return json_kind(member, _kind_of)


def _kind_of(keys: set[str], head: bytes) -> str:
    if "chat_messages" in keys and keys & {"uuid", "name", "created_at"}:
        return CHATS
    if {"uuid", "messages", "project"} <= keys and (b'"contentBlocks"' in head or b'"authorAccountUuid"' in head):
        return CHATS  # of Claude's design tool
    if keys & {"conversations_memory", "project_memories"}:
        return MEMORIES
    if {"uuid", "name"} <= keys and keys & _PROJECT_KEYS:
        return PROJECTS
    if {"uuid", "full_name", "email_address"} <= keys:
        return ACCOUNT
    return ""


def _is_record(value: Any) -> bool:  # noqa: ANN401 - JSON may be anything
    return isinstance(value, dict) and any(key in value for key in _RECORD_KEYS)


def _accounts(members: list[Member]) -> dict[str, str]:
    """Return the names of accounts, else their addresses, by id."""
    result: dict[str, str] = {}
    for value in first_values(members, lambda _: True, _MOST_ACCOUNTS):
        account = object_of(value)
        if name := words_of(account.get("full_name")) or words_of(account.get("email_address")):
            result[words_of(account.get("uuid"))] = name
    return result
