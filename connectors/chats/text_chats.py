"""The common parts of connectors of chats in text, table and JSON files by many programs: the processing of parsed
messages.

A parser gives messages, mostly by the wall clock and without ids. Here they get their zone, their speakers and the user, and become days. A
file with accounts is read twice: first to see who writes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, BinaryIO, ParamSpec, TypeVar

from ...schemas import SYSTEM_SPEAKER, UNKNOWN_USER, UNTERMINATED, Notice, Rejected, TimePrecision
from ...schemas.errors import SourceError
from ...schemas.times import fixed_offset
from ..connector import Member, Preview, ReadOptions, Record, Source
from ..errors import refusal
from ..opening.left_out import files_left_out, without_messages
from ..opening.notice_places import place_of
from ..record_faults import Failure, attempt, attempt_all
from ..text.chat_lines import FileState
from ..times.local_times import LocalTimes
from .chat_connector import preview_of
from .notices import chat_ignored, content_unknown, user_not_seen, user_unknown, zone_assumed
from .ordered_days import OrderedDays

P = ParamSpec("P")
T = TypeVar("T")
Message = dict[str, Any]
_PEOPLE = 100_000
"""The largest number of names and accounts that are tracked; names beyond it stay as they are written."""
_OPEN_CHATS = 200
"""Chats of one file whose last days stay open."""
_FIRST_YEAR, _LAST_YEAR = 2, 9998
"""Beyond these a zone may lead out of the years that exist."""
_ENOUGH = 2_000
"""The number of messages after which the rest of a file without accounts has nothing that reading needs."""
NO_TIME = "a date or time that does not exist"


@dataclass(slots=True)
class Said:
    """A message as a parser found it.

    ``time`` has no zone where the file tells none. Without ``speaker`` nobody wrote it, unless it is the exporter's
    ``own``. ``account`` names the author where the format has more than names.
    """

    line: int | str
    """The line number, or a JSON pointer."""
    speaker: str
    time: datetime
    precision: TimePrecision
    message: Message
    """The ``content`` and the other fields of a message except speaker and time."""
    account: str = ""
    own: bool = False
    instant: bool = False
    """True if ``time`` is an exact instant: it is shown in the reader's zone."""


@dataclass(slots=True)
class Unread:
    """Lines that could not be read."""

    line: int | str
    reason: str


@dataclass(slots=True)
class Section:
    """A marker: the following messages belong to another chat of the same file."""

    title: str


Item = Said | Unread | Section


