"""What connectors of whole exports have in common: many chats with ids of their own, one list of accounts, one user."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO, TypeVar

from ...schemas import SYSTEM_SPEAKER, UNKNOWN_USER, Notice, Rejected
from ...schemas.errors import SourceError
from ..connector import Member, Preview, ReadOptions, Record, Source
from ..errors import refusal
from ..opening.left_out import files_left_out, without_messages
from ..opening.tracked_member import COPY, count_left_out, count_read
from ..record_faults import records_at
from .accounts import Accounts
from .mixed_days import MixedDays
from .ordered_days import Message

_SNIFFED_MEMBERS = 200
"""A source of more files is recognised by the first of them."""
_PREVIEWED = 2_000
"""Messages that a first look reads."""

T = TypeVar("T")


@dataclass(slots=True)
class Said:
    """A message with its chat."""

    chat: str
    metadata: dict[str, str]
    """For the documents of the chat."""
    message: Message
    place: str
    member: Member | None = None
    """The file that it was read from."""


@dataclass(slots=True)
class ChatExport:
    """An export whose small files were read."""

    accounts: Accounts
    said: Callable[[], Iterator[Said | Rejected | Notice]]
    """Reads its messages. Once."""
    titles: dict[str, str] = field(default_factory=dict[str, str])
    """The chats that were seen before the messages are read."""
    others: list[Member] = field(default_factory=list[Member])
    counts: Counter[str] = field(default_factory=Counter[str])
    """What is told behind the last message, by codes of notices."""


HINTS = {
    "content-unknown": "message(s) hold content of an unknown type; they were kept as far as it has text",
    "undecrypted": "message(s) are encrypted and the export does not hold their words; each was kept as a placeholder",
    "relations-left-out": "reaction(s), edits or votes belong to messages that this export does not hold",
    "person-unknown": "people are named only by their ids",
}
"""By codes: what follows the number."""


class ExportConnector(ABC):
    """Reads all chats of an export; subclasses know the format."""

    source: str
    program: str
    """The program's name, for people."""
    version = 1
    """Of what is read: told in receipts."""

    @property
    def name(self) -> str:
        """The format's."""
        return self.source

    def sniff(self, source: Source) -> float:
        """How sure the surest file makes it."""
        best = 0.0
        for member in source.members()[:_SNIFFED_MEMBERS]:
            best = max(best, self.score(member))
            if best >= 0.95:
                break
        return best

    @abstractmethod
    def score(self, member: Member) -> float:
        """How sure it is of one file."""

    @abstractmethod
    def opened(self, source: Source, options: ReadOptions) -> ChatExport | None:
        """The export in a source; None where it holds no messages.

        Raises:
            SourceError: its only file cannot be opened.
        """

    def preview(self, source: Source, options: ReadOptions) -> Preview:
        """Who wrote the first messages."""
        export = self.opened(source, options)
        if export is None:
            return Preview(format=self.name)
        counts: Counter[str] = Counter()
        seen: set[str] = set()
        said = export.said()
        for each in said:
            if isinstance(each, Said):
                counts[each.message["speaker"]] += 1
                seen.add(each.chat)
                if counts.total() >= _PREVIEWED:
                    break
        said.close()  # type: ignore[attr-defined] - a generator: its files are closed
        chats = export.titles or dict.fromkeys(seen, "")
        key, title = next(iter(chats.items())) if len(chats) == 1 else ("", "")
        user = export.accounts.user
        known = user if user != UNKNOWN_USER else None
        return Preview(
            format=self.name,
            title=options.chat or title if key else "",
            chat=options.chat or key if key else "",
            speakers=sorted(counts.keys() - {SYSTEM_SPEAKER}, key=lambda name: (-counts[name], name)),
            user=known,
            notices=() if known else (self._user_unknown(source, export.accounts),),
        )

    def read(self, source: Source, options: ReadOptions) -> Iterator[Record]:
        """Every chat, in documents of one local day each."""
        export = self.opened(source, options)
        if export is None:
            lists = [member for member in source.members() if self.score(member)]
            yield from without_messages(source, lists, f"message of {self.program}")
            return
        given = options.chat
        if given and len(export.titles) != 1:
            given = None
            hint = "one name cannot stand for several chats, so their own titles were kept: read them one by one"
            yield Notice(code="chat-ignored", locator=source.locator, hint=hint)
        user = export.accounts.user
        if user == UNKNOWN_USER:
            yield self._user_unknown(source, export.accounts)
        days = MixedDays(self.name, user)
        counts = _FileCounts(days)
        seen = False
        for each in export.said():
            if not isinstance(each, Said):
                yield each
                continue
            seen = seen or each.message["speaker"] == user
            metadata = each.metadata | ({"title": given} if given else {})
            chat = given or each.chat
            counts.take(each.member)
            for record in records_at(each.place, days.add, chat, {"chat": chat, **metadata}, each.message, each.place):
                counts.rejected += isinstance(record, Rejected)
                yield record
        counts.take(None)
        yield from days.close()
        yield from self._closing(source, export, seen=seen, doubled=days.doubled)

    def _closing(self, source: Source, export: ChatExport, *, seen: bool, doubled: int) -> Iterator[Notice]:
        place = source.locator
        if doubled:
            hint = f"{doubled} message(s) stand in the export twice; each was kept once"
            yield Notice(code="duplicate-message", locator=place, hint=hint)
        if export.accounts.given and not export.accounts.ambiguous and not seen:
            hint = "the name given as the user's own writes nothing in this export: check --me"
            yield Notice(code="user-not-seen", locator=place, hint=hint)
        for code, count in sorted(export.counts.items()):
            if count:
                yield Notice(code=code, locator=place, hint=f"{count} {HINTS[code]}")
        yield from files_left_out(export.others, place)

    def _user_unknown(self, source: Source, accounts: Accounts) -> Notice:
        if accounts.ambiguous:
            hint = "several people have the name that was given as the user's: --me takes an id, too"
            return Notice(code="user-ambiguous", locator=source.locator, hint=hint)
        hint = f"the export does not say who made it; the user is {UNKNOWN_USER}: --me decides"
        return Notice(code="user-unknown", locator=source.locator, hint=hint)


