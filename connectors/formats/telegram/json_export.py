"""The chats of ``result.json``, of one chat or of a whole account, as day documents. Streaming."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from typing import Any

from ....schemas import UNKNOWN_USER, Notice, Rejected
from ....schemas.errors import SourceError
from ...chats.day_documents import DayDocuments
from ...connector import Member, Record
from ...errors import refusal
from ...opening.attached_files import AttachedFiles
from ...opening.tracked_member import count_read
from ...text.json_stream import Batch, Broken, Elements, Event, Field, JSONStream, Path, Skipped, Started
from ...text.unicode import as_utf8
from .accounts import Accounts
from .chats import Chat, chat_of
from .exporter import Exporter
from .message import NO_OBJECT, MessageReader
from .speakers import Speakers
from .times import Times
from .values import Object, object_of, parse

PATHS: tuple[Path, ...] = (
    ("messages",),
    ("chats", "list", "*", "messages"),
    ("chats", "*", "messages"),
    ("left_chats", "list", "*", "messages"),
)
_ACCOUNT_KEYS = frozenset({"chats", "left_chats", "personal_information", "about"})
_CHAT_KEYS = frozenset({"name", "type", "id", "about", "list"})
_ASKED_EVERY = 256
_ASKED_TEXT = 1 << 20
_CHATS = frozenset({"/chats/list", "/left_chats/list", "/chats"})


def is_message(value: Any) -> bool:  # noqa: ANN401
    """Return whether an object after a broken record is a message, not a part of one."""
    return isinstance(value, dict) and "id" in value and value.get("type") in ("message", "service", "unsupported")  # pyright: ignore[reportUnknownMemberType]


def events_of(member: Member) -> Iterator[Event]:
    """Yield the events of the file, in order.

    Raises:
        SourceError: it cannot be read, or not any further.
    """
    with member.open() as stream:
        text = as_utf8(stream).stream
        yield from JSONStream(text.read1, PATHS, parse, genuine=is_message).events()


def batches_of(member: Member) -> Iterator[Batch]:
    """Yield the events of the file in order, with many messages in each batch.

    Raises:
        SourceError: it cannot be read, or not any further.
    """
    with member.open() as stream:
        text = as_utf8(stream).stream
        yield from JSONStream(text.read1, PATHS, parse, genuine=is_message).batches()


def holders(member: Member) -> dict[str, Object]:
    """Return the fields beside the messages of each chat, also those behind them. Reads the whole file."""
    result: dict[str, Object] = {}
    for event in events_of(member):
        if isinstance(event, Field):
            result.setdefault(event.holder, {})[event.key] = event.value
        elif isinstance(event, Started):
            result.setdefault(event.holder, {})
    return result


@dataclass(slots=True)
class _Open:
    """The chat being read."""

    pointer: str
    reader: MessageReader
    days: DayDocuments
    last: date | None = None
    text: int = 0
    """The number of characters since the size of the day was checked."""


@dataclass(slots=True)
class JsonExport:
    """Reads one file. ``given`` is the configured key of its only chat."""

    member: Member
    exporter: Exporter
    times: Times
    files: AttachedFiles
    given: str | None = None
    messages: int = 0
    unknown: Counter[str] = field(default_factory=Counter[str])
    _fields: dict[str, Object] = field(default_factory=dict[str, Object])
    _whole: dict[str, Object] | None = None
    _left_out: list[str] = field(default_factory=list[str])
    _accounts: Accounts = field(default_factory=Accounts)

    def records(self) -> Iterator[Record]:
        """Yield the documents of the chats, and rejections for what could not be read."""
        chat: _Open | None = None
        try:
            for event in batches_of(self.member):
                if isinstance(event, Elements) and chat is not None and event.array == chat.pointer:
                    yield from self._messages(event, chat)
                elif isinstance(event, Started):
                    yield from self._close(chat)
                    chat = self._start(event)
                else:
                    yield from self._beside(event)
        except SourceError as error:  # the file is damaged in the middle: keep what came before
            yield from self._close(chat)
            yield refusal(self.member.locator, error)
        else:
            yield from self._close(chat)
        yield from self._notices()

    def _start(self, event: Started) -> _Open:
        fields = self._fields.get(event.holder, {})
        if not ("type" in fields and "id" in fields):
            # A program that rewrites exports put the chat's fields behind its messages.
            if self._whole is None:
                self._whole = holders(self.member)
                self._accounts.learn(self._whole.get("", {}))
            fields = self._whole.get(event.holder, fields)
            if not event.holder:
                self.exporter.learn(object_of(self._whole.get("", {}).get("personal_information")))
        chat = chat_of(fields, self.given, self._fallback(event.holder))
        self._accounts.meet(chat)
        speakers = Speakers(self.exporter.name, self.exporter.id)
        held = partial(self.files.has, folder=self.member.name.rpartition("/")[0])
        reader = MessageReader(chat, speakers, self.times, held)
        return _Open(event.pointer, reader, self._days(chat, speakers))

    def _fallback(self, holder: str) -> str:
        """Return a key for a chat without an id and a name: the file's name and the place in it."""
        return f"{self.member.name}{holder}"

    def _days(self, chat: Chat, speakers: Speakers) -> DayDocuments:
        def links(name: str) -> list[str | None]:
            return self._accounts.links(speakers.peer_of(name))

        return DayDocuments("telegram", chat.key, self.exporter.name or UNKNOWN_USER, chat.metadata, links)

    def _messages(self, event: Elements, chat: _Open) -> Iterator[Record]:
        before, days = self.messages, chat.days
        for place, result in enumerate(chat.reader.read_all(event.values)):
            if isinstance(result, str):
                yield from self._reject(event.pointer(place), result)
                continue
            day = result["time"].date()
            if day != chat.last:
                chat.last = day
                yield from days.start_day(day.isoformat())
            days.day_messages.append(result)
            self.messages += 1
            chat.text += len(result["content"])
            if not self.messages % _ASKED_EVERY or chat.text > _ASKED_TEXT:
                more_text, chat.text = chat.text, 0
                yield from days.flush_large_day(more_text)
        count_read(self.member, self.messages - before)

    def _close(self, chat: _Open | None) -> Iterator[Record]:
        if chat is not None:
            yield from chat.days.close()
            self.unknown.update(chat.reader.unknown)

    def _beside(self, event: Batch) -> Iterator[Record]:
        if isinstance(event, Broken):
            yield from self._reject(event.pointer, event.reason)
        elif isinstance(event, Field):
            if event.holder in _CHATS and event.key.isdigit():  # an element that is not an object
                yield from self._reject(f"{event.holder}/{event.key}", NO_OBJECT)
                return
            self._fields.setdefault(event.holder, {})[event.key] = event.value
            if not event.holder:
                self._accounts.learn({event.key: event.value})
                if event.key == "personal_information":
                    self.exporter.learn(object_of(event.value))
            self._note(event.holder, event.key)
        elif isinstance(event, Skipped):
            self._note(event.holder, event.key)

    def _note(self, holder: str, key: str) -> None:
        keys = _CHAT_KEYS if holder or key in _CHAT_KEYS else _ACCOUNT_KEYS
        if key not in keys and not holder:
            self._left_out.append(key)

    def _reject(self, pointer: str, reason: str) -> Iterator[Rejected]:
        yield Rejected(locator=f"{self.member.locator}#{pointer}", reason=reason)

    def _notices(self) -> Iterator[Record]:
        locator = self.member.locator
        if self._left_out:
            hint = f"parts of the account that are no chats were left out: {', '.join(sorted(set(self._left_out)))}"
            yield Notice(code="sections-left-out", locator=locator, hint=hint)
        if self.unknown:
            counted = ", ".join(f"{name} ({count})" for name, count in sorted(self.unknown.items())[:20])
            hint = f"messages hold what this version does not know; it was kept as metadata or placeholder: {counted}"
            yield Notice(code="unknown-content", locator=locator, hint=hint)
