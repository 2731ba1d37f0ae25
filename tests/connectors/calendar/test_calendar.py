"""Calendars: times, zones, rules and their limits, changed times, people."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from itertools import permutations
from zoneinfo import ZoneInfo

import pytest

from memd.connectors.connector import Connector, ReadOptions, Record
from memd.connectors.formats.calendar.connector import CalendarConnector
from memd.connectors.formats.calendar.recurrence import rule_in_words
from memd.schemas import Notice, Rejected, TimelineDocument
from memd.schemas.recurrence import Recurrence, recurrence_of
from memd.tests.cases import for_each
from memd.tests.contracts.connector import ConnectorContract, Download, Samples, Shelf

OPTIONS = ReadOptions(zone=UTC, zone_origin="option")
IN_BERLIN = replace(OPTIONS, zone=ZoneInfo("Europe/Berlin"))
ZONE = """BEGIN:VTIMEZONE
TZID:Outlook
BEGIN:STANDARD
DTSTART:16010101T030000
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=10
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:16010101T020000
TZOFFSETFROM:+0100
TZOFFSETTO:+0200
RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=3
END:DAYLIGHT
END:VTIMEZONE
"""
TRIP = "UID:e2\nDTSTART;VALUE=DATE:20240501\nDTEND;VALUE=DATE:20240503\nSUMMARY:Trip\nDESCRIPTION:Pack\\nbags\\, all\n"
WEEKLY = """UID:e1@x
DTSTART;TZID=Outlook:20240325T100000
DTEND;TZID=Outlook:20240325T103000
RRULE:FREQ=WEEKLY;COUNT=4
EXDATE;TZID=Outlook:20240401T100000
SUMMARY:Stand
 up
