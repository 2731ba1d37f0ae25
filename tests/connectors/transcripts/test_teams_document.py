"""Teams' transcript as a document of Word: languages, forms, the date, and documents that are none."""

from __future__ import annotations

from dataclasses import replace
from zoneinfo import ZoneInfo

from memd.connectors.formats.docx.connector import DocxConnector
from memd.connectors.formats.transcripts.connector import TranscriptsConnector
from memd.connectors.reading.detection import choose
from memd.schemas import Rejected
from memd.tests.cases import for_each
from memd.tests.connectors.office_files import docx
from memd.tests.connectors.transcripts.files import TEAMS_DOCUMENT, document, paragraph
from memd.tests.connectors.transcripts.test_transcripts import OPTIONS, call, read, said
from memd.tests.contracts.connector import Shelf

TURNS = (("Ann Smith   0:03", "Hello.", "At 10:30?"), ("Bob (Guest)   1:02:03", "Bye."))


@for_each([
    ("October 7, 2024, 2:00PM", "32m 10s", "Ann Smith started transcription", "Bob stopped transcription"),
    ("7 October 2024, 02:00pm", "1h 2m 3s", "Ann Smith started transcription", "Ann Smith stopped transcription"),
    ("7. Oktober 2024, 02:00nachm.", "32 Min. 10 Sek.", "Ann Smith hat die Transkription gestartet", "Bob hat die Transkription beendet"),
    ("7 octobre 2024, 14:00", "32 min 10 s", "Ann Smith a démarré la transcription", "Bob a arrêté la transcription"),
    ("7 de octubre de 2024, 02:00p. m.", "32 min 10 s", "Ann Smith inició la transcripción", "Bob detuvo la transcripción"),
    ("2024年10月7日, 02:00午後", "32分 10秒", "Ann Smith さんが文字起こしを開始しました", "Bob さんが文字起こしを停止しました"),
])  # fmt: skip
def test_a_heading_in_any_language(date: str, length: str, started: str, stopped: str) -> None:
    """Title, date, length, and who began and ended it, which are no words of the call."""
    found = call(document("Budget call", date, length, started, *TURNS, stopped), "x.docx")
    assert said(found) == [("Ann Smith", "Hello.\nAt 10:30?", "14:00:03"), ("Bob (Guest)", "Bye.", "15:02:03")]
    assert (found.platform, found.metadata["title"]) == ("teams", "Budget call")
    assert found.metadata["heading"] == f"{length}\n{started}\n{stopped}"


def test_names_and_words_may_be_paragraphs_of_their_own() -> None:
    """And people are listed above."""
    lines = [line for turn in TURNS for line in turn]
    found = call(document("Budget call", "October 7, 2024, 2:00PM", "32m 10s", "Ann Smith, Bob", *lines), "x.docx")
    assert [each.content for each in found.transcript] == ["Hello.\nAt 10:30?", "Bye."]
    assert found.metadata["heading"] == "32m 10s\nAnn Smith, Bob"


def test_the_title_s_clock_and_the_date_s_are_of_two_zones() -> None:
    """Where the first is the organiser's, the second is of UTC; where they agree, nothing tells the zone."""
    title = "Budget call-20241007_140005-Meeting Recording"
    options = replace(OPTIONS, zone=ZoneInfo("Europe/Berlin"))
    found = call(document(title, "October 7, 2024, 4:00AM", "32m 10s", *TURNS), "x.docx", options)
    assert found.transcript[0].time.isoformat() == "2024-10-07T04:00:08+00:00"
    assert found.metadata["title"] == "Budget call"
    found = call(document(title, "October 7, 2024, 2:00PM", "32m 10s", *TURNS), "x.docx", options)
    assert found.transcript[0].time.isoformat() == "2024-10-07T14:00:08+02:00"


def test_the_first_form_has_times_above_names() -> None:
    """In one paragraph or three."""
    turns = [("0:0:0.0 --&gt; 0:0:1.690", "Ann Smith", "Hello."), ("0:0:2.5 --&gt; 0:0:4.0", "Bob", "Hi.", "Bye.")]
    for data in (document(*turns), document(*[line for turn in turns for line in turn])):
        found = call(data, "2024-01-15 10.00.00.docx")
        assert said(found) == [("Ann Smith", "Hello.", "10:00:00"), ("Bob", "Hi.\nBye.", "10:00:02")]


@for_each([
    document("Agenda", "7 October 2024, 14:00", "Welcome   9:00", "Words", "Coffee   10:30", "Talk   11:00"),
    document("Report", "32m 10s", "words"),
    document("Relay", "Ann   12:03", "Bob   12:09"),
    document("Run", "12 May", "Ann   42:13", "Bob   43:20", "Cyd   45:01", "Thanks to all."),
    document("Training", "Rest   0:30", "Plank   1:00", "Rest   0:30", "Push   1:00", "Rest   0:30"),
    document("Board", "2 h", "Welcome   9:00", "Words", "Budget   9:30", "Figures", "Welcome   10:00", "End"),
    docx(paragraph("Prices") + "<w:p><w:r><w:t>Tea</w:t><w:tab/><w:t>2:30</w:t></w:r></w:p>"),
])  # fmt: skip
def test_other_documents_stay_texts(data: bytes) -> None:
    """Agendas, results of races, tables of times."""
    shelf = Shelf("x.docx", {"x.docx": data})
    assert TranscriptsConnector().sniff(shelf) == 0
    assert choose(shelf, OPTIONS, [TranscriptsConnector(), DocxConnector()]).name == "docx"


def test_a_time_among_later_words_costs_no_transcript() -> None:
    """As the beginning was enough to recognise it."""
    turns = [(f"Ann   {minute}:03", "words") for minute in range(40)]
    found = call(document("Crew", "32m 10s", *turns, ("The train leaves at   9:30", "yes")), "x.docx")
    assert [each.content for each in found.transcript] == ["words"] * 40 + ["yes"]


def test_the_transcript_is_chosen_before_the_document() -> None:
    """Whatever the file is called."""
    shelf = Shelf("x.docx", {"x.docx": TEAMS_DOCUMENT})
    assert choose(shelf, OPTIONS, [DocxConnector(), TranscriptsConnector()]).name == "transcripts"


def test_a_damaged_document_keeps_what_stands_before() -> None:
    """And tells the rest."""
    data = docx("".join(paragraph(*turn) for turn in [("x",), ("32m 10s",), *TURNS]) + "<w:p><w:broken")
    records = read({"x.docx": data})
    assert len([each for each in records if isinstance(each, Rejected)]) == 1
    assert said(call(data.replace(b"x", b"x"), "x.docx"))[0][0] == "Ann Smith"


@for_each(
    ["Intro  0:45\nSong  3:20\nCoda  4:10\nOutro  5:00\n", "Album\n45m 10s\nIntro  0:45\nSong  3:20\nCoda  4:10\n"]
)
def test_a_list_of_songs_is_no_transcript(text: str) -> None:
    """It has no words below its names."""
    assert TranscriptsConnector().sniff(Shelf("x.txt", {"x.txt": text.encode()})) == 0


def test_a_copy_as_text_is_read_alike() -> None:
    """With a heading in another language."""
    text = "Budgetrunde\n7. Oktober 2024, 14:00\n32 Min. 10 Sek.\nAnn Smith hat die Transkription gestartet\nAnn Smith   0:03\nHallo.\n\nBob   0:09\nHi.\n"
    found = call(text.encode(), "x.txt")
    assert said(found) == [("Ann Smith", "Hallo.", "14:00:03"), ("Bob", "Hi.", "14:00:09")]
