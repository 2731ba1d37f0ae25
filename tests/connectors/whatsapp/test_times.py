"""Times: the order of a date by evidence, zones, the hour that comes twice, days out of order."""

from __future__ import annotations

from datetime import UTC
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from memd.connectors.chats import day_documents as days_module
from memd.connectors.connector import ReadOptions
from memd.connectors.formats.whatsapp.connector import WhatsAppConnector
from memd.connectors.times.day_periods import hour_of_day
from memd.schemas import Rejected
from memd.tests.cases import for_each
from memd.tests.connectors.whatsapp.sources import codes, documents, messages, options, parse, read, source

BERLIN = ReadOptions(zone=ZoneInfo("Europe/Berlin"), zone_origin="option")


def chat(*dates: str, time: str = ", 10:00 - ", body: str = "Ana: x") -> str:
    """One message for each date."""
    return "".join(f"{date}{time}{body}\n" for date in dates)


def order(text: str) -> tuple[str, bool]:
    """The order found, and whether it is ambiguous, as documents, survey and notices say alike."""
    records = read(source(text))
    (metadata,) = {(d.metadata["date_order"], d.metadata.get("date_order_ambiguous")) for d in documents(records)}
    preview = WhatsAppConnector().preview(source(text), options())
    ambiguous = metadata[1] is not None
    assert (metadata[0], ambiguous) == (preview.date_order, preview.date_order_ambiguous)
    assert ambiguous == ("date-order-ambiguous" in codes(records))
    return metadata[0], ambiguous


ORDERS = {
    "a day above 12": (chat("1/2/24", "13/2/24"), ("dmy", False)),
    "a second number above 12": (chat("1/2/24", "2/13/24"), ("mdy", False)),
    "a year in front": (chat("2024/2/3"), ("ymd", False)),
    "jumps backwards": (chat("1/2/24", "2/2/24", "5/2/24", "1/3/24"), ("dmy", False)),
    "jumps backwards, American": (chat("2/1/24", "2/2/24", "2/5/24", "3/1/24"), ("mdy", False)),
    "a photo's name": (chat("3/2/24", body="Ana: IMG-20240302-WA0001.jpg (file attached)"), ("mdy", False)),
    "a photo's name on iOS": (
        "[3/2/24, 10:00:00] Ana: \u200e<attached: 00000042-PHOTO-2024-02-03-10-00-00.jpg>\n",
        ("dmy", False),
    ),
    "dots": (chat("1.2.24"), ("dmy", False)),
    "nothing": (chat("1/2/24", "2/2/24"), ("dmy", True)),
    "English, AM and PM": (
        chat("1/2/24", time=", 10:00 AM - ", body="Messages and calls are end-to-end encrypted."),
        ("mdy", True),
    ),
    "one damaged line among many": (chat(*[f"{n}/2/24" for n in range(13, 28)], "2/28/24"), ("dmy", False)),
}


@for_each(ORDERS.values())
def test_order_by_evidence(text: str, expected: tuple[str, bool]) -> None:
    """Each kind of evidence decides; without any, the likelier order is taken and the documents say so."""
    assert expected == order(text)


def test_impossible_dates_are_text() -> None:
    """A line like a header with a day or a time that does not exist belongs to the message before, with a notice."""
    lines = [
        "13.05.24, 10:00 - Ana: a",
        "31.02.24, 10:00 - Bo: b",
        "13.05.24, 25:00 - Bo: c",
        "14.05.24, 10:01 - Bo: d",
    ]
    records = read(source("\n".join(lines)))

    assert [("Ana", f"a\n{lines[1]}\n{lines[2]}"), ("Bo", "d")] == [(m.speaker, m.content) for m in messages(records)]
    assert "impossible-date" in codes(records)


def test_impossible_dates_without_a_message_before() -> None:
    """Such a line at the file's beginning is rejected with its number, and one that would open a day joins no other."""
    lines = [
        "31.02.24, 10:00 - Bo: b",
        "13.05.24, 10:00 - Ana: a",
        "14.05.24, 25:00 - Bo: c",
        "14.05.24, 10:01 - Bo: d",
    ]
    records = read(source("\n".join(lines)))

    assert [r.locator for r in records if isinstance(r, Rejected)] == ["WhatsApp Chat with Bea.txt:1"]
    assert [f"a\n{lines[2]}", "d"] == [m.content for m in messages(records)]


