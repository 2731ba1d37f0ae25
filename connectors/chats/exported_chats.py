"""The common parts of connectors of whole exports: many chats with ids of their own, one list of accounts, one user."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import BinaryIO, TypeVar

from ...schemas import SYSTEM_SPEAKER, UNKNOWN_USER, Notice, Rejected
from ..connector import Member, Preview, ReadOptions, Record, Source
from ..opening.left_out import files_left_out, without_messages
from ..opening.tracked_member import COPY, count_left_out, count_read
from ..record_faults import records_at
from .accounts import Accounts
from .chat_connector import ChatConnector, preview_of
from .day_documents import Links
from .export_files import read_file
from .mixed_days import MixedDays
from .notices import chat_ignored, counted, user_not_seen, user_unknown
from .ordered_days import Message

_PREVIEWED = 2_000
"""Messages that a first look reads."""

T = TypeVar("T")


@dataclass(slots=True)
class Said:
    """A message with its chat."""

    chat: str
    metadata: dict[str, str]
    """The metadata of the chat's documents."""
    message: Message | str
    """The message, or the reason why it cannot be read."""
    place: str
    member: Member | None = None
    """The file that it was read from."""


@dataclass(slots=True)
class ChatExport:
    """An export whose small files were read."""

    accounts: Accounts
    said: Callable[[], Iterator[Said | Rejected | Notice]]
    """Reads the messages; can be called once."""
    titles: dict[str, str] = field(default_factory=dict[str, str])
    """The titles of the chats that are known before the messages are read."""
    others: list[Member] = field(default_factory=list[Member])
    counts: Counter[str] = field(default_factory=Counter[str])
    """The counts to report after the last message, by codes of notices."""
    links: Links | None = None


class ExportConnector(ChatConnector):
    """Reads all chats of an export; subclasses know the format."""

    program: str
    """The program's name, for people."""

    @abstractmethod
    def opened(self, source: Source, options: ReadOptions) -> ChatExport | None:
        """Return the export in a source; None if it holds no messages.

        Raises:
            SourceError: its only file cannot be opened.
        """

    def preview(self, source: Source, options: ReadOptions) -> Preview:
        """Return the authors of the first messages."""
        export = self.opened(source, options)
        if export is None:
            return Preview(format=self.name)
        counts: Counter[str] = Counter()
        seen: set[str] = set()
        said = export.said()
        for each in said:
            if isinstance(each, Said) and not isinstance(each.message, str):
                counts[each.message["speaker"]] += 1
                seen.add(each.chat)
                if counts.total() >= _PREVIEWED:
                    break
        del counts[SYSTEM_SPEAKER]
        said.close()  # type: ignore[attr-defined] - a generator: its files are closed
        chats = export.titles or dict.fromkeys(seen, "")
        notices = _about_user(source, export.accounts)
        return preview_of(self.name, chats, counts, chat=options.chat, user=export.accounts.user, notices=notices)

    def read(self, source: Source, options: ReadOptions) -> Iterator[Record]:
        """Yield every chat, in documents of one local day each."""
        export = self.opened(source, options)
        if export is None:
            lists = [member for member in source.members() if self.score(member)]
            yield from without_messages(source, lists, f"message of {self.program}")
            return
        chat_name = options.chat
        if chat_name and len(export.titles) != 1:
            chat_name = None
            yield chat_ignored(source.locator)
        yield from _about_user(source, export.accounts)
        user = export.accounts.user
        days = MixedDays(self.name, user, export.links)
        counts = _FileCounts(days)
        seen = False
        for each in export.said():
            if not isinstance(each, Said):
                yield each
                continue
            if isinstance(each.message, str):
                yield Rejected(locator=each.place, reason=each.message)
                continue
            seen = seen or each.message["speaker"] == user
            metadata = each.metadata | ({"title": chat_name} if chat_name else {})
            chat = chat_name or each.chat
            counts.take(each.member)
            for record in records_at(each.place, days.add, chat, {"chat": chat, **metadata}, each.message, each.place):
                counts.rejected += isinstance(record, Rejected)
                yield record
        counts.take(None)
        yield from days.close()
        if doubled := days.doubled:
            hint = f"{doubled} message(s) stand in the export twice; each was kept once"
            yield Notice(code="duplicate-message", locator=source.locator, hint=hint)
        if options.me and not export.accounts.ambiguous and not seen:
            yield user_not_seen(source.locator)
        yield from counted(export.counts, source.locator)
        yield from files_left_out(export.others, source.locator)


def _about_user(source: Source, accounts: Accounts) -> Iterator[Notice]:
    if accounts.ambiguous:
        hint = "several people have the name that was given as the user's: --me takes an id, too"
        yield Notice(code="user-ambiguous", locator=source.locator, hint=hint)
    elif accounts.user == UNKNOWN_USER:
        yield user_unknown(source.locator, "the export does not say who made it")


class _FileCounts:
    """Notes of each file how many of its messages are in documents, and how many are copies."""

    def __init__(self, days: MixedDays) -> None:
        self._days = days
        self._member: Member | None = None
        self._taken = self._doubled = 0
        self.rejected = 0
        """Messages of the file that no document takes."""

    def take(self, member: Member | None) -> None:
        """Count a message of a file, and finish the counts of the file before it. None: the last message is over."""
        if member is not self._member:
            doubled = self._days.doubled
            if self._member is not None:
                copies = doubled - self._doubled
                count_read(self._member, self._taken - copies - self.rejected)
                count_left_out(self._member, COPY, copies)
            self._member, self._taken, self._doubled, self.rejected = member, 0, doubled, 0
        self._taken += 1


def chat_of_file(member: Member) -> str:
    """Return the key of a chat that its messages do not name: the file's path without its ending, since several folders
    may have a file of that name.
    """
    folder, slash, base = member.name.rpartition("/")
    return f"{folder}{slash}{base.rpartition('.')[0] or base}"


def read_members(
    members: Sequence[Member], read: Callable[[Member, BinaryIO], Iterator[T]], *, alone: bool
) -> Iterator[T | Rejected]:
    """Yield the results of ``read`` on each file, as `read_file`; each message gets its file.

    Raises:
        SourceError: the file is ``alone`` and cannot be opened.
    """
    for member in members:
        for each in read_file(member, partial(read, member), alone=alone):
            if isinstance(each, Said):
                each.member = member
            yield each
