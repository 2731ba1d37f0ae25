"""Parser of transcripts in any form: the text of one file to the utterances in it. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import tzinfo

from ...times.dates_written import WrittenDate
from .cues import Unreadable, caption_format, cues_of
from .dates import began
from .speakers import Said, said_in
from .speech_json import said_in_json
from .teams_document import is_teams, teams_transcript
from .texts import heading, said_in_text, text_form, turns_title, words_above

_TEAMS = "teams"
_HEAD = 4096
"""Characters."""
_SCORES = {
    "vtt": 0.95,
    "srt": 0.95,
    "sbv": 0.95,
    "meet": 0.9,
    "zoom_chat": 0.9,
    "zoom_captions": 0.9,
    "turns": 0.8,
    "table": 0.9,
    _TEAMS: 0.8,
}
_TEAMS_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}(?:/\d+-\d+)?", re.IGNORECASE)
_WEBEX_ID = re.compile(r'(?:\d{1,9}[ \t]+)?"[^"\n]{1,80}"[ \t]*\(\d{1,20}\)')
_PLATFORMS = (
    ("gmt20", "zoom"), ("zoom", "zoom"), ("microsoft teams", "teams"), ("google meet", "meet"), ("webex", "webex"),
)  # fmt: skip
_ENDING = re.compile(
    r"\.(?:transcript|captions?|cc|vtt|srt|sbv|txt|docx|json|[tc]sv|lrc|gz|[a-z]{2}(?:-[A-Z]{2})?)$", re.IGNORECASE
)
_MEET_TITLE = re.compile(r"^(?P<title>[^\n(]+?)(?:\(|[-\u2013][ \t]*Transcript\b|$)")
_SYMBOLS = re.compile(r"^[^\w(]+")


@dataclass(frozen=True, slots=True)
class Transcript:
    """The contents of one transcript file."""

    said: Sequence[Said]
    unreadable: Sequence[Unreadable]
    title: str
    platform: str
    began: WrittenDate | None
    wall_clock: bool
    """True if the times are clock times, not counted from the start."""
    heading: str = ""
    """The lines above the first words that are neither title nor date."""


def form_of(text: str) -> str:
    """Return the form of a text that begins like this; empty for none."""
    form = caption_format(text) or text_form(text)
    return form or (_TEAMS if is_teams(text[:_HEAD].lstrip("\ufeff").splitlines()[:-1]) else "")


def score(text: str) -> float:
    """Return the certainty that a file that begins like this is a transcript."""
    return _SCORES.get(form_of(text), 0.0)


def parse(text: str, path: str, zone: tzinfo) -> Transcript | None:
    """Parse a file; return None if it is no transcript.

    Args:
        text: the whole file.
        path: its name with its folders, which may contain the start of the call.
        zone: the zone of times without one.
    """
    captions, form = caption_format(text), text_form(text)
    if captions is None and form is None and form_of(text) == _TEAMS:
        return teams(text.removeprefix("\ufeff").splitlines(), path, zone)
    said: list[Said] = []
    unreadable: list[Unreadable] = []
    title, day = "", None
    if captions is not None:
        cues = list(cues_of(text, captions))
        unreadable = [each for each in cues if isinstance(each, Unreadable)]
        said = said_in([each for each in cues if not isinstance(each, Unreadable)])
    elif form is not None:
        items = list(said_in_text(text, form))
        unreadable = [each for each in items if isinstance(each, Unreadable)]
        said = [each for each in items if not isinstance(each, Unreadable)]
    else:
        return None
    if form in ("meet", "turns"):
        head = heading(text)
        title = _meet_title(head) if form == "meet" else turns_title(head)
        day = began("/".join(reversed(head.replace("/", "-").split("\n"))), zone)
    said = [each for each in said if each.text.strip()]
    return Transcript(
        said=said,
        unreadable=unreadable,
        title=title or title_of(path),
        platform=_platform(said, path, form or ""),
        began=_finer(day, began(path, zone)),
        wall_clock=form in ("zoom_chat", "zoom_captions") and "GMT20" not in path,
        heading=words_above(text) if form == "meet" else "",
    )


def teams(lines: Sequence[str], path: str, zone: tzinfo) -> Transcript:
    """Return the contents of Teams' document.

    Args:
        lines: of the document.
        path: its name with its folders, which may contain the start of the call.
        zone: the zone of times without one.
    """
    read = teams_transcript(lines, zone)
    return Transcript(
        said=read.said,
        unreadable=(),
        title=read.title or title_of(path),
        platform=_TEAMS,
        began=_finer(read.began, began(path, zone)),
        wall_clock=False,
        heading=read.heading,
    )


def speech(text: str, path: str, zone: tzinfo) -> Transcript:
    """Return the contents of a file of speech recognition in JSON; the arguments are those of `parse`.

    Raises:
        ValueError: it is no JSON.
    """
    items = said_in_json(text)
    return Transcript(
        said=[each for each in items if not isinstance(each, Unreadable)],
        unreadable=[each for each in items if isinstance(each, Unreadable)],
        title=title_of(path),
        platform=_platform((), path, ""),
        began=began(path, zone),
        wall_clock=False,
    )


def _finer(head: WrittenDate | None, path: WrittenDate | None) -> WrittenDate | None:
    """Return the start that a heading tells, unless it has only a day and the path has its time."""
    if head is None or (path and head.precision == "day" and head.time.date() == path.time.date()):
        return path
    return head


def title_of(path: str) -> str:
    """Return the file's name without its extensions."""
    name = path.rpartition("/")[2]
    for _ in range(3):
        shorter = _ENDING.sub("", name)
        if not shorter:
            break
        name = shorter
    return name


def _meet_title(head: str) -> str:
    match = _MEET_TITLE.match(_SYMBOLS.sub("", head))
    return match["title"].strip() if match else ""


def _platform(said: Sequence[Said], path: str, form: str) -> str:
    if form in ("meet", "zoom_chat", "zoom_captions"):
        return form.partition("_")[0]
    if any(_TEAMS_ID.match(each.cue.id) for each in said[:20]):
        return _TEAMS
    if any(_WEBEX_ID.fullmatch(each.cue.id) for each in said[:20]):
        return "webex"
    lowered = path.lower()
    return next((platform for word, platform in _PLATFORMS if word in lowered), "")