def test_other_calendars_are_not_guessed() -> None:
    """A year that can only be of another calendar is kept as written, with a notice; a day that has no date is rejected."""
    records = read(source(chat("1403/2/28", "1403/2/31", "1403/2/28")))

    assert [m.time.year for m in messages(records)] == [1403, 1403]
    assert [code for code in codes(records) if not code.startswith("user")] == ["calendar-unknown", "rejected"]


def test_zone() -> None:
    """Wall clocks get the zone's offset of their day, and say where the zone came from."""
    found = messages(read(source(chat("13.01.24", "13.07.24")), BERLIN))

    assert [m.time.isoformat() for m in found] == ["2024-01-13T10:00:00+01:00", "2024-07-13T10:00:00+02:00"]
    assert {("option", "minute")} == {(m.zone_origin, m.time_precision) for m in found}


def test_an_assumed_zone_is_told_once() -> None:
    """An assumed zone is noted once for a source."""
    records = read(source(chat("13.01.24", "14.01.24")), ReadOptions(zone=UTC))

    assert codes(records).count("zone-assumed") == 1
    assert {"assumed"} == {m.zone_origin for m in messages(records)}


def test_the_hour_that_comes_twice() -> None:
    """In the night when clocks go back, times that go back by up to an hour are of the second pass."""
    times = ("01:50", "02:10", "02:50", "02:05", "02:40", "03:10")
    text = "".join(f"27.10.24, {time} - Ana: {time}\n" for time in times)
    offsets = [m.time.isoformat()[11:] for m in messages(read(source(text), BERLIN))]

    assert [
        *("01:50:00+02:00", "02:10:00+02:00", "02:50:00+02:00"),
        *("02:05:00+01:00", "02:40:00+01:00", "03:10:00+01:00"),
    ] == offsets


def test_the_hour_that_does_not_come() -> None:
    """A time that the clock skipped keeps what the wall showed."""
    found = messages(read(source("31.03.24, 02:30 - Ana: x\n31.03.24, 03:30 - Ana: y\n"), BERLIN))

    assert [m.time.isoformat()[11:16] for m in found] == ["02:30", "03:30"]


@for_each(
    [
        (12, "am", 0),
        (12, "pm", 12),
        (1, "pm", 13),
        (12, "noon", 12),
        (11, "noon", 11),
        (1, "noon", 13),
        (12, "evening", 0),
        (11, "evening", 23),
        (1, "evening", 1),
        (17, "pm", 17),
        (9, None, 9),
    ]
)
def test_hours(hour: int, part: object, expected: int) -> None:
    """Twelve-hour clocks, with the parts of the day that some languages name."""
    assert expected == hour_of_day(hour, part)  # type: ignore[arg-type]


def test_days_are_local_days() -> None:
    """One document for each wall-clock day, its messages in the order of the file."""
    text = "13.05.24, 23:59 - Ana: a\n14.05.24, 00:00 - Ana: b\n13.05.24, 23:58 - Ana: late\n"
    found = documents(read(source(text), BERLIN))

    assert {d.id: [m.content for m in d.messages] for d in found} == {
        "whatsapp:Bea:2024-05-13": ["a", "late"],
        "whatsapp:Bea:2024-05-14": ["b"],
    }


def test_stragglers() -> None:
    """A message for a day that is long closed makes one more document with that day's id."""
    dates = [f"{n}.05.24" for n in range(13, 20)]
    found = documents(read(source(chat(*dates, "13.05.24", "20.05.24"))))

    assert [d.id for d in found].count("whatsapp:Bea:2024-05-13") == 2
    assert sum(len(d.messages) for d in found) == 9


def test_a_huge_day_comes_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A day that is too big is cut between two minutes, and nothing is lost or doubled."""
    monkeypatch.setattr(days_module, "LARGE_DAY", 1000)
    body = "Ana: " + "x" * 200
    text = "".join(f"13.05.24, {n // 60 % 24:02}:{n % 60:02} - {body}{n}\n" for n in range(1440) for _ in range(10))
    found = documents(read(source(text)))
    minutes = [{m.time for m in document.messages} for document in found]

    assert len(found) > 1
    assert sum(len(d.messages) for d in found) == 14400
    assert all(not a & b for a, b in pairwise(minutes))


def test_two_in_one_minute_stay_two() -> None:
    """Equal messages of one minute are all there."""
    assert parse("13.05.24, 10:00 - Ana: ok\n" * 3) == [("text", "Ana", "ok")] * 3
