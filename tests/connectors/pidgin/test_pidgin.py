"""Pidgin: logs in text and HTML of its versions, their days and zones, overlap, and what is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from memd.connectors.connector import DateOrder
from memd.connectors.formats.pidgin.connector import PidginConnector
from memd.connectors.opening.open_source import open_source
from memd.connectors.reading.detection import choose
from memd.schemas import SYSTEM_SPEAKER
from memd.tests.cases import for_each
from memd.tests.connectors.discord.test_overlap import merged
from memd.tests.connectors.text_exports import BERLIN, codes, documents, messages, read, rejected, told
from memd.tests.contracts.connector import ConnectorContract, Download, Samples

TEXT = """Conversation with ann@example.org at Tue 12 Oct 2010 11:58:00 PM CEST on bo@example.org/home (jabber)
(11:58:01 PM) Ann Archer: hello
(11:58:02 PM) bo@example.org/3331: two
lines (really)
(2010-10-11 09:00:00 PM) Ann Archer: a late one
(11:59:00 PM) ***Ann Archer waves
(12:01:00 AM) Ann Archer <AUTO-REPLY>: I'm away
(12:02:00 AM) The topic is: boats
(12:03:00 AM) Ann Archer has signed off.
"""
OLD = """<html><head><meta http-equiv="content-type" content="text/html; charset=UTF-8"><title>Conversation with ann at 12/20/2006 12:18:08 PM on bo123 (aim)</title></head><body><h3>Conversation with ann at 12/20/2006 12:18:08 PM on bo123 (aim)</h3>
<font color="#A82F2F"><font size="2">(12:18:08 PM)</font> <b>Ann &amp; Co:</b></font> <html><span style='background: #ffffff;'>how are <b>you</b></span></span></html><br/>
<font color="#16569E"><font size="2">(12:18:37 PM)</font> <b>Bo:</b></font> good<br/>good<br/>
<font color="#062585"><font size="2">(12:18:40 PM)</font> <b>***Bo</b></font> waves<br/>
<font size="2">(12:19:00 PM)</font><b> Ann has signed off.</b><br/>
</body></html>
"""
NEW = """<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html xmlns="http://www.w3.org/1999/xhtml"><head><meta http-equiv="content-type" content="text/html; charset=UTF-8" /><title>Conversation with ann at Di 12 Okt 2010 09:18:15 CEST on bo (jabber)</title></head><body><h1>Conversation with ann at Di 12 Okt 2010 09:18:15 CEST on bo (jabber)</h1><p>
<span style="color: #A82F2F"><span style="font-size: smaller">(09:18:14)</span> <b>ann@example.org/7433:</b></span> one<br>
<span style="color: #16569E"><span style="font-size: smaller">(09:18:20)</span> <b>Bo:</b></span> two<br>
<span style="color: #FF0000"><span style="font-size: smaller">(09:18:21)</span><b> Unable to send message: offline</b></span><br>
</p>
</body>
</html>
"""


ADIUM_NAME = "ann (2010-01-15T12.00.00+0100).chatlog/ann (2010-01-15T12.00.00+0100).xml"
ADIUM = """<?xml version="1.0" encoding="UTF-8" ?>
<chat xmlns="http://purl.org/net/ulf/ns/0.4-02" account="bo@example.org" service="Jabber"><event type="windowOpened" sender="bo@example.org" time="2010-01-15T12:00:00+01:00"/>
<message sender="ann@example.org" time="2010-01-15T12:00:01+0100" alias="Ann &quot;A&quot;"><div><span style="color: #000000;">a &lt; b &amp; c<br/>second <b>line</b></span></div></message>
<message sender="bo@example.org" time="2010-01-15T12:00:02+01:00" alias="Bo"><div>yes</div></message>
<message sender="ann@example.org" time="2010-01-15T12:00:03+01:00"><div><img src="a.png" alt=""/></div></message>
<action sender="ann@example.org" time="2010-01-15T12:00:04+01:00" alias="Ann"><div>waves</div></action>
<message sender="ann@example.org" time="2010-01-15T12:00:05+01:00" auto="true" alias="Ann"><div>away</div></message>
<status type="away" sender="ann@example.org" time="2010-01-15T12:01:00+01:00"><div>lunch</div></status>
<status type="online" sender="ann@example.org" time="2010-01-15T12:02:00+01:00"/>
</chat>
"""


class TestContract(ConnectorContract):
    """What every connector keeps."""

    readers = (
        "pidgin.connector:_Log._item",
        "pidgin.adium:_Log._item",
    )
    download = Download(
        "the tugboat has no whistle",
        {
            "2024-01-15.100200+0000GMT.txt": (
                b"Conversation with cleo at 2024-01-15 10:02:00 on ann (icq)\n(10:02:01) Cleo: The tugboat has no whistle\n"
            )
        },
    )

    @pytest.fixture
    def connector(self) -> PidginConnector:
        """The connector."""
        return PidginConnector()

    @pytest.fixture
    def samples(self) -> Samples:
        """A log of each form."""
        return {
            "text": {"a.txt": TEXT.encode()},
            "old": {"b.html": OLD.encode()},
            "new": {"c.html": NEW.encode()},
            "adium": {ADIUM_NAME: ADIUM.encode()},
        }


def test_a_text() -> None:
    """Who writes, what is done, what Pidgin notes; after midnight it is the next day, and a late message changes no day."""
    records = read(PidginConnector(), TEXT, "2010-10-12.235800+0200CEST.txt")
    assert told(records) == [
        ("2010-10-11T21:00:00+02:00", "Ann Archer", "text", "a late one"),
        ("2010-10-12T23:58:01+02:00", "Ann Archer", "text", "hello"),
        ("2010-10-12T23:58:02+02:00", "bo@example.org", "text", "two\nlines (really)"),
        ("2010-10-12T23:59:00+02:00", "Ann Archer", "text", "waves"),
        ("2010-10-13T00:01:00+02:00", "Ann Archer", "text", "I'm away"),
        ("2010-10-13T00:02:00+02:00", SYSTEM_SPEAKER, "system", "The topic is: boats"),
        ("2010-10-13T00:03:00+02:00", SYSTEM_SPEAKER, "system", "Ann Archer has signed off."),
    ]
    first = documents(records)[1]
    assert first.id == "pidgin:jabber/bo@example.org/ann@example.org:2010-10-12"
    assert first.conversation.user == "bo@example.org"
    assert [m.metadata.get("form") for m in messages(records)] == [None, None, None, "action", "auto-reply", None, None]
    assert {m.zone_origin for m in messages(records)} == {"explicit"}
    assert codes(records) == rejected(records) == []


def test_pages_of_both_kinds() -> None:
    """Colours tell what the user wrote; words are text."""
    records = read(PidginConnector(), OLD, "x.html")
    assert told(records) == [
        ("2006-12-20T12:18:08+01:00", "Ann & Co", "text", "how are you"),
        ("2006-12-20T12:18:37+01:00", "Bo", "text", "good\ngood"),
        ("2006-12-20T12:18:40+01:00", "Bo", "text", "waves"),
        ("2006-12-20T12:19:00+01:00", SYSTEM_SPEAKER, "system", "Ann has signed off."),
    ]
    assert documents(records)[0].conversation.user == "Bo"
    records = read(PidginConnector(), NEW, "x.html")
    assert [each[1:] for each in told(records)] == [
        ("ann@example.org", "text", "one"),
        ("Bo", "text", "two"),
        (SYSTEM_SPEAKER, "system", "Unable to send message: offline"),
    ]
    assert told(records)[0][0] == "2010-10-12T09:18:14+02:00"
    assert rejected(records) == []


@for_each(
    [
        ("05/04/2017 08:50:25", "x.txt", None, "2017-04-05"),
        ("05/04/2017 08:50:25", "x.txt", "mdy", "2017-05-04"),
        ("05/04/2017 08:50:25", "2017-05-04.085025-0400EDT.txt", None, "2017-05-04"),
        ("20.03.2017 08:50:25", "x.txt", None, "2017-03-20"),
        ("2017年03月20日 08時50分25秒", "x.txt", None, "2017-03-20"),
        ("Thu Jan  5 08:50:25 2012", "x.txt", None, "2012-01-05"),
        ("jeu. 05 janv. 2012 08:50:25 CET", "x.txt", None, "2012-01-05"),
    ]
)
def test_the_day_is_in_the_name_or_the_title(begun: str, name: str, order: DateOrder | None, day: str) -> None:
    """In whatever language; the name is sure, and tells the order of the title's numbers."""
    text = f"Conversation with ann at {begun} on bo (icq)\n(08:50:30) ann: hi\n"
    records = read(PidginConnector(), text, name, date_order=order)
    assert [each.id for each in documents(records)] == [f"pidgin:icq/bo/ann:{day}"]
    assert ("date-order-ambiguous" in codes(records)) == (
        begun.startswith("05/04") and name == "x.txt" and order is None
    )


