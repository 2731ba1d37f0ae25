"""IRC: the logs of each client, days and midnight, charsets by line, changes of nicks, overlap, and no theft of notes."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from memd.connectors.connector import DateOrder
from memd.connectors.formats.irc.connector import IrcConnector
from memd.connectors.formats.irc.file_names import LogName, log_name
from memd.connectors.formats.whatsapp.connector import WhatsAppConnector
from memd.connectors.opening.open_source import open_source
from memd.connectors.reading.detection import choose
from memd.connectors.reading.read_path import read_records
from memd.schemas import SYSTEM_SPEAKER, ConversationDocument
from memd.tests.cases import for_each
from memd.tests.connectors.discord.test_overlap import merged
from memd.tests.connectors.text_exports import BERLIN, codes, documents, messages, read, rejected, shelf, told
from memd.tests.contracts.connector import ConnectorContract, Download, Samples

IRSSI = b"""--- Log opened Sat Jan 08 23:33:54 2005
23:33 -!- ann_ [a@h] has joined #boats
23:34 < ann_> hello
23:35 -!- ann_ is now known as ann
23:59 <@ann> late \x0304,01red\x03 and \x02bold\x02
--- Day changed Sun Jan 09 2005
00:01  * ann waves
00:02 -Serv(s@h)- notice words
00:03 <bob> caf\xe9 \x80
00:04 <bob> na\xc3\xafve
00:05 -!- ann [a@h] has quit [Bye]
00:06 <ann> another one
--- Log closed Sun Jan 09 00:10:00 2005
"""
WEECHAT = """2024-01-15 12:00:00\t-->\tann (~a@h) has joined #boats
2024-01-15 12:00:01\t@ann\thello <b>
2024-01-15 12:00:02\t *\tbob waves
2024-01-15 12:00:03\t--\tbob is now known as bobby
2024-01-15 12:00:04\tbobby\tone\ttab
2024-01-15 12:00:05\t--\tNotice(Serv): words
"""
ZNC = """[12:00:00] <ann> hi
[12:00:01] *** Joins: bob (b@h)
[12:00:02] * bob waves
[12:00:03] -Nick- note
"""
HEXCHAT = """**** BEGIN LOGGING AT Mon Dec 31 21:11:55 2001

Dec 31 21:11:55 -->\tYou are now talking on #boats
Dec 31 21:11:55 ---\tTopic for #boats is x
Dec 31 21:11:58 <fpi>\tola
Dec 31 21:12:00 *\tfpi nods
Jan 01 00:00:01 <fpi>\thappy

