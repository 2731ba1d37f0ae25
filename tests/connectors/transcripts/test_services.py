"""What services of speech recognition and whisper.cpp write: JSON of each, tables, lyrics."""

from __future__ import annotations

from typing import Any

from memd.schemas import Rejected, TextDocument
from memd.tests.cases import for_each
from memd.tests.connectors.transcripts.files import written
from memd.tests.connectors.transcripts.test_transcripts import MEET, call, read, said


def _words(*words: str, **more: Any) -> list[dict[str, Any]]:
    return [{"word": word, "start": float(place), "end": place + 0.5, **more} for place, word in enumerate(words)]


_UTTERANCES = [
    {"start": 0.0, "end": 1.0, "transcript": "Cast off.", "speaker": 0},
    {"start": 2.0, "end": 3.0, "transcript": "Aye.", "speaker": 1},
]
_PARAGRAPHS = [
    {"speaker": 0, "sentences": [{"text": "Cast off.", "start": 0.0, "end": 1.0}]},
    {"speaker": 1, "sentences": [{"text": "Aye.", "start": 2.0, "end": 3.0}]},
]
_BY_WORD = [*_words("Cast", "off.", speaker=0), {"word": "aye", "punctuated_word": "Aye.", "start": 2.0, "speaker": 1}]
_BOTH = [("SPEAKER_00", "Cast off.", "10:00:00"), ("SPEAKER_01", "Aye.", "10:00:02")]


def _deepgram(*alternatives: dict[str, Any], **more: Any) -> dict[str, Any]:
    channels = [{"alternatives": [{"transcript": "Cast off. Aye.", **each}]} for each in alternatives]
    return {"metadata": {"request_id": "r"}, "results": {"channels": channels, **more}}


def _amazon(word: str, speaker: str, time: str) -> dict[str, Any]:
    return {
        "type": "pronunciation",
        "start_time": time,
        "end_time": time,
        "alternatives": [{"content": word}],
        "speaker_label": speaker,
    }


_SIGN = {"type": "punctuation", "alternatives": [{"content": "."}], "speaker_label": "0"}
_AMAZON = [_amazon("Cast", "0", "0.0"), _amazon("off", "0", "0.5"), _SIGN, _amazon("Aye.", "1", "2.0")]


@for_each(
    [
        _deepgram({}, utterances=_UTTERANCES),
        _deepgram({"paragraphs": {"paragraphs": _PARAGRAPHS}}),
        _deepgram({"words": _BY_WORD}),
        _deepgram({"transcript": "Cast off.", "words": _words("cast")}, {"transcript": "Aye.", "words": [{"start": 2.0}]}),
        {"jobName": "j", "results": {"transcripts": [{"transcript": "Cast off. Aye."}], "items": _AMAZON}},
        {
            "results": [
                {"alternatives": [{"transcript": "Cast off. Aye.", "words": [
                    {"word": "Cast", "startTime": "0s", "speakerTag": 0}, {"word": "off.", "startTime": "0.5s", "speakerTag": 0},
                    {"word": "Aye.", "startTime": "2s", "speakerTag": 1},
                ]}]}
            ]
        },
        {
            "monologues": [
                {"speaker": 0, "elements": [{"value": "Cast", "ts": 0.0}, {"value": " "}, {"value": "off"}, {"value": "."}]},
                {"speaker": 1, "elements": [{"value": "Aye.", "ts": 2.0, "end_ts": 2.5}]},
            ]
        },
        [
            {"sentence": "Cast off.", "startTime": "00:00", "endTime": "00:01", "speaker_name": "SPEAKER_00"},
            {"sentence": "Aye.", "startTime": "00:02", "endTime": "00:03", "speaker_name": "SPEAKER_01"},
        ],
    ]
)  # fmt: skip
def test_services_tell_who_speaks_and_when(value: object) -> None:
    """Deepgram in four forms, Amazon, Google, Rev, Fireflies."""
    assert said(call(written(value), "2024-01-15 10.00.00 Crew.json")) == _BOTH


@for_each(
    [
        b'start,end,speaker,text\n0,1000,0," Cast off."\n2000,3000,1," Aye."\n',
        b"start\tend\tspeaker\ttext\r\n0\t1000\tSPEAKER_00\tCast off.\r\n2000\t3000\tSPEAKER_01\tAye.\r\n",
    ]
)
def test_tables_tell_who_speaks(table: bytes) -> None:
    """Their times are milliseconds."""
    assert said(call(table, "2024-01-15 10.00.00 Crew.csv")) == _BOTH


@for_each(
    [
        ("a.csv", b'start,end,text\n0,1000," Cast ""off"", all"\nnoise\n'),
        ("a.tsv", b'start\tend\ttext\n0\t1000\tCast "off", all\nnoise\n'),
        ("a.lrc", b'[by:whisper.cpp]\n[00:00.00] Cast "off", all\nnoise\n'),
    ]
)
def test_tables_and_lyrics_without_speakers_are_texts(name: str, data: bytes) -> None:
    """A line without a time is rejected."""
    records = read({name: data})
    assert [each.content for each in records if isinstance(each, TextDocument)] == ['Cast "off", all']
    assert [each.locator for each in records if isinstance(each, Rejected)] == [f"calls!{name}:3"]


def test_words_above_a_transcript_of_meet_are_kept() -> None:
    """Its notes, and who was invited; the title and the word "Transcript" are no such words."""
    document = call(MEET.replace(b"Attendees", b"Summary\nThe mast is new.\nAttendees"), "notes.txt")
    assert document.metadata["heading"] == "Summary\nThe mast is new.\nAttendees\nAnn Smith, Bob"


def test_turns_with_their_times_in_brackets() -> None:
    """As Rev writes them."""
    text = b"Ann Smith (00:00):\nCast off.\n\nBob (00:02):\nAye.\n\nAnn Smith (01:02:03):\nBye.\n"
    assert said(call(text, "2024-01-15 10.00.00 Crew.txt"))[:2] == [
        ("Ann Smith", "Cast off.", "10:00:00"),
        ("Bob", "Aye.", "10:00:02"),
    ]
