"""The documents of one chat of an export, by day and by thread, without duplicate messages. Streaming."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from typing import Any, cast

from ....schemas import ConversationDocument, Rejected
from ....schemas.errors import SourceError
from ....schemas.identity_links import identity_metadata
from ...chats.day_documents import DayDocuments
from ...connector import Member, ReadOptions
from ...errors import refusal
from ...opening.tracked_member import COPY, count_left_out, count_read
from ...record_faults import Failure, attempt, document_of
from ...text.json_fields import list_of
from .body import BodyReader
from .channels import Channel
from .detection import is_message
from .message import MessageReader, SlackMessage
from .people import People
from .records import Found, records
from .threads import OpenThreads, Thread
from .values import JSONObject

_REPLIES = "slackdump_thread_replies"
_CHANGE = "tells how another message was changed, and went into that"
_CHANGED = "message of which the record of an edit was read before, and went into that"
_DEEP = "a reply that has replies of its own"
_REMEMBERED = 5_000
"""The number of recent messages among which copies and records of edits are looked for."""
_MOST_EDITS = 200
"""Earlier texts of one message, the latest ones: no person writes more, and each record of an edit is compared with them."""
_REMEMBERED_TEXT = 16 << 20
_CHECKED = 500
"""The number of messages after which the size of a day is checked."""
_CHECKED_TEXT = 1 << 20


@dataclass(frozen=True, slots=True)
class ChatContext:
    """The context shared by the chats of one export."""

    source: str
    account: str
    user: str
    people: People
    bodies: BodyReader
    present: Collection[str]
    """The ids of the files in the export."""
    options: ReadOptions


@dataclass(slots=True)
class ChatTally:
    """Counts over the chats of an export, for its notices."""

    messages: int = 0
    duplicates: int = 0
    orphans: int = 0
    unknown_subtypes: int = 0
    empty: int = 0
    replaced: list[str] = field(default_factory=list[str])
    """The first locator where invalid UTF-8 became U+FFFD."""
    people_unknown: set[str] = field(default_factory=set[str])
    user_seen: bool = False


class ChatReader:
    """Reads one chat. Construct, then exhaust ``read``."""

    def __init__(self, context: ChatContext, channel: Channel, key: str, title: str, tally: ChatTally) -> None:
        self._context = context
        self._tally = tally
        self._prefix = f"{context.source}:{key}:"
        self._metadata = _metadata(context, channel, key, title)
        self._messages = MessageReader(
            channel.id, context.people, context.bodies, context.present, context.options.zone
        )
        self._days = DayDocuments(context.source, key, context.user, self._metadata, context.people.links)
        self._threads = OpenThreads()
        # Copies of a message share its time stamp, so they are near one another. Only messages not yet yielded change.
        self._seen: dict[str, SlackMessage] = {}
        self._seen_text = 0
        self._now = 0
        self._day: date | None = None
        self._member: Member | None = None
        """The file being read."""
        self._out: list[ConversationDocument | Rejected] = []
        # The number and size of the messages since the size of the day was checked.
        self._unchecked = self._unchecked_text = 0

    def read(self, files: list[Member]) -> Iterator[ConversationDocument | Rejected]:
        """Yield the chat's documents. A file that cannot be read is rejected alone."""
        for member in files:
            try:
                yield from self._file(member)
            except SourceError as error:
                if len(files) == 1 and not self._tally.messages:
                    raise
                yield refusal(member.locator, error)
            for thread in self._threads.complete(self._now):
                yield from self._thread_documents(thread)
            self._forget_seen()
        yield from self._end()

    def read_found(
        self, readings: Iterable[Found], member: Member | None = None
    ) -> Iterator[ConversationDocument | Rejected]:
        """Yield the documents of records, ordered by time, of a file that holds several channels, or of none."""
        yield from self._found(readings, member)
        yield from self._end()

    def _found(self, readings: Iterable[Found], member: Member | None) -> Iterator[ConversationDocument | Rejected]:
        self._member, before = member, self._tally.messages
        try:
            yield from self._records(readings)
        finally:  # count also the messages before a break in the file
            if member is not None:
                count_read(member, self._tally.messages - before)

    def _end(self) -> Iterator[ConversationDocument | Rejected]:
        yield from self._days.close()
        for thread in self._threads.close():
            yield from self._thread_documents(thread)
        counts = self._messages.counts
        self._tally.orphans += self._threads.orphans
        self._tally.unknown_subtypes += counts.unknown_subtypes
        self._tally.empty += counts.empty
        self._tally.people_unknown |= self._messages.people_unknown

    def _file(self, member: Member) -> Iterator[ConversationDocument | Rejected]:
        yield from self._found(records(member, is_message), member)

    def _records(self, readings: Iterable[Found]) -> Iterator[ConversationDocument | Rejected]:
        out = self._out
        for reading in readings:
            if reading.replaced and not self._tally.replaced:
                self._tally.replaced.append(reading.locator)
            if reading.record is None:
                yield Rejected(locator=reading.locator, reason=reading.reason)
                continue
            failure = attempt(self._take, reading.record, reading)
            if isinstance(failure, Failure):
                out.append(Rejected(locator=reading.locator, reason=failure))
            if out:
                yield from out
                out.clear()

    def _take(self, record: JSONObject, place: Found, *, nested: bool = False) -> None:
        """Add a record to its day or thread; complete documents and rejections go to ``_out``."""
        message = self._messages.message(record)
        if isinstance(message, str):
            self._out.append(Rejected(locator=place.locator, reason=message))
        elif not self._is_known(message):
            self._tally.messages += 1
            if message.fields["speaker"] == self._context.user:
                self._tally.user_seen = True
            if not nested:  # a reply nested in its thread's first message is later than the reading's position
                self._now = max(self._now, message.micros)
            if message.thread:
                message.member = self._member
                for thread in self._threads.add(message):
                    self._out += self._thread_documents(thread)
            else:
                self._put_into_day(message)
            if self._out:
                self._forget_seen()
        if _REPLIES in record:
            for reply in list_of(record[_REPLIES]):
                if not isinstance(reply, dict):
                    self._out.append(Rejected(locator=place.locator, reason="a reply must be a JSON object"))
                elif _REPLIES not in reply:
                    self._take(cast("JSONObject", reply), place, nested=True)
                else:
                    self._leave_out(_DEEP)

    def _put_into_day(self, message: SlackMessage) -> None:
        day = message.fields["time"].date()
        if day != self._day:
            self._day = day
            self._out.extend(self._days.start_day(day.isoformat()))
        self._days.day_messages.append(message.fields)
        self._unchecked += 1
        self._unchecked_text += len(message.fields["content"])
        if self._unchecked >= _CHECKED or self._unchecked_text > _CHECKED_TEXT:
            self._out.extend(self._days.flush_large_day(self._unchecked_text))
            self._unchecked = self._unchecked_text = 0

    def _is_known(self, message: SlackMessage) -> bool:
        """Return whether a message of this time stamp was read just before: a copy in the channel of a reply in its
        thread, or the record of an edit. What the later one adds is merged into the first.
        """
        earlier = self._seen.get(message.stamp)
        if earlier is None:
            self._seen_text += len(message.fields["content"])
            if len(self._seen) >= _REMEMBERED or self._seen_text > _REMEMBERED_TEXT:
                self._forget_seen()
            self._seen[message.stamp] = message
            return False
        if message.is_change or earlier.is_change:
            self._leave_out(_CHANGE if message.is_change else _CHANGED)
            _unite(earlier, message)
        else:
            self._leave_out(COPY)
            self._tally.duplicates += 1
            if message.fields.get("edited") and not earlier.fields.get("edited"):
                _unite(earlier, message)
        return True

    def _leave_out(self, rule: str) -> None:
        if self._member is not None:
            count_left_out(self._member, rule)

    def _forget_seen(self) -> None:
        self._seen.clear()
        self._seen_text = 0

    def _thread_documents(self, thread: Thread) -> Iterator[ConversationDocument | Rejected]:
        kept = thread.once()
        if len(kept) < len(thread.messages):
            self._drop_copies(thread.messages, kept)
        place = f"{self._prefix}{thread.stamp}#/"
        messages = [each.fields for each in kept]
        yield from document_of(partial(self._thread_document, thread.stamp), messages, lambda index: f"{place}{index}")

    def _thread_document(self, stamp: str, messages: Sequence[dict[str, Any]]) -> ConversationDocument:
        user = self._context.user
        people = dict.fromkeys([*(fields["speaker"] for fields in messages), user])
        return ConversationDocument.model_validate(
            {
                "id": self._prefix + stamp,
                "conversation": {
                    "source": self._context.source,
                    "people": list(people),
                    "user": user,
                    "conversation": [*messages],
                },
                "metadata": {
                    **self._metadata,
                    "thread": messages[0]["thread"],
                    **identity_metadata(people, self._context.people.links),
                },
            }
        )

    def _drop_copies(self, messages: list[SlackMessage], kept: list[SlackMessage]) -> None:
        """Count the duplicate messages of a thread as copies, each in its own file."""
        first = {id(each) for each in kept}
        for each in messages:
            if id(each) not in first:
                self._tally.duplicates += 1
                if each.member is not None:
                    count_read(each.member, -1)
                    count_left_out(each.member, COPY)