**** ENDING LOGGING AT Tue Jan 01 00:00:09 2002
"""
MIRC = """Session Start: Sat Jan 08 23:33:54 2005
Session Ident: #boats
[23:33] * Now talking in #boats
[23:34] <@ann> hi
[23:35] * bob (b@h) has joined #boats
[23:36] * bob dances
[00:05] <bob> next day
Session Close: Sun Jan 09 00:10:00 2005
"""
DIRCPROXY = """[14 Jan 10:36] --> js (n=u@h) joined the channel
[14 Jan 12:36] <nom!n=nm@1.2> -hey
[14 Jan 12:37] <js!n=j@1> +No clue
[15 Jan 00:37] <js!n=j@1> +No
"""
BEHIND = "<nom!n@h> [10:36] hey\n[nom!n@h] [10:37] ACTION waves\n-dircproxy- [10:38] You connected\n"
IRCCLOUD = """\
[2024-01-15 12:00:00] → ann joined (~a@h)
[2024-01-15 12:00:01] <ann> hello
[2024-01-15 12:00:02] — bob waves
[2024-01-15 12:00:03] * ann → anna
[2024-01-15 12:00:04] ⇐ bob quit (~b@h): Ping timeout: 240 seconds
[2024-01-15 12:00:05] <anna> bye
"""
KONVERSATION = """\
[Monday, 15 January 2024] [12:00:00 CET] Join\tann (a@h) has joined this channel.
[Monday, 15 January 2024] [12:00:01 CET] <ann>\thello
[Monday, 15 January 2024] [12:00:02 CET] <bob>\thi
"""
ISO = """2005-01-08T23:33:54  *** povbot has joined #pov
2005-01-08T23:34:46Z <mg> let's see
2005-01-08T23:34:47+0200 <mg> works
"""
EGGDROP = """[00:00] --- Sat Jan 15 2005
[00:01] <ann> hi
[00:02] Action: ann waves
[00:03] bob (b@h) joined #boats.
[00:04] #boats: mode change '+o bob' by ann!a@h
[00:05] Nick change: bob -> bobby
[00:06] <bobby> ho
[00:07] cat kicked from #boats by ann: spam
[00:08] Topic changed on #boats by ann!a@h: sails
[00:09] bobby (b@h) left irc: Quit: bye
"""


class TestContract(ConnectorContract):
    """What every connector keeps."""

    readers = ("irc.parser:LogParser._said",)
    download = Download(
        "the compiler hates my semicolons",
        {
            "#boats_20240115.log": b"[10:02:00] *** Joins: Cleo (c@h)\n[10:02:01] <Cleo> The compiler hates my semicolons\n"
        },
    )

    @pytest.fixture
    def connector(self) -> IrcConnector:
        """The connector."""
        return IrcConnector()

    @pytest.fixture
    def samples(self) -> Samples:
        """Logs that tell their days themselves."""
        logs = {"irssi": IRSSI, "weechat": WEECHAT.encode(), "hexchat": HEXCHAT.encode(), "mirc": MIRC.encode()}
        return {name: {f"{name}.log": data} for name, data in logs.items()}


def test_irssi() -> None:
    """Each line has its own charset; who changes the nick stays the same until leaving."""
    records = read(IrcConnector(), IRSSI, "#boats.log")
    assert told(records) == [
        ("2005-01-08T23:33:00+01:00", SYSTEM_SPEAKER, "system", "ann_ [a@h] has joined #boats"),
        ("2005-01-08T23:34:00+01:00", "ann", "text", "hello"),
        ("2005-01-08T23:35:00+01:00", SYSTEM_SPEAKER, "system", "ann_ is now known as ann"),
        ("2005-01-08T23:59:00+01:00", "ann", "text", "late red and bold"),
        ("2005-01-09T00:01:00+01:00", "ann", "text", "waves"),
        ("2005-01-09T00:02:00+01:00", "Serv", "text", "notice words"),
        ("2005-01-09T00:03:00+01:00", "bob", "text", "café €"),
        ("2005-01-09T00:04:00+01:00", "bob", "text", "naïve"),
        ("2005-01-09T00:05:00+01:00", SYSTEM_SPEAKER, "system", "ann [a@h] has quit [Bye]"),
        ("2005-01-09T00:06:00+01:00", "ann", "text", "another one"),
    ]
    first, second = documents(records)
    assert (first.id, first.metadata["channel"]) == ("irc:#boats:2005-01-08", "#boats")
    assert first.messages[1].metadata == {"name": "ann_"}
    assert [m.metadata.get("form") for m in second.messages[:3]] == ["action", "notice", None]
    assert {m.time_precision for m in messages(records)} == {"minute"}
    assert codes(records) == ["user-unknown"]
    assert documents(read(IrcConnector(), IRSSI, "#boats.log", me="ANN_"))[0].conversation.user == "ann"


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        (
            WEECHAT,
            "irc.libera.#boats.weechatlog",
            [
                ("2024-01-15T12:00:00+01:00", SYSTEM_SPEAKER, "system", "ann (~a@h) has joined #boats"),
                ("2024-01-15T12:00:01+01:00", "ann", "text", "hello <b>"),
                ("2024-01-15T12:00:02+01:00", "bob", "text", "waves"),
                ("2024-01-15T12:00:03+01:00", SYSTEM_SPEAKER, "system", "bob is now known as bobby"),
                ("2024-01-15T12:00:04+01:00", "bob", "text", "one\ttab"),
                ("2024-01-15T12:00:05+01:00", "Serv", "text", "words"),
            ],
        ),
        (
            ZNC,
            "2024-01-15.log",
            [
                ("2024-01-15T12:00:00+01:00", "ann", "text", "hi"),
                ("2024-01-15T12:00:01+01:00", SYSTEM_SPEAKER, "system", "Joins: bob (b@h)"),
                ("2024-01-15T12:00:02+01:00", "bob", "text", "waves"),
                ("2024-01-15T12:00:03+01:00", "Nick", "text", "note"),
            ],
        ),
        (
            HEXCHAT,
            "#boats.log",
            [
                ("2001-12-31T21:11:55+01:00", SYSTEM_SPEAKER, "system", "You are now talking on #boats"),
                ("2001-12-31T21:11:55+01:00", SYSTEM_SPEAKER, "system", "Topic for #boats is x"),
                ("2001-12-31T21:11:58+01:00", "fpi", "text", "ola"),
                ("2001-12-31T21:12:00+01:00", "fpi", "text", "nods"),
                ("2002-01-01T00:00:01+01:00", "fpi", "text", "happy"),
            ],
        ),
        (
            MIRC,
            "x.log",
            [
                ("2005-01-08T23:33:00+01:00", SYSTEM_SPEAKER, "system", "Now talking in #boats"),
                ("2005-01-08T23:34:00+01:00", "ann", "text", "hi"),
                ("2005-01-08T23:35:00+01:00", SYSTEM_SPEAKER, "system", "bob (b@h) has joined #boats"),
                ("2005-01-08T23:36:00+01:00", "bob", "text", "dances"),
                ("2005-01-09T00:05:00+01:00", "bob", "text", "next day"),
            ],
        ),
        (
            DIRCPROXY,
            "2009-01-14-boats.log",
            [
                ("2009-01-14T10:36:00+01:00", SYSTEM_SPEAKER, "system", "js (n=u@h) joined the channel"),
                ("2009-01-14T12:36:00+01:00", "nom", "text", "hey"),
                ("2009-01-14T12:37:00+01:00", "js", "text", "No clue"),
                ("2009-01-15T00:37:00+01:00", "js", "text", "No"),
            ],
        ),
        (
            BEHIND,
            "boats-2009-01-14.log",
            [
                ("2009-01-14T10:36:00+01:00", "nom", "text", "hey"),
                ("2009-01-14T10:37:00+01:00", "nom", "text", "waves"),
                ("2009-01-14T10:38:00+01:00", "dircproxy", "text", "You connected"),
            ],
        ),
        (
            ISO,
            "pov.log",
            [
                ("2005-01-08T23:33:54+01:00", SYSTEM_SPEAKER, "system", "povbot has joined #pov"),
                ("2005-01-09T00:34:46+01:00", "mg", "text", "let's see"),
                ("2005-01-08T23:34:47+02:00", "mg", "text", "works"),
            ],
        ),
        (
            IRCCLOUD,
            "boats.txt",
            [
                ("2024-01-15T12:00:00+01:00", SYSTEM_SPEAKER, "system", "ann joined (~a@h)"),
                ("2024-01-15T12:00:01+01:00", "ann", "text", "hello"),
                ("2024-01-15T12:00:02+01:00", "bob", "text", "waves"),
                ("2024-01-15T12:00:03+01:00", SYSTEM_SPEAKER, "system", "ann → anna"),
                ("2024-01-15T12:00:04+01:00", SYSTEM_SPEAKER, "system", "bob quit (~b@h): Ping timeout: 240 seconds"),
                ("2024-01-15T12:00:05+01:00", "ann", "text", "bye"),
            ],
        ),
        (
            KONVERSATION,
            "boats.log",
            [
                ("2024-01-15T12:00:00+01:00", SYSTEM_SPEAKER, "system", "Join\tann (a@h) has joined this channel."),
                ("2024-01-15T12:00:01+01:00", "ann", "text", "hello"),
                ("2024-01-15T12:00:02+01:00", "bob", "text", "hi"),
            ],
        ),
    ],
    ids=["weechat", "znc", "hexchat", "mirc", "dircproxy", "dircproxy-behind", "iso", "irccloud", "konversation"],
)
def test_other_clients(text: str, name: str, expected: list[tuple[str, str, str, str]], tmp_path: Path) -> None:
    """Days from lines, from names and over midnight; years from the beginning of logging."""
    assert sorted(told(read(IrcConnector(), text, name))) == sorted(expected)
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert choose(open_source(path), BERLIN).name == "irc"


@pytest.mark.parametrize("brackets", ["[]", "()"])
def test_nicks_in_other_brackets(brackets: str, tmp_path: Path) -> None:
    """A client may be set to write them, in a log that tells its sessions; without those any program's log is like it."""
    opened, closed = brackets
    text = MIRC.replace("<@ann>", f"{opened}@ann{closed}").replace("<bob> next", f"{opened}[bob]{closed} [next]")
    records = read(IrcConnector(), text, "x.log")
    assert [(m.speaker, m.content) for m in messages(records)][1:] == [
        ("ann", "hi"),
        (SYSTEM_SPEAKER, "bob (b@h) has joined #boats"),
        ("bob", "dances"),
        ("[bob]", "[next] day"),
    ]
    path = tmp_path / "x.log"
    path.write_text(text, encoding="utf-8")
    assert choose(open_source(path), BERLIN).name == "irc"
    assert IrcConnector().sniff(shelf("[12:00:00] [main] started\n[12:00:01] [ann] hi\n", "2024-01-15.log")) == 0
    levels = "Session Start: Sat Jan 08 23:33:54 2005\n[12:00] [INFO] started\n[12:01] [WARN] late\n"
    assert IrcConnector().sniff(shelf(levels, "2024-01-15.log")) == 0


