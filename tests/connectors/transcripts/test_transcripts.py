"""Transcripts: who said what and when, in each form; dates out of names; what is rejected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from memd.connectors.connector import Connector, ReadOptions, Record
from memd.connectors.formats.transcripts.connector import TranscriptsConnector
from memd.connectors.formats.transcripts.cues import Cue, cues_of
from memd.schemas import ConversationDocument, Notice, Rejected, TextDocument, VideoCallDocument
from memd.tests.cases import for_each
from memd.tests.connectors.transcripts.files import SPEECH, TEAMS_DOCUMENT
from memd.tests.contracts.connector import ConnectorContract, Download, Samples, Shelf

OPTIONS = ReadOptions(zone=UTC, zone_origin="option")
ZOOM = b"""WEBVTT

1
00:00:02.000 --> 00:00:05.500
Ann Smith: Hello <b>all</b> &amp; welcome.

2
00:00:06.000 --> 00:00:09.000
Bob: Thanks. Note: late

3
00:00:09.500 --> 00:00:11.000
someone else
"""
TEAMS = b"""WEBVTT

NOTE duration:"00:00:10"

aaaaaaaa-1111-2222-3333-444444444444/12-0
0:0:2.0 --> 0:0:5.50
<v Ann Smith>Hi
there</v>
<v.loud Bob>Yo</v>
"""
SBV = b"0:00:01.000,0:00:02.000\nAnn: hey\n\n0:00:03.000,0:00:04.000\nBob: ho\n\n"
FILM = (
    b"1\r\n00:00:01,000 --> 00:00:02,000\r\n<i>Once</i> upon\r\n2\r\n00:00:03,000 --> 00:00:04,000\r\na time: now\r\n"
)
MEET = "📖 Weekly sync (2024-01-15 10:00 GMT+2) - Transcript\nAttendees\nAnn Smith, Bob\nTranscript\n00:00:00\n \nAnn Smith: Hello\nBob: Hi: there\n00:05:00\nBob: Bye\nMeeting ended after 00:06:12\n".encode()
CHAT = b"10:02:11 From Ann Smith to Everyone:\n\tHello all\n\tagain\n10:03:00 From  Bob  to  Ann Smith(Direct Message) : psst\n"
OTTER = b"Ann Smith  0:03\nHello there.\n\nBob  0:09\nHi.\n\nAnn Smith  1:02:03\nBye.\n"


class TestTranscriptsConnector(ConnectorContract):
    """The connector keeps the contract."""

    readers = (
        "transcripts.connector:_call",
        "transcripts.calls:captions_document",
    )
    download = Download(
        "the budget for gravel is spent",
        {
            "GMT20240115-100000_Recording.vtt": b"WEBVTT\n\n1\n00:00:02.000 --> 00:00:05.500\nBob: The budget for gravel is spent\n"
        },
    )

    @pytest.fixture
    def connector(self) -> Connector:
        """Without state."""
        return TranscriptsConnector()

    @pytest.fixture
    def samples(self) -> Samples:
        """One of each form."""
        files = {
            "a.vtt": ZOOM,
            "b.vtt": TEAMS,
            "c.sbv": SBV,
            "d.srt": FILM,
            "e.txt": MEET,
            "f.txt": CHAT,
            "g.txt": OTTER,
            "h.json": SPEECH,
            "i.docx": TEAMS_DOCUMENT,
        }
        return {name: {name: data} for name, data in files.items()}


def read(files: Mapping[str, bytes], options: ReadOptions = OPTIONS) -> list[Record]:
    """Everything that these files hold."""
    return list(TranscriptsConnector().read(Shelf("calls", files), options))


def call(data: bytes, name: str, options: ReadOptions = OPTIONS) -> VideoCallDocument:
    """The call of one file."""
    (found,) = [record for record in read({name: data}, options) if not isinstance(record, Notice | Rejected)]
    assert isinstance(found, VideoCallDocument)
    return found


def said(document: VideoCallDocument) -> list[tuple[str, str, str]]:
    """Who said what, and when."""
    return [(each.speaker, each.content, each.time.strftime("%H:%M:%S")) for each in document.transcript]


def test_zoom_names_stand_before_a_colon_and_the_file_tells_the_start() -> None:
    """Mark-up goes, a second colon is text, and who is not named is nobody."""
    document = call(ZOOM, "GMT20240115-100000_Recording.transcript.vtt", replace(OPTIONS, me="bob"))
    assert said(document) == [
        ("Ann Smith", "Hello all & welcome.", "10:00:02"),
        ("Bob", "Thanks. Note: late", "10:00:06"),
        ("(system)", "someone else", "10:00:09"),
    ]
    assert document.start == datetime(2024, 1, 15, 10, tzinfo=UTC)
    assert document.end == datetime(2024, 1, 15, 10, 0, 11, tzinfo=UTC)
    assert (document.platform, document.conversation.user, document.transcript[0].id) == ("zoom", "Bob", "2000")
    kept = document.as_conversation()
    assert type(kept) is ConversationDocument
    assert kept.metadata["start"] == "2024-01-15T10:00:00Z"
    assert kept.metadata["platform"] == "zoom"


def test_teams_has_voices() -> None:
    """Two voices of one cue are two messages; without a date the times count from 1970, and that is told."""
    document = call(TEAMS, "x.vtt")
    assert said(document) == [("Ann Smith", "Hi\nthere", "00:00:02"), ("Bob", "Yo", "00:00:02")]
    assert [each.id for each in document.transcript] == ["2000", "2000-2"]
    assert (document.platform, document.start, document.metadata["date_unknown"]) == ("teams", None, "true")
    assert {"date-unknown", "user-unknown"} == {
        each.code for each in read({"x.vtt": TEAMS}) if isinstance(each, Notice)
    }


def test_meet_tells_title_and_start_in_its_heading() -> None:
    """What is said within five minutes has one time; the end of the meeting is no message."""
    document = call(MEET, "whatever.txt")
    assert said(document) == [
        ("Ann Smith", "Hello", "10:00:00"),
        ("Bob", "Hi: there", "10:00:00"),
        ("Bob", "Bye", "10:05:00"),
    ]
    assert document.metadata["title"] == "Weekly sync"
    assert document.transcript[0].time.isoformat() == "2024-01-15T10:00:00+02:00"


def test_zoom_chat_and_turns() -> None:
    """A chat has times of the day, and whom a private message was for."""
    document = call(CHAT, "2024-01-15 09.58.00 Sync/chat.txt")
    assert said(document) == [("Ann Smith", "Hello all\nagain", "10:02:11"), ("Bob", "psst", "10:03:00")]
    assert document.transcript[1].metadata == {"to": "Ann Smith"}
    turns = call(OTTER, "2024-01-15_note.txt")
    assert said(turns)[2] == ("Ann Smith", "Bye.", "01:02:03")
    assert turns.transcript[0].time_precision == "day"


def test_meet_s_words_before_the_first_time_are_of_the_beginning() -> None:
    """The list of those who came is none of them; the name of the file tells the time of the day."""
    text = (
        "Feb 3, 2026\n\nWeekly - Transcript\n\nAttendees\n\nAnn Smith, Bob\n\nTranscript\n\n"
        "Ann Smith: Hello.\nBob: Hi: there\n00:05:00\nAnn Smith: Bye.\n"
    )
    found = call(text.encode(), "Weekly - 2026_02_03 10_58 CET - Transcript.txt")
    assert [(each.time.isoformat(), each.speaker, each.content) for each in found.transcript] == [
        ("2026-02-03T10:58:00+01:00", "Ann Smith", "Hello."),
        ("2026-02-03T10:58:00+01:00", "Bob", "Hi: there"),
        ("2026-02-03T11:03:00+01:00", "Ann Smith", "Bye."),
    ]


def test_zoom_s_quotes_and_reactions_are_no_words() -> None:
    """The quoted message is answered, and a reaction is one to its message; what is not there stays as written."""
    text = (
        "2026-01-15 10:02:11 From Ann Smith to Everyone:\n\tAre you all here?\n"
        '2026-01-15 10:03:00 From Bob to Everyone:\n\tReplying to "Are you all..."\n\n\tsince noon\n'
        '2026-01-15 10:03:30 From Ann Smith to Everyone:\n\tReacted to "since noon" with 👍\n'
        '2026-01-15 10:03:40 From Cy to Everyone:\n\tReacted to "since noon" with 👍\n'
        '2026-01-15 10:04:00 From Bob to Ann Smith(Direct Message):\n\tthanks\n\tReplying to "gone"\n'
        '2026-01-15 10:05:00 From Cy to Everyone:\n\tReacted to "gone" with 👍\n'
    )
    found = call(text.encode(), "2026-01-15 10.00.21 Crew/meeting_saved_chat.txt").transcript
    assert [each.content for each in found] == [
        "Are you all here?",
        "since noon",
        "thanks",
        'Reacted to "gone" with 👍',
    ]
    assert (found[1].reply_to, found[1].metadata) == (found[0].id, {"quoted": "Are you all..."})
    assert [(each.emoji, list(each.people)) for each in found[1].reactions] == [("👍", ["Ann Smith", "Cy"])]
    assert (found[2].reply_to, found[2].metadata["quoted"]) == (None, "gone")


def test_zoom_s_reactions_may_be_quoted_and_taken_back() -> None:
    """Of one person; the others stay."""
    text = (
        "10:02:11 From Ann Smith to Everyone:\n\tAre you all here?\n"
        '10:03:30 From Bob to Everyone:\n\tReacted to "Are you all..." with "👍"\n'
        '10:03:31 From Cy to Everyone:\n\tReacted to "Are you all..." with 👍\n'
        '10:03:40 From Cy to Everyone:\n\tRemoved a 👍 reaction from "Are you all..."\n'
    )
    (message,) = call(text.encode(), "2026-01-15 10.00.21 Crew/chat.txt").transcript
    assert [(each.emoji, list(each.people)) for each in message.reactions] == [("👍", ["Bob"])]


@for_each([
    "10:02:11 Von Ann Smith an Alle:\n\tHi\n10:02:40 Von Bob an Ann Smith (Direktnachricht):\n\tpsst\n",
    "10:02:11 De Ann Smith à Tout le monde :\n\tHi\n10:02:40 De Bob à Ann Smith (Direktnachricht):\n\tpsst\n",
    "10:02:11 De Ann Smith a Todos:\n\tHi\n10:02:40 De Bob a Ann Smith (Direktnachricht):\n\tpsst\n",
    "10:02:11 De Ann Smith para Todos:\n\tHi\n10:02:40 De Bob para Ann Smith (Direktnachricht):\n\tpsst\n",
    "10:02:11 開始 Ann Smith 宛先 全員:\n\tHi\n10:02:40 開始 Bob 宛先 Ann Smith (Direktnachricht):\n\tpsst\n",
    "10:02:11 来自 Ann Smith 给 所有人：\n\tHi\n10:02:40 来自 Bob 给 Ann Smith (Direktnachricht)：\n\tpsst\n",
])  # fmt: skip
def test_zoom_s_chat_in_other_languages(text: str) -> None:
    """With the words of each before author and addressee."""
    found = call(text.encode(), "2026-01-15 10.00.21 Crew/chat.txt").transcript
    assert [(each.speaker, each.content, each.metadata) for each in found] == [
        ("Ann Smith", "Hi", {}),
        ("Bob", "psst", {"to": "Ann Smith"}),
    ]


def test_captions_with_a_clock_of_twelve_hours() -> None:
    """As systems of some countries have it."""
    text = "[Bob] 12:59:40 PM\nHi.\n\n[Ann Smith] 1:00:31 PM\nBye.\n"
    found = call(text.encode(), "2026-01-15 10.00.21 Crew/meeting_saved_closed_caption.txt").transcript
    assert [each.time.isoformat()[11:19] for each in found] == ["12:59:40", "13:00:31"]


def test_captions_that_zoom_saves() -> None:
    """A name and a time of the day stand above what was said."""
    text = "[Ana María López] 10:00:31\nBuenos días.\nHola.\n\n[Bob] 10:00:40\nGood morning.\n"
    found = call(text.encode(), "2026-01-15 10.00.21 Crew/meeting_saved_closed_caption.txt")
    assert [(each.time.isoformat(), each.speaker, each.content) for each in found.transcript] == [
        ("2026-01-15T10:00:31+00:00", "Ana María López", "Buenos días.\nHola."),
        ("2026-01-15T10:00:40+00:00", "Bob", "Good morning."),
    ]


def test_turns_below_the_heading_of_teams() -> None:
    """A title, when the call began and how long it took, as Teams writes its document."""
    turns = b"Ann Smith   0:03\nHello.\nAgain.\n\nBob   0:09\nHi.\n"
    document = call(b"Budget call\nJanuary 15, 2024, 2:05PM\n32m 10s\n\n" + turns, "x.txt")
    assert said(document) == [("Ann Smith", "Hello.\nAgain.", "14:05:03"), ("Bob", "Hi.", "14:05:09")]
    assert (document.metadata["title"], document.transcript[0].time_precision) == ("Budget call", None)
    for other in (turns, b"Rounds of the race\n" + turns, b"Budget call\nfour\nmore\nlines\n1m\n" + turns):
        assert TranscriptsConnector().sniff(Shelf("x.txt", {"x.txt": other})) == 0


def test_captions_made_by_machines_roll_up() -> None:
    """Each line is shown again above the next; the line above the first is a blank."""
    cues = ("0.080 --> 00:00:02.389", "2.389 --> 00:00:02.399", "2.399 --> 00:00:04.000", "4.000 --> 00:00:04.010")
    words = (
        " \nhello<00:00:00.320><c> and</c><00:00:00.480><c> welcome</c>",
        "hello and welcome\n ",
        "hello and welcome\nto<00:00:02.560><c> the</c><00:00:02.700><c> show</c>",
        "to the show\n ",
    )
    blocks = [f"00:00:0{cue} align:start position:0%\n{text}\n" for cue, text in zip(cues, words, strict=True)]
    (found,) = read({"video.vtt": "\n".join(["WEBVTT\nKind: captions\n", *blocks]).encode()})
    assert isinstance(found, TextDocument)
    assert found.content == "hello and welcome\nto the show"
    sung = b"".join(b"%d\n00:00:0%d,000 --> 00:00:0%d,500\nLa\n\n" % (at, at, at) for at in range(1, 5))
    (song,) = read({"song.srt": sung})
    assert isinstance(song, TextDocument)
    assert song.content.split() == ["La"] * 4


def test_words_with_times_of_their_own_belong_to_the_cue_above_an_empty_line() -> None:
    """YouTube leaves a blank there, which editors strip; a cue without words stays empty where other lines follow."""
    text = (
        "WEBVTT\n\n00:00:00.000 --> 00:00:02.000 align:start\n\nhello<00:00:01.000><c> there</c>\n\n"
        "00:00:02.000 --> 00:00:03.000\n\n\n00:00:03.000 --> 00:00:04.000\nbye\n\n00:00:05.000 --> 00:00:06.000\n\nlost\n"
    )
    cues = list(cues_of(text, "vtt"))
    assert [each.text for each in cues if isinstance(each, Cue)] == ["hello<00:00:01.000><c> there</c>", "", "bye", ""]
    assert [each.line for each in cues if not isinstance(each, Cue)] == [15]


def test_captions_of_a_film_are_a_text() -> None:
    """One colon among many lines is no speaker; missing blank lines between cues harm nothing."""
    (found,) = read({"film.srt": FILM})
    assert isinstance(found, TextDocument)
    assert found.content == "Once upon\na time: now"


def test_damaged_cues_are_rejected_with_their_line() -> None:
    """Everything else is read."""
    data = ZOOM.replace(b"00:00:06.000 -->", b"00:00:x6.000 -->")
    records = read({"2024-01-15 10.00.vtt": data})
    assert [(each.locator, each.reason) for each in records if isinstance(each, Rejected)] == [
        ("calls!2024-01-15 10.00.vtt:8", "a cue whose times cannot be read")
    ]
    assert len(read({"a.vtt": ZOOM, "b.srt": FILM})) == 4


@for_each(
    [
        ("Standup-20230223_133246-Meeting Recording.vtt", "2023-02-23T13:32:46+00:00"),
        ("2024-02-30 10.00/2024-01-15 10.00.00 Ann's Meeting/x.vtt", "2024-01-15T10:00:00+00:00"),
        ("Sync - 2024_01_15 10_30 EST.vtt", "2024-01-15T10:30:00-05:00"),
        ("Sync (2024-01-15 at 10:30 GMT-3).vtt", "2024-01-15T10:30:00-03:00"),
        ("x 2024-13-15 10.00.vtt", None),
    ]
)
def test_starts_out_of_names(name: str, start: str | None) -> None:
    """A month that there is not is no date."""
    found = call(ZOOM, name).start
    assert (None if found is None else found.isoformat()) == start


@pytest.mark.slow
def test_hostile_files_take_linear_time() -> None:
    """Long runs of what the patterns look for."""
    for bad in (b"WEBVTT\n\n" + b"<v " * 200_000, b"WEBVTT\n\n00:00.000 --> 00:01.000\n<v" + b" " * 400_000):
        read({"a.vtt": bad})
    records = read({"a.vtt": b"WEBVTT\n\n" + b"00:00.000 --> 00:01.000\nA: b\n" * 20_000})
    assert any(isinstance(record, VideoCallDocument) for record in records)


def test_times_without_fractions_and_numbers_are_times() -> None:
    """As hands write them, from the first cue on."""
    data = b"00:00:01 --> 00:00:02,5\nCast off\n\n00:00:03 --> 00:00:04\nAll aboard\n"
    (found,) = read({"a.srt": data})
    assert isinstance(found, TextDocument)
    assert found.content == "Cast off\nAll aboard"


def test_a_line_with_an_arrow_begins_the_next_cue() -> None:
    """Blank lines may be missing, and names of cues may look like damaged times."""
    data = (
        b"WEBVTT\n\n-->\n00:01.000 --> 00:02.000\nCast off\nb -->\n00:03.000 --> 00:04.000\nAll aboard\n\n00:05 -->\n"
    )
    records = read({"a.vtt": data})
    assert [r.content for r in records if isinstance(r, TextDocument)] == ["Cast off\nAll aboard"]
    assert [r.locator.rpartition(":")[2] for r in records if isinstance(r, Rejected)] == ["10"]
