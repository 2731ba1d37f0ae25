"""Teams' transcript as a document: a heading in the language of the organisation, then turns. Also its first form, in
which times stand above the name. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, timedelta, tzinfo
from itertools import islice, pairwise

from ...times.dates_written import WrittenDate
from .cues import Cue, milliseconds
from .dates import began
from .speakers import Said
from .texts import lines_by_head, seconds_of

_BLANK = "[ \t\u00a0]"
_HEAD = re.compile(rf"(?P<name>\S[^\n]{{0,99}}?){_BLANK}{{2,8}}(?:(\d{{1,2}}):)?(\d{{1,2}}):(\d\d){_BLANK}*", re.ASCII)
_ARROW = re.compile(
    r"(\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,](\d{1,3}))?\s*-->\s*(\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,](\d{1,3}))?\s*",
    re.ASCII,
)
_LENGTH = re.compile(r"(?:\d{1,2}[ \u00a0]?[^\W\d_]{1,4}\.?[ \u00a0]?){1,3}")
"""Matches how long a call took, in any language: ``32m 10s``, ``27 Min. 42 Sek.``."""
_STAMP = re.compile(r"[-\u2013 ]{1,3}\d{8}_\d{6}(?:UTC)?(?:[-\u2013 ]{1,3}.*)?$")
_EARLY = 600
"""Seconds. The first words are said in the first minutes; on an agenda the first time is one of the day."""
_TOLERANCE = 60
_MOST_ABOVE = 12
_HEADING = 4
"""The lines among which the length of the call is: title, date, length."""
_LEAST = 3
LOOKED_AT = 64
"""The lines by which a transcript is recognised."""
_AGENDA = (300, 5)
"""Seconds: on an agenda the first time is not before 5:00, and all are times of the day without odd minutes."""
_MOST_NAMES = 200
"""The names that are looked for in lines which tell what happened."""
_EVENT_WORDS = 12
_LONGEST_EVENT = 400
_LETTERS = 4
_QUARTER = 15 * 60


@dataclass(frozen=True, slots=True)
class TeamsTranscript:
    """The contents of a document. ``heading``: its first lines but the title and the date."""

    said: list[Said]
    title: str
    began: WrittenDate | None
    heading: str


def is_teams(lines: Sequence[str]) -> bool:
    """Return whether a document that begins with these lines is a transcript."""
    lines = list(islice((line.strip() for line in lines if line.strip()), LOOKED_AT))
    if lines and _ARROW.fullmatch(lines[0]):
        return True
    heads = [(place, match) for place, line in enumerate(lines) if (match := _HEAD.fullmatch(line))]
    if not heads or heads[0][0] > _MOST_ABOVE:
        return False
    times = [seconds_of(match) for _, match in heads]
    if any(later < before - _TOLERANCE for before, later in pairwise(times)):
        return False
    early, round_minutes = _AGENDA
    if times[0] >= early and not any(time % round_minutes for time in times):
        return False
    # A list of results, exercises or songs has a time behind each name, and no words below it.
    places = {place for place, _ in heads}
    if 2 * sum(place + 1 in places or place + 1 == len(lines) < LOOKED_AT for place in places) > len(places):
        return False
    above = lines[: heads[0][0]]
    if any(_LENGTH.fullmatch(line) for line in above[:_HEADING]):
        return True
    names = [match["name"] for _, match in heads]
    return times[0] < _EARLY and len(heads) >= _LEAST and len(set(names)) < len(names)


def teams_transcript(lines: Sequence[str], zone: tzinfo) -> TeamsTranscript:
    """Return the turns of a document.

    Args:
        lines: all of them.
        zone: that of a date without one.
    """
    lines = [line.strip() for line in lines]
    first = next(
        (place for place, line in enumerate(lines) if _HEAD.fullmatch(line) or _ARROW.fullmatch(line)), len(lines)
    )
    above = [line for line in lines[:first] if line]
    day_line = next((line for line in above[1:] if not _STAMP.search(line) and began(line.replace("/", "-"), zone)), "")
    title = next((line for line in above if line != day_line and not _LENGTH.fullmatch(line)), "")
    rest = [line for line in above if line not in (day_line, title)]
    timed = first < len(lines) and _ARROW.match(lines[first])
    turns = list(_arrows(lines[first:]) if timed else _turns(lines[first:]))
    said = _without_events(turns, rest)
    kept = {each.text for each in said}
    ended = [each.text.rpartition("\n")[2] for each in turns if each.text not in kept]
    return TeamsTranscript(
        said=said,
        title=_STAMP.sub("", title),
        began=_began(title, day_line, zone),
        heading="\n".join([*rest, *ended]),
    )


def _began(title: str, day_line: str, zone: tzinfo) -> WrittenDate | None:
    """Return the start. The title has the clock of the organiser, the date below it may be of UTC: then they differ by the
    organiser's offset.
    """
    stamp = began(title.replace("/", "-"), zone)
    date = began(day_line.replace("/", "-"), zone) if day_line else None
    if stamp is None or date is None or not stamp.naive or not date.naive or date.precision == "day":
        return date if date is not None and (stamp is None or date.precision != "day") else stamp
    apart = (stamp.time.replace(tzinfo=None) - date.time.replace(tzinfo=None)).total_seconds()
    offset = round(apart / _QUARTER) * _QUARTER
    if abs(apart - offset) > 2 * _TOLERANCE or abs(offset) > 14 * 3600:
        return date
    if not offset:
        return stamp
    local = stamp.time.replace(tzinfo=UTC) - timedelta(seconds=offset)
    return WrittenDate(local, stamp.precision, naive=False)


def _turns(lines: Sequence[str]) -> Iterator[Said]:
    for number, head, below in lines_by_head(lines, _HEAD.fullmatch):
        text = "\n".join(filter(None, below))
        if head is not None and text:
            time = seconds_of(head) * 1000
            yield Said(Cue(number, time, time, "", text), head["name"].strip(), text)


def _arrows(lines: Sequence[str]) -> Iterator[Said]:
    """Yield the turns below times: the name, then the words; words alone are nobody's."""
    for number, head, below in lines_by_head(lines, _ARROW.fullmatch):
        words = [*filter(None, below)]
        if head is not None and words:
            name, text = (words[0], "\n".join(words[1:])) if len(words) > 1 else ("", words[0])
            times = head.groups()
            yield Said(Cue(number, milliseconds(times[:4]), milliseconds(times[4:]), "", text), name, text)