@for_each(
    [
        "[2025-05-03 21:00:0{n}]",
        "[May 03, 2025 21:00:0{n}]",
        "[03.05.2025 21:00:0{n}]",
        "[5/13/25, 9:00:0{n} PM]",
        "03.05.2025 21:0{n} -",
    ]
)
def test_names_in_angle_brackets_may_have_blanks(stamp: str) -> None:
    """Programs that print other chats write them so: no such log is one of WhatsApp, whatever its times look like."""
    said = [("Nora Field", "are you home?"), ("Me Myself", "yes: since noon"), ("Bo", "see you at 8: ok")]
    text = "".join(f"{stamp.format(n=number)} <{name}> {words}\n" for number, (name, words) in enumerate(said))
    assert [(m.speaker, m.content) for m in messages(read(IrcConnector(), text, "log.txt"))] == said
    assert WhatsAppConnector().sniff(shelf(text, "log.txt")) == 0


def test_an_element_of_a_page_is_no_name() -> None:
    """Behind a time, too."""
    text = '[2025-05-03 21:00:02] <p class="a b"> hi\n[2025-05-03 21:01:02] <br clear/> ho\n'
    assert IrcConnector().sniff(shelf(text, "log.txt")) == 0


def test_what_eggdrop_notes_of_a_channel() -> None:
    """Modes, kicks, topics and changes of nicks are events; who changed the nick stays one person until leaving."""
    records = read(IrcConnector(), EGGDROP, "#boats.log")
    kinds = [(m.speaker, m.kind) for m in messages(records)]
    events = [SYSTEM_SPEAKER] * 3
    assert [speaker for speaker, _ in kinds] == ["ann", "ann", *events, "bobby", *events]
    assert {kind for speaker, kind in kinds if speaker == SYSTEM_SPEAKER} == {"system"}
    assert codes(records) == ["user-unknown"]
    again = EGGDROP.replace(
        "left irc: Quit: bye", "left irc: Quit: bye\n[00:10] <bob> another one\n[00:11] <bobby> a third"
    )
    assert [m.speaker for m in messages(read(IrcConnector(), again, "#boats.log"))][-2:] == ["bob", "bobby"]


