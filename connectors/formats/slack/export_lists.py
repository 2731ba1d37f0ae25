"""Reads the lists of an export or an archive: people, channels, the workspace, and whose it is."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ....schemas import UNKNOWN_USER, Notice, Rejected
from ....schemas.errors import SourceError
from ...connector import Member, ReadOptions
from ...errors import refusal
from .archives import DAMAGED, Archive
from .channels import Channel, Channels
from .detection import is_message
from .layout import Chat, Export
from .people import People
from .records import records
from .values import object_of, text_of

_LOOKED_AT = 50
NO_ID = "an entry without an id"


@dataclass(slots=True)
class Opened:
    """The lists of an export. ``user``: the name of the person whose export it is; the placeholder if ``--me`` names
    nobody, None if nothing tells.
    """

    people: People
    channels: Channels
    account: str
    user: str | None

    def channel(self, chat: Chat) -> Channel:
        """Return the channel of a chat."""
        channel = self.channels.of_folder(chat.id or chat.folder, self.people, self.user)
        if chat.id and channel.id == chat.id == channel.title.removeprefix("#"):
            return Channel(chat.id, self.channels.of_folder(chat.folder, self.people, self.user).title)
        return channel


def opened_export(export: Export, options: ReadOptions) -> tuple[Opened, list[Notice | Rejected]]:
    """Read the lists of an export; collect its notices and rejections."""
    people, channels = People(), Channels()
    notices: list[Notice | Rejected] = []
    lists = (export.users_above, people.add_from_above), (export.users, people.add), (export.lists, channels.add)
    for members, add in lists:
        for member in members:
            try:
                for item in records(member, lambda record: bool(text_of(record, "id"))):
                    if item.record is None:
                        notices.append(Rejected(locator=item.locator, reason=item.reason))
                    elif not add(item.record):
                        notices.append(Rejected(locator=item.locator, reason=NO_ID))
            except SourceError as error:
                notices.append(refusal(member.locator, error))
    people.settle()
    account = people.team or channels.team or _team_of_messages(export)
    user = _user(people, options, (export.users or export.users_above), notices)
    return Opened(people, channels, account, user), notices


def opened_lists(archive: Archive, options: ReadOptions) -> tuple[Opened, list[Notice | Rejected]]:
    """Read the lists of slackdump's archive; collect its notices and rejections."""
    people, channels = People(), Channels()
    locator = archive.member.locator
    notices: list[Notice | Rejected] = []
    team, identifier, handle = "", "", ""
    try:
        team, identifier, handle = archive.workspace()
        for records_of, add in ((archive.users(), people.add), (archive.channels(identifier), channels.add)):
            notices += [Rejected(locator=locator, reason=NO_ID) for record in records_of if not add(record)]
    except sqlite3.Error:
        notices.append(Rejected(locator=locator, reason=DAMAGED))
    notices += archive.tally.refused
    people.settle()
    people.learn(identifier, {"name": handle})
    user = _user(people, options, (archive.member,), notices)
    if user is None and options.me is None and people.knows(identifier):
        user = people.name(identifier)
    return Opened(people, channels, people.team or channels.team or team, user), notices


def _user(
    people: People, options: ReadOptions, lists: Sequence[Member], notices: list[Notice | Rejected]
) -> str | None:
    meant = people.called(options.me) if options.me else ()
    if len(meant) > 1:
        hint = f"several people have the name given as the user's own; the user is {UNKNOWN_USER}: --me takes a handle, too"
        notices.append(Notice(code="user-ambiguous", locator=lists[0].locator, hint=hint))
    return meant[0] if len(meant) == 1 else UNKNOWN_USER if meant else None


def _team_of_messages(export: Export) -> str:
    """Return the workspace that the first messages name, for a source without lists."""
    teams: Counter[str] = Counter()
    for chat in export.chats.values():
        for member in chat.files[:1]:
            try:
                for _, item in zip(range(_LOOKED_AT), records(member, is_message), strict=False):
                    record = item.record or {}
                    team = text_of(record, "team") or text_of(object_of(record, "user_profile"), "team")
                    teams.update([team] if team else [])
            except SourceError:
                continue  # reported when the chat is read
        if teams:
            break
    return teams.most_common(1)[0][0] if teams else ""
