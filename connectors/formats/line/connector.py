"""Reads LINE: chats exported as text on phones and on computers, in any of its languages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial
from itertools import islice, pairwise

from ....schemas.errors import SourceError
from ...chats.text_chat_connector import TextChatConnector
from ...chats.text_chats import ChatFile
from ...connector import Member
from ...text.charset import decode
from ...text.chat_lines import FileState, chat_lines
from ...text.json_beginnings import is_of_objects
from ...times.clock_times import ClockTimes
from .bodies import is_placeholder
from .day_lines import has_open_order, is_day_line, order_of
from .desktop_names import names_in
from .parser import MESSAGE, SAVED, Layout, items
from .titles import is_title, title_in, title_of_file

_LINES = 400
_TITLED, _TABS, _DESKTOP = 1.0, 0.97, 0.97
_LEAST_WITHOUT_TITLE = 2
_LEAST_ON_DESKTOP = 4
_LEAST_OF_TALK = 12
_MINUTES = 3
_MARKS = "\ufeff\u200e\u200f"


class LineConnector(TextChatConnector):
    """Reads chats of LINE; recognises them by title and a day, or by a day and messages in LINE's form."""

    name = "line"
    program = "LINE"

    def score(self, member: Member) -> float:
        """Return the score of a chat; it is lower for one that only its messages show to be of LINE."""
        with suppress(SourceError), member.open() as stream:
            return _recognised(member, stream.read(self.head_bytes))[0]
        return 0.0

    def chat_in(self, member: Member, head: bytes, held: frozenset[str], *, detect: bool) -> ChatFile | None:
        """Return the chat of a file that begins like an export of LINE, else None."""
        del held, detect
        return _recognised(member, head)[1]


def _recognised(member: Member, head: bytes) -> tuple[float, ChatFile | None]:
    decoded = None if is_of_objects(head) else decode(head, cut=True)
    if decoded is None:
        return 0.0, None
    raw = list(islice(iter(decoded.text.splitlines()), _LINES))
    lines = [line.strip(_MARKS).rstrip() for line in raw if line.strip(_MARKS).strip()]
    days = [line for line in lines if is_day_line(line)]
    if not days:
        return 0.0, None
    title = title_in(lines[0]) if is_title(lines[0]) else ""
    behind = lines[lines.index(days[0]) + 1 :]
    gap = _gap(behind)
    score = _score(lines, days, gap, behind, title, member.name)
    if not score:
        return 0.0, None
    title = title or title_of_file(member.name)
    names = partial(_names, member, title) if gap == "desktop" else dict
    layout = Layout(gap, order_of(days), order_open=has_open_order(days), names=names)
    return score, ChatFile(member, title, partial(items, layout=layout))


def _gap(lines: list[str]) -> str:
    """Return the most frequent gap after a message's time: a tab, ``wide`` or ``desktop``; empty without messages."""
    counts = {"\t": 0, "wide": 0, "desktop": 0}
    for line in lines:
        if match := MESSAGE.match(line):
            gap = match["gap"]
            counts["\t" if gap == "\t" else "desktop" if gap == " " else "wide"] += 1
    best = max(counts, key=lambda gap: counts[gap])
    return best if counts[best] else ""


def _score(lines: list[str], days: list[str], gap: str, behind: list[str], title: str, name: str) -> float:
    if not gap:
        return 0.0
    named = name.rpartition("/")[2].startswith("[LINE]")
    if title and lines.index(days[0]) <= 3:
        return _TITLED
    saved = SAVED.fullmatch(lines[0]) is not None
    if lines[1 if saved else 0] != days[0]:
        return 0.0
    heads = [match for line in behind if (match := MESSAGE.match(line))]
    messages = [match.string[match.end() :] for match in heads]
    if gap == "\t":
        threes = [text.partition("\t")[2] for text in messages if "\t" in text]
        # A time sheet looks the same: without a title only the app's own words, the file name, or people who answer
        # each other within the minute show that it is a chat.
        sure = named or saved or any(is_placeholder(text, tabs=True) for text in threes) or _is_talk(heads)
        return _TABS if len(threes) >= _LEAST_WITHOUT_TITLE and sure else 0.0
    if gap == "wide":
        return _TABS if named else 0.0
    # A diary may look the same: the app's own words, and names that repeat, show that it is a chat.
    placeholders = sum(1 for text in messages if any(is_placeholder(text.split(" ", n)[-1]) for n in range(1, 4)))
    firsts = {text.partition(" ")[0] for text in messages}
    few = len(messages) >= _LEAST_ON_DESKTOP and len(firsts) * 2 <= len(messages)
    return _DESKTOP if named or (placeholders and few and _is_quick(heads)) else 0.0


def _is_talk(heads: list[re.Match[str]]) -> bool:
    """Return whether a few people write, often several within the same minute."""
    said = [(match["time"], match.string[match.end() :].partition("\t")[0]) for match in heads]
    people = {name for _, name in said if name}
    answers = sum(one[0] == other[0] and one[1] != other[1] for one, other in pairwise(said))
    return len(said) >= _LEAST_OF_TALK and 2 <= len(people) <= len(said) // 3 and answers * 20 >= len(said)


def _is_quick(heads: list[re.Match[str]]) -> bool:
    """Return whether two people write within minutes of each other; the activities of a diary are further apart."""
    clock = ClockTimes()
    for one, other in pairwise(heads):
        before, after = clock.read(one["time"]), clock.read(other["time"])
        if before is None or after is None:
            continue
        minutes = (after[0] - before[0]) * 60 + after[1] - before[1]
        names = {each.string[each.end() :].partition(" ")[0] for each in (one, other)}
        if 0 <= minutes <= _MINUTES and len(names) > 1:
            return True
    return False


def _names(member: Member, title: str) -> Mapping[str, tuple[str, ...]]:
    def messages() -> Iterator[str]:
        with suppress(SourceError), member.open() as stream:
            for line in chat_lines(stream, FileState()):
                if not line.torn and (match := MESSAGE.match(line.text)):
                    yield line.text[match.end() :]

    return names_in(messages(), title)
