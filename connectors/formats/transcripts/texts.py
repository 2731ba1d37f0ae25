"""Transcripts as plain text: Google Meet's document, turns in the form of Otter and Teams, and Zoom's saved chat.
Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import Literal

from .cues import Cue, Unreadable
from .speakers import Said
from .tables import is_table, said_in_table

TextForm = Literal["meet", "turns", "zoom_chat", "zoom_captions", "table"]

_CLOCK = re.compile(r"[ \t]*(\d{1,2}):(\d\d):(\d\d)[ \t]*$", re.ASCII)
_LINE = re.compile(r"(?P<name>[^\s:][^:\n]{0,79}?):[ \t]+(?P<text>\S.*)")
_TURN = re.compile(
    r"(?P<name>[^\W\d_][^\n:]{0,59}?)(?:[ \t]{1,4}|[ \t]*\t[ \t]*)(?:\((?=[\d:]+\):))?(?:(\d{1,2}):)?(\d{1,2}):(\d\d)(?:\):)?[ \t]*$"
)
_SPOKEN_TO: dict[str, tuple[str, str]] = {
    "from": ("to", "everyone"),
    "von": ("an", "alle|jeden"),
    "de": ("à|a|para", "tout le monde|todos|todo el mundo|todas as pessoas"),
    "desde": ("a|para", "todos"),
    "da": ("a", "tutti"),
    "van": ("aan", "iedereen"),
    "från": ("till", "alla"),
    "fra": ("til", "alle"),
    "od": ("do", "wszyscy|wszystkich"),
    "от": ("кому|для|к", "все|всем"),
    "dari": ("ke|kepada", "semua|semua orang"),
    "từ": ("đến", "mọi người"),
    "差出人": ("宛先", "全員"),
    "開始": ("宛先", "全員"),
    "来自": ("发送至|给|至|到", "所有人|大家"),
    "從": ("到|至", "所有人|每個人"),
    "來自": ("到|至|給", "所有人|每個人"),
    "시작": ("수신자|받는 사람", "모두"),
    "보낸 사람": ("받는 사람", "모두"),
}
"""By the word before the author of a message in Zoom's chat: those before the addressee, and what stands for everybody."""
_FROM = re.compile(
    r"(?:\d{4}-\d\d-\d\d[ \t]+)?(\d\d):(\d\d):(\d\d)[ \t]+(?P<word>" + "|".join(_SPOKEN_TO) + r")[ \t]+"
    r"(?P<who>[^\n]{1,200}?)[ \t]*[:：](?:[ \t]+(?P<text>.*)|[ \t]*$)",
    re.IGNORECASE,
)
_PRIVATELY = re.compile(
    r"[ \t]*[(（][^()（）]*(?:dire[ck]t|diret|privat|私|直接|ダイレクト|다이렉트|개인)[^()（）]*[)）]\Z", re.IGNORECASE
)
"""Matches what stands behind the addressee of a message to one person: ``(Direct Message)``."""
_TABBED = re.compile(r"(\d\d):(\d\d):(\d\d)\t[ ]?(?P<name>[^\t\n]{1,80}?)[ ]?:[\t ](?P<text>.*)")
_NEWLINE = re.compile(r"\r\n|\n|\r")
_CAPTION = re.compile(
    r"\[(?P<name>[^\[\]\n]{1,80})\][ \t]+(\d\d?):(\d\d):(\d\d)(?:[ \t\u202f]?(?P<half>[AP])M)?[ \t]*$",
    re.ASCII | re.IGNORECASE,
)
"""Matches the line above what was said, in the captions that Zoom saves."""
_SPOKEN_FROM = re.compile(
    r"(?:.*[-\u2013][ \t]*)?(?:Trans[ck]ri\w*|Trascri\w*|Расшифровка|文字起こし)[ \t]*", re.IGNORECASE
)
_ENDED = re.compile(r"(?:Meeting|Transcription) ended (?:after|at)\b")
_TURNS_AT_LEAST = 3
_HEADING_LINES = 4
_HEADING = re.compile(
    r"[ \t]*(?:(?:\d{1,2}h )?\d{1,2}m(?: \d{1,2}s)?|\d{1,2}s"  # 32m 10s
    r"|[A-Z][a-z]{2,8}\.? \d{1,2}, 20\d\d,? \d{1,2}:\d\d ?[AP]M)[ \t]*",
    re.ASCII,
)
"""Matches the lines of Teams with the length or the start of the call."""


def text_form(text: str) -> TextForm | None:
    """Return the form of a text that begins like this."""
    if is_table(text.removeprefix("\ufeff")):
        return "table"
    lines = [line for line in _NEWLINE.split(text[:4096].lstrip("\ufeff")) if line.strip()]
    chat_lines = sum(1 for line in lines[:20] if line[:1] == "\t" or _chat_line(line))  # words stand below their head
    if lines and chat_lines >= min(2, len(lines)) and _chat_line(lines[0]):
        return "zoom_chat"
    if lines and _CAPTION.match(lines[0]):
        return "zoom_captions"
    for line, following in pairwise(lines):
        clock = _CLOCK.match(line)
        if clock is not None:
            first = int(clock[1]) == 0 and int(clock[2]) < 10
            return "meet" if first and _LINE.match(following) else None
    turns = [match for line in lines[:-1] if (match := _TURN.match(line))]
    times = [seconds_of(match) for match in turns]
    if not turns or times != sorted(times) or times[0] >= 600:
        return None
    silent = sum(1 for line, following in pairwise(lines) if _TURN.match(line) and _TURN.match(following))
    if 2 * silent > len(turns):  # a list of songs
        return None
    above = lines[: lines.index(turns[0].string)]
    headed = 0 < len(above) <= _HEADING_LINES and any(_HEADING.fullmatch(line) for line in above)
    return "turns" if headed or (not above and len(turns) >= _TURNS_AT_LEAST) else None


