"""The inputs and outputs of the store's search: filters, candidates with their scores, comparisons."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from ..schemas import Arm, HitType
from ..schemas.errors import EmbeddingError
from ..schemas.message import MessageKind
from .text.unmarked_questions import asks_without_mark

Vector = NDArray[np.float32]


Column = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Filter:
    """The chunks that may be found; applied inside every arm, never after. Empty fields do not filter.

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
    """Titles or ids of chats, ignoring case; a text is in none."""
    scope: tuple[tuple[str, ...], ...] = ()
    """Groups of tags; a document must have one of each."""
    without_kinds: tuple[str, ...] = ()
    """Messages of these kinds fail."""
    phrases: tuple[str, ...] = ()
    """Phrases that must occur in the chunk word by word; for a fact, in its message."""
    only: HitType | None = None
    """Only messages, or only pieces of texts."""

    @property
    def empty(self) -> bool:
        """True if everything passes."""
        return self == _NO_FILTER

    @property
    def by_kind_only(self) -> bool:
        """True if only messages of some kinds fail."""
        return bool(self.without_kinds) and replace(self, without_kinds=()) == _NO_FILTER


_NO_FILTER = Filter()


APPS_OWN: tuple[MessageKind, ...] = ("system", "call", "deleted")
"""Kinds of messages that no person wrote: "Ann was added", "Missed call", "This message was deleted". They have no
vectors, and are no answers unless they are requested.
"""
QUESTION_MARKS = ("?", "\uff1f", "\u061f", "\u037e", "\u055e", "\u1367", "\u2047", "\u2049", "\u203d")
"""The question marks of Latin and most scripts, full width, Arabic, Greek, Armenian, Ethiopic, and double ones."""
_QUESTION_MARKS = frozenset(QUESTION_MARKS)


@dataclass(frozen=True, slots=True)
class NameFilter:
    """Folded names (see `spellings`) by scope: those that match anywhere, those that match in one chat, because of a
    rename there, and those that match in one source, because they were merged with another name of that person.
    """

    anywhere: frozenset[str]
    in_chats: tuple[tuple[bytes, frozenset[str]], ...] = ()
    in_sources: tuple[tuple[str, frozenset[str]], ...] = ()

    @property
    def every(self) -> list[str]:
        """All of these names, in any scope."""
        return sorted(self.anywhere.union(*(names for _, names in (*self.in_chats, *self.in_sources))))


CROWD = 256
"""The most people of a document that are written into each of its rows of the word index; a larger document is indexed
by its own id instead, or every row would hold all its people.
"""


@dataclass(frozen=True, slots=True)
class CompiledFilter:
    """A filter with resolved names and with times in UTC microseconds. None means no restriction."""

    speakers: NameFilter | None
    people: NameFilter | None
    sources: tuple[str, ...]
    tags: tuple[tuple[str, ...], ...]
    """Groups of tags; a document must have one of each."""
    kinds: tuple[str, ...]
    since: int | None
    until: int | None
    chats: tuple[bytes, ...] | None = None
    """Keys of chats."""
    crowds: tuple[int, ...] = ()
    """The row ids of the documents with more than ``CROWD`` people in which one of `people` appears."""
    without_kinds: tuple[str, ...] = ()
    rows: tuple[int, ...] | None = None
    """Row ids of chunks; no other chunks pass."""
    beside: tuple[int, ...] = ()
    """Row ids of chunks that pass whatever their time: events that repeat at that time."""
    by_kind_only: bool = False
    """True if ``without_kinds`` is the only restriction."""
    only: HitType | None = None
    """Only messages, or only pieces of texts."""


def without_kinds_only(kinds: Sequence[str]) -> CompiledFilter:
    """Return a filter that rejects only messages of these kinds."""
    return CompiledFilter(None, None, (), (), (), None, None, without_kinds=tuple(kinds), by_kind_only=True)


def only_rows(rows: Sequence[int]) -> CompiledFilter:
    """Return a filter that passes these chunks and no others."""
    return CompiledFilter(None, None, (), (), (), None, None, rows=tuple(rows))


ENDING = 4
"""The characters at the end of a longer message that are read for its mark."""


