"""Of every format with times of a clock: the hour that comes twice is told apart by the order of the file, and a log that
begins before the clocks change goes on behind it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from zoneinfo import ZoneInfo

from memd.connectors.connector import Connector
from memd.connectors.formats.pidgin.connector import PidginConnector
from memd.connectors.formats.signal.connector import SignalConnector
from memd.connectors.formats.telegram.connector import TelegramConnector
from memd.connectors.formats.transcripts.connector import TranscriptsConnector
from memd.schemas import ConversationDocument
from memd.tests.cases import for_each
from memd.tests.connectors.telegram.exports import OPTIONS, chat, said, written
from memd.tests.contracts.connector import Shelf

BERLIN = replace(OPTIONS, zone=ZoneInfo("Europe/Berlin"))
AUTUMN = ("2024-10-27T02:30:00", "2024-10-27T02:10:00", "2024-10-27T03:05:00")
"""Times by the clock, in order; it is set back at three."""


def times_of(connector: Connector, files: Mapping[str, bytes]) -> dict[str, str]:
    """The time of each message by its text."""
    records = [each for each in connector.read(Shelf("x", files), BERLIN) if isinstance(each, ConversationDocument)]
    return {message.content: message.time.isoformat() for record in records for message in record.messages}


def signal_lines() -> bytes:
    """The data of signal-export."""
    fields: dict[str, object] = {"sender": "Bo", "quote": "", "sticker": "", "reactions": [], "attachments": []}
    return "\n".join(
        json.dumps({"date": time.replace("T", " "), "body": f"m{number}"} | fields)
        for number, time in enumerate(AUTUMN)
    ).encode()


def telegram_chat() -> bytes:
    """An export of before 2021, whose times have no zone; one message was edited later."""
    listed = [said(number, f"m{number - 1}") | {"date": time} for number, time in enumerate(AUTUMN, 1)]
    for each in listed:
        del each["date_unixtime"]
    listed[0]["edited"] = "2024-10-27T04:00:00"
    return written(chat(listed))


def zoom_chat() -> bytes:
    """A chat saved by Zoom."""
    return "".join(f"{time[11:]} From Bo to Everyone:\n\tm{number}\n" for number, time in enumerate(AUTUMN)).encode()


PIDGIN = """Conversation with foo@x at So 27 Okt 2024 02:20:00 CEST on me@x (msn)
(02:30:00) me: m0
(02:10:00) foo: m1
(03:05:00) me: m2
"""


@for_each(
    [
        (SignalConnector(), {"Bo/data.json": signal_lines()}),
        (TelegramConnector(), {"result.json": telegram_chat()}),
        (TranscriptsConnector(), {"2024-10-27 02.00.00 Crew/meeting_saved_chat.txt": zoom_chat()}),
        (PidginConnector(), {"2024-10-27.022000+0200CEST.txt": PIDGIN.encode()}),
    ]
)
def test_the_hour_that_comes_twice(connector: Connector, files: Mapping[str, bytes]) -> None:
    """The second time that goes back is of the second pass, and all that follow are of winter."""
    assert times_of(connector, files) == {
        "m0": "2024-10-27T02:30:00+02:00",
        "m1": "2024-10-27T02:10:00+01:00",
        "m2": "2024-10-27T03:05:00+01:00",
    }


def test_a_log_that_begins_in_winter_ends_in_summer() -> None:
    """The name of its file tells the offset of the beginning alone; an abbreviation tells the region."""
    log = "Conversation with foo@x at Sun 13 Mar 2011 01:45:01 AM EST on me@x (msn)\n(1:58:31 AM) me: m0\n(3:02:31 AM) foo: m1\n"
    for name, last in (("EST", "-04:00"), ("", "-05:00"), ("Eastern Standard Time", "-04:00"), ("CET", "-05:00")):
        files = {f"2011-03-13.014501-0500{name}.txt": log.encode()}
        assert times_of(PidginConnector(), files) == {
            "m0": "2011-03-13T01:58:31-05:00",
            "m1": f"2011-03-13T03:02:31{last}",
        }


def test_a_call_of_the_day_has_the_clock_s_times() -> None:
    """Also behind the change of that morning."""
    files = {"2024-03-31 09.00.00 Crew/meeting_saved_chat.txt": b"09:02:11 From Bo to Everyone:\n\tm0\n"}
    assert times_of(TranscriptsConnector(), files) == {"m0": "2024-03-31T09:02:11+02:00"}