class _FileCounts:
    """Notes of each file how many of its messages are in documents, and how many are copies."""

    def __init__(self, days: MixedDays) -> None:
        self._days = days
        self._member: Member | None = None
        self._taken = self._doubled = 0
        self.rejected = 0
        """Messages of the file that no document takes."""

    def take(self, member: Member | None) -> None:
        """A message of a file follows; behind the last one that of none."""
        if member is not self._member:
            doubled = self._days.doubled
            if self._member is not None:
                copies = doubled - self._doubled
                count_read(self._member, self._taken - copies - self.rejected)
                count_left_out(self._member, COPY, copies)
            self._member, self._taken, self._doubled, self.rejected = member, 0, doubled, 0
        self._taken += 1


def chat_of_file(member: Member) -> str:
    """The key of a chat that its messages do not name: the file's name with its folders, in each of which may lie one of that
    name, without its ending.
    """
    folder, slash, base = member.name.rpartition("/")
    return f"{folder}{slash}{base.rpartition('.')[0] or base}"


def read_members(
    members: Sequence[Member], read: Callable[[Member, BinaryIO], Iterator[T]], *, alone: bool
) -> Iterator[T | Rejected]:
    """What ``read`` gives of the streams of each file; what comes before a damage stays.

    Args:
        members: files.
        read: reads one, whose stream is closed behind it.
        alone: whether nothing else is read, so that a file that cannot be opened is an error.

    Raises:
        SourceError: the file is ``alone`` and cannot be opened.
    """
    for member in members:
        try:
            stream = member.open()
        except SourceError as error:
            if alone:
                raise
            yield refusal(member.locator, error)
            continue
        with stream:
            try:
                for each in read(member, stream):
                    if isinstance(each, Said):
                        each.member = member
                    yield each
            except SourceError as error:  # damaged or over a cap, in the middle: what came before stays
                yield refusal(member.locator, error)