def _unite(earlier: SlackMessage, later: SlackMessage) -> None:
    """Merge a later version of a message into the known one, with all older texts in ``edits``."""
    old, new = (
        (later.fields, earlier.fields) if earlier.is_change and not later.is_change else (earlier.fields, later.fields)
    )
    wordings = {edit["content"]: edit for fields in (old, new) for edit in fields.get("edits", [])}
    if old["content"] != new["content"] and not old.get("deleted"):
        wordings.setdefault(old["content"], {"content": old["content"]})
    wordings.pop(new["content"], None)
    # The older version alone may have the thread, the reactions and the files.
    united: dict[str, Any] = {**old, **new}
    if new.get("kind") is None:
        united.pop("kind", None)
    if "segments" not in new:
        united.pop("segments", None)
    if wordings:
        united["edits"] = list(wordings.values())[-_MOST_EDITS:]
    earlier.fields.clear()
    earlier.fields.update(united)
    earlier.is_change = earlier.is_change and later.is_change


def _metadata(context: ChatContext, channel: Channel, key: str, title: str) -> dict[str, str]:
    metadata = {
        "title": title,
        "chat": key,
        "account": context.account,
        "channel": channel.id,
        "channel_type": channel.type,
    }
    return {name: value for name, value in metadata.items() if value}
