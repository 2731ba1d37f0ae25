"""Signal: the plain export of the app, and chats of signal-export, as files, folders and archives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from ....schemas import SYSTEM_SPEAKER, UNKNOWN_USER, ConversationDocument, Notice, Rejected
from ....schemas.errors import SourceError
from ...connector import Connector, Member, Preview, ReadOptions, Record, Source
from ...errors import refusal
from ...opening.left_out import files_left_out
from ...opening.member_subset import held_files
from ...opening.notice_places import place_of
from ...opening.tracked_member import COPY, count_left_out, count_read
from .chats import Chat, chat_records, message_count
from .detection import FRAMES, MARKDOWN, RECORDS, SCORES, SOURCE, kind_of
from .export import export_records

_SNIFFED_MEMBERS = 200
"""A source of more files is recognised by the first of them."""
_PREVIEWED = 50
"""Documents that a first look reads."""
_BESIDE = ("metadata.json", ".html")
"""Ends of names of what the exports put beside the messages."""


@dataclass(slots=True)
class _Files:
    """The files of an export by what they are."""

    exports: list[Member] = field(default_factory=list[Member])
    chats: list[Chat] = field(default_factory=list[Chat])
    doubled: list[Member] = field(default_factory=list[Member])
    """Chats in Markdown whose records are there, too."""
    others: list[Member] = field(default_factory=list[Member])


class SignalConnector:
    """Reads exports of Signal."""

    version = 1
    """Of what is read: told in receipts."""

    @property
    def name(self) -> str:
        """``signal``."""
        return SOURCE

    def sniff(self, source: Source) -> float:
        """Sure when a file begins with frames of an export, or with messages as signal-export writes them."""
        scores = (SCORES.get(kind_of(member), 0.0) for member in source.members()[:_SNIFFED_MEMBERS])
        return max(scores, default=0.0)

    def preview(self, source: Source, options: ReadOptions) -> Preview:
        """Who wrote in the first days."""
        counts: dict[str, int] = {}
        titles: dict[str, str] = {}
        user = options.me or ""
        days = (record for record in self.read(source, options) if isinstance(record, ConversationDocument))
        for document in islice(days, _PREVIEWED):
            titles[document.metadata["chat"]] = document.metadata.get("title", "")
            if document.conversation.user != UNKNOWN_USER:
                user = document.conversation.user
            for message in document.messages:
                if message.speaker != SYSTEM_SPEAKER:
                    counts[message.speaker] = counts.get(message.speaker, 0) + 1
        one = len(titles) == 1
        return Preview(
            format=self.name,
            title=next(iter(titles.values())) if one else "",
            chat=next(iter(titles)) if one else "",
            speakers=sorted(counts, key=lambda name: (-counts[name], name)),
            user=user or None,
            notices=() if user else (_user_unknown(source.locator),),
        )

    def read(self, source: Source, options: ReadOptions) -> Iterator[Record]:
        """Every chat; those of the app's own export as their messages come."""
        files = _files(source)
        if not files.exports and not files.chats:
            for member in source.members():
                yield Rejected(locator=member.locator, reason="no message of Signal was found")
            return
        alone = len(source.members()) == 1
        completed: set[str] = set()
        for member in files.exports:
            yield from _counted(member, export_records(member, source, options, completed, alone=alone))
        if files.chats and not options.me:
            yield _user_unknown(place_of(source, [chat.member for chat in files.chats]))
        given = options.chat if len(files.chats) == 1 else None
        if options.chat and not given and files.chats:
            hint = "one name cannot stand for several chats, so their own titles were kept: read them one by one"
            yield Notice(code="chat-ignored", locator=source.locator, hint=hint)
        held = {member.name for member in held_files(source)}
        for chat in files.chats:
            title = given or chat.title
            yield from _counted(chat.member, chat_records(chat, options, title, held, alone=alone))
        for member in files.doubled:
            try:
                count_left_out(member, COPY, message_count(member))
            except SourceError as error:
                yield refusal(member.locator, error)
        left = (each for each in files.others if not each.name.endswith(_BESIDE) and each.locator not in completed)
        yield from files_left_out(left, source.locator)


def _files(source: Source) -> _Files:
    """Of a chat that is there in both forms, the records hold more than the Markdown."""
    found = _Files()
    texts: list[Member] = []
    folders: set[str] = set()
    for member in source.members():
        kind = kind_of(member)
        if kind == FRAMES:
            found.exports.append(member)
        elif kind == RECORDS:
            found.chats.append(Chat(member, markdown=False))
            folders.add(found.chats[-1].folder)
        elif kind == MARKDOWN:
            texts.append(member)
        else:
            found.others.append(member)
    for member in texts:
        chat = Chat(member, markdown=True)
        if member.name.endswith(".md") and chat.folder in folders:
            found.doubled.append(member)
        else:
            found.chats.append(chat)
    return found


def _counted(member: Member, records: Iterator[Record]) -> Iterator[Record]:
    """Note how many messages the documents of a file have; none is of several files."""
    for record in records:
        if isinstance(record, ConversationDocument):
            count_read(member, len(record.messages))
        yield record


def _user_unknown(locator: str) -> Notice:
    hint = f"an export does not say who made it; the user is {UNKNOWN_USER}: --me decides"
    return Notice(code="user-unknown", locator=locator, hint=hint)


if TYPE_CHECKING:
    _: type[Connector] = SignalConnector
