"""Conversion of a transcript to its document: a call if it names speakers, else a text. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

from ....schemas import SYSTEM_SPEAKER, UNKNOWN_USER, TextDocument, VideoCallDocument
from ....schemas.times import rfc3339
from ...connector import ReadOptions
from ...times.local_times import LocalTimes
from .parser import Transcript

NAME = "transcripts"
_REACTION = re.compile(r"Reacted to [\"“](?P<quoted>.+)[\"”] with [\"“]?(?P<emoji>[^\s\"”]+)[\"”]?\s*", re.DOTALL)
_TAKEN_BACK = re.compile(
    r"Removed an? [\"“]?(?P<emoji>[^\s\"”]+)[\"”]? reaction from [\"“](?P<quoted>.+)[\"”]\s*", re.DOTALL
)
_REPLIES = (
    re.compile(r"Replying to [\"“](?P<quoted>.+?)[\"”][ \t]*\n\s*(?P<words>\S.*)", re.DOTALL),
    re.compile(r"(?P<words>.*\S)\s*\nReplying to [\"“](?P<quoted>.+)[\"”]\s*", re.DOTALL),
)
_LOOKED_BACK = 1000
"""The number of earlier messages among which a quoted one is looked for."""
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
    local = LocalTimes(options.zone) if read.wall_clock and read.began is not None and read.began.naive else None
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
            "time": _at(first, cue.start, local),
            "id": f"{cue.start}{ordinal}",
        }
        if read.began is not None and read.began.naive:
            message["zone_origin"] = options.zone_origin
        if read.began is not None and read.began.precision == "day" and not read.wall_clock:
            message["time_precision"] = "day"
        if said.to:
            message["metadata"] = {"to": said.to}
        last = max(last, cue.end, cue.start)
        if read.platform != "zoom" or not _is_reaction(message, messages):
            messages.append(message)
    people = dict.fromkeys(message["speaker"] for message in messages)
    user = user_among(people, options) or UNKNOWN_USER
    people[user] = None
    return VideoCallDocument.model_validate(
        {
            "id": f"{NAME}:{path}",
            "start": None if read.began is None or read.began.precision == "day" else start,
            "end": None if read.began is None or read.began.precision == "day" else _at(first, last, local),
            "platform": read.platform,
            "conversation": {"source": NAME, "people": list(people), "user": user, "conversation": messages},
            "metadata": {
                "title": read.title,
                "path": path,
                **({"date_unknown": "true"} if read.began is None else {}),
                **({"heading": read.heading} if read.heading else {}),
            },
        }
    )


def _at(first: datetime, milliseconds: int, local: LocalTimes | None) -> datetime:
    """Return the time of a cue; ``local`` is set if its time is that of a clock without a zone."""
    if local is None:
        return first + timedelta(milliseconds=milliseconds)
    return local.at(first.replace(tzinfo=None) + timedelta(milliseconds=milliseconds))


def _is_reaction(message: dict[str, Any], earlier: list[dict[str, Any]]) -> bool:
    """Put what Zoom's chat writes as text where it belongs: a quoted message is no word of who answers it, and a reaction
    is one to its message. Return whether the message is such a reaction.
    """
    if (reaction := _REACTION.fullmatch(message["content"])) is not None:
        target = _quoted(reaction["quoted"], earlier)
        if target is not None:
            listed: list[dict[str, Any]] = target.setdefault("reactions", [])
            same = next((each for each in listed if each["emoji"] == reaction["emoji"]), None)
            if same is None:
                listed.append({"emoji": reaction["emoji"], "people": [message["speaker"]]})
            elif message["speaker"] not in same["people"]:
                same["people"].append(message["speaker"])
            return True
    if (taken := _TAKEN_BACK.fullmatch(message["content"])) is not None:
        target = _quoted(taken["quoted"], earlier)
        same = next((each for each in (target or {}).get("reactions", ()) if each["emoji"] == taken["emoji"]), None)
        if target is not None and same is not None and message["speaker"] in same["people"]:
            same["people"].remove(message["speaker"])
            target["reactions"] = [each for each in target["reactions"] if each["people"]]
            return True
    for form in _REPLIES:
        if (reply := form.fullmatch(message["content"])) is not None:
            message["content"] = reply["words"]
            message["metadata"] = {**message.get("metadata", {}), "quoted": reply["quoted"]}
            if (target := _quoted(reply["quoted"], earlier)) is not None:
                message["reply_to"] = target["id"]
            break
    return False


def _quoted(words: str, earlier: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the newest message that begins with the quoted words, of which Zoom writes the first ones and ``...``."""
    beginning = _squeezed(words.removesuffix("...").removesuffix("…"))
    recent = reversed(earlier[-_LOOKED_BACK:])
    return next((each for each in recent if _squeezed(each["content"]).startswith(beginning)), None)


@lru_cache(maxsize=2 * _LOOKED_BACK)
def _squeezed(words: str) -> str:
    return " ".join(words.split())


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
