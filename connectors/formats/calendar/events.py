"""Makes timelines of the lines of events: one document for each event, with all its times and changed times. Pure."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta

from ....schemas import TimelineDocument, TimelineEvent
from ....schemas.recurrence import MOST_EXCEPTIONS, Recurrence
from ....schemas.times import GO_ZERO_TIME, rfc3339
from ...text.calendar_lines import ContentLine, text_of
from ...text.html.links import addresses_behind, as_metadata
from ...text.html.text import plain_text
from .context import Context, Moment
from .raw_event import RawEvent
from .recurrence import occurrences, rule_in_words

NAME = "calendar"
_DURATION = re.compile(
    r"([+-])?P(?:(\d{1,5})W)?(?:(\d{1,6})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,7})M)?(?:(\d{1,9})S)?)?", re.ASCII
)
_MAILTO = "mailto:"
_LINKED = ("ATTACH", "CONFERENCE", "X-GOOGLE-CONFERENCE", "X-MICROSOFT-SKYPETEAMSMEETINGURL")
_MORE_WORDS = ("COMMENT", "CONTACT", "RESOURCES")
_PLACE = re.compile(r"-?\d{1,3}(?:\.\d{1,12})?;-?\d{1,3}(?:\.\d{1,12})?", re.ASCII)
_LONGEST_WORDS = 4096
_HTML = re.compile(r"<(?:br|p|div|span|a|ul|li|b|html)(?:\s[^<>]*)?/?>", re.IGNORECASE)
_MOST_PEOPLE = 500
_MOST_NAMED = 10_000
"""The maximum number of times that are read from one line that lists them."""


def timeline(main: RawEvent, changed: Sequence[RawEvent], context: Context) -> TimelineDocument | None:
    """Return the document of an event; None if it has no time that can be read.

    Args:
        main: the event, or a changed time of an event that is not in the calendar.
        changed: the changed times of the event.
        context: the shared state of the calendar.
    """
    start = _start(main, context)
    if start is None:
        return None
    events, recurrence = _times(main, start, changed, context)
    alone = {_changed_time(each, start, context) for each in changed if not each.changes_following}
    for each in changed:
        at = _start(each, context)
        if at is not None and not (each.changes_following and _changed_time(each, start, context) in alone):
            events.append(_event(each, at, at.wall, context, main))
    dated = [event for event in events if event.start != GO_ZERO_TIME]  # documents take this time for a missing one
    if events and not dated:
        return None
    identifier = f"{NAME}:{main.uid}"
    if main.changes:
        identifier += f"#{main.value('RECURRENCE-ID')[:40]}"
    categories = [text_of(line.value) for line in main.lines if line.name == "CATEGORIES"]
    tags = [tag.strip() for each in categories for tag in each.split(",")]
    return TimelineDocument(
        id=identifier,
        events=tuple(sorted(dated, key=lambda event: event.start)),
        tags=tuple(dict.fromkeys(tag for tag in tags if tag)),
        metadata=_metadata(main, start, context, recurrence),
    )


def _times(
    main: RawEvent, start: Moment, changed: Sequence[RawEvent], context: Context
) -> tuple[list[TimelineEvent], Recurrence | None]:
    """Return the times of an event without the changed and the excluded ones, and its rule with all exceptions."""
    rule = main.first("RRULE")
    if rule is None and main.first("RDATE") is None:
        return [_event(main, start, start.wall, context)], None
    gone = {_on_clock(each, start) for line in main.lines if line.name == "EXDATE" for each in _moments(line, context)}
    for each in changed:
        at = context.moment(each.first("RECURRENCE-ID"))
        if at is not None:
            gone.add(_on_clock(at, start))
    more = [_on_clock(each, start) for line in main.lines if line.name == "RDATE" for each in _moments(line, context)]
    periods = {
        _on_clock(each, start): lasts
        for line in main.lines
        if line.name == "RDATE" and "/" in line.value
        for each, lasts in _periods(line, context)
    }
    until = None
    if rule is not None and (match := re.search(r"UNTIL=([0-9TZ]+)", rule.value.upper())):
        at = context.moment(ContentLine(0, "UNTIL", {}, match[1]))
        until = None if at is None else _on_clock(at, start) if match[1].endswith("Z") else at.wall
        if until is not None and at is not None and at.all_day:
            until = until.replace(hour=23, minute=59, second=59)
    starts = occurrences(
        start.wall,
        "" if rule is None else rule.value,
        until=until,
        more=more,
        without=gone,
        horizon=context.horizon(start),
    )
    context.counts.cut += starts.cut
    context.counts.unreadable_rules += starts.unreadable
    moved = [
        _on_clock(at, start) for each in changed if not each.cancelled and (at := _start(each, context)) is not None
    ]
    recurrence = Recurrence(
        start=start.wall,
        rule="" if rule is None or not starts.followed else rule.value[:1000],
        until=until,
        more=tuple(sorted({*moved, *more} - (gone - {*moved}))[-MOST_EXCEPTIONS:]),
        without=tuple(sorted(gone)[-MOST_EXCEPTIONS:]),
        zone=getattr(start.zone, "key", "UTC" if start.zone is UTC else ""),
    )
    following = _following(start, changed, context)
    times = [
        event
        for wall in starts.times
        if (event := _of_following(wall, following, main, context))
        or (event := _event(main, start, wall, context, lasts=periods.get(wall)))
    ]
    # One rule cannot say that later times are others; the times up to the horizon are all listed.
    return times, None if main.cancelled or following else recurrence


def _changed_time(change: RawEvent, start: Moment, context: Context) -> datetime | None:
    at = context.moment(change.first("RECURRENCE-ID"))
    return None if at is None else _on_clock(at, start)


def _following(start: Moment, changed: Sequence[RawEvent], context: Context) -> list[tuple[datetime, Moment, RawEvent]]:
    """Return the changes of all later times: from which time of the event on, its new start, and the change; the latest first."""
    changes = [
        (_on_clock(at, start), new, each)
        for each in changed
        if each.changes_following
        and (at := context.moment(each.first("RECURRENCE-ID"))) is not None
        and (new := _start(each, context)) is not None
    ]
    return sorted(changes, key=lambda change: change[0], reverse=True)


def _of_following(
    wall: datetime, following: Sequence[tuple[datetime, Moment, RawEvent]], main: RawEvent, context: Context
) -> TimelineEvent | None:
    """Return a time of an event as the latest change before it has it; None if none concerns it."""
    for since, new, change in following:
        if since < wall:
            try:
                return _event(change, new, new.wall + (wall - since), context, main)
            except OverflowError:
                return None
    return None


def _periods(line: ContentLine, context: Context) -> Iterator[tuple[Moment, timedelta]]:
    """Yield the times of a line that state their own end or duration (``VALUE=PERIOD``), each with its duration."""
    for value in line.value.split(",")[:_MOST_NAMED]:
        first, _, second = value.strip().partition("/")
        begins, ends, lasts = context.moment(line, first), context.moment(line, second), _duration(second)
        with suppress(OverflowError):  # near the years 1 and 9999
            if begins is not None and ends is not None:
                lasts = ends.at(ends.wall) - begins.at(begins.wall)
        if begins is not None and lasts is not None:
            yield begins, lasts


def _moments(line: ContentLine, context: Context) -> list[Moment]:
    values = (value.partition("/")[0] for value in line.value.split(",")[:_MOST_NAMED])
    return [moment for value in values if (moment := context.moment(line, value)) is not None]


def _on_clock(moment: Moment, clock: Moment) -> datetime:
    """Return the wall-clock time of a moment on another clock; a date without a time gets the time of day of that
    clock.
    """
    if moment.all_day:
        return moment.wall.replace(hour=clock.wall.hour, minute=clock.wall.minute, second=clock.wall.second)
    if moment.assumed or moment.zone == clock.zone:
        return moment.wall
    try:
        return moment.at(moment.wall).astimezone(clock.zone).replace(tzinfo=None)
    except OverflowError:
        return moment.wall


def _start(raw: RawEvent, context: Context) -> Moment | None:
    """Return the start of an event; a task or journal without a start takes its due, completion, creation or stamp
    time.
    """
    names = ("DTSTART",) if raw.kind == "VEVENT" else ("DTSTART", "DUE", "COMPLETED", "CREATED", "DTSTAMP")
    for name in names:
        moment = context.moment(raw.first(name))
        if moment is not None:
            try:
                moment.at(moment.wall).timestamp()
            except (ValueError, OverflowError):  # near the year 1
                continue
            return moment
    return None


def _event(
    raw: RawEvent,
    start: Moment,
    wall: datetime,
    context: Context,
    main: RawEvent | None = None,
    *,
    lasts: timedelta | None = None,
) -> TimelineEvent:
    """Return one time of an event; properties that a changed time lacks are taken from ``main``, the event itself.

    ``lasts`` is the duration of this time, if it is stated.
    """
    title, place, text = (_said(raw, main, name) for name in ("SUMMARY", "LOCATION", "DESCRIPTION"))
    text = text or _said(raw, main, "X-ALT-DESC") or _said(raw, main, "STYLED-DESCRIPTION")
    if _HTML.search(text):
        text = plain_text(text)
    notes = [f"[{status}]" for status in [raw.value("STATUS").lower()] if status in ("cancelled", "tentative")]
    if (rule := raw.first("RRULE")) is not None:
        notes.append(f"[{rule_in_words(rule.value)}]")
    if not title.strip():
        title = {"VTODO": "[task]", "VJOURNAL": "[entry]"}.get(raw.kind, "[event]")
    return TimelineEvent(
        start=start.shown(start.at(wall)),
        end=_end(raw, start, wall, context, lasts),
        title=title,
        text="\n".join([*notes, text]) if text.strip() else "\n".join(notes),
        place=place or None,
        people=tuple(_people(raw) or (_people(main) if main is not None else {})),
        all_day=start.all_day,
    )


def _said(raw: RawEvent, main: RawEvent | None, name: str) -> str:
    return raw.words(name) or (main.words(name) if main is not None else "")


def _end(raw: RawEvent, start: Moment, wall: datetime, context: Context, lasts: timedelta | None) -> datetime | None:
    try:
        if lasts is None:
            lasts = _length(raw, start, context)
        if lasts is None or lasts <= timedelta(0):
            return None
        return start.at(wall + lasts) if start.all_day else start.shown(start.at(wall) + lasts)
    except OverflowError:
        return None


def _length(raw: RawEvent, start: Moment, context: Context) -> timedelta | None:
    """Return the duration of an event. The due date of a task is no end."""
    end = context.moment(raw.first("DTEND")) if raw.kind == "VEVENT" else None
    if end is None:
        return _duration(raw.value("DURATION"))
    return end.wall - start.wall if start.all_day else end.at(end.wall) - start.at(start.wall)


def _duration(value: str) -> timedelta | None:
    match = _DURATION.fullmatch(value)
    if match is None or not value.strip("+-PT"):
        return None
    weeks, days, hours, minutes, seconds = (int(each or 0) for each in match.groups()[1:])
    return timedelta(weeks=weeks, days=days, hours=hours, minutes=minutes, seconds=seconds)


def _people(raw: RawEvent) -> dict[str, tuple[str, str]]:
    """Return the participants, the organiser first: (address, answer) by name."""
    result: dict[str, tuple[str, str]] = {}
    names = [name for name in ("ORGANIZER", "ATTENDEE") if raw.first(name) is not None]
    lines = [line for name in names for line in raw.lines if line.name == name]
    for line in lines[:_MOST_PEOPLE]:
        address = line.value.strip()
        address = address[len(_MAILTO) :] if address[: len(_MAILTO)].lower() == _MAILTO else address
        name = html.unescape(line.parameters.get("CN", "")).strip() or address
        if name and line.parameters.get("CUTYPE", "").upper() not in ("RESOURCE", "ROOM"):
            answer = line.parameters.get("PARTSTAT", "").lower()
            result[name] = (address, answer if line.name == "ATTENDEE" else result.get(name, ("", ""))[1])
    return result


def _answers_in_words(raw: RawEvent) -> list[str]:
    """Return what participants wrote beside their answers, as Google Calendar keeps it."""
    comments = (
        (line.parameters, line.parameters.get("X-RESPONSE-COMMENT")) for line in raw.lines if line.name == "ATTENDEE"
    )
    return [
        f"{fields.get('CN', '')}: {html.unescape(comment)}".removeprefix(": ")
        for fields, comment in comments
        if comment
    ]


def _links(raw: RawEvent) -> list[str]:
    """Return the addresses behind the words of a description in HTML, of meetings by video, and of files."""
    links = addresses_behind(raw.value("DESCRIPTION")) + addresses_behind(raw.value("X-ALT-DESC"))
    lines = (line.value.strip() for line in raw.lines if line.name in _LINKED and "://" in line.value[:40])
    return list(dict.fromkeys([*links, *(each for each in lines if len(each) <= _LONGEST_WORDS)]))


def _metadata(main: RawEvent, start: Moment, context: Context, recurrence: Recurrence | None) -> dict[str, str]:
    metadata = {"source": NAME}
    people = _people(main)
    rule = main.first("RRULE")
    values = {
        "title": main.value("SUMMARY"),
        "calendar": context.title,
        "status": main.value("STATUS").lower(),
        "url": main.value("URL"),
        "place": place.replace(";", ",") if (place := main.value("GEO")) and _PLACE.fullmatch(place) else "",
        "repeats": rule.value[:1000] if rule is not None else "",
        "recurrence": recurrence.to_json().decode() if recurrence is not None else "",
        "component": {"VTODO": "task", "VJOURNAL": "entry"}.get(main.kind, ""),
        "time_precision": "day" if start.all_day else "",
        "zone_origin": context.options.zone_origin if start.assumed else "",
        "people": json.dumps({name: address for name, (address, _) in people.items()}, ensure_ascii=False)
        if people
        else "",
        "declined": json.dumps(
            [name for name, (_, answer) in people.items() if answer == "declined"], ensure_ascii=False
        )
        if any(answer == "declined" for _, answer in people.values())
        else "",
    }
    for key in ("CREATED", "LAST-MODIFIED"):
        moment = context.moment(main.first(key))
        if moment is not None:
            values["created" if key == "CREATED" else "updated"] = rfc3339(moment.at(moment.wall))
    values |= as_metadata(_links(main))
    for name in _MORE_WORDS:
        if main.first(name) is not None:
            lines = [text_of(line.value) for line in main.lines if line.name == name]
            values[name.lower()] = "\n".join(lines)[:_LONGEST_WORDS]
    if people and (answers := _answers_in_words(main)):
        values["comment"] = "\n".join(filter(None, (values.get("comment"), *answers)))[:_LONGEST_WORDS]
    metadata |= {key: value for key, value in values.items() if value}
    context.counts.assumed += start.assumed
    return metadata
