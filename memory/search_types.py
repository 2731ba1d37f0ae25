"""What the store is asked and answers: filters, candidates with their places and scores, hits."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from ..schemas import Arm
from ..schemas.message import MessageKind

Vector = NDArray[np.float32]


Column = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Filter:
    """Which chunks may be found; applied inside every arm, never after. Empty fields do not filter.

    Several values of one field mean any of them, several fields mean all. ``speakers`` and ``people`` match exact
    names, in any spelling of case; a renamed person is found under all of their names in that chat.
    A text has no speaker and no kind but ``text``; a text without a time fails ``since`` and ``until``.
    """

    speakers: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    chats: tuple[str, ...] = ()
    """Titles or ids of chats, in any spelling of case; a text is in none."""
    without_kinds: tuple[str, ...] = ()
    """Messages of these kinds fail."""
    phrases: tuple[str, ...] = ()
    """Each must stand in the chunk, word by word; a message's facts stand for it."""

    @property
    def empty(self) -> bool:
        """Whether it lets everything pass."""
        return self == _NO_FILTER

    @property
    def by_kind_only(self) -> bool:
        """Whether nothing fails but messages of some kinds."""
        return bool(self.without_kinds) and replace(self, without_kinds=()) == _NO_FILTER


_NO_FILTER = Filter()


APPS_OWN: tuple[MessageKind, ...] = ("system", "call", "deleted")
"""Kinds of messages that nobody wrote: "Ann was added", "Missed call", "This message was deleted". They have no vectors,
and are no answers unless they are asked for.
"""
QUESTION_MARKS = ("?", "\uff1f", "\u061f", "\u037e", "\u055e", "\u1367", "\u2047", "\u2049", "\u203d")
"""Of Latin and most scripts, full width, Arabic, Greek, Armenian, Ethiopic, and those that are two in one."""
_QUESTION_MARKS = frozenset(QUESTION_MARKS)


class ChunkRef(NamedTuple):
    """What a chunk is ranked by, in the store's row ids: they are never used again, and compare faster than keys."""

    row: int
    """Of the chunk."""
    key: bytes
    """Of the chunk: 16 bytes. Equal scores are ordered by it, so that the same question has the same answer."""
    document: int
    message: int | None
    """None for a piece of a text."""
    ordinal: int
    """Running number within the document: neighbours differ by one; all chunks of one message share it."""
    speaker: str = ""
    """Empty for a text."""
    tokens: int = 0
    """The chunk's, as its strategy counted them."""
    ending: str = ""
    """The last four characters of its message."""
    readers: int = 0
    """1 if the chunk is in a reader's words, a fact or an expansion: another key of its message."""
    part: int = 0
    """1 if the chunk is a part of its message, which is a long one."""
    time: int | None = None
    """Of the message, in UTC microseconds; None for a piece of a text."""

    @property
    def asks(self) -> bool:
        """Whether its message ends in a question mark."""
        return self.ending.rstrip()[-1:] in _QUESTION_MARKS


class Comparison(NamedTuple):
    """Rows of a vector index compared with a question, and with each other. NaN for those without a vector there."""

    cosines: NDArray[np.float32]
    """With the question's vector."""
    typical: NDArray[np.float32]
    """With the mean of all the rows."""


@dataclass(frozen=True, slots=True)
class CandidateSet:
    """The candidates for an answer: where they stand, and their exact scores in every arm that took part."""

    places: Sequence[ChunkRef] = ()
    """Distinct chunks."""
    found: int = 0
    """So many of them, the first, were among the best of an arm; the others stand beside one of these."""
    best: Mapping[Arm, Sequence[int]] = field(default_factory=dict[Arm, Sequence[int]])
    """By arm, the indexes of its best among the places, in the arm's order."""
    scores: Mapping[Arm, Column] = field(default_factory=dict[Arm, Column])
    """One number for each of the places, in their order; NaN where the arm gives it none."""
    typical: Column | None = None
    """Of each of the places, the cosine with the mean of them all; NaN without a vector. None: no vectors took part."""
    vector: Vector | None = None
    """The question's."""
    exact: frozenset[int] = frozenset()
    """Row ids of those that hold the question word by word."""
    in_time: frozenset[int] = frozenset()
    """Row ids of those of a time that the question names."""
    said: frozenset[int] = frozenset()
    """Row ids of those that the named person said at the named time, where the question asks for what was said."""
    numeric: frozenset[int] = frozenset()
    """Row ids of those that hold a number, where the question asks for one."""


ExpansionPolicy = Callable[[Sequence[ChunkRef], Mapping[Arm, Sequence[int]]], Collection[int]]
"""From places, and by arm the indexes of its best among them in their order, to the indexes of the most promising."""


@dataclass(frozen=True, slots=True)
class FactFilter:
    """Which facts are wanted. Empty fields do not filter; names in any spelling of case."""

    keys: tuple[UUID, ...] = ()
    subjects: tuple[str, ...] = ()
    speakers: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    as_of: datetime | None = None
    """What held at that time."""
    known_at: datetime | None = None
    """As it was recorded at that time."""
    messages: tuple[UUID, ...] = ()
    """Those that rest on one of these."""