@pytest.mark.parametrize(
    ("text", "order", "time", "open_order"),
    [
        ("[13/10/13 12:00:01] <ann> hi\n[14/10/13 12:00] * bob nods\n", None, "2013-10-13T12:00:01", False),
        ("10/13/2013 12:00:01 <ann> hi\n10/14/2013 12:00 *** Joins: bob (b@h)\n", None, "2013-10-13T12:00:01", False),
        ("10.12.2013 12:00 <ann> hi\n10.12.2013 12:01 <bob> ho\n", None, "2013-12-10T12:00:00", False),
        ("[10/12/2013 12:00] <ann> hi\n[10/12/2013 12:01] <bob> ho\n", "mdy", "2013-10-12T12:00:00", False),
        ("[10/12/2013 12:00] <ann> hi\n[10/12/2013 12:01] <bob> ho\n", None, "2013-12-10T12:00:00", True),
    ],
)
def test_dates_in_numbers(text: str, order: DateOrder | None, time: str, open_order: bool, tmp_path: Path) -> None:
    """Days above 12 and dots tell their order, else ``--date-order``; nicks in brackets tell them from WhatsApp's."""
    records = read(IrcConnector(), text, "log.txt", date_order=order)
    first = messages(records)[0]
    assert (first.speaker, first.content, first.time.isoformat()[:19]) == ("ann", "hi", time)
    assert codes(records) == ["user-unknown", "date-order-ambiguous"][: 1 + open_order]
    path = tmp_path / "log.txt"
    path.write_text(text, encoding="utf-8")
    assert choose(open_source(path), BERLIN).name == "irc"


