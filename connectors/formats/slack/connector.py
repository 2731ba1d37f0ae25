"""Connector for Slack's exports, and slackdump's: archives and folders with lists of people and chats, and files of
messages by chat and day.

See docs/documents.md for the documents. An export does not say who made it: ``options.me`` does.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from ....schemas import UNKNOWN_USER, Notice, Rejected
from ....schemas.errors import SourceError
from ...chats.chat_connector import ChatConnector, by_count
from ...connector import Member, Preview, ReadOptions, Record, Source
from ...errors import refusal
from ...opening.left_out import without_messages
from .archives import ARCHIVE_SCORE, DAMAGED, ArchiveFiles, archive_kind, opened_archive
from .body import BodyReader
from .channels import Channel
from .chat import ChatContext, ChatReader, ChatTally
from .detection import is_message, safe_likeness
from .export_lists import Opened, opened_export, opened_lists
from .files import ids_in
from .layout import Chat, Layout, layout_of
from .mrkdwn import Names
from .notices import after_reading, before_reading, items_left_out
from .people import People
from .records import Found, records
from .values import object_of, text_of

_WORKSPACE = "workspace"
"""The name of the workspace in ids where nothing in an export names it."""
_PREVIEWED_BYTES = 64 << 20
_PREVIEWED_SPEAKERS = 10_000
_NO_MESSAGE = "an archive of slackdump without a message"


class SlackConnector(ChatConnector):
    """Reads exports of Slack workspaces."""

    name = "slack"
    version = 4
    sniffed_members = 20

    def score(self, member: Member) -> float:
        """Return 0.95 for messages and lists as Slack writes them; less where fewer of their keys are there."""
        if archive_kind(member):
            return ARCHIVE_SCORE
        kind, score = safe_likeness(member)
        return 0.0 if kind in ("empty", "other") else score

    def preview(self, source: Source, options: ReadOptions) -> Preview:
        """Preview the speakers in the first 64 MiB; with the number of messages if the export is not larger."""
        layout = layout_of(source)
        look = _Look()
        for export in layout.exports:
            opened, outside = opened_export(export, options)
            look.note(opened, outside)
            for chat in export.chats.values():
                look.chat(opened, opened.channel(chat))
                for member in chat.files:
                    look.left -= member.size or 0
                    if look.left >= 0:
                        look.messages += _count_speakers(records(member, is_message), opened.people, look.speakers)
        for files in layout.archives:
            with opened_archive(files, source, options.temporary) as archive:
                opened, outside = opened_lists(archive, options)
                look.note(opened, outside)
                look.left -= archive.database.size
                try:
                    for identifier, readings in archive.chats():
                        look.chat(opened, opened.channel(Chat(identifier)))
                        if look.left >= 0:
                            look.messages += _count_speakers(readings, opened.people, look.speakers)
                except sqlite3.Error:
                    continue  # reported when it is read
        return look.preview(self.name, options)

    def read(self, source: Source, options: ReadOptions) -> Iterator[Record]:
        """Read every chat of every export in the source."""
        layout = layout_of(source)
        chats = sum(len(export.chats) for export in layout.exports)
        if not chats and not layout.archives:
            unknown = {member.locator for member in (*layout.others, *layout.set_aside)}
            lists = [member for member in source.members() if member.locator not in unknown]
            yield from without_messages(source, lists, "message as Slack exports them")
            return
        several = chats > 1 or bool(layout.archives)
        yield from before_reading(layout, source.locator, options, several=several, is_export=bool(chats))
        present = ids_in(layout.paths)
        for export in layout.exports:
            opened, notices = opened_export(export, options)
            yield from notices
            reading = self._reading(opened, options, present)
            for chat in export.chats.values():
                reader = reading.chat(opened.channel(chat), None if several else options.chat)
                try:
                    yield from reader.read(chat.files)
                except SourceError as error:
                    if chats == 1 and not layout.archives:
                        raise
                    yield refusal(chat.files[0].locator, error)
            place = f"{source.locator}!{export.root}" if export.root else source.locator
            yield from reading.notices(place)
        for files in layout.archives:
            try:
                yield from self._archive(files, source, options, layout)
            except SourceError as error:
                if len(source.members()) == 1:
                    raise
                yield refusal(files.members[0].locator, error)

    def _archive(self, files: ArchiveFiles, source: Source, options: ReadOptions, layout: Layout) -> Iterator[Record]:
        with opened_archive(files, source, options.temporary) as archive:
            opened, notices = opened_lists(archive, options)
            yield from notices
            reading = self._reading(opened, options, ids_in(layout.paths))
            try:
                for identifier, readings in archive.chats():
                    reader = reading.chat(opened.channel(Chat(identifier)), None)
                    yield from reader.read_found(readings, archive.files.get(identifier, archive.member))
            except sqlite3.Error:
                yield Rejected(locator=archive.member.locator, reason=DAMAGED)
            if not reading.tally.messages and not notices:
                yield Rejected(locator=archive.member.locator, reason=_NO_MESSAGE)
            yield from items_left_out(archive.tally.others, archive.member.locator)
            yield from reading.notices(archive.member.locator)

    def _reading(self, opened: Opened, options: ReadOptions, present: frozenset[str]) -> _Reading:
        people = opened.people
        names = Names(
            lambda identifier, label: label if label and not people.knows(identifier) else people.name(identifier),
            opened.channels.name,
        )
        bodies = BodyReader(names)
        user = opened.user or options.me or UNKNOWN_USER
        context = ChatContext(self.name, opened.account, user, people, bodies, present, options)
        return _Reading(opened, context)


@dataclass(slots=True)
class _Reading:
    """The reading of one export or archive."""

    opened: Opened
    context: ChatContext
    tally: ChatTally = field(default_factory=ChatTally)

    def chat(self, channel: Channel, only: str | None) -> ChatReader:
        """Return the reader of a channel. ``only``: the name that was given for the only one."""
        key = only or f"{self.context.account or _WORKSPACE}:{channel.id}"
        return ChatReader(self.context, channel, key, only or channel.title, self.tally)

    def notices(self, place: str) -> Iterator[Notice]:
        """Yield the notices about the chats that were read."""
        unknown, is_listed = self.context.bodies.unknown, self.opened.user is not None
        yield from after_reading(self.tally, unknown, place, self.context.options, user_listed=is_listed)


@dataclass(slots=True)
class _Look:
    """The first look at the exports of a source."""

    speakers: Counter[str] = field(default_factory=Counter[str])
    titles: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    notices: list[Notice] = field(default_factory=list[Notice])
    users: set[str] = field(default_factory=set[str])
    left: int = _PREVIEWED_BYTES
    messages: int = 0

    def note(self, opened: Opened, outside: list[Notice | Rejected]) -> None:
        """Note whose export it is, and what reading its lists told."""
        self.notices += [each for each in outside if isinstance(each, Notice)]
        self.users |= {opened.user} if opened.user and opened.user != UNKNOWN_USER else set[str]()

    def chat(self, opened: Opened, channel: Channel) -> None:
        """Note a chat."""
        self.titles.append((f"{opened.account}:{channel.id}", channel.title))

    def preview(self, name: str, options: ReadOptions) -> Preview:
        """Return the preview."""
        key, title = self.titles[0] if len(self.titles) == 1 else ("", "")
        return Preview(
            format=name,
            title=options.chat or title,
            chat=options.chat or key,
            speakers=by_count(self.speakers),
            user=self.users.pop() if len(self.users) == 1 else None,
            messages=self.messages if self.left >= 0 else None,
            notices=tuple(self.notices),
        )


def _count_speakers(readings: Iterator[Found], people: People, speakers: Counter[str]) -> int:
    count = 0
    try:
        for record in readings:
            if record.record is not None and "ts" in record.record:
                count += 1
                user = text_of(record.record, "user")
                people.learn(user, object_of(record.record, "user_profile"))
                if user and not text_of(record.record, "subtype") and len(speakers) < _PREVIEWED_SPEAKERS:
                    speakers[people.name(user)] += 1
    except SourceError:
        return count  # reported when the file is read
    return count
