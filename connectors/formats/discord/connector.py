"""Reads Discord: exports of DiscordChatExporter (JSON, HTML, TXT, CSV) and the data package, as files, folders and
archives.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any

from ....schemas import Rejected
from ...chats.chat_connector import ChatConnector, preview_of
from ...chats.json_messages import small_object
from ...chats.notices import chat_ignored, user_not_seen, user_unknown
from ...chats.text_chats import ChatFile, TextChats
from ...connector import Member, Preview, ReadOptions, Record, Source
from ...opening.attached_files import AttachedFiles
from ...opening.left_out import files_left_out, without_messages
from ...opening.member_names import natural_order
from ...opening.notice_places import place_of
from ...opening.tracked_member import note_role
from ...text.json_fields import id_of, words_of
from ...text.unicode import as_utf8
from ...text.word_search import may_hold
from .chat_export import Channel, authors, channel_of, export_records
from .days import SOURCE
from .detection import ACCOUNT, CHANNEL, EXPORT, MESSAGES, PAGE, SCORES, TABLE, TEXT, kind_beside, kind_of
from .package import SMALL_FILE, PackageIndex, account_links, account_name, package_records
from .page_export import page_authors, page_channel, page_records
from .people import Exporter, Names
from .plain_export import table_file, text_file

_PREVIEWED = 2000
"""The maximum number of messages of each file that the preview reads."""
_HEAD = 16 * 1024
_ENDING = re.compile(r"\.(?:json|html|txt|csv)\Z")
_NOBODY = "an export does not say who made it"


@dataclass(frozen=True, slots=True)
class _Export:
    """A JSON or HTML file of DiscordChatExporter with its channel."""

    member: Member
    channel: Channel
    page: bool

    def authors(self) -> Iterator[dict[str, Any]]:
        """Yield the author's account of each message."""
        return page_authors(self.member) if self.page else authors(self.member)


@dataclass(slots=True)
class _Files:
    """The files of an export by kind."""

    exports: list[_Export] = field(default_factory=list[_Export])
    plain: list[ChatFile] = field(default_factory=list[ChatFile])
    """The TXT and CSV exports."""
    messages: list[Member] = field(default_factory=list[Member])
    index: PackageIndex = field(default_factory=PackageIndex)
    lists: list[Member] = field(default_factory=list[Member])
    """The files of the data package that describe the account or the channels."""
    others: list[Member] = field(default_factory=list[Member])
    nameless: list[Member] = field(default_factory=list[Member])
    """The exports that do not state their channel."""

    def place(self, source: Source) -> str:
        """Return the locator for notices about all of the files."""
        return place_of(source, [*(export.member for export in self.exports), *self.messages])


class DiscordConnector(ChatConnector):
    """Reads chats of Discord."""

    name = SOURCE
    version = 3
    certain = SCORES[EXPORT]

    def score(self, member: Member) -> float:
        """Return the score of the file's kind, 0 for a file that is not of Discord."""
        return SCORES.get(kind_of(member), 0.0)

    def preview(self, source: Source, options: ReadOptions) -> Preview:
        """Return the authors of the first messages of each chat with their message counts."""
        files = _files(source)
        if files.plain and not files.exports and not files.messages:
            return _plain_chats(files).preview(source, options)
        counts: dict[str, int] = {}
        exporter = _exporter(files, options)
        for export in files.exports:
            names = Names(exporter)
            for name in map(names.name_of, islice(export.authors(), _PREVIEWED)):
                counts[name] = counts.get(name, 0) + 1
        chats = {} if files.messages else {export.channel.id: export.channel.title for export in files.exports}
        user = exporter.name or (files.index.user if files.messages else "")
        notices = () if user else (user_unknown(files.place(source), _NOBODY),)
        return preview_of(self.name, chats, counts, user=user, notices=notices)

    def read(self, source: Source, options: ReadOptions) -> Iterator[Record]:
        """Yield the day documents of every chat, in order of the local days within a file."""
        files = _files(source)
        for member in files.nameless:
            yield Rejected(locator=member.locator, reason="the file does not say which channel it is of")
        yield from _plain_chats(files).read(source, options) if files.plain else ()
        if not files.exports and not files.messages:
            if not files.nameless and not files.plain:
                yield from without_messages(source, files.lists, "message of Discord")
            yield from files_left_out(files.others, source.locator) if files.plain else ()
            return
        chats = {export.channel.id for export in files.exports} | {files.index.channel_id(m) for m in files.messages}
        if options.chat and len(chats) > 1:
            yield chat_ignored(source.locator)
        chat_name = options.chat if len(chats) == 1 else None
        if not options.me and (files.exports or not files.index.user):
            yield user_unknown(files.place(source), _NOBODY)
        alone = len(source.members()) == 1
        beside = AttachedFiles(source)
        exporter = _exporter(files, options)
        names: dict[str, Names] = {}
        for export in files.exports:
            channel = export.channel
            channel_names = names.setdefault(channel.id, Names(exporter))
            read = page_records if export.page else export_records
            yield from read(
                export.member, channel, channel_names, options, beside, chat=chat_name or channel.id, alone=alone
            )
        if options.me and names and not files.messages and exporter.account is None:
            yield user_not_seen(files.place(source))
        for member in files.messages:
            chat = chat_name or files.index.channel_id(member)
            yield from package_records(member, files.index, options, chat=chat, alone=alone)
        yield from files_left_out(files.others, source.locator)