def item_at(line: int | str, read: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | Unread:
    """Read one message; return `Unread` with its line if that fails unexpectedly."""
    result = attempt(read, *args, **kwargs)
    return Unread(line, result) if isinstance(result, Failure) else result


def items_at(line: int | str, read: Callable[P, Iterator[Item]], *args: P.args, **kwargs: P.kwargs) -> Iterator[Item]:
    """Read as `item_at`, for a reader that may yield any number of items."""
    for result in attempt_all(read, *args, **kwargs):
        yield Unread(line, result) if isinstance(result, Failure) else result


@dataclass(frozen=True, slots=True)
class ChatFile:
    """A file that a format recognised."""

    member: Member
    title: str
    items: Callable[[BinaryIO, FileState], Iterator[Item]]
    """Parses the whole stream; may raise the stream's errors."""
    metadata: Mapping[str, str] = field(default_factory=dict[str, str])
    user: str = ""
    """The exporter's name or account, if the file's beginning has it."""
    key: str = ""
    """The key of the chat, if it has one besides its title."""
    names: Callable[[Mapping[str, int]], Mapping[str, str]] | None = None
    """Returns the names of accounts from counts of names, for a format in which people change their names."""
    more: Sequence[Member] = ()
    """The further files of a chat that comes in pieces, each parsed like the first."""

    @property
    def members(self) -> Sequence[Member]:
        """Return all files of the chat."""
        return (self.member, *self.more)


@dataclass(slots=True)
class _Census:
    """The authors in a file, with their messages counted."""

    counts: Counter[str] = field(default_factory=Counter[str])
    names: dict[str, str] = field(default_factory=dict[str, str])
    """The last name of each account."""
    accounts: dict[str, str] = field(default_factory=dict[str, str])
    """An account of each name."""
    own: Counter[str] = field(default_factory=Counter[str])
    titles: set[str] = field(default_factory=set[str])
    messages: int = 0
    naive: bool = False

    def see(self, item: Item, title: str) -> None:
        if isinstance(item, Section):
            if len(self.titles) < _PEOPLE:
                self.titles.add(item.title)
        elif isinstance(item, Said):
            if not self.messages:
                self.titles.add(title)
            self.messages += 1
            self.naive = self.naive or item.time.tzinfo is None
            if item.account:
                self._see_account(item)
            if item.speaker and (item.speaker in self.counts or len(self.counts) < _PEOPLE):
                self.counts[item.speaker] += 1
                if item.own:
                    self.own[item.speaker] += 1
            elif item.own:
                self.own[""] += 1

    def _see_account(self, said: Said) -> None:
        """Record the name of a message's account. Some programs write the account in place of an unknown name, which
        replaces no known name.
        """
        if said.speaker and (said.speaker in self.accounts or len(self.accounts) < _PEOPLE):
            self.accounts[said.speaker] = said.account
        is_named = said.account in self.names
        if said.speaker in ("", said.account) and is_named:
            return
        if is_named or len(self.names) < _PEOPLE:
            self.names[said.account] = said.speaker or said.account


@dataclass(frozen=True, slots=True)
class _Chat:
    """A file, who writes in it, and who of them is the user."""

    file: ChatFile
    census: _Census
    names: Mapping[str, str]
    user: str

    def speaker(self, said: Said) -> str:
        if said.own:
            return self.user
        if said.account:
            return self.names.get(said.account, said.speaker or said.account)
        return said.speaker or SYSTEM_SPEAKER

    def people(self) -> Counter[str]:
        """Return the number of messages of each author, by the displayed name."""
        shown: Counter[str] = Counter()
        for name, count in self.census.counts.items():
            shown[self.names.get(self.census.accounts.get(name, ""), name)] += count
        return shown


@dataclass(frozen=True, slots=True)
class TextChats:
    """The chats of one source in one format."""

    source_name: str
    app: str
    """The name of the app for people: ``LINE``."""
    files: Sequence[ChatFile]
    others: Sequence[Member]

    def preview(self, source: Source, options: ReadOptions) -> Preview:
        """Return a preview with the authors, counted over all chats."""
        chats = [_counted(file, options, whole=True) for file in self.files]
        people: Counter[str] = Counter()
        for chat in chats:
            people += chat.people()
        users = {chat.user for chat in chats} - {UNKNOWN_USER}
        titles = {title for chat in chats for title in chat.census.titles}
        return preview_of(
            self.source_name,
            {title: title for title in titles if titles != {""}},
            people,
            chat=options.chat,
            user=users.pop() if len(users) == 1 else "",
            messages=sum(chat.census.messages for chat in chats),
            notices=_about_user(chats, self._place(source), options),
        )

    def read(self, source: Source, options: ReadOptions) -> Iterator[Record]:
        """Yield every chat, one local day after the other.

        Raises:
            SourceError: the source is one file, and it cannot be opened.
        """
        if not self.files:
            yield from without_messages(source, (), f"message of {self.app}")
            return
        chats = [_counted(file, options, whole=options.chat is not None) for file in self.files]
        chat_name, place = options.chat, self._place(source)
        if chat_name and len({title for chat in chats for title in chat.census.titles}) > 1:
            chat_name = None
            yield chat_ignored(place)
        yield from _about_user(chats, place, options)
        if options.zone_origin == "assumed" and any(chat.census.naive for chat in chats):
            yield zone_assumed(place, options.zone)
        alone = len(source.members()) == 1
        for chat in chats:
            yield from self._chat(chat, options, chat_name, alone=alone)
        yield from files_left_out(self.others, source.locator)

    def _place(self, source: Source) -> str:
        return place_of(source, [file.member for file in self.files])

    def _chat(self, chat: _Chat, options: ReadOptions, chat_name: str | None, *, alone: bool) -> Iterator[Record]:
        reading = _Reading(self.source_name, chat, options, chat_name)
        states: list[tuple[Member, FileState]] = []
        broken: list[Rejected] = []
        for member in chat.file.members:
            state = FileState(date_order=options.date_order)
            states.append((member, state))
            reading.locator = member.locator
            try:
                with member.open() as stream:
                    for item in chat.file.items(stream, state):
                        yield from reading.take(item)
            except SourceError as error:  # what was read before the damage is kept
                if alone and not reading.messages:
                    raise
                broken.append(refusal(member.locator, error))
        yield from reading.close(cut=states[-1][1].unterminated or bool(broken))
        yield from broken
        if not reading.messages and not reading.rejected and not broken:
            yield Rejected(locator=chat.file.member.locator, reason=f"no message of {self.app} was found")
        for member, state in states:
            yield from _about_file(state, member.locator)


class _Reading:
    """The messages of one chat on their way into days. ``locator``: that of the file being read."""

    def __init__(self, source_name: str, chat: _Chat, options: ReadOptions, chat_name: str | None) -> None:
        self._source = source_name
        self._chat = chat
        self._given = chat_name
        self._origin = options.zone_origin
        self.locator = chat.file.member.locator
        self._zone = options.zone
        self._times = LocalTimes(options.zone)
        self._open: dict[str, OrderedDays] = {}
        self._days = self._start(chat.file.key, chat.file.title)
        self._last: Message | None = None
        self.messages = 0
        self.rejected = False

    def _start(self, key: str, title: str) -> OrderedDays:
        chat = self._given or key or title
        if chat not in self._open:
            metadata = {"title": self._given or title, **self._chat.file.metadata}
            self._open[chat] = OrderedDays(self._source, chat, self._chat.user, metadata)
        return self._open[chat]

    def take(self, item: Item) -> Iterator[Record]:
        if isinstance(item, Said):
            for result in attempt_all(self._take, item):
                if isinstance(result, Failure):
                    self.rejected = True
                    yield Rejected(locator=self._at(item.line), reason=result)
                else:
                    yield result
        elif isinstance(item, Section):
            self._days = self._start("", item.title)
            if len(self._open) > _OPEN_CHATS:
                oldest = next(chat for chat, days in self._open.items() if days is not self._days)
                yield from self._open.pop(oldest).close()
        else:
            self.rejected = True
            yield Rejected(locator=self._at(item.line), reason=item.reason)

    def _at(self, line: int | str) -> str:
        return f"{self.locator}:{line}" if isinstance(line, int) else f"{self.locator}#{line}"

    def _take(self, said: Said) -> Iterator[Record]:
        time = said.time
        if not _FIRST_YEAR <= time.year <= _LAST_YEAR:
            self.rejected = True
            yield Rejected(locator=self._at(said.line), reason=NO_TIME)
            return
        message = said.message
        message["speaker"] = self._chat.speaker(said)
        if message["speaker"] == SYSTEM_SPEAKER:
            message.setdefault("kind", "system")
        if time.tzinfo is None:
            offset = self._times.offset_of_day(time.date())
            time = time.replace(tzinfo=offset) if offset is not None else self._times.localise(time)
            message["zone_origin"] = self._origin
        else:
            time = fixed_offset(time.astimezone(self._zone)) if said.instant else time
            message["zone_origin"] = "explicit"
        message["time"] = time
        message["time_precision"] = said.precision
        if said.account and said.speaker not in ("", said.account, message["speaker"]):
            message["metadata"] = {**message.get("metadata", {}), "name": said.speaker}
        self.messages += 1
        self._last = message
        yield from self._days.add(message, self._at(said.line))

    def close(self, *, cut: bool) -> Iterator[Record]:
        if cut and self._last is not None:
            self._last["metadata"] = {**self._last.get("metadata", {}), UNTERMINATED: "true"}
        for days in self._open.values():
            yield from days.close()


def _counted(file: ChatFile, options: ReadOptions, *, whole: bool) -> _Chat:
    """Count a file in a first pass, as far as that is useful. Unreadable parts are reported by the second pass."""
    census = _Census()
    for member in file.members:
        with suppress(SourceError), member.open() as stream:
            for item in file.items(stream, FileState(date_order=options.date_order)):
                census.see(item, file.title)
                if not whole and census.messages >= _ENOUGH and not census.accounts and _is_found(options.me, census):
                    break
    names = file.names(census.counts) if file.names is not None else census.names
    return _Chat(file, census, names, _user(options.me or file.user, census, names))


def _is_found(me: str | None, census: _Census) -> bool:
    return not me or bool(census.own) or me in census.counts


def _user(me: str, census: _Census, names: Mapping[str, str]) -> str:
    if me:
        if me in names:
            return names[me]
        folded = me.casefold()
        written = me if me in census.counts else next((n for n in census.counts if n.casefold() == folded), me)
        return names.get(census.accounts.get(written, ""), written)
    own_names = [name for name, _ in census.own.most_common(2) if name]
    return own_names[0] if own_names else UNKNOWN_USER


def _about_user(chats: Sequence[_Chat], locator: str, options: ReadOptions) -> Iterator[Notice]:
    if any(chat.user == UNKNOWN_USER for chat in chats):
        yield user_unknown(locator, "nothing shows who exported these chats")
    elif options.me and not any(chat.census.own or chat.user in chat.people() for chat in chats):
        yield user_not_seen(locator)


def _about_file(state: FileState, locator: str) -> Iterator[Notice]:
    if state.undecodable:
        hint = "bytes that are no text in the file's encoding became U+FFFD, first at or after this line"
        yield Notice(code="undecodable-bytes", locator=f"{locator}:{state.undecodable}", hint=hint)
    if state.impossible:
        hint = f"{state.impossible} line(s) like a header with a date or time that does not exist were kept as text"
        yield Notice(code="impossible-date", locator=locator, hint=hint)
    if state.unclosed:
        hint = f"{state.unclosed} row(s) have a field without its closing mark; it was taken to end with the row"
        yield Notice(code="unclosed-field", locator=locator, hint=hint)
    if state.date_order_open:
        hint = "nothing tells whether the day or the month comes first in the dates: --date-order decides"
        yield Notice(code="date-order-ambiguous", locator=locator, hint=hint)
    yield from content_unknown(state.unknown, locator)