def test_the_order_of_dates_may_show_late_in_a_log() -> None:
    """Where the first days of a log tell no order, a later one tells it for all."""
    days = [f"[03/{day:02}/2020 12:{minute:02}] <ann> {'hi ' * 40}\n" for day in range(1, 15) for minute in range(30)]
    records = read(IrcConnector(), "".join(days), "log.txt")
    assert {m.time.month for m in messages(records)} == {3}
    assert len(messages(records)) == len(days)
    assert codes(records) == ["user-unknown"]
    told_by_user = read(IrcConnector(), "".join(days[:360]), "log.txt", date_order="dmy")
    assert {m.time.day for m in messages(told_by_user)} == {3}


def test_an_hour_that_comes_twice_is_no_new_day() -> None:
    """Clocks go back by an hour within a day; times that go back by more are of the next."""
    text = "Session Start: Sun Oct 27 01:50:00 2024\n[02:30] <a> one\n[02:10] <a> two\n[01:00] <a> three\n"
    times = [m.time.isoformat() for m in messages(read(IrcConnector(), text))]
    assert times == ["2024-10-27T02:30:00+02:00", "2024-10-27T02:10:00+01:00", "2024-10-28T01:00:00+01:00"]


def test_names_of_files_tell_channels_networks_and_days() -> None:
    """As the programs name them."""
    day = date(2024, 1, 15)
    assert log_name("log/libera/#boats/2024-01-15.log") == LogName("#boats", "libera", day)
    assert log_name("irc.libera.##a.b.weechatlog") == LogName("##a.b", "libera")
    assert log_name("me_libera_#boats_20240115.log") == LogName("me_libera_#boats", "", day)
    assert log_name("irclogs/oftc/#boats.log") == LogName("#boats", "oftc")
    assert log_name("#boats.2024-13-45.log").day is None


def test_logs_with_a_folder_for_each_day(tmp_path: Path) -> None:
    """Events have no time there; the folders tell the day, whichever of them is given."""
    text = "=== ann_ is now known as ann\n[07:33] <ann> hi\n=== ann is now known as ann|away\n[07:40] <ann|away> ho\n"
    folder = tmp_path / "2013" / "01" / "12"
    folder.mkdir(parents=True)
    (folder / "#boats.txt").write_text(text)
    for given in (tmp_path, tmp_path / "2013", folder, folder / "#boats.txt"):
        found = [record for record in read_records(given, BERLIN) if isinstance(record, ConversationDocument)]
        assert told(found) == [
            ("2013-01-12T00:00:00+01:00", SYSTEM_SPEAKER, "system", "ann_ is now known as ann"),
            ("2013-01-12T07:33:00+01:00", "ann", "text", "hi"),
            ("2013-01-12T07:33:00+01:00", SYSTEM_SPEAKER, "system", "ann is now known as ann|away"),
            ("2013-01-12T07:40:00+01:00", "ann", "text", "ho"),
        ]
        assert found[0].id == "irc:#boats:2013-01-12"


def test_later_logs_add_what_is_new() -> None:
    """The same log, longer."""
    lines = WEECHAT.splitlines(keepends=True)
    stored = plan = None
    for part in ("".join(lines[:4]), "".join(lines[1:]), WEECHAT):
        (document,) = documents(read(IrcConnector(), part, "irc.libera.#boats.weechatlog"))
        stored, plan = merged(stored, document)
    assert stored is not None
    assert plan is not None
    assert len(stored.messages) == 6
    assert len(plan.added) == 0


