"""What the store is asked and answers: filters, candidates with their places and scores, hits."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from ..schemas import Arm
from .records import StoredChunk, StoredDocument, StoredMessage

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

    @property
    def empty(self) -> bool:
        """Whether it lets everything pass."""
        return self == _NO_FILTER


_NO_FILTER = Filter()


class Scored(NamedTuple):
    """A chunk and its raw score in one arm: a BM25 sum, or a cosine."""

    key: UUID
    score: float


@dataclass(frozen=True, slots=True)
class SearchableChunk:
    """A chunk with what a hit shows of its owner and document. ``message`` is None for a text."""

    chunk: StoredChunk
    text: str
    message: StoredMessage | None
    document: StoredDocument


class ChunkRef(NamedTuple):
    """Where a chunk stands: enough to rank it beside its neighbours and its document."""

    key: UUID
    document: UUID
    owner: UUID
    """The message's key; for a text the document's."""
    ordinal: int
    """Running number within the document: neighbours differ by one; all chunks of one message share it."""
    speaker: str
    tokens: int = 0
    """The chunk's, as its strategy counted them."""
    asks: bool = False
    """Whether its message ends in a question mark."""
    fact: bool = False
    """Whether the chunk stands for a fact: another key of its message."""


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
