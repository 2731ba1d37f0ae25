"""Connector for X: archives of accounts, as single files, folders and zips, in today's layout and earlier ones."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from ....schemas import Notice, Rejected
from ....schemas.errors import SourceError
from ....schemas.wire import replaced_text
from ...chats.accounts import Accounts
from ...chats.exported_chats import ChatExport, ExportConnector, Said, read_members
from ...chats.json_messages import parsed_message
from ...chats.ordered_days import Message
from ...connector import Member, ReadOptions, Source
from ...opening.member_subset import held_names
from ...record_faults import records_at
from ...text.json_fields import id_of, list_of, object_of, text_of, words_of
from ...text.json_stream import Broken, Element, Field, JSONStream
from ...text.unicode import as_utf8
from ...times.instants import instant_of
from .detection import (
    ACCOUNT,
    DELETED,
    DIRECT,
    GROK,
    HEADERS,
    NOTES,
    OLD_USER,
    OTHER,
    POSTS,
    SCORES,
    kind_of,
    without_assignment,
)
from .direct_messages import DirectReader
from .posts import Notes, PostReader

_PLAIN = ((),)
_PAIR = re.compile(r"\d+-\d+")
"""Matches the id of a chat of two people."""
_TALKS = (("*", "dmConversation", "messages"),)
_SMALL = 8 << 20
_MENTIONED = 200_000
GROK_NAME = "Grok"


@dataclass(slots=True)
class _Files:
    """The files of an archive by kind, and the names from its small files."""

    kinds: dict[str, list[Member]] = field(default_factory=dict[str, list[Member]])
    others: list[Member] = field(default_factory=list[Member])
    names: frozenset[str] = frozenset()
    """The names of pictures, videos and all other files."""
    own: str = ""
    shown: str = ""
    handle: str = ""
    titles: dict[str, str] = field(default_factory=dict[str, str])
    """The titles of groups, by chat id."""
    mentioned: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    notes: Notes = field(default_factory=Notes)

    def of(self, *kinds: str) -> list[Member]:
        """Return the files of these kinds."""
        return [member for kind in kinds for member in self.kinds.get(kind, [])]


class XConnector(ExportConnector):
    """Reads archives of X."""

    name = "x"
    program = "X"

    def score(self, member: Member) -> float:
        """Return the certainty for files that assign their JSON to a variable of the archive."""
        return SCORES.get(kind_of(member), 0.0)

    def opened(self, source: Source, options: ReadOptions) -> ChatExport | None:
        """Learn the account, the chats' titles and the people whom posts mention, before messages are read."""
        files = _files(source)
        if not files.of(DIRECT, POSTS, DELETED, NOTES, GROK):
            return None
        for member in files.of(ACCOUNT, OLD_USER):
            _learn_account(member, files)
        for member in files.of(POSTS):
            _learn_people(member, files)
        for member in files.of(DIRECT):
            _learn_titles(member, files)
        accounts = Accounts(options.me, files.own)
        if files.own:
            accounts.name_of(files.own, files.shown, files.handle, f"@{files.handle}" if files.handle else "")
        for account, (shown, handle) in files.mentioned.items():
            accounts.name_of(account, shown, handle, f"@{handle}")
        walk = _Walk(files, accounts, options, source)
        return ChatExport(accounts, walk.said, {}, files.others, walk.counts)