def _exporter(files: _Files, options: ReadOptions) -> Exporter:
    """Find the exporter by id, handle or name; files that cannot contain ``options.me`` are not searched."""
    exporter = Exporter(options.me)
    for export in files.exports:
        if options.me and may_hold(export.member, options.me) and exporter.look(export.authors()):
            break
    return exporter


def _files(source: Source) -> _Files:
    files = _Files()
    beside: AttachedFiles | None = None
    for member in sorted(source.members(), key=_part):
        kind = kind_of(member)
        if kind in (EXPORT, PAGE):
            channel = channel_of(member) if kind == EXPORT else page_channel(member)
            if channel is None:
                files.nameless.append(member)
            else:
                files.exports.append(_Export(member, channel, page=kind == PAGE))
        elif kind in (TEXT, TABLE):
            beside = beside or AttachedFiles(source)
            held = partial(beside.has, folder=member.name.rpartition("/")[0])
            files.plain.append(table_file(member, held) if kind == TABLE else text_file(member, _head(member), held))
        elif kind == MESSAGES:
            files.messages.append(member)
        elif kind:
            files.lists.append(member)
            _describe(files.index, kind, member)
        else:
            files.others.append(member)
    _leave_out_copies(files)
    folders = frozenset(member.name.rpartition("/")[0] for member in files.messages)
    others, files.others = files.others, []
    for member in others:
        kind = kind_beside(member.name, folders)
        if kind and _describe(files.index, kind, member):
            note_role(member, f"the {kind}: says what the messages are of", used=True)
        else:
            files.others.append(member)
    return files


def _leave_out_copies(files: _Files) -> None:
    """Leave out plain files that show less of a chat than another file does; TXT and CSV have no message ids to
    compare.

    The exporter names them alike but for the ending. A file of another name may be of another time: it is read.
    """
    fuller = {(export.channel.id, _stem(export.member.name)) for export in files.exports}
    tables = {(file.key, _stem(file.member.name)) for file in files.plain if file.member.name.endswith(".csv")}
    kept: list[ChatFile] = []
    for file in files.plain:
        copy_key = (file.key, _stem(file.member.name))
        if copy_key in fuller or (copy_key in tables and not file.member.name.endswith(".csv")):
            files.others.append(file.member)
        else:
            kept.append(file)
    files.plain = kept


def _part(member: Member) -> list[tuple[bool, int, str]]:
    """Return a sort key that puts ``[part 10]`` after ``[part 2]``, and both after the first part."""
    return natural_order(_ENDING.sub("", member.name))


def _stem(name: str) -> str:
    return _ENDING.sub("", name.rpartition("/")[2])


def _plain_chats(files: _Files) -> TextChats:
    return TextChats(SOURCE, "Discord", files.plain, [])


def _head(member: Member) -> str:
    with member.open() as stream:
        return as_utf8(stream).stream.read(_HEAD).decode("utf-8", "replace")


def _describe(index: PackageIndex, kind: str, member: Member) -> bool:
    """Store the contents of a file that describes the account or channels in the index; return whether it contains any."""
    value = small_object(member, SMALL_FILE)
    if kind == ACCOUNT:
        name = account_name(value)
        if name and not index.user:
            index.user, index.links = name, account_links(value)
        return bool(name)
    if kind == CHANNEL:
        if id_of(value.get("id")):
            index.channels[member.name.rpartition("/")[0]] = value
        return bool(id_of(value.get("id")))
    titles = {key: words_of(title) for key, title in value.items() if key.isdecimal() and words_of(title)}
    index.titles |= titles
    return bool(titles)
