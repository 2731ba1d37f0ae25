"""Pairs two versions of one document by minute, or by second where both have seconds, for alignment piece by piece.
Pure.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from ...schemas import SYSTEM_SPEAKER, ConversationMessage
from .aliases import Aliases
from .message_distance import REREAD, comparable_content, distance, is_distinctive, minute_of, second_of
from .overlap_table import MinuteEdges, MinutePair
from .revisions import is_cut


@dataclass(frozen=True, slots=True)
class MinutePiece:
    """The messages of both sides in one minute, or in one second of it, by index."""

    old: Sequence[int]
    new: Sequence[int]
    edges: MinuteEdges
    certain: MinuteEdges
    """The edges without those that forgetting may have created: the stored reading may have continued there."""


@dataclass(frozen=True, slots=True)
class PartlyForgotten:
    """An incoming reading with forgotten messages on either side: all its messages, and the indexes of those that may
    come in.
    """

    messages: Sequence[ConversationMessage]
    kept: Sequence[int]


def common_minutes(
    old: Sequence[ConversationMessage], new: Sequence[ConversationMessage], export: PartlyForgotten | None = None
) -> list[list[MinutePiece]]:
    """Return the minutes in which both sides have messages without ids, each as one piece or one piece per second.

    Where messages of the ``export`` were forgotten, the readings are treated as continuing, because both had them.
    """
    minutes = [minute_of(message) for message in old], [minute_of(message) for message in new]
    ours, theirs = _by_minute(old, minutes[0]), _by_minute(new, minutes[1])
    if ours.keys().isdisjoint(theirs):
        return []
    adjacent = _adjacent_minutes(minutes[0]), _adjacent_minutes(minutes[1])
    shared: list[list[MinutePiece]] = []
    for name, news in theirs.items():
        olds = ours.get(name)
        if olds is None:
            continue
        split = _by_second([old[index] for index in olds], [new[index] for index in news]) or [(olds, news)]
        pieces: list[MinutePiece] = []
        if len(split) > 1:
            split = [([olds[i] for i in some], [news[j] for j in others]) for some, others in split]
        for some, others in split:
            edges = _edges(name, some, others, adjacent)
            if export is not None and others:
                edges = _without_forgotten(edges, others, name, export)
            certain = edges if export is None else edges._replace(old_begins=False, old_ends=False)
            pieces.append(MinutePiece(some, others, edges, certain))
        shared.append(pieces)
    return shared


def _without_forgotten(edges: MinuteEdges, news: Sequence[int], minute: str, export: PartlyForgotten) -> MinuteEdges:
    """Return the edges without those created by forgetting: a stored reading did not begin or end at a forgotten
    message, and an incoming one begins and ends with its first and last message, forgotten or not.
    """
    before = export.kept[news[0]] - news[0]
    after = len(export.messages) - len(export.kept) - (export.kept[news[-1]] - news[-1])
    return MinuteEdges(
        edges.old_begins and not before,
        edges.new_begins and minute_of(export.messages[0]) == minute,
        edges.old_ends and not after,
        edges.new_ends and minute_of(export.messages[-1]) == minute,
    )


@dataclass(frozen=True, slots=True)
class _AdjacentMinutes:
    """The earliest and the latest minute before and behind each message of a reading; None if there are no messages."""

    earliest_before: Sequence[str | None]
    latest_before: Sequence[str | None]
    earliest_behind: Sequence[str | None]
    latest_behind: Sequence[str | None]


def _adjacent_minutes(minutes: Sequence[str]) -> _AdjacentMinutes:
    return _AdjacentMinutes(
        [None, *accumulate(minutes[:-1], min)],
        [None, *accumulate(minutes[:-1], max)],
        [None, *accumulate(minutes[:0:-1], min)][::-1],
        [None, *accumulate(minutes[:0:-1], max)][::-1],
    )


def _edges(
    minute: str, olds: Sequence[int], news: Sequence[int], adjacent: tuple[_AdjacentMinutes, _AdjacentMinutes]
) -> MinuteEdges:
    """Return which readings begin and end in a minute: they have nothing earlier before it, and nothing later behind
    it. A message that arrived late stands behind later minutes; a reading may then begin or end in a minute that it
    passed.
    """

    def begins(
        indexes: Sequence[int], rim: _AdjacentMinutes, others: Sequence[int], other_rim: _AdjacentMinutes
    ) -> bool:
        if not indexes:
            return False
        before = rim.earliest_before[indexes[0]]
        passed = (other_rim.earliest_behind[others[0]] if others else None) or minute
        return before is None or before > minute or minute > passed <= before

    def ends(indexes: Sequence[int], rim: _AdjacentMinutes, others: Sequence[int], other_rim: _AdjacentMinutes) -> bool:
        if not indexes:
            return False
        behind = rim.latest_behind[indexes[-1]]
        passed = (other_rim.latest_before[others[-1]] if others else None) or minute
        return behind is None or behind < minute or minute < passed >= behind

    old_side, new_side = (olds, adjacent[0]), (news, adjacent[1])
    return MinuteEdges(
        begins(*old_side, *new_side),
        begins(*new_side, *old_side),
        ends(*old_side, *new_side),
        ends(*new_side, *old_side),
    )


def _by_minute(messages: Sequence[ConversationMessage], minutes: Sequence[str]) -> dict[str, list[int]]:
    by_minute: defaultdict[str, list[int]] = defaultdict(list)
    for index, (message, minute) in enumerate(zip(messages, minutes, strict=True)):
        if message.id is None:
            by_minute[minute].append(index)
    return by_minute


def _by_second(
    old: Sequence[ConversationMessage], new: Sequence[ConversationMessage]
) -> list[tuple[list[int], list[int]]]:
    """Return the indexes of a minute's messages by second; empty unless both sides have all seconds, in order."""
    by_second: defaultdict[int, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for side, messages in enumerate((old, new)):
        last = 0
        for index, message in enumerate(messages):
            second = second_of(message)
            if second is None or second < last:
                return []
            last = second
            by_second[second][side].append(index)
    return [by_second[second] for second in sorted(by_second)] if len(by_second) > 1 else []


class DocumentComparison:
    """Both sides with the authors of their messages."""

    def __init__(
        self, old: Sequence[ConversationMessage], new: Sequence[ConversationMessage], aliases: Aliases
    ) -> None:
        self.old = old
        self.new = new
        self.people = tuple([aliases.person(message.speaker) for message in side] for side in (old, new))
        self.strangers = aliases.strangers
        self._person = aliases.person

    def sides(self, piece: MinutePiece, renamed: Mapping[str, str]) -> MinutePair:
        """Return a piece as input for `overlap`, with people replaced by those they are `renamed` to."""
        labels: list[list[Hashable]] = []
        said_once: set[Hashable] = set()
        for messages, people, indexes in zip((self.old, self.new), self.people, (piece.old, piece.new), strict=True):
            labels.append([_label(messages[i], renamed.get(people[i], people[i])) for i in indexes])
            said_once.update(label for i, label in zip(indexes, labels[-1], strict=True) if is_distinctive(messages[i]))
        return MinutePair(labels[0], labels[1], self._distances(piece, renamed), piece.certain, said_once)

    def _may_be_cut(self, old: int, new: int) -> bool:
        """Return whether one message is a line without author only because its file was cut within the author's name."""
        sides = self.old[old], self.new[new]
        return SYSTEM_SPEAKER in (sides[0].speaker, sides[1].speaker) and is_cut(*sides)

    def _distances(self, piece: MinutePiece, renamed: Mapping[str, str]) -> Callable[[int, int], int | None]:
        """Return the distance function of a piece's messages, by their numbers in it."""
        ours = [renamed.get(person, person) for person in (self.people[0][index] for index in piece.old)]
        theirs = [renamed.get(person, person) for person in (self.people[1][index] for index in piece.new)]
        contents: tuple[dict[int, str], dict[int, str]] = {}, {}

        def person(name: str) -> str:
            identity = self._person(name)
            return renamed.get(identity, identity)

        def content(side: int, index: int) -> str:
            text = contents[side].get(index)
            if text is None:
                text = contents[side][index] = comparable_content((self.old, self.new)[side][index], person)
            return text

        def apart(i: int, j: int) -> int | None:
            old, new = piece.old[i], piece.new[j]
            if ours[i] != theirs[j] and not self._may_be_cut(old, new):
                return None
            difference = distance(self.old[old], self.new[new])
            if difference is not None and difference > REREAD and content(0, old) == content(1, new):
                return REREAD
            return difference

        return apart


def _label(message: ConversationMessage, person: str) -> Hashable:
    """Return a label that equal messages share."""
    return (person, message.kind, message.deleted, "" if message.deleted else message.content)