def test_a_log_without_any_day_is_rejected_line_by_line() -> None:
    """Its title is in a language whose months are not known, and it was renamed."""
    records = read(
        PidginConnector(), "Conversation with ann at 12 yyyy 2010 10:00:00 on bo (icq)\n(10:00:01) ann: hi\n"
    )
    assert len(rejected(records)) == 1
    assert documents(records) == []


@for_each(
    [
        ("2024-01-15 23:59:50", "00:00:05", "2024-01-16"),
        ("2024-01-15 22:00:00", "00:30:00", "2024-01-16"),
        ("2024-01-15 00:00:00", "23:59:59", "2024-01-14"),
        ("2024-01-15 00:20:00", "21:00:00", "2024-01-15"),
        ("2024-01-15 23:10:00", "11:10:05", "2024-01-15"),
    ]
)
def test_the_first_line_may_be_of_another_day_than_the_beginning(begun: str, first: str, day: str) -> None:
    """Midnight lies between them; half a day may be a half of the day in a language that is not known."""
    clock = begun.partition(" ")[2].replace(":", "")
    for name in ("x.txt", f"2024-01-15.{clock}+0100CET.txt"):
        records = read(PidginConnector(), f"Conversation with ann at {begun} on bo (icq)\n({first}) ann: hi\n", name)
        assert told(records)[0][0] == f"{day}T{first}+01:00"