def test_what_is_odd_is_kept_and_told() -> None:
    """Lines of no known form, days that do not exist, lines before any time, a log that ends within a line."""
    odd = "gibberish\n2005-02-30T10:00:00 <mg> x\n2005-02-01T10:00:00 ??? y\n2005-02-01T10:00:01 <mg> z"
    records = read(IrcConnector(), "no time\n" + ISO + ISO + odd)
    assert rejected(records) == [
        ("chat.txt!chat.txt:1", "a line without a time"),
        ("chat.txt!chat.txt:9", "a date or time that does not exist"),
    ]
    assert [m.content for m in messages(records) if m.kind == "unknown"] == ["gibberish", "??? y"]
    assert messages(records)[-1].metadata == {"unterminated": "true"}
    assert codes(records) == ["user-unknown", "content-unknown"]


@for_each(
    [
        (ZNC, "chat.log"),
        ("10:00 * call Bo\n11:00 * lunch\n", "2024-01-15.md"),
        ("10:05\tBo\tHi\n10:06\tAnn\tHo\n", "2024-01-15.txt"),
        ("2024-01-15 10:00:00 INFO started\n2024-01-15 10:00:01 <m> loaded\n2024-01-15 10:00:02 WARN\n", "app.log"),
        ("[15/01/2024, 10:00:00] Ann: Hi\n", "chat.txt"),
        ("[15/01/2024 10:00:00] Ann has left\n[15/01/2024 10:00:01] Bo joined #1\n", "chat.txt"),
    ]
)
def test_it_takes_no_other_text(text: str, name: str) -> None:
    """Logs without any day, notes, chats and logs of programs."""
    assert IrcConnector().sniff(shelf(text, name)) == 0


def test_a_line_of_nothing_but_colours_is_kept() -> None:
    """Without a time and without words: it takes the time of the line before, and says that it is empty."""
    found = messages(read(IrcConnector(), {"a.log": IRSSI + b"\x0304\x03\x02\n"}))
    assert found[-1].content == "[empty line]"


def test_a_theme_without_a_blank_behind_the_time() -> None:
    """Words, actions and events of irssi stand right behind it."""
    log = (
        "--- Log opened Mon Sep 30 00:00:44 2019\n00:00:44-!- otto [~o@host.example] has joined #boats\n"
        "16:59:05< ines> otto: are you home\n17:02:04* otto waves\n17:03:04<@ines> morning\n"
    )
    found = [(speaker, kind, text) for _, speaker, kind, text in told(read(IrcConnector(), log, "#boats.log"))]
    assert found == [
        (SYSTEM_SPEAKER, "system", "otto [~o@host.example] has joined #boats"),
        ("ines", "text", "otto: are you home"),
        ("otto", "text", "waves"),
        ("ines", "text", "morning"),
    ]


@for_each([("lun. janv.", "mar. janv."), ("Mo Jan", "Di Jan"), ("一 1月", "二 1月"), ("пн янв", "вт янв")])
def test_irssi_names_days_in_the_language_of_its_system(opened: str, changed: str) -> None:
    """Weekday and month are those of the locale."""
    log = (
        f"--- Log opened {opened} 15 12:00:00 2024\n12:01 <@ines> one\n12:02 < otto> two\n"
        f"--- Day changed {changed} 16 2024\n00:01 <+otto> three\n"
    )
    assert [time[:16] for time, *_ in told(read(IrcConnector(), log, "#boats.log"))] == [
        "2024-01-15T12:01",
        "2024-01-15T12:02",
        "2024-01-16T00:01",
    ]


def test_an_action_of_somebody_with_a_long_name() -> None:
    """Once the whole name has spoken; a longer name of two is the right one."""
    log = (
        "[2025-05-03 21:00] <Nora Field> home?\n[2025-05-03 21:01] * Nora Field waves: hello\n"
        "[2025-05-03 21:02] <Nora Field Junior> hi\n[2025-05-03 21:03] * Nora Field Junior waves\n[2025-05-03 21:04] * otto waves\n"
    )
    assert [(speaker, text) for _, speaker, _, text in told(read(IrcConnector(), log, "log.txt"))] == [
        ("Nora Field", "home?"),
        ("Nora Field", "waves: hello"),
        ("Nora Field Junior", "hi"),
        ("Nora Field Junior", "waves"),
        ("otto", "waves"),
    ]
