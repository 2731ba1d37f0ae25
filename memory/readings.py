"""Two readings of one document by minute, or by second where both tell seconds, laid over one another piece by piece. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass

from ..schemas import ConversationMessage
from .aliases import Aliases
from .message_distance import distance, minute_of, second_of, telling
from .overlap_table import Edges, Sides


@dataclass(frozen=True, slots=True)
class Piece:
    """What both sides have of a minute, or of a second of it, by index."""

    old: Sequence[int]
    new: Sequence[int]
    edges: Edges
    certain: Edges
    """The same without those that a forgetting may have made: what is stored may have gone on there."""


@dataclass(frozen=True, slots=True)
class Export:
    """An incoming reading of which, or of whose stored one, something was forgotten: all messages, and the indexes of those
    that may come in.
    """

    messages: Sequence[ConversationMessage]
    kept: Sequence[int]


def minutes_of(
    old: Sequence[ConversationMessage], new: Sequence[ConversationMessage], export: Export | None = None
) -> list[list[Piece]]:
    """Minutes of which both sides have messages without ids, in one piece or one for each second.

    Where messages of the ``export`` were forgotten, the readings go on there, for both had them.
    """
    ours, theirs = _by_minute(old), _by_minute(new)
    found: list[list[Piece]] = []
    for name, news in theirs.items():
        olds = ours.get(name)
        if olds is None:
            continue
        split = _by_second([old[index] for index in olds], [new[index] for index in news]) or [(olds, news)]
        pieces: list[Piece] = []
        if len(split) > 1:
            split = [([olds[i] for i in some], [news[j] for j in others]) for some, others in split]
        for some, others in split:
            edges = _edges(some, others, len(old), len(new))
            if export is not None and others:
                edges = _without_forgotten(edges, others, name, export)
            certain = edges if export is None else edges._replace(old_begins=False, old_ends=False)
            pieces.append(Piece(some, others, edges, certain))
        found.append(pieces)
    return found


def _without_forgotten(edges: Edges, news: Sequence[int], minute: str, export: Export) -> Edges:
    """The edges without those that only a forgetting made: a stored reading neither began behind nor ended before what
    was forgotten of it, and an incoming one begins and ends with its first and last message, forgotten or not.
    """
    before = export.kept[news[0]] - news[0]
    after = len(export.messages) - len(export.kept) - (export.kept[news[-1]] - news[-1])
    return Edges(
        edges.old_begins and not before,
        edges.new_begins and minute_of(export.messages[0]) == minute,
        edges.old_ends and not after,
        edges.new_ends and minute_of(export.messages[-1]) == minute,
    )


def _edges(olds: Sequence[int], news: Sequence[int], all_old: int, all_new: int) -> Edges:
    return Edges(
        bool(olds) and olds[0] == 0,
        bool(news) and news[0] == 0,
        bool(olds) and olds[-1] == all_old - 1,
        bool(news) and news[-1] == all_new - 1,
    )


def _by_minute(messages: Sequence[ConversationMessage]) -> dict[str, list[int]]:
    found: defaultdict[str, list[int]] = defaultdict(list)
    for index, message in enumerate(messages):
        if message.id is None:
            found[minute_of(message)].append(index)
    return found


def _by_second(
    old: Sequence[ConversationMessage], new: Sequence[ConversationMessage]
) -> list[tuple[list[int], list[int]]]:
    """Numbers of a minute's messages by their second; nothing unless both sides tell all seconds, in order."""
    found: defaultdict[int, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for side, messages in enumerate((old, new)):
        last = 0
        for index, message in enumerate(messages):
            second = second_of(message)
            if second is None or second < last:
                return []
            last = second
            found[second][side].append(index)
    return [found[second] for second in sorted(found)] if len(found) > 1 else []


class Readings:
    """Both sides, and by whom their messages are."""

    def __init__(
        self, old: Sequence[ConversationMessage], new: Sequence[ConversationMessage], aliases: Aliases
    ) -> None:
        self.old = old
        self.new = new
        self.people = tuple([aliases.person(message.speaker) for message in side] for side in (old, new))
        self.strangers = aliases.strangers

    def sides(self, piece: Piece, renamed: Mapping[str, str]) -> Sides:
        """A piece as `overlap` takes it, with these people taken for those."""
        labels: list[list[Hashable]] = []
        said_once: set[Hashable] = set()
        for messages, people, indexes in zip((self.old, self.new), self.people, (piece.old, piece.new), strict=True):
            labels.append([_label(messages[i], renamed.get(people[i], people[i])) for i in indexes])
            said_once.update(label for i, label in zip(indexes, labels[-1], strict=True) if telling(messages[i]))
        return Sides(labels[0], labels[1], self._distances(piece, renamed), piece.certain, said_once)

    def _distances(self, piece: Piece, renamed: Mapping[str, str]) -> Callable[[int, int], int | None]:
        """Distances of a piece's messages by their numbers in it."""
        ours = [renamed.get(person, person) for person in (self.people[0][index] for index in piece.old)]
        theirs = [renamed.get(person, person) for person in (self.people[1][index] for index in piece.new)]

        def apart(i: int, j: int) -> int | None:
            if ours[i] != theirs[j]:
                return None
            return distance(self.old[piece.old[i]], self.new[piece.new[j]])

        return apart


def _label(message: ConversationMessage, person: str) -> Hashable:
    """What equal messages have in common."""
    return (person, message.kind, message.deleted, "" if message.deleted else message.content)
