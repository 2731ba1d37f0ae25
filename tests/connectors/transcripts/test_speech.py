"""JSON of speech recognition: Whisper, WhisperX, whisper.cpp, and others of their kin; Webex's captions."""

from __future__ import annotations

from typing import Any

from memd.connectors.formats.transcripts.connector import TranscriptsConnector
from memd.schemas import Rejected, TextDocument
from memd.tests.cases import for_each
from memd.tests.connectors.transcripts.files import SPEECH, spoken, written
from memd.tests.connectors.transcripts.test_transcripts import call, read, said
from memd.tests.contracts.connector import Shelf

FULL = {"id": 0, "seek": 0, "tokens": [50364], "temperature": 0.0, "avg_logprob": -0.2, "no_speech_prob": 0.1}


def cpp(start: int, end: int, text: str, **more: Any) -> dict[str, Any]:
    """A segment of whisper.cpp."""
    times = {"from": f"00:00:0{start // 1000},000", "to": f"00:00:0{end // 1000},000"}
    return {"timestamps": times, "offsets": {"from": start, "to": end}, "text": f" {text}", **more}


def of_cpp(*segments: dict[str, Any]) -> bytes:
    """A file of whisper.cpp."""
    model = {"type": "base", "multilingual": True, "audio": {"ctx": 1500}, "text": {"ctx": 448}}
    head = {"systeminfo": "AVX = 1", "model": model, "params": {"model": "x.bin"}, "result": {"language": "en"}}
    return written({**head, "transcription": [*segments]})


def test_whisperx_tells_who_speaks() -> None:
    """By segment, or by most of its words; who is not told is nobody."""
    document = call(SPEECH, "2024-01-15 10.00.00 Crew.json")
    assert said(document) == [("SPEAKER_00", "Cast off.", "10:00:00"), ("SPEAKER_01", "Aye.", "10:00:02")]
    assert [each.id for each in document.transcript] == ["31", "2900"]
    assert document.metadata["title"] == "2024-01-15 10.00.00 Crew"


def test_whisper_alone_is_a_text() -> None:
    """Also where the whole text stands before the segments, and is longer than any beginning."""
    for text in ("Cast off. Aye.", "Cast off. Aye. " * 9_000):
        data = written(
            {"text": text, "segments": [spoken(0.0, 2.5, "Cast off.", **FULL), spoken(2.5, 4.0, "Aye.", **FULL)]}
        )
        assert TranscriptsConnector().sniff(Shelf("a.json", {"a.json": data})) >= 0.5
        (found,) = read({"a.json": data})
        assert isinstance(found, TextDocument)
        assert found.content == "Cast off.\nAye."


@for_each([
    (of_cpp(cpp(0, 2000, "Cast off.", speaker="0"), cpp(2000, 4000, "Aye.", speaker="1")), ["SPEAKER_00", "SPEAKER_01"]),
    (of_cpp(cpp(0, 2000, "Cast off.", speaker_turn_next=True), cpp(2000, 4000, "Aye.")), ["turn 1", "turn 2"]),
    (written({"text": "x", "segments": [
        spoken(0.0, 2.0, "Cast off.", type="transcript.text.segment", id="s1", speaker="agent"),
        spoken(2.0, 4.0, "Aye.", type="transcript.text.segment", id="s2", speaker="A"),
    ]}), ["agent", "A"]),
    (written({"speakers": [
        {"speaker": "SPEAKER_00", "timestamp": [0.0, 2.0], "text": "Cast off."},
        {"speaker": "SPEAKER_01", "timestamp": [2.0, 4.0], "text": "Aye."},
    ], "chunks": [{"timestamp": [0.0, 4.0], "text": "Cast off. Aye."}], "text": "Cast off. Aye."}), ["SPEAKER_00", "SPEAKER_01"]),
    (written({"type": "Transcript", "entries": [
        {"id": "x/1", "text": "Cast off.", "speakerDisplayName": "Ann", "startOffset": "00:00:00", "endOffset": "00:00:02.1"},
        {"id": "x/2", "text": "Aye.", "speakerDisplayName": "Bo", "startOffset": "00:00:02.0000000", "endOffset": "00:00:04"},
    ]}), ["Ann", "Bo"]),
    (written({"items": [
        {"id": "1", "text": "Cast off.", "personName": "Ann", "offsetMillisecond": 0, "durationMillisecond": 9},
        {"id": "2", "text": "Aye.", "personName": "Bo", "offsetMillisecond": 2000, "durationMillisecond": 9},
    ]}), ["Ann", "Bo"]),
    (written({"id": "x", "audio_url": "https://e.example/a.mp3", "text": "Cast off. Aye.", "utterances": [
        {"start": 0, "end": 2000, "text": "Cast off.", "speaker": "A", "confidence": 0.9},
        {"start": 2000, "end": 3000, "text": "Aye.", "speaker": "B", "confidence": 0.9},
    ]}), ["A", "B"]),
    (written({"segments": [
        {"start": "0.0", "end": "2.0", "text": "Cast off.", "speaker": {"id": 1, "name": "Ann"}},
        {"start": "2.0", "end": "4.0", "text": "Aye.", "speaker": {"id": 2}},
    ]}), ["Ann", "SPEAKER_02"]),
    (written([spoken(0.0, 2.0, "Cast off.", speaker="Ann"), spoken(2.0, 4.0, "Aye.", speaker="Bo")]), ["Ann", "Bo"]),
])  # fmt: skip
def test_other_programs_tell_it_otherwise(data: bytes, speakers: list[str]) -> None:
    """Numbers, turns, names; spans instead of two times; a list alone."""
    assert TranscriptsConnector().sniff(Shelf("a.json", {"a.json": data})) >= 0.5
    transcript = call(data, "a.json").transcript
    assert [each.speaker for each in transcript] == speakers
    assert [(each.id, each.content) for each in transcript] == [("0", "Cast off."), ("2000", "Aye.")]


