"""Reads calendars as a stream, one document for each event; recurring events are held until the end of the file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC

from ....schemas import Notice, Rejected
from ...connector import Member, ReadOptions, Record
from ...files.file_connector import FileConnector, stem_of
from ...files.whole_files import FILE_CAP, head_text
from ...opening.tracked_member import count_left_out
from ...record_faults import Failure, attempt, records_at
from ...text.calendar_lines import ContentLine, content_lines, text_of
from ...text.unicode import as_utf8
from .context import Context
from .events import NAME, timeline
from .raw_event import RawEvent
from .zones import Observance

_SCORE = 0.95
SUPERSEDED = "earlier form of an event"
"""The rule that leaves out an event of which the same file has a later form."""
_KINDS = frozenset({"VEVENT", "VTODO", "VJOURNAL"})
_BOUNDS = frozenset({"BEGIN", "END"})
_HELD = 100_000
"""The maximum number of recurring events that are held, because changed times of them may follow."""
_HELD_BYTES = 128 * 1024 * 1024


class CalendarConnector(FileConnector):
    """Reads calendars."""

    name = NAME
    version = 6
    certain = _SCORE

    def score(self, member: Member) -> float:
        """Return ``_SCORE`` for a file that begins with a calendar, else 0."""
        return _SCORE if head_text(member, 512).lstrip("\ufeff \t\r\n")[:15].upper() == "BEGIN:VCALENDAR" else 0.0

    def records(self, member: Member, path: str, options: ReadOptions) -> Iterator[Record]:
        """Yield a document for every event, then the notices about the file."""
        reading = _Reading(member, Context(options, title=options.chat or stem_of(path)))
        with member.open() as opened:
            stream = as_utf8(opened)
            for line in content_lines(stream.stream):
                if line.name in _BOUNDS:
                    yield from records_at(f"{member.locator}:{line.number}", reading.take_bound, line)
                elif failure := attempt(reading.take_property, line):
                    yield Rejected(locator=f"{member.locator}:{line.number}", reason=failure)
        yield from reading.close()


@dataclass(slots=True)
class _Series:
    """A recurring event and its changed times."""

    main: RawEvent | None = None
    changed: dict[str, RawEvent] = field(default_factory=dict[str, RawEvent])
    """By the time that each changes."""


class _Reading:
    """Makes documents of the lines of one calendar file."""

    def __init__(self, member: Member, context: Context) -> None:
        self._member = member
        self._context = context
        self._open: list[str] = []
        self._event: RawEvent | None = None
        self._size = 0
        self._series: dict[str, _Series] = {}
        self._held = 0
        self._sequences: dict[str, tuple[int, str]] = {}
        """The number and the time of the latest form of each event that was read, for as many events as may repeat."""
        self._zone: tuple[str, str, list[Observance]] = ("", "", [])
        self._damaged = 0
        self._others: set[str] = set()
        self._documents = 0
        self._flushed = False
        self._unended = 0
        """The number of calendars in the file that have begun and not ended yet."""
        self._calendars = self._events = 0
        """The numbers of calendars and of events that have begun."""

    def take_bound(self, line: ContentLine) -> Iterator[Record]:
        """Process the begin or the end of a component; yields the document of an event when the event is complete."""
        self._damaged += line.damaged
        yield from self._begin(line) if line.name == "BEGIN" else self._end(line.value.strip().upper())

    def take_property(self, line: ContentLine) -> None:
        """Process any other line."""
        self._damaged += line.damaged
        if self._event is not None:
            if self._open and self._open[-1] == self._event.kind and not _is_file(line):
                self._size += len(line.value)
                self._event.add(line)
        elif "VTIMEZONE" in self._open:
            self._zone_line(line)
        elif line.name in ("X-WR-CALNAME", "NAME") and not self._context.options.chat:
            self._context.title = text_of(line.value).strip()[:500] or self._context.title
        elif line.name == "X-WR-TIMEZONE":
            self._context.default_zone = self._context.zones.get(line.value.strip())

    def close(self) -> Iterator[Record]:
        """Yield the documents of the events still held, then the notices and rejections about the whole file."""
        if self._event is not None:
            yield Rejected(
                locator=f"{self._member.locator}:{self._event.line}", reason="the calendar ends within this event"
            )
        elif self._unended > 0:
            yield Rejected(locator=self._member.locator, reason="the calendar has no end: what stood behind is lost")
        yield from self._flush()
        yield from self._notices()
        if self._documents:
            return
        if self._calendars and not self._unended and not self._events:
            hint = "no event was found in it: the calendar is whole, and empty"
            yield Notice(code="no-messages", locator=self._member.locator, hint=hint)
        else:
            yield Rejected(locator=self._member.locator, reason="no event was found in it")

    def _begin(self, line: ContentLine) -> Iterator[Record]:
        name = line.value.strip().upper()
        if name == "VCALENDAR":
            self._unended += 1
            self._calendars += 1
        if name in _KINDS:
            self._events += 1
            if self._event is not None:
                yield Rejected(locator=f"{self._member.locator}:{self._event.line}", reason="the event does not end")
            self._event, self._size = RawEvent(name, line.number), 0
            self._open = [name]
            return
        if name == "VTIMEZONE":
            self._zone = ("", "", [])
        elif name in ("STANDARD", "DAYLIGHT") and "VTIMEZONE" in self._open:
            self._zone[2].append(Observance())
        elif name not in ("VCALENDAR", "VALARM", "STANDARD", "DAYLIGHT") and self._event is None:
            self._others.add(name[:40])
        if len(self._open) < 50:
            self._open.append(name)

    def _end(self, name: str) -> Iterator[Record]:
        self._unended -= name == "VCALENDAR"
        if name in self._open:
            while self._open.pop() != name:
                pass
        if name == "VTIMEZONE":
            zone, location, observances = self._zone
            self._context.zones.define(zone, location, observances)
        event = self._event
        if event is None or name != event.kind:
            return
        self._event = None
        self._context.note_stamps(event)
        if self._is_superseded(event):
            count_left_out(self._member, SUPERSEDED)
        elif self._size > FILE_CAP:
            reason = f"more than {FILE_CAP} bytes in one event"
            yield Rejected(locator=f"{self._member.locator}:{event.line}", reason=reason)
        elif event.repeats or event.changes or self._waits_for_zone(event):
            yield from self._keep(event)
        else:
            yield from self._document(event, [])

    def _is_superseded(self, event: RawEvent) -> bool:
        """Return whether a later form of an event was read before; a changed time counts as an event of its own."""
        key = f"{event.uid}\0{self._changes_time(event)}"
        form, latest = (event.sequence, event.modified), self._sequences.get(key, (0, ""))
        if form > latest and len(self._sequences) < _HELD:
            self._sequences[key] = form
        return form < latest and (form[0] < latest[0] or bool(form[1]))

    def _changes_time(self, event: RawEvent) -> str:
        """Return which time of an event this one changes, the same text in whatever zone it is written; empty for an event
        itself. A change of all later times is another than one of that time alone.
        """
        if not event.changes:
            return ""
        at = None if self._waits_for_zone(event) else self._context.moment(event.first("RECURRENCE-ID"))
        time = event.value("RECURRENCE-ID")
        if at is not None and not at.all_day:
            with suppress(OverflowError):  # near the years 1 and 9999
                time = at.at(at.wall).astimezone(UTC).isoformat()
        return f"{time}/" if event.changes_following else time

    def _waits_for_zone(self, event: RawEvent) -> bool:
        """Return whether the event names a zone that is not defined yet: some calendars define their zones after the
        events.
        """
        names = {name for line in event.lines if line.parameters and (name := line.parameters.get("TZID", ""))}
        return any(self._context.zones.get(name) is None for name in names)

    def _zone_line(self, line: ContentLine) -> None:
        zone, location, observances = self._zone
        if observances and self._open[-1] in ("STANDARD", "DAYLIGHT"):
            observances[-1].read(line)
        elif line.name == "TZID":
            self._zone = (line.value.strip(), location, observances)
        elif line.name == "X-LIC-LOCATION":
            self._zone = (zone, line.value.strip(), observances)

    def _keep(self, event: RawEvent) -> Iterator[Record]:
        series = self._series.setdefault(event.uid, _Series())
        if event.changes:
            time = self._changes_time(event)
            count_left_out(self._member, SUPERSEDED, time in series.changed)
            series.changed[time] = event
        else:
            count_left_out(self._member, SUPERSEDED, series.main is not None)
            series.main = event
        self._held += self._size + 500
        if len(self._series) > _HELD or self._held > _HELD_BYTES:
            self._flushed = True
            yield from self._flush()

    def _flush(self) -> Iterator[Record]:
        for series in self._series.values():
            if series.main is not None:
                yield from self._document(series.main, [*series.changed.values()])
            else:
                for changed in series.changed.values():
                    yield from self._document(changed, [])
        self._series.clear()
        self._held = 0

    def _document(self, event: RawEvent, changed: list[RawEvent]) -> Iterator[Record]:
        document = attempt(timeline, event, changed, self._context)
        if document is None or isinstance(document, Failure):
            reason = document or "an event without a time that can be read"
            yield Rejected(locator=f"{self._member.locator}:{event.line}", reason=reason)
            return
        self._documents += 1
        yield document

    def _notices(self) -> Iterator[Notice]:
        notices, locator = self._context.counts, self._member.locator
        if notices.assumed and self._context.options.zone_origin == "assumed":
            hint = f"days and times without a zone are taken for {self._context.options.zone}: --zone decides"
            yield Notice(code="zone-assumed", locator=locator, hint=hint)
        if notices.unknown_zones:
            hint = f"the calendar names zones that nothing describes: {', '.join(sorted(notices.unknown_zones))}"
            yield Notice(code="zone-unknown", locator=locator, hint=hint)
        if notices.cut:
            hint = (
                f"{notices.cut} event(s) repeat for longer than is followed; their first times are kept, and the rule"
            )
            yield Notice(code="recurrence-cut", locator=locator, hint=hint)
        if notices.unreadable_rules:
            hint = (
                f"{notices.unreadable_rules} rule(s) of events that repeat cannot be followed; their first time is kept"
            )
            yield Notice(code="recurrence-unreadable", locator=locator, hint=hint)
        if self._damaged:
            hint = f"{self._damaged} line(s) are no text in UTF-8, or too long: they were mended or cut"
            yield Notice(code="undecodable-bytes", locator=locator, hint=hint)
        if self._others:
            hint = f"parts of the calendar that are no events were left out: {', '.join(sorted(self._others)[:20])}"
            yield Notice(code="files-left-out", locator=locator, hint=hint)
        if self._flushed:
            hint = "too many events repeat to compare all of them: changed times may be documents of their own"
            yield Notice(code="recurrence-cut", locator=locator, hint=hint)


def _is_file(line: ContentLine) -> bool:
    """Return whether a line has a whole file in it, and not its address."""
    return line.name == "ATTACH" and (
        line.parameters.get("ENCODING", "").upper() == "BASE64" or "://" not in line.value[:40]
    )
