"""The second pass over a chat: every header splits the text, every body becomes a message of its day. Streaming.

This is the hot path: text is split by one compiled expression a block, messages are plain dicts with only the fields
that they have, and each day is validated once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone
from itertools import chain
from operator import length_hint
from typing import Any, BinaryIO

from ....schemas import SYSTEM_SPEAKER, UNKNOWN_USER, UNTERMINATED, ConversationDocument, Rejected
from ....schemas.errors import SourceError
from ...chats.day_documents import DayDocuments, Message
from ...connector import ReadOptions
from ...opening.limits import MESSAGE_CAP
from ...record_faults import or_reason
from ...text.line_blocks import Block, blocks
from ...times.local_times import LocalTimes
from ...times.locales import plain
from . import message_body
from .clock import Clock
from .date_numbers import numbers
from .date_order import calendar_date
from .scan import ChatScan
from .title import same_name
from .web_export import APP, app_fields, fields_of

_DAYS_LIMIT = 20_000
_KNOWN_LIMIT = 5_000
_PASTED_LIMIT = 500
_LATE = timedelta(days=31)
_SHORT = 80

_Day = tuple[str, int, int, int, timezone | None]
"""A parsed date: ISO date, year, month, day, and its UTC offset (None if the clock changes on that day)."""


@dataclass(slots=True)
class Tally:
    """Counts of the second pass, for its notices."""

    messages: int = 0
    impossible: int = 0
    """The number of lines kept as text that look like headers with a date or time that does not exist."""
    pasted: int = 0
    """The number of lines kept as text that look like headers, out of order and with authors foreign to the chat."""


class ChatParser:
    """Reads one chat. Construct, then exhaust ``records``; ``tally`` is complete after that."""

    def __init__(
        self, scan: ChatScan, *, chat: str, locator: str, options: ReadOptions, sizes: message_body.Sizes
    ) -> None:
        self.tally = Tally()
        self._found = scan
        self._locator = locator
        self._sizes = sizes
        self._days = DayDocuments("whatsapp", chat, scan.user or UNKNOWN_USER, _metadata(scan, chat))
        self._clock = Clock(scan.header_format.periods)
        self._local_times = LocalTimes(options.zone)
        self._dates: dict[str, _Day | None] = {}
        self._known: dict[str, message_body.Body | None] = {}
        self._zone_origin = options.zone_origin
        # The start of the last message, which may continue in the next block.
        self._pending: tuple[str, str, str] | None = None
        self._following = ""  # the date of the message behind the pending one
        self._rest: list[str] = []
        self._rest_length = 0
        self._started = False
        self._above = ""  # what the export of a browser writes above the first message
        self._line = 1
        self._last_rest = ""
        # Lines found to be text of the last message; joined once when the next message begins.
        self._joined: list[str] = []
        self._joined_length = self._joined_line = 0

    def records(self, stream: BinaryIO) -> Iterator[ConversationDocument | Rejected]:
        """Yield the day documents, and rejections for what could not be read."""
        broken = ""
        unterminated = False
        try:
            for block in blocks(stream, crlf=self._found.header_format.crlf):
                unterminated = block.unterminated
                yield from self._block(block)
        except SourceError as error:
            broken = error.message  # the messages before the damage are kept
        last: ConversationDocument | Rejected | None = None
        for last in chain(self._finish(), self._join()):
            yield last
        if (unterminated or broken) and self._days.day_messages and not isinstance(last, Rejected):
            self._days.day_messages[-1]["metadata"] = {UNTERMINATED: "true"}
        yield from self._days.close()
        if broken:
            yield Rejected(locator=self._locator, reason=f"the rest cannot be read: {broken}")

    def _block(self, block: Block) -> Iterator[ConversationDocument | Rejected]:
        parts = self._found.header_format.split(block)
        before, count = parts[0], len(parts) // 4
        if before:
            yield from self._continue(before, block)
        if not count:
            return
        self._following = parts[3 if self._found.header_format.template.time_first else 2]
        yield from self._finish()
        self._following = ""
        self._started = True
        self._line = block.line + before.count("\n")
        heads, dates, times, rests = parts[1::4], parts[2::4], parts[3::4], parts[4::4]
        if self._found.header_format.template.time_first:
            dates, times = times, dates
        if self._above:  # it has the time of the first message
            for each in (heads, dates, times):
                each.insert(0, each[0])
            rests.insert(0, APP + self._above)
            self._above = ""
        self._pending = (heads.pop(), dates.pop(), times.pop())
        self._rest = [rests.pop()]
        self._rest_length = len(self._rest[0])
        yield from self._messages(
            heads, dates, times, rests, marked=not block.bare and "\u200e" in block.text, line=self._line
        )
        self._line = block.line + block.text.count("\n") - 1 - self._rest[0].count("\n")
        yield from self._days.flush_large_day(len(block.text))

    def _continue(self, text: str, block: Block) -> Iterator[Rejected]:
        """Append text to the message of the previous block, or reject text before the first header."""
        if not self._started:
            if self._found.web and not self._above and len(text) < MESSAGE_CAP:
                self._above = text.strip("\n\ufeff \t")
            elif text.strip("\n\ufeff \t"):
                reason = "text before the first message"
                yield Rejected(locator=f"{self._locator}:{block.line}", reason=reason)
            return
        self._rest_length += len(text)
        if self._rest_length <= MESSAGE_CAP:
            self._rest.append(text)
        else:
            self._rest.clear()

    def _finish(self) -> Iterator[ConversationDocument | Rejected]:
        """Add the pending message, which is now complete."""
        if self._pending is None:
            return
        head, day, time = self._pending
        self._pending = None
        if self._rest_length > MESSAGE_CAP:
            yield Rejected(locator=f"{self._locator}:{self._line}", reason="a message of more than 16 MiB")
            return
        rest = "".join(self._rest)
        yield from self._messages([head], [day], [time], [rest], marked="\u200e" in rest, line=self._line)

    def _messages(
        self, heads: list[str], dates: list[str], times: list[str], rests: list[str], *, marked: bool, line: int
    ) -> Iterator[ConversationDocument | Rejected]:
        """Add complete messages, given as parallel lists of the captured groups and of the texts behind them."""
        names, compound = self._found.cast.names, bool(self._found.cast.compound) or self._found.web
        openings, endings = message_body.openings(), message_body.ENDINGS
        precision, origin = self._found.header_format.precision, self._zone_origin
        seen_times, days = self._clock.seen, self._days
        last_head = date_text = ""
        when: datetime | None = None
        day: _Day | None = None
        append = days.day_messages.append
        pasted: frozenset[int] = frozenset()
        counted, number = 0, line
        remaining = iter(rests)  # its length gives the loop's index, so that plain messages need no counter
        for head, text, time_text, rest in zip(heads, dates, times, remaining, strict=True):
            if head != last_head:
                clock = seen_times[time_text] if time_text in seen_times else self._clock.read(time_text)
                if text != date_text:
                    day, date_text = self._day(text), text
                    if day is not None and day[0] < self._before(days.current):
                        pasted |= self._pasted(_place(rests, remaining), dates, rests)
                if day is None or clock is None or (pasted and _place(rests, remaining) in pasted):
                    place = _place(rests, remaining)
                    number, counted = _line_at(place, rests, counted, number), place
                    yield from self._no_message(head + rests[place], number, pasted=place in pasted)
                    last_head = date_text = ""
                    continue
                if self._joined:
                    yield from self._join()
                if day[0] != days.current:
                    yield from days.start_day(day[0])
                    append = days.day_messages.append
                when = datetime(day[1], day[2], day[3], *clock, tzinfo=day[4])
                last_head = "" if pasted else head
                if day[4] is None:
                    when, last_head = self._local_times.localise(when), ""
            author, _, body = rest.partition(": ")
            speaker = names.get(author)
            message: Message | str
            if (
                speaker is None
                or body[:5] in openings
                or body[-1:] in endings
                or "\n" in body
                or "://" in body
                or compound
                or (marked and "\u200e" in body)
            ):
                message = self._special(rest)
                if isinstance(message, str):
                    place = _place(rests, remaining)
                    number, counted = _line_at(place, rests, counted, number), place
                    self.tally.messages -= 1
                    yield Rejected(locator=f"{self._locator}:{number}", reason=message)
                    continue
                message["time"] = when
                message["time_precision"] = precision
                message["zone_origin"] = origin
            else:
                message = {
                    "speaker": speaker,
                    "content": body,
                    "time": when,
                    "time_precision": precision,
                    "zone_origin": origin,
                }
            append(message)
            self._last_rest = rest
        self.tally.messages += len(heads)

    @or_reason
    def _special(self, rest: str) -> Message:
        """Convert a message that may be more than plain text, with its author."""
        scan = self._found
        if scan.web and rest.startswith(APP):
            return {"speaker": SYSTEM_SPEAKER, **app_fields(rest.removeprefix(APP))}
        raw, body = scan.cast.split(rest)
        if scan.web and raw is not None and (fields := fields_of(body, self._sizes)) is not None:
            return {"speaker": scan.cast.names[raw], **fields}
        what = self._recognise(body)
        if raw is None or ((body[:1] == "\u200e" or raw == scan.label) and self._is_label(raw, body, what)):
            content = what.content if what is not None and what.content == message_body.EMPTY else body
            return {
                "speaker": SYSTEM_SPEAKER,
                "content": content,
                "kind": "call" if message_body.is_call(body) else "system",
            }
        speaker = scan.cast.names[raw]
        if what is None:
            return {"speaker": speaker, "content": body}
        message: Message = {"speaker": speaker, "content": what.content}
        if what.kind != "text":
            message["kind"] = what.kind
        if what.edited:
            message["edited"] = True
        if what.deleted:
            message["deleted"] = True
        if what.attachment:
            message["attachments"] = [message_body.attachment_fields(what.attachment, self._sizes)]
        return message

    def _recognise(self, body: str) -> message_body.Body | None:
        """Recognise a body; short ones, which often recur, are cached."""
        if (
            body[:5] not in message_body.openings()
            and body[-1:] not in message_body.ENDINGS
            and not message_body.may_be_more(body)
        ):
            return None
        if len(body) > _SHORT:
            return self._recognised(body)
        if body not in self._known:
            if len(self._known) >= _KNOWN_LIMIT:
                self._known.clear()
            self._known[body] = self._recognised(body)
        return self._known[body]

    def _recognised(self, body: str) -> message_body.Body | None:
        scan = self._found
        return message_body.recognise(body, scan.placeholders, self._sizes, marks=scan.marks)

    def _is_label(self, raw: str, body: str, what: message_body.Body | None) -> bool:
        """Return whether iOS put this name before a line without an author: the group's, or the name of the person it
        is about.
        """
        scan = self._found
        name = scan.cast.names[raw]
        if raw == scan.label and raw in scan.cast.only_marked and scan.group:
            return True
        if what is not None and what.kind not in ("text", "unknown"):
            return False
        if body[:1] != "\u200e":
            return raw == scan.label and message_body.is_system(body)
        if raw == scan.label and what is not None and not scan.language:  # nothing tells these lines from the notices
            return True
        text = plain(body).lstrip()
        if text.startswith(name + " ") or message_body.about_you(body) or message_body.is_system(body):
            return True
        if raw != scan.label and not same_name(name, scan.title):
            return False
        return scan.group or message_body.is_notice(body)

    def _no_message(self, text: str, line: int, *, pasted: bool) -> Iterator[Rejected]:
        """Handle a line with the shape of a header that is none: append it to the previous message, or reject it.

        An export never writes a day or a time that does not exist, so such a line is pasted or damaged text, as are
        those that ``_pasted`` finds; the text is kept in place. In a file of another calendar, though, days that the
        Gregorian one does not have are real messages whose time is unknown.
        """
        self.tally.messages -= 1
        bucket = self._days.day_messages
        foreign = self._found.other_calendar and not pasted
        if not bucket or foreign:
            reason = (
                "a date of another calendar (Jalali or Hijri?)" if foreign else "a date or time that does not exist"
            )
            yield Rejected(locator=f"{self._locator}:{line}", reason=reason)
            return
        if pasted:
            self.tally.pasted += 1
        else:
            self.tally.impossible += 1
        if not self._joined:
            self._joined_length, self._joined_line = len(self._last_rest), line
        self._joined_length += len(text) + 1
        if self._joined_length > MESSAGE_CAP:
            self._joined.clear()  # the message is rejected, so its text need not be held
        self._joined.append(text)

    def _join(self) -> Iterator[Rejected]:
        """Rebuild the last message with the lines that belong to it, once for all of them: they may be many."""
        if not self._joined:
            return
        text = "\n".join([self._last_rest, *self._joined])
        self._joined.clear()
        last = self._days.day_messages[-1]
        if self._joined_length > MESSAGE_CAP:
            self._days.day_messages.pop()
            self.tally.messages -= 1
            yield Rejected(locator=f"{self._locator}:{self._joined_line}", reason="a message of more than 16 MiB")
            return
        message = self._special(text)
        if isinstance(message, str):  # the message stays without these lines
            yield Rejected(locator=f"{self._locator}:{self._joined_line}", reason=message)
            return
        kept = {key: last[key] for key in ("time", "time_precision", "zone_origin")}
        last.clear()
        last.update(message, **kept)

    @staticmethod
    def _before(day: str) -> str:
        """Return the day before, empty if there is none yet: a step back of one day is a late message."""
        return (date.fromisoformat(day) - timedelta(days=1)).isoformat() if day > "0001-01-01" else ""

    def _pasted(self, start: int, dates: list[str], rests: list[str]) -> frozenset[int]:
        """Return the indices, from ``start`` on, of lines pasted from another chat with the same template.

        Pasted lines fulfil three conditions: their dates step back by more than a day, the file then returns to its
        former date, and their author writes nowhere else. Other lines are messages: phones have wrong clocks, and a
        single line that is a few days late is a message that arrived late.
        """
        floor = self._before(self._days.current)
        run: list[int] = []
        following = [*dates[start : start + _PASTED_LIMIT], self._pending[1] if self._pending else self._following]
        for index, text in enumerate(following, start):
            day = self._day(text) if text else None
            if day is not None and day[0] >= floor:
                break
            run.append(index)
        else:
            return frozenset()
        if len(run) == 1 and self._is_late(dates[start]):
            return frozenset()
        authors = {index: self._found.cast.split(rests[index])[0] for index in run}
        here = Counter(authors.values())
        counts = self._found.cast.counts
        return frozenset(i for i, raw in authors.items() if raw is not None and counts.get(raw) == here[raw])

    def _is_late(self, text: str) -> bool:
        """Return whether a date is at most a month before the current day."""
        day = self._day(text)
        return day is not None and date.fromisoformat(self._days.current) - date(*day[1:4]) <= _LATE

    def _day(self, text: str) -> _Day | None:
        try:
            return self._dates[text]
        except KeyError:
            pass
        if len(self._dates) >= _DAYS_LIMIT:
            self._dates.clear()
        parts = numbers(text)
        order, place = self._found.order.order, self._found.header_format.template.date.year
        day = calendar_date(parts, order, place) if parts else None
        made: _Day | None = None
        if day is not None:
            made = (day.isoformat(), day.year, day.month, day.day, self._local_times.offset_of_day(day))
        self._dates[text] = made
        return made


def _place(items: list[str], remaining: Iterator[str]) -> int:
    """Return the index of the item that an iterator yielded last."""
    return len(items) - length_hint(remaining) - 1


def _line_at(place: int, rests: list[str], counted: int, line: int) -> int:
    """Return the line number of an item, counted from that of an earlier item."""
    return line + sum(rest.count("\n") + 1 for rest in rests[counted:place])


def _metadata(scan: ChatScan, chat: str) -> dict[str, str]:
    """Return the metadata of the chat's documents."""
    data: dict[str, Any] = {
        "title": scan.title,
        "chat": chat,
        "platform": "web" if scan.web else scan.header_format.platform,
        "language": scan.language,
        "date_order": scan.order.order,
        "date_order_ambiguous": " ".join(scan.order.rivals),
        "group": "true" if scan.group else "",
    }
    return {key: value for key, value in data.items() if value}