def _without_events(said: list[Said], above: Sequence[str]) -> list[Said]:
    """Return the turns without the line that tells who ended the transcript, which stands behind the last words: it begins
    with a name, and shares words with the line above the first turn that tells who began it.
    """
    called = dict.fromkeys(each.speaker.partition("(")[0].strip() for each in said)
    names = {*islice(called, _MOST_NAMES)} - {""}
    words = {word for line in above for word in _words(line, names)}
    result: list[Said] = []
    for each in said:
        *before, last = each.text.split("\n")
        short = len(last) <= _LONGEST_EVENT and len(last.split()) <= _EVENT_WORDS
        if not (short and _begins(last, names, above) and words & _words(last, names)):
            result.append(each)
        elif text := "\n".join(before):
            result.append(Said(each.cue, each.speaker, text))
    return result


def _begins(line: str, names: set[str], above: Sequence[str]) -> bool:
    opening = " ".join(line.split()[:2])
    return any(name and line.startswith(f"{name} ") for name in names) or any(
        each.startswith(opening) for each in above
    )


def _words(line: str, names: set[str]) -> set[str]:
    """Return the words of a line but names; of a script without blanks, each run of so many letters as a word has at least."""
    for name in names:
        line = line.replace(name, " ")
    words = {word.strip(".,").casefold() for word in line.split()}
    runs = {word[at : at + _LETTERS] for word in words if not word.isascii() for at in range(len(word) - _LETTERS + 1)}
    return {word for word in words if len(word) >= _LETTERS} | runs
