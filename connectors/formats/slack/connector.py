"""Connector for Slack's exports, and slackdump's: archives and folders with lists of people and chats, and files of
messages by chat and day.

See docs/documents.md for the documents. An export does not say who made it: ``options.me`` does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from ....schemas import UNKNOWN_USER, Notice, Rejected
from ....schemas.errors import SourceError
from ...chats.chat_connector import ChatConnector, by_count
from ...connector import Member, Preview, ReadOptions, Record, Source
from ...errors import refusal
from ...opening.left_out import without_messages
from .body import BodyReader
from .channels import Channel, Channels
from .chat import ChatContext, ChatReader, ChatTally
from .detection import is_message, safe_likeness
from .files import ids_in
from .layout import Chat, Export, layout_of
from .mrkdwn import Names
from .notices import after_reading, before_reading
from .people import People
from .records import records
from .values import object_of, text_of

_WORKSPACE = "workspace"
"""The name of the workspace in ids where nothing in an export names it."""
_PREVIEWED_BYTES = 64 << 20
_PREVIEWED_SPEAKERS = 10_000
_LOOKED_AT = 50


@dataclass(slots=True)
class _Opened:
    """An export whose lists have been read."""

    export: Export
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


class SlackConnector(ChatConnector):
    """Reads exports of Slack workspaces."""

    name = "slack"
    sniffed_members = 20

    def score(self, member: Member) -> float:
        """Return 0.95 for messages and lists as Slack writes them; less where fewer of their keys are there."""
        kind, score = safe_likeness(member)
        return 0.0 if kind in ("empty", "other") else score

    def preview(self, source: Source, options: ReadOptions) -> Preview:
        """Preview the speakers in the first 64 MiB; with the number of messages if the export is not larger."""
        layout = layout_of(source)
        speakers: Counter[str] = Counter()
        titles: list[tuple[str, str]] = []
        notices: list[Notice] = []
        users: set[str] = set()
        left, messages = _PREVIEWED_BYTES, 0
        for export in layout.exports:
            opened, outside = _opened(export, options)
            notices += [each for each in outside if isinstance(each, Notice)]
            users |= {opened.user} if opened.user and opened.user != UNKNOWN_USER else set[str]()
            for chat in export.chats.values():
                channel = opened.channel(chat)
                titles.append((f"{opened.account}:{channel.id}", channel.title))
                for member in chat.files:
                    left -= member.size or 0
                    if left >= 0:
                        messages += _count_speakers(member, opened.people, speakers)
        title = titles[0][1] if len(titles) == 1 else ""
        return Preview(
            format=self.name,
            title=options.chat or title,
            chat=options.chat or (titles[0][0] if len(titles) == 1 else ""),
            speakers=by_count(speakers),
            user=users.pop() if len(users) == 1 else None,
            messages=messages if left >= 0 else None,
            notices=tuple(notices),
        )

    def read(self, source: Source, options: ReadOptions) -> Iterator[Record]:
        """Read every chat of every export in the source."""
        layout = layout_of(source)
        chats = sum(len(export.chats) for export in layout.exports)
        if not chats:
            unknown = {member.locator for member in (*layout.others, *layout.set_aside)}
            lists = [member for member in source.members() if member.locator not in unknown]
            yield from without_messages(source, lists, "message as Slack exports them")
            return
        yield from before_reading(layout, source.locator, options, chats)
        present = ids_in(layout.paths)
        for export in layout.exports:
            opened, notices = _opened(export, options)
            yield from notices
            tally = ChatTally()
            bodies = BodyReader(
                Names(
                    lambda identifier, label, people=opened.people: (
                        label if label and not people.knows(identifier) else people.name(identifier)
                    ),
                    opened.channels.name,
                )
            )
            user = opened.user or options.me or UNKNOWN_USER
            context = ChatContext(self.name, opened.account, user, opened.people, bodies, present, options)
            for chat in export.chats.values():
                channel = opened.channel(chat)
                only = options.chat if chats == 1 else None
                key = only or f"{opened.account or _WORKSPACE}:{channel.id}"
                reader = ChatReader(context, channel, key, only or channel.title, tally)
                try:
                    yield from reader.read(chat.files)
                except SourceError as error:
                    if chats == 1:
                        raise
                    yield refusal(chat.files[0].locator, error)
            place = f"{source.locator}!{export.root}" if export.root else source.locator
            yield from after_reading(tally, bodies.unknown, place, options, user_listed=opened.user is not None)


def _opened(export: Export, options: ReadOptions) -> tuple[_Opened, list[Notice | Rejected]]:
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
                        notices.append(Rejected(locator=item.locator, reason="an entry without an id"))
            except SourceError as error:
                notices.append(refusal(member.locator, error))
    people.settle()
    account = people.team or channels.team or _team_of_messages(export)
    meant = people.called(options.me) if options.me else ()
    if len(meant) > 1:
        hint = f"several people have the name given as the user's own; the user is {UNKNOWN_USER}: --me takes a handle, too"
        notices.append(
            Notice(code="user-ambiguous", locator=(export.users or export.users_above)[0].locator, hint=hint)
        )
    user = meant[0] if len(meant) == 1 else UNKNOWN_USER if meant else None
    return _Opened(export, people, channels, account, user), notices


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


def _count_speakers(member: Member, people: People, speakers: Counter[str]) -> int:
    count = 0
    try:
        for record in records(member, is_message):
            if record.record is not None and "ts" in record.record:
                count += 1
                user = text_of(record.record, "user")
                people.learn(user, object_of(record.record, "user_profile"))
                if user and not text_of(record.record, "subtype") and len(speakers) < _PREVIEWED_SPEAKERS:
                    speakers[people.name(user)] += 1
    except SourceError:
        return count  # reported when the file is read
    return count
