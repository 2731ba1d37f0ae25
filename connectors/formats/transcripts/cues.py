"""Parser of caption files (WebVTT, SubRip, SBV): cues, and unreadable lines between them. Pure, linear."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

CaptionFormat = Literal["vtt", "srt", "sbv", "spans"]
"""``spans``: what whisper.cpp and Whisper print, a line for each cue with its times in brackets."""

_CLOCK = r"(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})"
_TIME = rf"{_CLOCK}[.,](\d{{1,3}})"
_SOME = rf"{_CLOCK}(?:[.,](\d{{1,3}}))?"
"""A time with an optional fraction: people, and some programs, omit the fraction of a whole second."""
_ARROW = re.compile(rf"[ \t]*{_SOME}[ \t]*-->[ \t]*{_SOME}(?:[ \t]|$)", re.ASCII)
_COMMA = re.compile(rf"[ \t]*{_TIME},{_TIME}[ \t]*$", re.ASCII)
_SPAN = re.compile(rf"[ \t]*\[{_TIME}[ \t]*-->[ \t]*{_TIME}\](?P<words>.*)", re.ASCII)
_WORD_TIME = re.compile(r"<\d{1,4}:\d\d[\d:.]*>", re.ASCII)
_NUMBER = re.compile(r"[ \t]*\d{1,9}[ \t]*$", re.ASCII)
_NEWLINE = re.compile(r"\r\n|\n|\r")
_DAMAGED = "a cue whose times cannot be read"
_COMMENT = re.compile(r"(?:NOTE|STYLE|REGION|X-TIMESTAMP-MAP)\b|Region: ")


@dataclass(frozen=True, slots=True)
class Cue:
    """A text with its times, in milliseconds from the start of the recording."""

    line: int
    """The number of the line with its times, from 1."""
    start: int
    end: int
    id: str
    text: str
    """The text with the markup of the format."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Lines that should be a cue but are not."""

    line: int
    reason: str


def caption_format(text: str) -> CaptionFormat | None:
    """Return the format of a text that begins like this."""
    head = text.lstrip("\ufeff")
    if head.startswith("WEBVTT") and head[6:7] in ("", " ", "\t", "\n", "\r"):
        return "vtt"
    lines = _NEWLINE.split(head.lstrip()[:4096])
    if _COMMA.match(lines[0]):
        return "sbv"
    if _SPAN.match(lines[0]):
        return "spans"
    if _ARROW.match(lines[0]) or (len(lines) > 1 and _NUMBER.match(lines[0]) and _ARROW.match(lines[1])):
        return "srt"
    # If the times of the first cue are damaged, a later cue shows the format; the first is then reported as unreadable.
    numbered = len(lines) > 1 and _NUMBER.match(lines[0]) is not None and "-->" in lines[1]
    return "srt" if numbered and any(_ARROW.match(line) for line in lines[2:]) else None


def cues_of(text: str, form: CaptionFormat) -> Iterator[Cue | Unreadable]:
    """Yield the cues in the order of the file."""
    if form == "spans":
        yield from _spans(text.removeprefix("\ufeff"))
        return
    timing = _COMMA if form == "sbv" else _ARROW
    header = form == "vtt"
    block: list[tuple[int, str]] = []
    wordless = False
    for number, line in enumerate(_lines(text.removeprefix("\ufeff")), 1):
        blank = not line.strip()
        if blank and line and block and timing.match(block[-1][1]):
            continue  # YouTube leaves the upper of two lines empty but for a blank; the text follows below
        if header and not blank and not _ARROW.match(line):
            continue
        if wordless and not blank and not _WORD_TIME.search(line):
            yield from _block(block, timing)
            block = []
        wordless = blank and bool(block) and timing.match(block[-1][1]) is not None
        if wordless:
            continue  # editors strip that blank, too: a text with word times still belongs to the cue
        header = False  # the header ends at the first blank line, or at the first cue if there is none
        if not blank:
            block.append((number, line))
        elif block:
            yield from _block(block, timing)
            block = []
    if block:
        yield from _block(block, timing)


def _spans(text: str) -> Iterator[Cue | Unreadable]:
    for number, line in enumerate(_lines(text), 1):
        if (match := _SPAN.match(line)) is not None:
            parts = match.groups()
            yield Cue(number, milliseconds(parts[:4]), milliseconds(parts[4:8]), "", match["words"].strip())
        elif line.strip():
            yield Unreadable(number, "words without a time")


def _lines(text: str) -> Iterator[str]:
    """Yield lines one by one: a list of all would take a multiple of the text's memory."""
    at = 0
    for end in _NEWLINE.finditer(text):
        yield text[at : end.start()]
        at = end.end()
    yield text[at:]


def _block(block: list[tuple[int, str]], timing: re.Pattern[str]) -> Iterator[Cue | Unreadable]:
    """Yield the cues of a block between two blank lines: one, several if blank lines are missing, or none for a
    comment.
    """
    pattern_match: re.Match[str] | None = None
    at, identifier = 0, ""
    words: list[str] = []
    damaged = 0
    for number, line in block:
        match = timing.match(line)
        if match is None:
            if pattern_match is None and timing is _ARROW and "-->" in line:
                damaged = damaged or number
            words.append(line)
            continue
        # No text contains an arrow: such a line begins the next cue.
        before = (
            words.pop() if words and (pattern_match is None or _NUMBER.match(words[-1]) or "-->" in words[-1]) else ""
        )
        if pattern_match is not None:
            yield _cue(pattern_match, at, identifier, words)
        elif words:
            yield Unreadable(damaged or block[0][0], _DAMAGED if damaged else "words without a time")
        pattern_match, at, identifier, words = match, number, before.strip(), []
    if pattern_match is not None:
        yield _cue(pattern_match, at, identifier, words)
    elif damaged:
        yield Unreadable(damaged, _DAMAGED)
    elif words and not _COMMENT.match(words[0]) and (len(words) > 1 or not _NUMBER.match(words[0])):
        yield Unreadable(block[0][0], "words without a time")


def _cue(match: re.Match[str], line: int, identifier: str, words: list[str]) -> Cue:
    parts = match.groups()
    return Cue(line, milliseconds(parts[:4]), milliseconds(parts[4:8]), identifier, "\n".join(words))


def milliseconds(parts: tuple[str | None, ...]) -> int:
    """Return a time in milliseconds, of its hours, minutes, seconds and the digits of its fraction; missing ones are 0."""
    hours, minutes, seconds = (int(part or 0) for part in parts[:3])
    return ((hours * 60 + minutes) * 60 + seconds) * 1000 + int((parts[3] or "0").ljust(3, "0"))