LOCATION:Room 5
ORGANIZER;CN="Smith, Ann":mailto:ann@x.org
ATTENDEE;CN=Bob;PARTSTAT=DECLINED:mailto:bob@x.org
BEGIN:VALARM
SUMMARY:Alarm
END:VALARM
"""
MOVED = "UID:e1@x\nRECURRENCE-ID:20240408T080000Z\nDTSTART;TZID=Europe/Berlin:20240408T140000\nDURATION:PT1H\nSUMMARY:Moved\n"


def calendar(*events: str, head: str = "") -> bytes:
    """A calendar of these events."""
    body = "".join(f"BEGIN:VEVENT\n{event.rstrip()}\nEND:VEVENT\n" for event in events)
    return f"BEGIN:VCALENDAR\nVERSION:2.0\n{head}{body}END:VCALENDAR\n".replace("\n", "\r\n").encode()


class TestCalendarConnector(ConnectorContract):
    """The connector keeps the contract."""

    readers = ("calendar.events:timeline",)
    download = Download(
        "Chimney sweep appointment",
        {
            "home.ics": calendar(
                "UID:e2\nDTSTART:20240501T100000Z\nDTEND:20240501T110000Z\nSUMMARY:Chimney sweep appointment\n"
            )
        },
    )

    @pytest.fixture
    def connector(self) -> Connector:
        """Without state."""
        return CalendarConnector()

    @pytest.fixture
    def samples(self) -> Samples:
        """A calendar."""
        return {"a.ics": {"a.ics": calendar(TRIP)}, "b.ics": {"b.ics": calendar(WEEKLY, MOVED)}}


def read(data: bytes, options: ReadOptions = OPTIONS) -> list[Record]:
    """Everything that a calendar holds."""
    return list(CalendarConnector().read(Shelf("calendars", {"home.ics": data}), options))


def one(data: bytes, options: ReadOptions = OPTIONS) -> TimelineDocument:
    """The only event."""
    (document,) = [record for record in read(data, options) if isinstance(record, TimelineDocument)]
    return document


@pytest.mark.parametrize(
    ("head", "shown"),
    [("X-WR-TIMEZONE:America/New_York\n", "2024-03-05 04:30 to 05:30"), ("", "2024-03-05 10:30 to 11:30")],
    ids=["of the calendar", "of the user"],
)
def test_a_time_in_utc_is_shown_by_the_clock_of_its_readers(head: str, shown: str) -> None:
    """Programs write in UTC what their user entered by the own clock; the instant and the id stay."""
    event = "UID:u\nDTSTART:20240305T093000Z\nDTEND:20240305T103000Z\nSUMMARY:Call\n"
    found = one(calendar(event, head=head), IN_BERLIN)
    assert found.content == f"{shown}: Call"
    assert (found.id, found.timestamp) == ("calendar:u", datetime(2024, 3, 5, 9, 30, tzinfo=UTC))


def test_a_rule_in_utc_is_followed_in_utc() -> None:
    """Its times move by an hour on the clock of its readers where that is put forward."""
    rule = "UID:u\nDTSTART:20240324T230000Z\nRRULE:FREQ=WEEKLY;BYDAY=SU;COUNT=2\nSUMMARY:Call\n"
    found = one(calendar(rule), IN_BERLIN)
    assert [event.start.isoformat()[:16] for event in found.events] == ["2024-03-25T00:00", "2024-04-01T01:00"]


def test_rules_zones_and_changed_times() -> None:
    """Four Mondays, one taken out, one moved; summer time begins among them; an alarm is not the event."""
    document = one(calendar(MOVED, WEEKLY, head=ZONE + "X-WR-CALNAME:Home\n"))
    assert [(event.start.isoformat(), event.title) for event in document.events] == [
        ("2024-03-25T10:00:00+01:00", "Standup"),
        ("2024-04-08T14:00:00+02:00", "Moved"),
        ("2024-04-15T10:00:00+02:00", "Standup"),
    ]
    first, moved, _ = document.events
    assert (first.people, first.place, first.text) == (("Smith, Ann", "Bob"), "Room 5", "[every week 4 times]")
    assert moved.end is not None
    assert moved.end.isoformat() == "2024-04-08T15:00:00+02:00"
    assert (document.id, document.metadata["calendar"]) == ("calendar:e1@x", "Home")
    assert document.metadata["declined"] == '["Bob"]'
    assert document.content.split("\n\n")[0].splitlines() == [
        "2024-03-25 10:00 to 10:30: Standup",
        "@ Room 5",
        "with Smith, Ann, Bob",
        "[every week 4 times]",
        "also 2024-04-15 10:00 to 10:30",
    ]


def test_of_several_forms_of_an_event_the_highest_sequence_counts() -> None:
    """Whatever their order in the file; of equal ones the last. Single events, series and changed times alike."""
    said = "UID:e5\nDTSTART:20240501T{hour}0000Z\nSUMMARY:At {hour}\nSEQUENCE:{number}\n"
    forms = [said.format(hour=hour, number=number) for hour, number in (("10", 0), ("12", 2), ("11", 1))]
    for order in permutations(forms):
        *_, last = [each for each in read(calendar(*order)) if isinstance(each, TimelineDocument)]
        assert last.events[0].title == "At 12"
    series = [f"{form}RRULE:FREQ=DAILY;COUNT=2\n" for form in forms]
    moves = [f"{form}RECURRENCE-ID:20240502T120000Z\n".replace("20240501", "20240502") for form in forms]
    for order in permutations(series):
        assert [event.title for event in one(calendar(*order)).events] == ["At 12", "At 12"]
    for order in permutations(moves):
        assert [event.start.hour for event in one(calendar(*order, series[1])).events] == [12, 12]


def test_of_forms_with_one_sequence_the_one_that_was_written_last_counts() -> None:
    """Whatever their order; forms that do not say when they were written stay in the order of the file."""
    said = "UID:e5\nDTSTART:20240501T{hour}0000Z\nSUMMARY:At {hour}\nLAST-MODIFIED:2024060{day}T000000Z\n"
    forms = [said.format(hour=hour, day=day) for hour, day in (("10", 1), ("12", 3), ("11", 2))]
    for order in permutations(forms):
        *_, last = [each for each in read(calendar(*order)) if isinstance(each, TimelineDocument)]
        assert last.events[0].title == "At 12"


def test_a_rule_may_name_several_times_of_a_day() -> None:
    """Each is a time of the event; seconds are not followed, and that is told."""
    event = "UID:e6\nDTSTART:20240501T090000Z\nSUMMARY:Pills\nRRULE:FREQ=DAILY;BYHOUR=9,17;COUNT=3{}\n"
    assert [(each.start.day, each.start.hour) for each in one(calendar(event.format(""))).events] == [
        (1, 9),
        (1, 17),
        (2, 9),
    ]
    records = read(calendar(event.format(";BYSECOND=0,30")))
    assert [record.code for record in records if isinstance(record, Notice)] == ["recurrence-unreadable"]


@for_each(
    [
        ('"(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna"', "2024-07-01T09:00:00+02:00"),
        ('"(UTC-05:00) Eastern Time (US & Canada)"', "2024-07-01T09:00:00-04:00"),
        ('"(UTC) Dublin, Edinburgh, Lisbon, London"', "2024-07-01T09:00:00+01:00"),
        ("tzone://Microsoft/Utc", "2024-07-01T09:00:00+00:00"),
        ("Mitteleuropäische Zeit", "2024-07-01T09:00:00+02:00"),
        ("GMT+0200", "2024-07-01T09:00:00+02:00"),
    ]
)
def test_zones_by_the_names_that_programs_show(zone: str, start: str) -> None:
    """Of cities, of a region, or an offset; an address of a zone needs no quotes."""
    options = replace(OPTIONS, zone=ZoneInfo("Asia/Tokyo"))
    event = f"UID:e7\nDTSTART;TZID={zone}:20240701T090000\nSUMMARY:Call\n"
    found = [each for each in read(calendar(event), options) if isinstance(each, TimelineDocument)]
    assert found[0].events[0].start == datetime.fromisoformat(start)
    assert "zone_origin" not in found[0].metadata


@for_each([("2024-07-01T09:00:00Z", (1, 9)), ("20240701T240000Z", (2, 0))])
def test_times_in_forms_that_the_standard_does_not_have(written: str, day_and_hour: tuple[int, int]) -> None:
    """With marks between the digits, and midnight as the end of a day."""
    start = one(calendar(f"UID:e8\nDTSTART:{written}\nSUMMARY:x\nGEO:48.2;16.37\n")).events[0].start
    assert (start.day, start.hour) == day_and_hour


def test_a_change_of_all_later_times() -> None:
    """They follow the change: its clock, its words, its length; a later change of this kind takes over from there."""
    later = "UID:e1@x\nRECURRENCE-ID;RANGE=THISANDFUTURE;TZID=Outlook:{}T100000\nDTSTART;TZID=Outlook:{}T{}0000\nDURATION:PT1H\n"
    weekly = WEEKLY.replace("COUNT=4", "COUNT=6")
    changed = [
        later.format("20240408", "20240409", "14") + "SUMMARY:Later\n",
        later.format("20240422", "20240422", "08"),
    ]
    document = one(calendar(weekly, *changed, head=ZONE))
    assert [(event.start.isoformat()[:16], event.title) for event in document.events] == [
        ("2024-03-25T10:00", "Standup"),
        ("2024-04-09T14:00", "Later"),
        ("2024-04-16T14:00", "Later"),
        ("2024-04-22T08:00", "Standup"),
        ("2024-04-29T08:00", "Standup"),
    ]
    assert {str(event.end)[11:16] for event in document.events[1:3]} == {"15:00"}
    assert "recurrence" not in document.metadata


def test_a_sequence_may_count_in_seconds() -> None:
    """Ten digits and more are a number, too."""
    said = "UID:e5\nDTSTART:20240501T{}0000Z\nSUMMARY:At {}\nSEQUENCE:{}\n"
    document = one(calendar(said.format("12", "12", 1_700_000_000_001), said.format("10", "10", 1_700_000_000)))
    assert document.events[0].title == "At 12"


def test_a_time_is_the_same_in_whatever_zone_a_change_names_it() -> None:
    """Of two forms of one change the later counts."""
    change = "UID:e1@x\nRECURRENCE-ID{}\nDTSTART:20240408T{}0000Z\nSUMMARY:At {}\nSEQUENCE:{}\n"
    forms = [
        change.format(";TZID=Outlook:20240408T100000", "16", "16", 2),
        change.format(":20240408T080000Z", "15", "15", 1),
    ]
    for order in (forms, forms[::-1]):
        document = one(calendar(WEEKLY, *order, head=ZONE))
        assert [event.title for event in document.events if event.title != "Standup"] == ["At 16"]


def test_a_change_of_one_time_stands_beside_one_of_it_and_all_later_times() -> None:
    """The first time of those moves on; the later ones stay where the change of all put them."""
    later = "UID:e1@x\nRECURRENCE-ID;RANGE=THISANDFUTURE;TZID=Outlook:20240408T100000\nDTSTART:20240408T120000Z\nSUMMARY:Later\n"
    alone = "UID:e1@x\nRECURRENCE-ID;TZID=Outlook:20240408T100000\nDTSTART:20240408T180000Z\nSUMMARY:Alone\n"
    for order in ((later, alone), (alone, later)):
        document = one(calendar(WEEKLY, *order, head=ZONE))
        assert [event.title for event in document.events] == ["Standup", "Alone", "Later"]


def test_a_rule_is_told_in_plain_words() -> None:
    """Its days by their names; what has no plain words is left out."""
    rules = {
        "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TU;UNTIL=20240601T000000Z": "every 2 weeks on Monday, Tuesday until 2024-06-01",
        "FREQ=MONTHLY;BYDAY=2TU": "every month on the second Tuesday",
        "FREQ=MONTHLY;BYDAY=-1FR": "every month on the last Friday",
        "FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=-1": "every month on the last of Monday, Tuesday",
        "FREQ=YEARLY;BYMONTH=11;BYMONTHDAY=13": "every year on day 13 of the month in November",
        "FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO;BYHOUR=9": "every year on Monday in week 20 at 9 h",
        "FREQ=YEARLY;BYDAY=20MO": "every year",
        "FREQ=WEEKLY;BYDAY=XX,WE": "every week on Wednesday",
    }
    assert {rule: rule_in_words(rule) for rule in rules} == rules


def test_the_rule_and_its_exceptions_are_kept() -> None:
    """With the moved times; not of an event that is cancelled, or whose rule never gives a time."""
    wall = datetime.fromisoformat
    document = one(calendar(MOVED, WEEKLY, head=ZONE))
    assert recurrence_of(document.metadata["recurrence"]) == Recurrence(
        start=wall("2024-03-25T10:00"),
        rule="FREQ=WEEKLY;COUNT=4",
        more=(wall("2024-04-08T14:00"),),
        without=(wall("2024-04-01T10:00"), wall("2024-04-08T10:00")),
    )
    weekly = (
        "UID:w\nDTSTART;TZID=Europe/Berlin:20240304T183000\nSUMMARY:Yoga\nRRULE:FREQ=WEEKLY;UNTIL=20240401T163000Z\n"
    )
    kept = recurrence_of(one(calendar(weekly)).metadata["recurrence"])
    assert kept is not None
    assert (kept.zone, kept.until) == ("Europe/Berlin", wall("2024-04-01T18:30"))
    assert "recurrence" not in one(calendar(weekly + "STATUS:CANCELLED\n")).metadata
    assert "recurrence" not in one(calendar("UID:o\nDTSTART:20240304T183000Z\nSUMMARY:Once\n")).metadata
    never = read(
        calendar("UID:n\nDTSTART:20240304T183000Z\nSUMMARY:Never\nRRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30\n")
    )
    (found,) = [record for record in never if isinstance(record, TimelineDocument)]
    unending = recurrence_of(found.metadata["recurrence"])
    assert unending is not None
    assert unending.rule == ""


def test_a_zone_may_be_described_behind_its_events() -> None:
    """As it may be before them; what nothing describes is told."""
    call = "UID:e9\nDTSTART;TZID={}:20240715T100000\nSUMMARY:Call\n"
    text = (
        calendar(call.format("Outlook"), TRIP)
        .decode()
        .replace("END:VCALENDAR", ZONE.replace("\n", "\r\n") + "END:VCALENDAR")
    )
    days, called = [record for record in read(text.encode()) if isinstance(record, TimelineDocument)]
    assert days.id == "calendar:e2"
    assert called.events[0].start.isoformat() == "2024-07-15T10:00:00+02:00"
    assert [record for record in read(text.encode()) if isinstance(record, Notice)] == []
    unknown = read(calendar(call.format("Nowhere")))
    assert [record.code for record in unknown if isinstance(record, Notice)] == ["zone-unknown"]
    windows = read(calendar(call.format("W. Europe Standard Time")))
    (event,) = [record for record in windows if isinstance(record, TimelineDocument)]
    assert event.events[0].start.isoformat() == "2024-07-15T10:00:00+02:00"


def test_days_and_their_text() -> None:
    """A day has no time of day, and its end is exclusive."""
    document = one(calendar(TRIP))
    (event,) = document.events
    assert (event.all_day, event.text) == (True, "Pack\nbags, all")
    assert document.content == "2024-05-01 to 2024-05-02: Trip\nPack\nbags, all"
    kept = document.as_text()
    assert kept is not None
    assert kept.metadata["time_precision"] == "day"


@pytest.mark.slow
@for_each(
    [
        ("FREQ=SECONDLY", 1, "recurrence-unreadable"),
        ("FREQ=DAILY", 100, "recurrence-cut"),
        ("FREQ=DAILY;COUNT=100000", 400, "recurrence-cut"),
        ("FREQ=YEARLY;UNTIL=20270501T000000Z", 4, None),
        ("FREQ=DAILY;UNTIL=20240503", 3, None),
        ("FREQ=MONTHLY;BYDAY=2WE;COUNT=3", 4, None),
        ("FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30", 1, "recurrence-cut"),
        ("FREQ=WEEKLY;INTERVAL=0", 1, "recurrence-unreadable"),
        ("FREQ=WEEKLY;BYDAY=99MO,XX", 1, "recurrence-unreadable"),
    ]
)
def test_rules_end(rule: str, times: int, code: str | None) -> None:
    """However long a rule goes on; a first time that the rule does not name counts, too."""
    records = read(calendar(f"UID:r\nDTSTART:20240501T000000Z\nSUMMARY:R\nRRULE:{rule}\n"))
    (document,) = [record for record in records if isinstance(record, TimelineDocument)]
    assert len(document.events) == times
    assert [record.code for record in records if isinstance(record, Notice)] == ([code] if code else [])


def test_a_rule_without_an_end_is_followed_for_a_year_or_two() -> None:
    """From when the calendar was written: a birthday is not listed as a hundred days of years to come."""
    birthday = (
        "UID:b\nDTSTAMP:20240610T080000Z\nDTSTART;VALUE=DATE:19850503\nSUMMARY:Birthday of Ann\nRRULE:FREQ=YEARLY\n"
    )
    newer = "UID:n\nDTSTAMP:20240611T080000Z\nDTSTART;VALUE=DATE:20300503\nSUMMARY:Party\nRRULE:FREQ=YEARLY\n"
    old, new = [record for record in read(calendar(birthday, newer)) if isinstance(record, TimelineDocument)]
    assert [old.events[0].start.year, old.events[-1].start.year, len(old.events)] == [1985, 2025, 41]
    assert old.events[-1].text == "[every year]"
    assert [event.start.year for event in new.events] == [2030, 2031]


def test_times_named_with_a_period_last_as_it_says() -> None:
    """Until its end or for its duration, in its own zone; those that are only named last as long as the event."""
    course = "UID:p\nDTSTART:20240501T100000Z\nDTEND:20240501T110000Z\nSUMMARY:Course\nRDATE:20240502T100000Z\n"
    periods = (
        "RDATE;VALUE=PERIOD:20240503T100000Z/20240503T123000Z,20240504T100000Z/PT15M,20240505T100000Z/never\n"
        "RDATE;VALUE=PERIOD;TZID=Europe/Berlin:20240506T120000/20240506T124500\n"
    )
    ends = [event.end for event in one(calendar(course + periods)).events]
    assert [end and end.isoformat()[8:16] for end in ends] == [
        "01T11:00",
        "02T11:00",
        "03T12:30",
        "04T10:15",
        "05T11:00",
        "06T10:45",
    ]


def test_the_year_1_stands_for_a_time_that_was_not_set() -> None:
    """An event that has no other time is rejected, and no event costs the rest of its calendar."""
    unset = "UID:a\nDTSTART:00010101T000000Z\nSUMMARY:Unset"
    named = "UID:b\nDTSTART:20240501T100000Z\nRDATE:00010101T000000Z,20240502T100000Z\nSUMMARY:Named"
    records = read(calendar(unset, named))
    assert [record.reason for record in records if isinstance(record, Rejected)] == [
        "an event without a time that can be read"
    ]
    (found,) = [record for record in records if isinstance(record, TimelineDocument)]
    assert [event.start.day for event in found.events] == [1, 2]


def test_what_cannot_be_read_is_rejected() -> None:
    """An event without a time; one that does not end; zones that nobody knows are told."""
    records = read(calendar("UID:a\nSUMMARY:No time", "UID:b\nDTSTART;TZID=Mars/Base:20240501T100000\nSUMMARY:B"))
    assert [record.reason for record in records if isinstance(record, Rejected)] == [
        "an event without a time that can be read"
    ]
    assert "zone-unknown" in [record.code for record in records if isinstance(record, Notice)]
    cut = read(calendar(TRIP)[:-40])
    assert "the calendar ends within this event" in [record.reason for record in cut if isinstance(record, Rejected)]


def test_a_calendar_without_events_loses_nothing() -> None:
    """It is told as empty where it is whole; one that is cut may have had events."""
    (told,) = read(calendar())
    assert isinstance(told, Notice)
    assert told.code == "no-messages"
    assert all(isinstance(record, Rejected) for record in read(calendar()[:-5]))
    assert all(isinstance(record, Rejected) for record in read(b"BEGIN:VEVENT\r\nEND:VEVENT\r\n"))


def test_tasks_and_ids_of_their_own() -> None:
    """A task is at its due date; an event without an id gets the same one each time."""
    data = calendar("DTSTART:20240501T100000Z\nSUMMARY:A").replace(b"VEVENT", b"VTODO").replace(b"DTSTART", b"DUE")
    document = one(data)
    assert document.metadata["component"] == "task"
    assert document.id.startswith("calendar:sha256-")
    assert one(data) == document


def test_addresses_and_further_words_of_an_event_are_kept() -> None:
    """Behind the words of a description in HTML, of a meeting by video and of files; a description that is only in HTML."""
    event = (
        "UID:e9\nDTSTART:20240115T100000Z\nSUMMARY:Talk\nX-ALT-DESC;FMTTYPE=text/html:<p>Bring"
        ' <a href="https://example.org/plan">the plan</a></p>\nCONFERENCE:https://meet.example.org/abc\n'
        "ATTACH:https://example.org/a.pdf\nCOMMENT:by the back door\nCONTACT:Bo\\, +49 30\n"
    )
    (document,) = [record for record in read(calendar(event)) if isinstance(record, TimelineDocument)]
    assert document.events[0].text == "Bring the plan"
    assert json.loads(document.metadata["links"]) == [
        "https://example.org/plan",
        "https://meet.example.org/abc",
        "https://example.org/a.pdf",
    ]
    assert (document.metadata["comment"], document.metadata["contact"]) == ("by the back door", "Bo, +49 30")
