"""Conversion of a transcript to its document: a call if it names speakers, else a text. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from ....schemas import SYSTEM_SPEAKER, UNKNOWN_USER, TextDocument, VideoCallDocument
from ....schemas.times import rfc3339
from ...connector import ReadOptions
from .parser import Transcript

NAME = "transcripts"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def user_among(names: Iterable[str], options: ReadOptions) -> str | None:
    """Return the speaker who is the user."""
    if not options.me:
        return None
    mine = {name.strip().casefold() for name in options.me.split(",")} | {options.me.casefold()}
    return next((name for name in names if name.casefold() in mine), None)


def call_document(read: Transcript, path: str, options: ReadOptions) -> VideoCallDocument:
    """Return the call of a transcript that names speakers."""
    first = _start(read)
    start = first
    if read.wall_clock and read.began is not None:  # clock times are counted from the midnight before
        first = first.replace(hour=0, minute=0, second=0, microsecond=0)
    messages: list[dict[str, Any]] = []
    taken: dict[int, int] = {}
    last = 0
    for said in read.said:
        cue = said.cue
        taken[cue.start] = taken.get(cue.start, 0) + 1
        ordinal = "" if taken[cue.start] == 1 else f"-{taken[cue.start]}"
        message: dict[str, Any] = {
            "speaker": said.speaker or SYSTEM_SPEAKER,
            "content": said.text,
            "time": first + timedelta(milliseconds=cue.start),
            "id": f"{cue.start}{ordinal}",
        }
        if read.began is not None and read.began.naive:
            message["zone_origin"] = options.zone_origin
        if read.began is not None and read.began.precision == "day" and not read.wall_clock:
            message["time_precision"] = "day"
        if said.to:
            message["metadata"] = {"to": said.to}
        messages.append(message)
        last = max(last, cue.end, cue.start)
    people = dict.fromkeys(message["speaker"] for message in messages)
    user = user_among(people, options) or UNKNOWN_USER
    people[user] = None
    return VideoCallDocument.model_validate(
        {
            "id": f"{NAME}:{path}",
            "start": None if read.began is None or read.began.precision == "day" else start,
            "end": None
            if read.began is None or read.began.precision == "day"
            else first + timedelta(milliseconds=last),
            "platform": read.platform,
            "conversation": {"source": NAME, "people": list(people), "user": user, "conversation": messages},
            "metadata": {"title": read.title, "path": path, **({"date_unknown": "true"} if read.began is None else {})},
        }
    )


def captions_document(read: Transcript, path: str, options: ReadOptions) -> TextDocument:
    """Return the text of captions without speakers."""
    metadata = {"source": NAME, "title": read.title, "path": path}
    if read.platform:
        metadata["platform"] = read.platform
    if read.began is not None:
        metadata |= {"start": rfc3339(read.began.time), "time_precision": read.began.precision}
        if read.began.naive:
            metadata["zone_origin"] = options.zone_origin
    return TextDocument(
        id=f"{NAME}:{path}",
        content="\n".join(said.text for said in read.said),
        timestamp=None if read.began is None else read.began.time,
        metadata=metadata,
    )


def _start(read: Transcript) -> datetime:
    return _EPOCH if read.began is None else read.began.time