def test_words_are_no_stamps_and_no_notes_of_pidgin() -> None:
    """Words in parentheses with a time go on; who has changed something says so with a colon behind the name."""
    text = (
        "Conversation with ann at 2024-01-15 10:00:00 on bo (icq)\n"
        "(10:00:01) ann: tomorrow\n(at 10:30 sharp) Bo: come\n(in 5 min, or 10:40) so: late\n"
        "(10:00:02) ann: I have changed my mind\n(10:00:03) You were kicked by Bo: no reason\n"
        "(10:00:04 CET) ann: zone\n"
        "(10:00:05) ann left the room (Ping timeout: 250 seconds).\n(10:00:06) You have parted the channel: bye\n"
        "(10:00:07) ann (work): back\n"
    )
    assert [each[1:] for each in told(read(PidginConnector(), text))] == [
        ("ann", "text", "tomorrow\n(at 10:30 sharp) Bo: come\n(in 5 min, or 10:40) so: late"),
        ("ann", "text", "I have changed my mind"),
        (SYSTEM_SPEAKER, "system", "You were kicked by Bo: no reason"),
        ("ann", "text", "zone"),
        (SYSTEM_SPEAKER, "system", "ann left the room (Ping timeout: 250 seconds)."),
        (SYSTEM_SPEAKER, "system", "You have parted the channel: bye"),
        ("ann (work)", "text", "back"),
    ]


def test_what_stands_below_the_title_is_told() -> None:
    """Lines before the first message are no part of a title."""
    text = "Conversation with ann at 2024-01-15 10:00:00 on bo (icq)\nlost words\n(10:00:01) ann: hi\n"
    title = "<h3>Conversation with ann at 12/20/2006 12:18:08 PM on bo123 (aim)</h3>"
    headless = OLD.replace(title, "")
    strange = OLD.replace("with ann at", "with &lt;ann&gt; at")
    for data, told_of in (
        (text, 1),
        (OLD, 0),
        (headless, 0),
        (strange, 0),
        (OLD.replace("</h3>", "</h3>\nlost<br/>"), 1),
    ):
        reasons = [reason for _, reason in rejected(read(PidginConnector(), data))]
        assert reasons == ["text before the first message"] * told_of


def test_notes_of_a_talk_are_no_log(tmp_path: Path) -> None:
    """Their title has no date as Pidgin writes it."""
    (tmp_path / "talk.txt").write_text("Conversation with Ann at 10:30 on Zoom (video)\n(10:31) Ann: hello\n")
    assert choose(open_source(tmp_path / "talk.txt"), BERLIN).name != "pidgin"


