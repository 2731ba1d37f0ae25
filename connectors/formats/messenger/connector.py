"""Reads the exports of Meta's apps: chats in files of ten thousand messages each, as files, folders and archives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from ....schemas import SYSTEM_SPEAKER, UNKNOWN_USER
from ...chats.chat_connector import ChatConnector, preview_of
from ...chats.json_messages import MessageFiles
from ...chats.notices import chat_ignored, content_unknown, user_not_seen, user_unknown
from ...chats.ordered_days import OrderedDays
from ...connector import Member, Preview, ReadOptions, Record, Source
from ...opening.attached_files import AttachedFiles
from ...opening.left_out import files_left_out, without_messages
from ...opening.member_names import natural_order
from ...opening.notice_places import place_of
from .detection import CHAT, INSTAGRAM, MESSENGER, OLDER, PROFILE, kind_of, score_for
from .message import MessageReader, is_message
from .older_instagram import OlderFile, older_file
from .profile import owner_names
from .thread import Thread, thread_of

_PREVIEWED = 500
"""The number of messages that a preview reads from each file."""
_NOBODY = "nothing shows who exported these chats"


@dataclass(slots=True)
class _Chat:
    """The files of one chat of one export, the newest messages first."""

    key: str
    parts: list[tuple[Member, Thread]] = field(default_factory=list[tuple[Member, Thread]])

    @property
    def thread(self) -> Thread:
        """The metadata from the newest file; from the first file that lists people, if the newest one lists none."""
        return max((thread for _, thread in self.parts), key=lambda thread: bool(thread.people))

    @property
    def files(self) -> MessageFiles:
        """The message files of the chat."""
        return MessageFiles([member for member, _ in self.parts], is_message)


@dataclass(slots=True)
class _Files:
    """The files of an export, by kind."""

    chats: list[_Chat] = field(default_factory=list[_Chat])
    older: list[OlderFile] = field(default_factory=list[OlderFile])
    owners: list[str] = field(default_factory=list[str])
    profiles: list[Member] = field(default_factory=list[Member])
    """The files that name the owner of the export."""
    others: list[Member] = field(default_factory=list[Member])

    @property
    def keys(self) -> set[str]:
        """The keys of all chats."""
        return {chat.key for chat in self.chats} | {key for each in self.older for key in each.keys}

    def place(self, source: Source) -> str:
        """Return the locator of a notice about all files."""
        members = [member for chat in self.chats for member, _ in chat.parts]
        return place_of(source, members + [each.member for each in self.older])


class MetaConnector(ChatConnector):
    """Reads the chats of one of Meta's apps."""

    version = 4

    def score(self, member: Member) -> float:
        """Return a high score for a file with messages in Meta's format and signs of this app."""
        return score_for(self.name, member)

    def preview(self, source: Source, options: ReadOptions) -> Preview:
        """Return the people whom the chats list, and the authors of the first messages of each file."""
        files = _files(source, counted=True)
        counts: Counter[str] = Counter()
        users = {_user(chat, files, options) for chat in files.chats}
        for chat in files.chats:
            reader = MessageReader(chat.key, options.zone, bool)
            for raw in chat.files.first(_PREVIEWED):
                reader.read(raw)
            counts += reader.speakers
        for older in files.older:
            users.add(_older_user(older, files, options))
            counts += older.speakers(_PREVIEWED, options)
        del counts[SYSTEM_SPEAKER]
        user = users.pop() if len(users) == 1 else UNKNOWN_USER
        return preview_of(
            self.name,
            {chat.key: chat.thread.title for chat in files.chats[:1]} if len(files.keys) == 1 else {},
            counts,
            chat=options.chat,
            user=user,
            messages=sum(thread.messages for chat in files.chats for _, thread in chat.parts),
            notices=[user_unknown(files.place(source), _NOBODY)] if user == UNKNOWN_USER else (),
        )

    def read(self, source: Source, options: ReadOptions) -> Iterator[Record]:
        """Yield the messages of every chat, grouped into documents by local day."""
        files = _files(source, counted=False)
        if not files.chats and not files.older:
            yield from without_messages(source, files.profiles, "chat as Meta exports them")
            return
        chat_name = options.chat
        if chat_name and len(files.keys) > 1:
            chat_name = None
            yield chat_ignored(source.locator)
        users = [_user(chat, files, options) for chat in files.chats]
        older_users = [_older_user(each, files, options) for each in files.older]
        if UNKNOWN_USER in [*users, *older_users]:
            yield user_unknown(files.place(source), _NOBODY)
        alone = len(source.members()) == 1
        beside = AttachedFiles(source)
        seen = False
        unknown = 0
        for chat, user in zip(files.chats, users, strict=True):
            reader = MessageReader(chat.key, options.zone, beside.has)
            metadata = chat.thread.metadata() | ({"title": chat_name} if chat_name else {})
            days = OrderedDays(self.name, chat_name or chat.key, user, metadata, newest_first=True)
            yield from chat.files.records(reader.read_all, days, alone=alone)
            seen = seen or bool(reader.speakers[user])
            unknown += reader.unknown
        for older, user in zip(files.older, older_users, strict=True):
            yield from older.records(self.name, user, options, beside, chat=chat_name, alone=alone)
            seen = seen or any(reader.speakers[user] for reader in older.readers)
            unknown += sum(reader.unknown for reader in older.readers)
        if options.me and not seen:
            yield user_not_seen(files.place(source))
        yield from content_unknown(unknown, files.place(source))
        yield from files_left_out(files.others, source.locator)


class MessengerConnector(MetaConnector):
    """Reads chats of Facebook Messenger."""

    name = MESSENGER


class InstagramConnector(MetaConnector):
    """Reads chats of Instagram."""

    name = INSTAGRAM


def _files(source: Source, *, counted: bool) -> _Files:
    """Sort the files of a source by kind.

    Files with the same chat key in two folders become two chats: two exports, or two halves of one.
    """
    files = _Files()
    chats: dict[tuple[str, str], _Chat] = {}
    for member in sorted(source.members(), key=lambda member: natural_order(member.name)):
        kind, _, _ = kind_of(member, any_app=True)
        if kind == CHAT:
            thread = thread_of(member, counted=counted)
            place = (member.name.rpartition("/")[0], thread.key)
            chats.setdefault(place, _Chat(thread.key)).parts.append((member, thread))
        elif kind == OLDER:
            files.older.append(older_file(member))
        elif kind == PROFILE:
            files.profiles.append(member)
            files.owners += owner_names(member)
        else:
            files.others.append(member)
    files.chats = list(chats.values())
    return files


def _user(chat: _Chat, files: _Files, options: ReadOptions) -> str:
    """Return the exporter in one chat: from the options, the profile, this chat, or all other chats if they agree."""
    if options.me:
        return options.me
    people = set(chat.thread.people)
    for owner in files.owners:
        if owner in people:
            return owner
    if chat.thread.user:
        return chat.thread.user
    shown = {other.thread.user for other in files.chats} - {""}
    return shown.pop() if len(shown) == 1 else (files.owners[0] if files.owners else UNKNOWN_USER)


def _older_user(older: OlderFile, files: _Files, options: ReadOptions) -> str:
    """Return the exporter in an older file: from the options, the profile, or the only person in all of its chats."""
    if options.me:
        return options.me
    people = {name for chat in older.chats.values() for name in chat}
    return next((owner for owner in files.owners if owner in people), older.user or UNKNOWN_USER)
