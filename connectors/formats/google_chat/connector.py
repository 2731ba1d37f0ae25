"""Reads Google Chat: the folders of a Takeout, as files, folders and archives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from ....schemas import SYSTEM_SPEAKER, UNKNOWN_USER
from ...chats.chat_connector import ChatConnector, preview_of
from ...chats.json_messages import small_object
from ...chats.notices import chat_ignored, content_unknown, user_not_seen, user_unknown
from ...chats.ordered_days import OrderedDays
from ...connector import Member, Preview, ReadOptions, Record, Source
from ...opening.attached_files import AttachedFiles
from ...opening.left_out import files_left_out, without_messages
from ...opening.notice_places import place_of
from ...text.json_fields import object_of
from .chat import SOURCE, Chat, chat_of
from .detection import GROUP, HANGOUTS, MESSAGES, SCORES, USER, kind_of
from .hangouts import Hangouts
from .message import MessageReader
from .people import Names

_SMALL_FILE = 8 << 20
_NOBODY = "no user_info.json says who made this Takeout"
_PREVIEWED = 500
"""The maximum number of messages of each chat that the preview reads."""


@dataclass(slots=True)
class _Files:
    """The files of a Takeout by kind."""

    chats: list[Chat] = field(default_factory=list[Chat])
    hangouts: list[Member] = field(default_factory=list[Member])
    owner: dict[str, Any] = field(default_factory=dict[str, Any])
    """The account that made the Takeout: name and address."""
    lists: list[Member] = field(default_factory=list[Member])
    """The files that list the account or the members of chats."""
    others: list[Member] = field(default_factory=list[Member])

    def place(self, source: Source) -> str:
        """Return the locator for notices about all of the files."""
        return place_of(source, [*(each for chat in self.chats for each in chat.files.members), *self.hangouts])

    def user(self, names: Names, options: ReadOptions) -> str:
        """Return the exporter's name in a chat."""
        if options.me:
            return names.given(options.me)
        return names.name_of(self.owner) if self.owner else UNKNOWN_USER


class GoogleChatConnector(ChatConnector):
    """Reads chats of Google Chat."""

    name = SOURCE
    version = 2

    def score(self, member: Member) -> float:
        """Return the score of the file's kind, 0 for a file that is not of Google Chat."""
        return SCORES.get(kind_of(member), 0.0)

    def preview(self, source: Source, options: ReadOptions) -> Preview:
        """Return the authors of the first messages of each chat with their message counts."""
        files = _files(source)
        counts: Counter[str] = Counter()
        users: set[str] = set()
        for chat in files.chats:
            names = Names(chat.group)
            users.add(files.user(names, options))
            reader = MessageReader(names, options.zone, bool)
            for raw in chat.files.first(_PREVIEWED):
                reader.read(raw)
            counts += reader.speakers
        del counts[SYSTEM_SPEAKER]
        keys = {chat.key for chat in files.chats}
        one = files.chats[0] if len(keys) == 1 and not files.hangouts else None
        user = users.pop() if len(users) == 1 else UNKNOWN_USER
        nobody = [user_unknown(files.place(source), _NOBODY)] if files.chats and user == UNKNOWN_USER else ()
        chats = {one.key: one.title(user)} if one else {}
        return preview_of(self.name, chats, counts, chat=options.chat, user=user, notices=nobody)

    def read(self, source: Source, options: ReadOptions) -> Iterator[Record]:
        """Yield the day documents of every chat, in order of the local days."""
        files = _files(source)
        if not files.chats and not files.hangouts:
            yield from without_messages(source, files.lists, "message of Google Chat")
            return
        chat_name = options.chat
        if chat_name and (len({chat.key for chat in files.chats}) > 1 or files.hangouts):
            chat_name = None
            yield chat_ignored(source.locator)
        if files.chats and not options.me and not files.owner:
            yield user_unknown(files.place(source), _NOBODY)
        alone = len(source.members()) == 1
        beside = AttachedFiles(source)
        seen, unknown = False, 0
        for chat in files.chats:
            names = Names(chat.group)
            user = files.user(names, options)
            held = partial(beside.has_shortened, folder=chat.member.name.rpartition("/")[0])
            reader = MessageReader(names, options.zone, held)
            metadata = chat.metadata(user) | ({"title": chat_name} if chat_name else {})
            yield from chat.files.records(
                reader.read_all, OrderedDays(SOURCE, chat_name or chat.key, user, metadata), alone=alone
            )
            seen = seen or names.given(user) in reader.speakers
            unknown += reader.unknown
        for member in files.hangouts:
            hangouts = Hangouts(member, options, beside)
            yield from hangouts.records(alone=alone)
            seen = seen or hangouts.seen
            unknown += hangouts.unknown
        if options.me and not seen:
            yield user_not_seen(files.place(source))
        yield from content_unknown(unknown, files.place(source))
        yield from files_left_out(files.others, source.locator)


def _files(source: Source) -> _Files:
    files = _Files()
    messages: list[Member] = []
    groups: dict[str, dict[str, Any]] = {}
    for member in source.members():
        kind = kind_of(member)
        if kind == MESSAGES:
            messages.append(member)
        elif kind == HANGOUTS:
            files.hangouts.append(member)
        elif kind == GROUP:
            files.lists.append(member)
            *_, group, _ = ("", *member.name.split("/"))
            about = small_object(member, _SMALL_FILE)
            groups.setdefault(member.name.rpartition("/")[0], about)
            groups.setdefault(group, about)  # in a Takeout of several archives the chat may be in another one
        elif kind == USER:
            files.lists.append(member)
            files.owner = files.owner or object_of(small_object(member, _SMALL_FILE).get("user"))
        else:
            files.others.append(member)
    for member in messages:
        folder = member.name.rpartition("/")[0]
        about = groups.get(folder) or groups.get(folder.rpartition("/")[2], {})
        files.chats.append(chat_of(member, about))
    return files