class _Walk:
    """The pass over the messages and posts."""

    def __init__(self, files: _Files, accounts: Accounts, options: ReadOptions, source: Source) -> None:
        self._files = files
        self._accounts = accounts
        self._zone = options.zone
        self._source = source
        self._direct = DirectReader(accounts, options.zone, self._held)
        self._posts = PostReader(accounts, files.own or "author", files.notes, options.zone, self._held)
        self.counts: Counter[str] = Counter()

    def said(self) -> Iterator[Said | Rejected | Notice]:
        """Yield all messages and posts; notes are read first, because posts need them."""
        alone = len(self._source.members()) == 1
        files = self._files
        yield from read_members(files.of(NOTES), self._take_notes, alone=alone)
        yield from read_members(files.of(DIRECT), self._talks, alone=alone)
        yield from read_members(files.of(POSTS, DELETED), self._posted, alone=alone)
        for note in files.notes.left():
            yield Said(self._post_chat, self._post_metadata, self._posts.note(note), self._source.locator, note.member)
        yield from read_members(files.of(GROK), self._asked, alone=alone)
        self.counts["content-unknown"] += self._direct.unknown
        if count := len(files.of(OTHER, HEADERS)):
            hint = f"{count} other part(s) of the archive (likes, followers, advertising, …) were left out"
            yield Notice(code="sections-left-out", locator=self._source.locator, hint=hint)

    @property
    def _post_chat(self) -> str:
        return f"posts-{self._files.own}" if self._files.own else "posts"

    @property
    def _post_metadata(self) -> dict[str, str]:
        handle = self._files.handle
        return {"title": f"@{handle}" if handle else "posts", "channel_type": "posts"}

    def _held(self, message_id: str, name: str) -> bool:
        return f"{message_id}-{name}" in self._files.names

    def _take_notes(self, member: Member, stream: BinaryIO) -> Iterator[Rejected | Notice]:
        for value, place in _elements(member, stream):
            if isinstance(value, Rejected | Notice):
                yield value
            else:
                yield from records_at(place, self._take_note, value, member, place)

    def _take_note(self, value: dict[str, Any], member: Member, place: str) -> Iterator[Rejected]:
        if not self._files.notes.add(value, member):
            yield Rejected(locator=place, reason="a long post without text or time")

    def _talks(self, member: Member, stream: BinaryIO) -> Iterator[Said | Rejected | Notice]:
        text = as_utf8(stream)
        without_assignment(text.stream)
        talk: dict[str, str] = {}
        for event in _stream(text.stream, _TALKS).events():
            if isinstance(event, Element):
                place = f"{member.locator}#{event.pointer}"
                chat = talk.get(event.array.rpartition("/")[0], "")
                yield from records_at(place, self._message, object_of(event.value), chat, place)
            elif isinstance(event, Field) and event.key == "conversationId" and id_of(event.value):
                talk = {event.holder: id_of(event.value)}
            elif isinstance(event, Broken):
                yield Rejected(locator=f"{member.locator}#{event.pointer}", reason=event.reason)
        if text.replaced:
            yield replaced_text(member.locator)

    def _message(self, raw: dict[str, Any], chat: str, place: str) -> Iterator[Said | Rejected]:
        result = self._direct.read(raw)
        chat = chat or _pair(object_of(raw.get("messageCreate")))
        yield Said(chat, self._talk_metadata(chat), result, place)

    def _talk_metadata(self, chat: str) -> dict[str, str]:
        """Return a chat's metadata; the title of a chat of two is the other person's name."""
        people = [account for account in chat.split("-") if account != self._files.own]
        if _PAIR.fullmatch(chat):
            return {
                "title": ", ".join(self._accounts.known(account) for account in people) or chat,
                "channel_type": "dm",
            }
        return {"title": self._files.titles.get(chat, chat), "channel_type": "group"}

    def _posted(self, member: Member, stream: BinaryIO) -> Iterator[Said | Rejected | Notice]:
        deleted = kind_of(member) == DELETED
        for value, place in _elements(member, stream):
            if isinstance(value, Rejected | Notice):
                yield value
                continue
            result = self._posts.read(value, deleted=deleted)
            yield Said(self._post_chat, self._post_metadata, result, place)

    def _asked(self, member: Member, stream: BinaryIO) -> Iterator[Said | Rejected | Notice]:
        """Yield the messages of chats with Grok; its texts are never the user's."""
        for value, place in _elements(member, stream):
            if isinstance(value, Rejected | Notice):
                yield value
                continue
            yield from records_at(place, self._of_grok, value, place)

    def _of_grok(self, value: dict[str, Any], place: str) -> Iterator[Said | Rejected]:
        item = object_of(value.get("grokChatItem")) or value
        time = instant_of(words_of(item.get("createdAt")), self._zone)
        words = text_of(item.get("message"))
        if time is None or not words.strip():
            yield Rejected(locator=place, reason="a message of Grok without words or time")
            return
        sender = words_of(item.get("sender")) or words_of(object_of(item.get("sender")).get("name"))
        user = sender.casefold() in ("user", "1")
        message: Message = {
            "speaker": self._accounts.name_of(self._files.own)
            if user and self._files.own
            else "user"
            if user
            else GROK_NAME,
            "content": words,
            "time": time,
            "kind": "text",
            "role": "user" if user else "assistant",
            "zone_origin": "explicit",
        }
        chat = id_of(item.get("chatId")) or "chat"
        yield Said(f"grok-{chat}", {"title": GROK_NAME, "channel_type": "grok"}, message, place)