@for_each([
    written([{"start": 0, "end": 4, "text": "Nora", "label": "PER"}]),
    written([{"start": 0.5, "end": 4, "text": "Nora", "type": "PER"}]),
    written({"segments": [{"start": "Kiel", "end": "Moss"}]}),
    written({"show": "Tea", "result": {"segments": [spoken(0.0, 1.0, "Aye.")]}}),
    written([{"show": "Tea", "segments": [spoken(0.0, 1.0, "Aye.")]}]),
    b"[12:00:00] <ann> hello\n[12:00:01] <bo> hello\n",
])  # fmt: skip
def test_what_only_has_a_beginning_and_an_end_is_no_transcript(data: bytes) -> None:
    """Places in a text, journeys, lists in something else, which would be read as nothing."""
    assert TranscriptsConnector().sniff(Shelf("a.json", {"a.json": data})) == 0


def test_broken_json_is_rejected() -> None:
    """With its reason; a segment that is none costs itself."""
    (broken,) = read({"a.json": SPEECH[:-10]})
    assert isinstance(broken, Rejected)
    records = read({"a.json": written({"segments": [spoken(0.0, 1.0, "Aye.", speaker="A"), 7, spoken(1.0, 2.0, "")]})})
    assert [each.reason for each in records if isinstance(each, Rejected)] == ["a segment without words"]


def test_subtitles_of_whisperx_label_their_speakers() -> None:
    """Before a colon, in brackets."""
    text = "1\n00:00:00,000 --> 00:00:02,500\n[SPEAKER_00]: Cast off.\n\n2\n00:00:02,500 --> 00:00:04,000\n[SPEAKER_01]: Aye.\n"
    assert said(call(text.encode(), "2024-01-15 10.00.00.srt")) == [
        ("SPEAKER_00", "Cast off.", "10:00:00"),
        ("SPEAKER_01", "Aye.", "10:00:02"),
    ]


def test_what_whisper_prints() -> None:
    """A line for each cue, with its times in brackets; minutes alone are times, too."""
    text = "[00:00.000 --> 00:02.500]  Cast off.\n[00:00:02.500 --> 00:00:04.000]   Aye.\n"
    (found,) = read({"a.txt": text.encode()})
    assert isinstance(found, TextDocument)
    assert found.content == "Cast off.\nAye."


def test_webex_names_speakers_beside_the_numbers_of_cues() -> None:
    """A colon in the words is none behind a name."""
    text = (
        'WEBVTT\n\n1 "Ann Smith" (2547625472)\n00:00:01.000 --> 00:00:03.000\nNow: cast off\n\n'
        '2 "Bob" (0)\n00:00:04.000 --> 00:00:05.000\nAye\n'
    )
    document = call(text.encode(), "2024-01-15 10.00.00.vtt")
    assert said(document) == [("Ann Smith", "Now: cast off", "10:00:01"), ("Bob", "Aye", "10:00:04")]
    assert document.platform == "webex"
