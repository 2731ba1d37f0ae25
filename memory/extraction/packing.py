"""Packs: short windows of one chat that a model is shown at once, so that the rules of the prompt are paid for once.
Pure.

A day with three messages is a window of its own, and the prompt is ten times as long. A pack holds successive windows
up to the size of a window; a proposal about a line is returned to the window that the line belongs to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from uuid import UUID

from .proposal import Proposal
from .window import GAP, MOST_LINES, MOST_TOKENS, TAIL_LINES, Line, Window, as_context

LINE_TOKENS = 8
"""Tokens for the number, name and time of a line."""


@dataclass(frozen=True, slots=True)
class Pack:
    """Windows that are read at once."""

    parts: tuple[Window, ...]
    places: tuple[int, ...]
    """The index of each part among all windows that were packed."""
    whole: Window
    """The lines of all parts, numbered from 1; of a single part that window itself."""
    before: UUID | None = None
    """The document of the context, if it is not a part's own."""

    @property
    def documents(self) -> tuple[UUID, ...]:
        """The documents whose text is shown."""
        keys = dict.fromkeys(part.document for part in self.parts)
        return tuple(keys if self.before is None else keys | {self.before: None})

    def part_of(self, proposal: Proposal) -> tuple[int, Proposal]:
        """Return the index of the part that a proposal is about, and the proposal with the line numbers of that part.

        A fact has its evidence in one document. If the cited lines are in several parts, the last part that contains
        the quote is chosen, or the last part if none does. Numbers of lines that do not exist stay invalid.
        """
        if len(self.parts) == 1:
            return 0, proposal
        starts = _starts(self.parts)
        owners = [
            max((index for index, at in enumerate(starts) if at < number), default=0) for number in proposal.lines
        ]
        cited = list(zip(owners, proposal.lines, strict=True))
        quoted = [owner for owner, number in cited if self._holds(number, proposal.quote)]
        part = max(quoted or owners, default=0)
        lines = tuple(number - starts[part] for owner, number in cited if owner == part)
        return part, replace(proposal, lines=lines)

    def _holds(self, number: int, quote: str) -> bool:
        return 0 < number <= len(self.whole.lines) and quote in self.whole.lines[number - 1].text


def single(window: Window, place: int = 0) -> Pack:
    """Return a pack of one window."""
    return Pack((window,), (place,), window)


def packs_of(windows: Sequence[Window], count: Callable[[str], int]) -> list[Pack]:
    """Return packs of all windows, each in one pack. The windows of one chat are in the order of their times.

    Args:
        windows: windows of any documents.
        count: counts the tokens of a text.
    """
    chats: dict[tuple[object, ...], list[int]] = {}
    for place, window in enumerate(windows):
        chats.setdefault(_chat(window) if window.chat else (place,), []).append(place)
    packs: list[Pack] = []
    for places in chats.values():
        places.sort(key=lambda place: windows[place].lines[0].time)
        before: Window | None = None
        for group in _groups([(place, windows[place]) for place in places], count):
            parts = tuple(window for _, window in group)
            tail = parts[0].context or _tail(before, parts[0])
            borrowed = None if before is None or tail == parts[0].context else before.document
            packs.append(Pack(parts, tuple(place for place, _ in group), _joined(parts, tail), borrowed))
            before = parts[-1]
    return packs


def _chat(window: Window) -> tuple[object, ...]:
    return window.source, window.chat, window.title, window.user, window.written_by_user


def _groups(windows: Sequence[tuple[int, Window]], count: Callable[[str], int]) -> list[list[tuple[int, Window]]]:
    """Return windows of one chat in groups no longer than a window may be; a longer window is alone."""
    groups: list[list[tuple[int, Window]]] = []
    lines = tokens = 0
    for place, window in windows:
        size = sum(count(line.text) + LINE_TOKENS for line in window.lines)
        if groups and lines + len(window.lines) <= MOST_LINES and tokens + size <= MOST_TOKENS:
            groups[-1].append((place, window))
            lines, tokens = lines + len(window.lines), tokens + size
        else:
            groups.append([(place, window)])
            lines, tokens = len(window.lines), size
    return groups


def _joined(parts: Sequence[Window], context: tuple[Line, ...]) -> Window:
    """Join several windows into one."""
    first = parts[0]
    if len(parts) == 1 and context == first.context:
        return first
    lines: list[Line] = []
    for part in parts:
        done = len(lines)
        lines += [replace(line, number=done + number) for number, line in enumerate(part.lines, start=1)]
    people = tuple(dict.fromkeys(name for part in parts for name in part.people))
    return replace(first, people=people, lines=tuple(lines), context=context)


def _tail(before: Window | None, first: Window) -> tuple[Line, ...]:
    """Return the last lines of the previous window as context, also from the day before, if the pause is shorter than
    `GAP`.
    """
    if before is None or not timedelta() <= first.lines[0].time - before.lines[-1].time < GAP:
        return ()
    tail = before.lines[-TAIL_LINES:]
    return tuple(as_context(line, index - len(tail)) for index, line in enumerate(tail))


def _starts(parts: Sequence[Window]) -> list[int]:
    starts = [0]
    for part in parts[:-1]:
        starts.append(starts[-1] + len(part.lines))
    return starts
