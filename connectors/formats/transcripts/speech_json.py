"""Transcripts that speech recognition writes as JSON: Whisper, WhisperX with speakers, whisper.cpp, and their kin. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from ...text.json_beginnings import MARK, object_keys
from ...text.json_fields import id_of, list_of, object_of, text_of, words_of
from ...text.json_parsing import parse_json
from .cues import Cue, Unreadable
from .speakers import Said
from .speech_services import is_of_service, segments_of_service

_CPP = (re.compile(rb'"transcription"\s*:\s*\['), re.compile(rb'"offsets"\s*:\s*\{'))
_LISTED = re.compile(rb'"segments"\s*:\s*\[|"(?:chunks|speakers)"\s*:\s*\[\s*\{')
_SPAN = re.compile(rb'"timestamp"\s*:\s*\[\s*\d[\d.]*\s*,\s*(?:\d|null)')
_SECONDS = re.compile(rb'"start"\s*:\s*\d+\.\d')
_LISTS = ("transcription", "segments", "speakers", "chunks", "entries", "utterances", "items")
_MARKS = (
    frozenset({"speakerDisplayName", "startOffset", "text"}),  # Teams, as its recordings keep it
    frozenset({"personName", "offsetMillisecond", "text"}),  # snippets of Webex
    frozenset({"utterances", "audio_url"}),  # AssemblyAI
)
_OFFSET = re.compile(r"(\d{1,3}):(\d\d):(\d\d(?:\.\d{1,9})?)", re.ASCII)
_NUMBER = re.compile(r"\d{1,9}(?:\.\d{1,9})?", re.ASCII)
_SPEECH = frozenset({"start", "end", "text"})
_ENTITIES = frozenset({"label", "labels", "entity", "type"})
"""The keys of marked places in a text, which also have a beginning and an end."""
_TEXT_FIRST = rb'\s*\{\s*"text"\s*:\s*"[^"\\]*+(?:\\.[^"\\]*+)*+'
WHOLE_TEXT_FIRST = re.compile(_TEXT_FIRST + rb"\\?\Z", re.DOTALL)
"""Matches the beginning of a file whose first value, the text of the whole recording, goes on."""
BEHIND_WHOLE_TEXT = re.compile(_TEXT_FIRST + rb'"\s*,([\s\S]{1,4096})', re.DOTALL)
"""Matches the text of the whole recording; the group is what follows."""
_LONGEST = 1 << 31
"""Milliseconds, three weeks."""
_NO_TEXT = "a segment without words"


def is_speech(head: bytes) -> bool:
    """Return whether JSON that begins so is a transcript."""
    raw = head.removeprefix(MARK).lstrip()
    if raw[:1] not in (b"{", b"["):
        return False
    if is_of_service(raw):
        return True
    keys = object_keys(raw)
    if raw[:1] == b"{" and not (keys and keys[0].intersection(_LISTS)):
        return False  # what it lists is inside of something else
    if all(mark.search(raw) for mark in _CPP):
        return True
    if any(each >= marks for each in keys for marks in _MARKS):
        return True
    if raw[:1] == b"[":
        return bool(_SECONDS.search(raw)) and keys[0] >= _SPEECH and not keys[0] & _ENTITIES
    if not _LISTED.search(raw):
        return False
    segments = any(each >= _SPEECH and not each & _ENTITIES - {"type"} for each in keys)
    return segments or (bool(_SPAN.search(raw)) and any(each >= {"timestamp", "text"} for each in keys))


def said_in_json(text: str) -> list[Said | Unreadable]:
    """Return what was said, in the order of the file.

    Raises:
        ValueError: it is no JSON.
    """
    value = parse_json(text.encode("utf-8", "surrogatepass")).value
    if segments := segments_of_service(value):
        return list(_said(segments))
    fields = object_of(value)
    lists = [list_of(value), *(list_of(fields.get(key)) for key in _LISTS)]
    segments = next((each for each in lists if each), lists[0])
    if fields.get("utterances") is segments:  # of AssemblyAI, in milliseconds
        segments = [
            {**each, "offsets": {"from": each.get("start"), "to": each.get("end")}} for each in map(object_of, segments)
        ]
    return list(_said(segments))


def _said(segments: list[Any]) -> Iterator[Said | Unreadable]:
    last = 0
    turns = _turns([object_of(each) for each in segments])
    for number, (each, turn) in enumerate(zip(segments, turns, strict=True), 1):
        segment = object_of(each)
        words = text_of(segment.get("text")).strip() or _of_words(segment)
        if not words:
            if not segment:
                yield Unreadable(number, _NO_TEXT)
            continue
        start, end = _times(segment)
        last = last if start is None else start
        yield Said(Cue(number, last, last if end is None else max(end, last), "", words), turn, words)


def _of_words(segment: dict[str, Any]) -> str:
    words = [text_of(object_of(each).get("word")).strip() for each in list_of(segment.get("words"))]
    return " ".join(word for word in words if word)


def _turns(segments: list[dict[str, Any]]) -> list[str]:
    """Return the speaker of each segment: named, else that of most of its words; or, of whisper.cpp, which only tells
    that somebody else speaks next, a number.
    """
    speakers = [_speaker(each) for each in segments]
    if any(speakers) or not any(each.get("speaker_turn_next") is True for each in segments):
        return speakers
    turn, turns = 0, [0]
    for before, _ in pairwise(segments):
        turn += before.get("speaker_turn_next") is True
        turns.append(turn)
    return [f"turn {each + 1}" for each in turns]


def _speaker(segment: dict[str, Any]) -> str:
    named = words_of(segment.get("speakerDisplayName")) or words_of(segment.get("personName"))
    speaker = segment.get("speaker")
    described = object_of(speaker)
    speaker = words_of(described.get("name")) or described.get("id") if described else speaker
    return named or _name(speaker) or _speaker_of_words(segment)


def _name(value: object) -> str:
    """Return the name of a speaker; of a number, which whisper.cpp writes, in the form of WhisperX; none for ``?``."""
    name = id_of(value)
    return f"SPEAKER_{name:>02}" if name.isdecimal() and len(name) < 4 else "" if name == "?" else name


def _speaker_of_words(segment: dict[str, Any]) -> str:
    names = [name for each in list_of(segment.get("words")) if (name := words_of(object_of(each).get("speaker")))]
    return Counter(names).most_common(1)[0][0] if names else ""


def _times(segment: dict[str, Any]) -> tuple[int | None, int | None]:
    """Return the beginning and the end in milliseconds; None where a segment has none."""
    if offsets := object_of(segment.get("offsets")):
        return _milliseconds(offsets.get("from"), 1), _milliseconds(offsets.get("to"), 1)
    if "offsetMillisecond" in segment:
        start = _milliseconds(segment.get("offsetMillisecond"), 1)
        length = _milliseconds(segment.get("durationMillisecond"), 1)
        return start, None if start is None or length is None else start + length
    if "startOffset" in segment:
        return _offset(segment.get("startOffset")), _offset(segment.get("endOffset"))
    span = list_of(segment.get("timestamp"))
    start, end = (span[0], span[1]) if len(span) == 2 else (segment.get("start"), segment.get("end"))
    return _milliseconds(start, 1000), _milliseconds(end, 1000)


def _offset(value: object) -> int | None:
    match = _OFFSET.fullmatch(words_of(value))
    return None if match is None else _milliseconds((int(match[1]) * 60 + int(match[2])) * 60 + float(match[3]), 1000)


def _milliseconds(written: object, scale: int) -> int | None:
    value = float(written) if isinstance(written, str) and _NUMBER.fullmatch(written) else written
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value * scale < _LONGEST:
        return None
    return round(value * scale)