def heading(text: str) -> str:
    """Return the first lines of a document of Google Meet or Teams, which contain title and date."""
    lines = [line.strip() for line in _NEWLINE.split(text[:4096].lstrip("\ufeff"))]
    result: list[str] = []
    for line in lines:
        if _CLOCK.match(line) or _TURN.match(line):
            break
        result.append(line)
    return "\n".join(line for line in result if line)[:1000]


def words_above(text: str) -> str:
    """Return what stands in a document of Google Meet above the words that were said, such as notes and who was invited,
    without its title and the word "Transcript".
    """
    lines = _NEWLINE.split(text.removeprefix("\ufeff"))
    number = _first_minutes(lines)
    above = [line.strip() for line in lines[:-number] if line.strip()]
    return "\n".join(line for line in above[1:] if not _SPOKEN_FROM.fullmatch(line))


def turns_title(head: str) -> str:
    """Return the first line of a heading above turns that is neither the length nor the start of the call."""
    return next((line for line in head.split("\n") if not _HEADING.fullmatch(line)), "")


def said_in_text(text: str, form: TextForm) -> Iterator[Said | Unreadable]:
    """Yield the utterances, each with a cue that has its time as far as known."""
    if form == "table":
        yield from said_in_table(text.removeprefix("\ufeff"))
        return
    lines = _NEWLINE.split(text.removeprefix("\ufeff"))
    if form == "meet":
        yield from _meet(lines)
    elif form == "turns":
        yield from _turns(lines, _TURN)
    elif form == "zoom_captions":
        yield from _turns(lines, _CAPTION)
    else:
        yield from _zoom_chat(lines)


def _meet(lines: list[str]) -> Iterator[Said]:
    """Yield the utterances of Google Meet's document, in which a time precedes several minutes of talk; what stands before
    the first time was said at the beginning.
    """
    time = _first_minutes(lines)
    for number, line in enumerate(lines, 1):
        if (clock := _CLOCK.match(line)) is not None:
            time = _clock(clock) * 1000
        elif number > -time and line.strip():
            match = _LINE.match(line)
            name, words = (match["name"], match["text"]) if match else ("", line.strip())
            if match is None and _ENDED.match(words):
                continue
            yield Said(Cue(number, max(time, 0), max(time, 0), "", words), name.strip(), words)


def _first_minutes(lines: list[str]) -> int:
    """Return the negative number of the line below which people speak: that of the word "Transcript", if somebody speaks
    between it and the first time; else that of the first time.
    """
    first = next((place for place, line in enumerate(lines) if _CLOCK.match(line)), len(lines))
    for place in range(first - 1, -1, -1):
        if _SPOKEN_FROM.fullmatch(lines[place].strip()):
            spoken = next((each for each in lines[place + 1 : first] if each.strip()), "")
            return -place - 1 if _LINE.match(spoken) else -first
    return -first


def _turns(lines: list[str], heads: re.Pattern[str]) -> Iterator[Said]:
    """Yield the turns: ``Ann Smith  0:03`` above the text, up to the next such line; lines above the first are a
    heading.
    """
    for number, head, below in lines_by_head(lines, heads.match):
        text = "\n".join(below).strip()
        if head is not None and text:
            time = seconds_of(head) * 1000
            yield Said(Cue(number, time, time, "", text), head["name"].strip(), text)


def _zoom_chat(lines: list[str]) -> Iterator[Said | Unreadable]:
    for number, head, below in lines_by_head(lines, _chat_line):
        first = [] if head is None else [head["text"] or ""]
        text = "\n".join([*first, *(line.removeprefix("\t") for line in below)]).strip("\n")
        if not text.strip():
            continue
        if head is None:
            yield Unreadable(number, "words without a time")
            continue
        name, to = _author(head)
        time = _clock(head) * 1000
        yield Said(Cue(number, time, time, "", text), name, text, to)


def lines_by_head(
    lines: Iterable[str], head_of: Callable[[str], re.Match[str] | None]
) -> Iterator[tuple[int, re.Match[str] | None, list[str]]]:
    """Yield the lines above the first head, with None and the number 1; then each head with the number of its line, from 1,
    and the lines below it.
    """
    number, head = 1, None
    below: list[str] = []
    for place, line in enumerate(lines, 1):
        if (match := head_of(line)) is None:
            below.append(line)
            continue
        yield number, head, below
        number, head, below = place, match, []
    yield number, head, below


def _author(match: re.Match[str]) -> tuple[str, str]:
    """Return who wrote a message, and whom it is for; nobody where it is for all."""
    groups = match.groupdict()
    if "who" not in groups:
        return groups["name"].strip(), ""
    words, everybody = _SPOKEN_TO[groups["word"].lower()]
    name, *addressee = re.split(rf"[ \t]+(?:{words})[ \t]+", groups["who"].strip(), maxsplit=1, flags=re.IGNORECASE)
    to = _PRIVATELY.sub("", addressee[0].strip()) if addressee else ""
    return name.strip(), "" if to.lower() in everybody.split("|") else to


def _chat_line(line: str) -> re.Match[str] | None:
    return _FROM.match(line) or _TABBED.match(line)


def _clock(match: re.Match[str]) -> int:
    return (int(match[1]) * 60 + int(match[2])) * 60 + int(match[3])


def seconds_of(match: re.Match[str]) -> int:
    """Return the seconds of a time in the second to fourth group; of an hour of twelve with its ``half``."""
    hour, half = int(match[2] or 0), match.groupdict().get("half")
    hour = hour % 12 + 12 * (half in ("P", "p")) if half else hour
    return (hour * 60 + int(match[3])) * 60 + int(match[4])