def _files(source: Source) -> _Files:
    files = _Files()
    for member in source.members():
        kind = kind_of(member)
        if kind:
            files.kinds.setdefault(kind, []).append(member)
        else:
            files.others.append(member)
    files.names = held_names(source)
    return files


def _learn_account(member: Member, files: _Files) -> None:
    """Learn the owner of the archive."""
    with suppress(SourceError, ValueError), member.open() as stream:
        text = as_utf8(stream).stream
        without_assignment(text)
        value = parsed_message(text.read(_SMALL).strip().rstrip(b";"))
        entries = [object_of(each) for each in list_of(value)] or [object_of(value)]
        for entry in entries:
            account = object_of(entry.get("account")) or entry
            files.own = files.own or id_of(account.get("accountId")) or id_of(account.get("id"))
            shown = words_of(account.get("accountDisplayName")) or words_of(account.get("full_name"))
            files.shown = files.shown or shown
            files.handle = files.handle or words_of(account.get("username")) or words_of(account.get("screen_name"))


def _learn_people(member: Member, files: _Files) -> None:
    """Learn the names of people whom posts mention: direct messages have only their ids."""

    def parse(raw: bytes) -> Any:  # noqa: ANN401 - JSON may be anything
        return parsed_message(raw) if not raw.startswith(b"{") or b'"screen_name"' in raw else None

    with suppress(SourceError), member.open() as stream:
        text = as_utf8(stream).stream
        without_assignment(text)
        for event in JSONStream(text.read1, _PLAIN, parse).events():
            value = object_of(event.value) if isinstance(event, Element) else {}
            post = object_of(value.get("tweet")) or value
            for entry in list_of(object_of(post.get("entities")).get("user_mentions")):
                mention = object_of(entry)
                account, handle = (
                    id_of(mention.get("id_str")) or id_of(mention.get("id")),
                    words_of(mention.get("screen_name")),
                )
                if account and handle and account != "-1" and len(files.mentioned) < _MENTIONED:
                    files.mentioned.setdefault(account, (words_of(mention.get("name")), handle))


def _learn_titles(member: Member, files: _Files) -> None:
    """Learn the titles of groups; the newest stands first."""

    def parse(raw: bytes) -> Any:  # noqa: ANN401 - JSON may be anything
        return parsed_message(raw) if not raw.startswith(b"{") or b"conversationNameUpdate" in raw else None

    with suppress(SourceError), member.open() as stream:
        text = as_utf8(stream).stream
        without_assignment(text)
        chat = ""
        for event in JSONStream(text.read1, _TALKS, parse).events():
            if isinstance(event, Field) and event.key == "conversationId":
                chat = id_of(event.value)
            elif isinstance(event, Field) and event.key == "name" and words_of(event.value):
                files.titles.setdefault(chat, words_of(event.value))
            elif isinstance(event, Element) and event.value:
                update = object_of(object_of(event.value).get("conversationNameUpdate"))
                if name := words_of(update.get("name")):
                    files.titles.setdefault(chat, name)


def _elements(member: Member, stream: BinaryIO) -> Iterator[tuple[dict[str, Any] | Rejected | Notice, str]]:
    """Yield the objects of a list with their places, and rejections for what cannot be read."""
    text = as_utf8(stream)
    without_assignment(text.stream)
    for event in _stream(text.stream, _PLAIN).events():
        if isinstance(event, Element):
            yield object_of(event.value), f"{member.locator}#{event.pointer}"
        elif isinstance(event, Broken):
            yield Rejected(locator=f"{member.locator}#{event.pointer}", reason=event.reason), ""
    if text.replaced:
        yield replaced_text(member.locator), ""


def _stream(stream: io.BufferedReader, paths: tuple[tuple[str, ...], ...]) -> JSONStream:
    return JSONStream(stream.read1, paths, parsed_message, genuine=_genuine)


def _genuine(value: object) -> bool:
    """Return whether an object after broken JSON may be a message or a post."""
    held = object_of(value)
    return bool(held.keys() & {"messageCreate", "tweet", "noteTweet", "grokChatItem", "full_text", "joinConversation"})


def _pair(message: dict[str, Any]) -> str:
    """Return the id that X gives to the chat of two people."""
    people = [
        message_id for message_id in (id_of(message.get("senderId")), id_of(message.get("recipientId"))) if message_id
    ]
    numbers = sorted(people, key=lambda message_id: (len(message_id), message_id))
    return "-".join(numbers) if len(numbers) == 2 else "unknown"