class ChunkRef(NamedTuple):
    """The properties by which a chunk is ranked. Row ids of the store are never reused, and compare faster than keys."""

    row: int
    """The row id of the chunk."""
    key: bytes
    """The chunk's key, 16 bytes. Ties are ordered by it, so that the same question has the same answer."""
    document: int
    message: int | None
    """None for a piece of a text."""
    ordinal: int
    """Running number within the document: neighbours differ by one; all chunks of one message share it."""
    speaker: str = ""
    """Empty for a text."""
    tokens: int = 0
    """The chunk's tokens, as its strategy counted them."""
    ending: str = ""
    """The last four characters of its message; of a short one that may ask without a mark all."""
    readers: int = 0
    """1 if the chunk is in an extractor's words, a fact or an expansion: another search key of its message."""
    part: int = 0
    """1 if the chunk is a part of a long message."""
    time: int | None = None
    """The time of the message or the text in UTC microseconds; None if it has none."""
    machine: int = 0
    """1 if an assistant or one of its tools wrote the message."""

    @property
    def asks(self) -> bool:
        """True if its message ends in a question mark, or is a short question without one."""
        return self.ending.rstrip()[-1:] in _QUESTION_MARKS or (
            len(self.ending) > ENDING and asks_without_mark(self.ending)
        )


def checked_question(vector: Vector, dimension: int) -> Vector:
    """Return the vector of a query as float32 of shape (dimension,).

    Raises:
        EmbeddingError: it cannot be compared with vectors of this dimension.
    """
    array = np.asarray(vector, dtype=np.float32)
    if array.shape != (dimension,) or not np.isfinite(array).all() or not array.any():
        raise EmbeddingError(
            "the question's vector cannot be compared with the store's",
            hint="the embedder does not fit the store's generation",
        )
    return array


class QuestionVectors(NamedTuple):
    """The vectors of a question, one for each space that is searched."""

    current: Vector | None = None
    """The vector of the store's model; None if its embedder failed."""
    fallback: Vector | None = None
    """The vector of the fallback; None if there is none, or it failed."""

    @property
    def several(self) -> bool:
        """True if both spaces are searched."""
        return self.current is not None and self.fallback is not None


class Comparison(NamedTuple):
    """The cosines of rows of the vector indexes with a question, and with each other; NaN for rows without a vector."""

    cosines: NDArray[np.float32]
    """The cosine with the question's vector."""
    typical: NDArray[np.float32]
    """The cosine with the mean of all rows of its space."""
    spaces: NDArray[np.int8]
    """The space of the vector, an index into `QuestionVectors`."""


@dataclass(frozen=True, slots=True)
class CandidateSet:
    """The candidates for an answer, with their exact scores in every arm that took part."""

    places: Sequence[ChunkRef] = ()
    """Distinct chunks."""
    found: int = 0
    """The number of places, from the first on, that were among the best of an arm; the others are neighbours of these.
    """
    best: Mapping[Arm, Sequence[int]] = field(default_factory=dict[Arm, Sequence[int]])
    """The indexes in `places` of the best candidates, by arm and in the arm's order."""
    scores: Mapping[Arm, Column] = field(default_factory=dict[Arm, Column])
    """One score for each place by arm; NaN if the arm has none."""
    typical: Column | None = None
    """The cosine of each place with the mean of all; NaN without a vector. None: no vectors took part."""
    spaces: NDArray[np.int8] | None = None
    """The space of the vector of each place, an index into `QuestionVectors`; None if one space alone was searched."""
    vectors: QuestionVectors | None = None
    """The query's vectors."""
    exact: frozenset[int] = frozenset()
    """Row ids of chunks that contain the query word by word."""
    in_time: frozenset[int] = frozenset()
    """Row ids of chunks from a time that the query names."""
    said: frozenset[int] = frozenset()
    """Row ids of chunks that the named person wrote at the named time, if the query asks for what was said."""
    numeric: frozenset[int] = frozenset()
    """Row ids of chunks that contain a number, if the query asks for one."""
    of_kind: frozenset[int] = frozenset()
    """Row ids of chunks in documents of the kind that the query asks for."""


ExpansionPolicy = Callable[[Sequence[ChunkRef], Mapping[Arm, Sequence[int]]], Collection[int]]
"""Maps places, and by arm the indexes of its best among them, to the indexes of the most promising ones."""


@dataclass(frozen=True, slots=True)
class FactFilter:
    """The facts that are wanted. Empty fields do not filter; names ignore case."""

    keys: tuple[UUID, ...] = ()
    subjects: tuple[str, ...] = ()
    speakers: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    as_of: datetime | None = None
    """Restricts to facts that held at that time."""
    known_at: datetime | None = None
    """Selects the versions as recorded at that time."""
    messages: tuple[UUID, ...] = ()
    """Restricts to facts that cite one of these messages."""