def test_a_room_of_adium_has_several_people() -> None:
    """All write under its account, with their names behind."""
    said = "".join(
        f'<message sender="room@example.org/{name}" time="2010-01-15T12:00:0{number}+01:00" alias="{name}"><div>{number}</div></message>'
        for number, name in enumerate(("Ann", "Cy", "Ann"))
    )
    page = f'<chat xmlns="http://purl.org/net/ulf/ns/0.4-02" account="bo@example.org" service="Jabber">{said}</chat>'
    records = read(PidginConnector(), {"room@example.org (2010-01-15T12.00.00+0100).xml": page})
    assert [each[1] for each in told(records)] == ["Ann", "Cy", "Ann"]


def test_conversations_of_one_day_are_one_chat(tmp_path: Path) -> None:
    """A file is a conversation: both stand in the day, and once more adds nothing."""
    files = {
        f"{hour:02d}.txt": f"Conversation with ann at 2024-01-15 {hour:02d}:00:00 on bo (icq)\n({hour:02d}:00:01) ann: {hour}\n"
        for hour in (10, 12)
    }
    stored = None
    for document in [each for _ in range(2) for each in documents(read(PidginConnector(), files))]:
        stored, _ = merged(stored, document)
    assert stored is not None
    assert [row.message.content for row in stored.messages] == ["10", "12"]
    (tmp_path / "10.txt").write_text(files["10.txt"])
    assert choose(open_source(tmp_path / "10.txt"), BERLIN).name == "pidgin"


def test_a_log_of_adium() -> None:
    """Accounts tell who is who, and who the user is; its windows are nothing that was said."""
    timeless = '<message sender="bo@example.org" time="soon" alias="Bo"><div>never</div></message>\n'
    third = ADIUM.rindex("<message", 0, ADIUM.index("<img"))
    records = read(PidginConnector(), {ADIUM_NAME: ADIUM[:third] + timeless + ADIUM[third:]})
    assert told(records) == [
        ("2010-01-15T12:00:01+01:00", "Ann", "text", "a < b & c\nsecond line"),
        ("2010-01-15T12:00:02+01:00", "Bo", "text", "yes"),
        ("2010-01-15T12:00:03+01:00", "Ann", "media", "[photo]"),
        ("2010-01-15T12:00:04+01:00", "Ann", "text", "waves"),
        ("2010-01-15T12:00:05+01:00", "Ann", "text", "away"),
        ("2010-01-15T12:01:00+01:00", SYSTEM_SPEAKER, "system", "lunch"),
    ]
    (day,) = documents(records)
    assert (day.id, day.conversation.user) == ("pidgin:jabber/bo@example.org/ann:2010-01-15", "Bo")
    assert [m.metadata.get("form") for m in day.messages[3:]] == ["action", "auto-reply", None]
    assert [reason for _, reason in rejected(records)] == ["a date or time that does not exist"]
    cut = read(PidginConnector(), {ADIUM_NAME: ADIUM[:560]})
    assert [reason for _, reason in rejected(cut)] == ["what follows cannot be read: damaged XML"]


def test_addresses_and_pictures_of_pages() -> None:
    """Where a link leads and which picture was sent is kept; the picture is missing unless it lies beside the log."""
    words = '<a href="http://example.org/x">see this</a> <a href="http://example.org">http://example.org/</a> <img src="boat.png" alt="b"/>'
    page = NEW.replace(" two<br>", f" {words}<br>").replace(" one<br>", ' <img src="other.jpg"><br>')
    old = ADIUM.replace("<div>yes</div>", f"<div>{words}</div>").replace("<div>waves</div>", f"<div>{words}</div>")
    for log, name in ((page, "c.html"), (old, ADIUM_NAME)):
        found = messages(read(PidginConnector(), {name: log, "boat.png": "\x89PNG"}))
        linked = [each for each in found if "links" in each.metadata]
        assert {each.content for each in linked} == {"see this http://example.org/"}
        assert {each.metadata["links"] for each in linked} == {'["http://example.org/x"]'}
        assert {(file.name, file.missing) for each in linked for file in each.attachments} == {("boat.png", False)}
        assert [(each.kind, each.attachments[0].missing) for each in found if each.content == "[photo]"] == [
            ("media", True)
        ]
    assert linked[-1].metadata["form"] == "action"
