"""The tables and lyrics that Whisper and whisper.cpp write (.tsv, .csv, .lrc), a line for each utterance. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...text.csv_rows import fields
from .cues import Cue, Unreadable
from .speakers import Said

_TABLE = re.compile(r"start(?P<mark>[\t,])end(?P=mark)(?P<speaker>speaker(?P=mark))?text[ \t]*(?:\r?\n|\Z)")
_LYRICS = re.compile(r"\[by:whisper\.cpp\]")
_LYRIC = re.compile(r"\[(\d{1,4}):(\d\d)\.(\d\d)\](?P<words>.*)", re.ASCII)
_TIME = re.compile(r"\d{1,10}", re.ASCII)
"""Milliseconds."""


def is_table(text: str) -> bool:
    """Return whether a text begins like a table of Whisper, or its lyrics."""
    return bool(_TABLE.match(text) or _LYRICS.match(text))


def said_in_table(text: str) -> Iterator[Said | Unreadable]:
    """Yield the utterances."""
    head = _TABLE.match(text)
    for number, line in enumerate(text.split("\n"), 1):
        if number == 1 or not line.strip():
            continue
        said = _lyric(number, line) if head is None else _row(number, line.rstrip("\r"), head)
        yield said or Unreadable(number, "words without a time")


def _row(number: int, line: str, head: re.Match[str]) -> Said | None:
    columns = 4 if head["speaker"] else 3
    row = line.split("\t", columns - 1) if head["mark"] == "\t" else fields(line)
    if len(row) < columns or not (_TIME.fullmatch(row[0]) and _TIME.fullmatch(row[1])):
        return None
    speaker = row[2].strip() if head["speaker"] else ""
    speaker = f"SPEAKER_{speaker:>02}" if speaker.isdecimal() else "" if speaker == "?" else speaker
    words = ",".join(row[columns - 1 :]).strip()
    return Said(Cue(number, int(row[0]), int(row[1]), "", words), speaker, words)


def _lyric(number: int, line: str) -> Said | None:
    if (match := _LYRIC.match(line)) is None:
        return None
    time = (int(match[1]) * 60 + int(match[2])) * 1000 + int(match[3]) * 10
    return Said(Cue(number, time, time, "", match["words"]), "", match["words"].strip())
