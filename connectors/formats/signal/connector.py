"""Signal: the plain export of the app, and chats of signal-export, as files, folders and archives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from ....schemas import SYSTEM_SPEAKER, UNKNOWN_USER, ConversationDocument
from ....schemas.errors import SourceError
from ...chats.chat_connector import ChatConnector, preview_of
from ...chats.notices import chat_ignored, user_unknown
from ...connector import Member, Preview, ReadOptions, Record, Source
from ...errors import refusal
from ...opening.left_out import files_left_out, without_messages
from ...opening.member_subset import held_files
from ...opening.notice_places import place_of
from ...opening.tracked_member import COPY, count_left_out, count_read
from .chats import Chat, chat_records, message_count
from .detection import FRAMES, MARKDOWN, RECORDS, SCORES, SOURCE, kind_of
from .export import export_records

_PREVIEWED = 50
"""The number of documents that a preview reads."""
_NOBODY = "an export does not say who made it"
_BESIDE = ("metadata.json", ".html")
"""The ends of the names of files without messages that the exporters write."""


@dataclass(slots=True)
class _Files:
    """The files of an export, by kind."""

    exports: list[Member] = field(default_factory=list[Member])
    chats: list[Chat] = field(default_factory=list[Chat])
    doubled: list[Member] = field(default_factory=list[Member])
    """The chats in Markdown that are there as records (data.json), too."""
    others: list[Member] = field(default_factory=list[Member])


class SignalConnector(ChatConnector):
    """Reads exports of Signal."""

    name = SOURCE
    version = 2
    certain = max(SCORES.values())

    def score(self, member: Member) -> float:
        """Return that it is sure of frames of an export, and of messages as signal-export writes them."""
        return SCORES.get(kind_of(member), 0.0)

    def preview(self, source: Source, options: ReadOptions) -> Preview:
        """Preview the speakers of the first days."""
        counts: Counter[str] = Counter()
        titles: dict[str, str] = {}
        user = options.me or ""
        days = (record for record in self.read(source, options) if isinstance(record, ConversationDocument))
        for document in islice(days, _PREVIEWED):
            titles[document.metadata["chat"]] = document.metadata.get("title", "")
            if document.conversation.user != UNKNOWN_USER:
                user = document.conversation.user
            counts.update(message.speaker for message in document.messages)
        del counts[SYSTEM_SPEAKER]
        notices = () if user else (user_unknown(source.locator, _NOBODY),)
        return preview_of(self.name, titles, counts, user=user, notices=notices)

    def read(self, source: Source, options: ReadOptions) -> Iterator[Record]:
        """Read every chat; the chats of the app's own export are read together, in the order of its messages."""
        files = _files(source)
        if not files.exports and not files.chats:
            yield from without_messages(source, (), "message of Signal")
            return
        alone = len(source.members()) == 1
        completed: set[str] = set()
        for member in files.exports:
            yield from _counted(member, export_records(member, source, options, completed, alone=alone))
        if files.chats and not options.me:
            yield user_unknown(place_of(source, [chat.member for chat in files.chats]), _NOBODY)
        chat_name = options.chat if len(files.chats) == 1 else None
        if options.chat and not chat_name and files.chats:
            yield chat_ignored(source.locator)
        held = {member.name for member in held_files(source)}
        for chat in files.chats:
            title = chat_name or chat.title
            yield from _counted(chat.member, chat_records(chat, options, title, held, alone=alone))
        for member in files.doubled:
            try:
                count_left_out(member, COPY, message_count(member))
            except SourceError as error:
                yield refusal(member.locator, error)
        left = (each for each in files.others if not each.name.endswith(_BESIDE) and each.locator not in completed)
        yield from files_left_out(left, source.locator)


def _files(source: Source) -> _Files:
    """Sort the files by kind. Where a chat has both forms, its records are read: they hold more than the Markdown."""
    files = _Files()
    texts: list[Member] = []
    folders: set[str] = set()
    for member in source.members():
        kind = kind_of(member)
        if kind == FRAMES:
            files.exports.append(member)
        elif kind == RECORDS:
            files.chats.append(Chat(member, markdown=False))
            folders.add(files.chats[-1].folder)
        elif kind == MARKDOWN:
            texts.append(member)
        else:
            files.others.append(member)
    for member in texts:
        chat = Chat(member, markdown=True)
        if member.name.endswith(".md") and chat.folder in folders:
            files.doubled.append(member)
        else:
            files.chats.append(chat)
    return files


def _counted(member: Member, records: Iterator[Record]) -> Iterator[Record]:
    """Count the messages of a file's documents; no document spans several files."""
    for record in records:
        if isinstance(record, ConversationDocument):
            count_read(member, len(record.messages))
        yield record
