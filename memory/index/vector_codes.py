"""The codes of one model's vectors: eight bits a component, in a mapped file, ordered by the row id of the text.

A query is compared with every code, and the best texts are compared again with the vectors in SQLite. So the file only
chooses candidates; no score comes from it. It needs no snapshot and no repair of its own: a change writes the codes of
its texts in place; after a crash the changes after ``sequence`` are written again; a file that does not fit is rebuilt.

    head        4,096 bytes: a JSON object padded with blanks: identity, last change, number of rows, its own checksum
    axes        of a large index: float32, the mean of the vectors, then the principal axes, the widest first
    rows        by text: float32 offset and step, an int8 per component, padded to a multiple of four; zeros: no vector

The score of a row is ``offset + step * query · code``: about the cosine, plus `PRESENT`, so that a row of zeros comes
last; with axes, the scores of one query are shifted by a constant, which changes no order. Each row has its own step,
that of its largest component: some models give all vectors one component far larger than the others.
"""

from __future__ import annotations

import mmap
import os
import shutil
import zlib
from contextlib import suppress
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numkong
import numpy as np
import orjson
from numpy.typing import NDArray

from ..file_errors import file_error, raise_if_exhausted
from ..private_files import create_anew, open_private, require_regular_file, sync_folder
from ..search_types import Vector
from .errors import DamagedIndexError

FORMAT = 3
HEAD = 4_096
BEFORE_CODE = 8
"""Bytes of a row before its code."""
PRESENT = 2.0
"""Added to the offset of each row that is present: a cosine is at least -1, so a row of zeros scores below all."""
LEAST = 0.5
"""A lower bound for the score of a row that is present: with axes a score is a cosine and at least -1/4 more, besides
`PRESENT`.
"""
OFFSET_ERROR = 0.1
"""The greatest difference between an offset and the one computed from its code; a greater one means damage."""
EXACT_ROWS = 200_000
"""The most rows for which every code is compared whole: 5 ms on one core with 384 components."""
HEAD_AXES = 128
"""The number of components, along the widest axes, that are compared first in larger indexes; then `HEAD_SHARE` of the
rows are compared whole. These heads are held contiguously in memory: a million are read in 12 ms instead of 24.
"""
HEAD_SHARE = 0.02
"""The share of rows that are compared whole. With 34,600 texts, .996 of the nearest 30 are in this share; in half of
it, .989.
"""
LEARNED_FROM = 20_000
"""The number of sampled rows from which the mean and the axes are learned."""
AT_ONCE = 16_384

Codes = NDArray[np.int8]
Texts = NDArray[np.int64]
_Rows = NDArray[np.uint8]


@dataclass(frozen=True)
class Axes:
    """The transformation of vectors of length 1 before they are rounded: none, or a mean and axes."""

    mean: Vector | None = None
    """Shape (dimension,)."""
    turn: NDArray[np.float32] | None = None
    """Shape (dimension, dimension): a column for each axis."""

    def encode(self, units: NDArray[np.float32]) -> tuple[Codes, NDArray[np.float32]]:
        """Return the codes, shape (rows, dimension), and offsets and steps, shape (rows, 2)."""
        codes, steps = self._rounded(self._turned(units))
        return codes, np.stack([self._offsets(units), steps], axis=1)

    def decode(self, codes: Codes, before: NDArray[np.float32]) -> NDArray[np.float32]:
        """Decode codes to vectors of length 1, within rounding; zeros where the offset does not fit its code."""
        with np.errstate(all="ignore"):  # a damaged row may contain any numbers
            values: NDArray[np.float32] = codes.astype(np.float32) * before[:, 1:]
            units = values if self.mean is None or self.turn is None else values @ self.turn.T + self.mean
            units[~(np.abs(self._offsets(units) - before[:, 0]) < OFFSET_ERROR)] = 0
        return units

    def question(self, unit: Vector) -> tuple[Codes, float]:
        """Return the code of a query, shape (1, dimension), and its step."""
        code, steps = self._rounded(self._turned(unit[None, :]))
        return code, float(steps[0])

    def _turned(self, units: NDArray[np.float32]) -> NDArray[np.float32]:
        if self.mean is None or self.turn is None:
            return units
        return np.asarray((units - self.mean) @ self.turn, np.float32)

    def _offsets(self, units: NDArray[np.float32]) -> NDArray[np.float32]:
        if self.mean is None:
            return np.full(len(units), PRESENT, np.float32)
        return np.asarray(units @ self.mean + PRESENT, np.float32)

    @staticmethod
    def _rounded(values: NDArray[np.float32]) -> tuple[Codes, NDArray[np.float32]]:
        steps = np.maximum(np.abs(values).max(axis=1), np.float32(1e-9)) / np.float32(127)
        return np.rint(values / steps[:, None]).astype(np.int8), steps

    @classmethod
    def learned(cls, units: NDArray[np.float32]) -> Axes:
        """Return axes with the mean and the principal axes of these vectors."""
        mean = units.mean(axis=0)
        _, turn = np.linalg.eigh(np.cov(units - mean, rowvar=False))
        return cls(mean, np.ascontiguousarray(turn[:, ::-1], dtype=np.float32))

    def written(self) -> bytes:
        """Return the bytes of the mean and the axes; empty if there are none."""
        if self.mean is None or self.turn is None:
            return b""
        return np.concatenate([self.mean, self.turn.ravel()]).astype("<f4").tobytes()

    @classmethod
    def read(cls, data: bytes, dimension: int) -> Axes:
        """Decode the bytes of `written`."""
        if not data:
            return cls()
        values = np.frombuffer(data, "<f4")
        return cls(values[:dimension], values[dimension:].reshape(dimension, dimension))


@dataclass
class _Heads:
    """The first components of each row of a large index, in memory. They change in place: a search may see either
    state.
    """

    codes: Codes
    """Shape (rows, HEAD_AXES)."""
    before: NDArray[np.float32]
    """Offsets and steps, shape (rows, 2)."""

    @classmethod
    def of(cls, rows: _Rows) -> _Heads:
        codes = rows[:, BEFORE_CODE : BEFORE_CODE + HEAD_AXES].view(np.int8)
        return cls(codes.copy(), _before(rows).copy())

    def put(self, texts: Texts, rows: _Rows) -> _Heads:
        """Store these rows; return the heads of all rows, which are the same object if there was room."""
        count, held = int(texts.max()) + 1, self
        if count > len(self.codes):
            more = max(count, len(self.codes) * 3 // 2) - len(self.codes)
            held = _Heads(np.pad(self.codes, ((0, more), (0, 0))), np.pad(self.before, ((0, more), (0, 0))))
        held.codes[texts] = rows[:, BEFORE_CODE : BEFORE_CODE + HEAD_AXES].view(np.int8)
        held.before[texts] = _before(rows)
        return held


class VectorCodes:
    """The file of one model. One thread may write while others search. ``read_only``: changes stay in memory."""

    def __init__(self, path: Path, identity: str, dimension: int, *, read_only: bool) -> None:
        self.path = path
        self.identity = identity
        """The ids of the store and of the model."""
        self.dimension = dimension
        self.sequence = 0
        """The number of the last change that the rows contain."""
        self._read_only = read_only
        self._width = BEFORE_CODE + -(-dimension // 4) * 4
        self._axes = Axes()
        self._begin = HEAD
        self._rows: _Rows = self._none()
        self._pages: mmap.mmap | None = None
        """The mapped file behind `_rows`; None if they are in memory of their own."""
        self._heads: _Heads | None = None
        """None if there are no axes."""
        self._file = -1
        """The descriptor for writing; -1 if nothing is written."""
        self._view = -1
        """The descriptor for mapping. Mapping a writable descriptor would keep the file system from being remounted
        read-only.
        """

    def _none(self) -> _Rows:
        return np.zeros((0, self._width), np.uint8)

    def __len__(self) -> int:
        """Return the number of rows, including rows of zeros."""
        return len(self._rows)

    # --- the file -------------------------------------------------------------------------------------------------

    def open(self, newest: int) -> None:
        """Open the existing file if it is intact, has this identity, and no later change than ``newest``; otherwise
        start empty.

        Raises:
            ExhaustedError: there is not enough memory, or there are too few descriptors, to tell.
        """
        self._clear()
        try:
            head = read_head(self.path)
            if head is not None and self._fits(head) and head["sequence"] <= newest:
                self._take(head)
        except OSError as error:
            raise_if_exhausted(error)
            self._clear()

    def _fits(self, head: dict[str, Any]) -> bool:
        return (head["identity"], head["dimension"]) == (self.identity, self.dimension)

    def _take(self, head: dict[str, Any]) -> None:
        begin = HEAD + head["axes"]
        if (self.path.stat().st_size - begin) // self._width < head["rows"]:
            return  # truncated
        self._open()
        data = os.pread(self._view, head["axes"], HEAD)
        if zlib.crc32(data) != head["axes_checksum"]:
            self.close()
            return
        self._axes, self._begin = Axes.read(data, self.dimension), begin
        self.sequence = head["sequence"]
        self._map()
        if begin > HEAD:
            self._heads = _Heads.of(self._rows)

    def _open(self) -> None:
        # The descriptors stay open: the file may be removed meanwhile.
        if not self._read_only:
            self._file = open_private(self.path, os.O_RDWR)
        self._view = open_private(self.path, os.O_RDONLY)

    def _map(self) -> None:
        """Map the current rows of the file; the system may drop their pages."""
        count = (os.fstat(self._view).st_size - self._begin) // self._width
        if count <= 0:
            self._rows = self._none()
            return
        pages = self._pages = mmap.mmap(self._view, self._begin + count * self._width, access=mmap.ACCESS_READ)
        self._rows = np.frombuffer(pages, np.uint8, count * self._width, self._begin).reshape(count, self._width)

    def save(self) -> None:
        """Make the rows durable, then the number of the last change.

        Raises:
            StoreError: the file cannot be written.
        """
        if self._read_only:
            return
        self._whole_rows()  # a head before missing rows would vouch for them
        try:
            if self._file < 0:
                self._make()
            os.fsync(self._file)
            self._write_head()
            os.fsync(self._file)
        except OSError as error:
            raise file_error(error) from error

    def _make(self) -> None:
        os.close(create_anew(self.path))
        self._open()
        self._write_head(sequence=0)
        sync_folder(self.path.parent)

    def _write_head(self, sequence: int | None = None) -> None:
        axes = self._axes.written()
        head = {
            "format": FORMAT,
            "identity": self.identity,
            "dimension": self.dimension,
            "sequence": self.sequence if sequence is None else sequence,
            "rows": len(self._rows),
            "axes": len(axes),
            "axes_checksum": zlib.crc32(axes),
        }
        written = orjson.dumps({**head, "checksum": zlib.crc32(orjson.dumps(head))})
        _write_whole(self._file, written.ljust(HEAD), 0)

    def move(self, path: Path) -> None:
        """Rename the file, replacing another one.

        Raises:
            StoreError: the file cannot be moved.
        """
        try:
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            self.path.replace(path)
            self.path = path
            sync_folder(path.parent)
        except OSError as error:
            raise file_error(error) from error

    def remove(self) -> None:
        """Close and remove the file."""
        self.close()
        with suppress(OSError):
            self.path.unlink(missing_ok=True)

    def close(self) -> None:
        """Close the file and unmap its pages, except those of running searches: see `pinned`. Otherwise references to
        this object, such as the traceback of a cancelled task, would keep them mapped.
        """
        for file in (self._file, self._view):
            if file >= 0:
                os.close(file)
        self._file = self._view = -1
        self._rows, self._pages, self._heads = self._none(), None, None

    def _whole_rows(self) -> _Rows:
        """Return the rows. Reading mapped pages behind the end of a file would end the process.

        Raises:
            DamagedIndexError: somebody made the file shorter.
        """
        if self._pages is not None and self._pages.size() < len(self._pages):
            raise DamagedIndexError(
                "the vectors index cannot be used", hint="it is rebuilt from the database by itself; try again"
            )
        return self._rows

    def _clear(self) -> None:
        self.close()
        self.sequence = 0
        self._axes, self._begin = Axes(), HEAD

    # --- changes --------------------------------------------------------------------------------------------------

    def write(self, texts: Texts, vectors: NDArray[np.float32]) -> None:
        """Store the codes of these vectors, shape (texts, dimension), none of them zero, replacing former ones.

        Raises:
            StoreError: the codes cannot be written; some may be.
        """
        if not len(texts):
            return
        units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        self._put(texts, self._encoded(units))

    def _encoded(self, units: NDArray[np.float32]) -> _Rows:
        codes, before = self._axes.encode(units)
        rows = np.zeros((len(units), self._width), np.uint8)
        rows[:, :BEFORE_CODE] = before.astype("<f4").view(np.uint8)
        rows[:, BEFORE_CODE : BEFORE_CODE + self.dimension] = codes.view(np.uint8)
        return rows

    def clear(self, texts: Texts) -> None:
        """Overwrite the rows of these texts with zeros.

        Raises:
            StoreError: the rows cannot be written; some may be.
        """
        texts = texts[texts < len(self._rows)]
        for begin in range(0, len(texts), AT_ONCE):
            part = texts[begin : begin + AT_ONCE]
            self._put(part, np.zeros((len(part), self._width), np.uint8))

    def _put(self, texts: Texts, rows: _Rows) -> None:
        self._whole_rows()  # writing behind the end would leave a hole of zeros
        order = np.argsort(texts, kind="stable")
        texts, rows = texts[order], rows[order]
        if self._read_only:
            self._hold(int(texts[-1]) + 1)
            self._rows[texts] = rows
            self._put_heads(texts, rows)
            return
        try:
            if self._file < 0:
                self._make()
            for run in np.split(np.arange(len(texts)), np.flatnonzero(np.diff(texts) != 1) + 1):
                _write_whole(self._file, rows[run].tobytes(), self._begin + int(texts[run[0]]) * self._width)
            if texts[-1] >= len(self._rows):
                self._map()
        except OSError as error:
            raise file_error(error) from error
        self._put_heads(texts, rows)

    def _put_heads(self, texts: Texts, rows: _Rows) -> None:
        if self._heads is not None:
            self._heads = self._heads.put(texts, rows)

    def _hold(self, count: int) -> None:
        """Ensure that at least `count` rows are in writable memory."""
        if count > len(self._rows) or not self._rows.flags.writeable:
            held = np.zeros((max(count, len(self._rows) * 3 // 2), self._width), np.uint8)
            held[: len(self._rows)] = self._rows
            self._rows, self._pages = held, None

    def needs_axes(self) -> bool:
        """Return whether the index is large enough for a search in two steps and has no axes yet. Counts texts, because
        many rows may be empty.
        """
        if len(self._rows) <= EXACT_ROWS or self._axes.mean is not None or self.dimension <= HEAD_AXES:
            return False
        return len(self.texts()) > EXACT_ROWS // 2

    def learn(self) -> VectorCodes:
        """Write a copy to a file of its own, with axes learned from a sample of the rows.

        Raises:
            StoreError: the copy cannot be written.
        """
        texts = self.texts()
        some = texts[:: max(1, len(texts) // LEARNED_FROM)]
        learned = VectorCodes(
            self.path.with_suffix(".learned"), self.identity, self.dimension, read_only=self._read_only
        )
        learned._axes = Axes.learned(self.get(some))
        try:
            learned._make_with_axes()
            for begin in range(0, len(texts), AT_ONCE):
                part = texts[begin : begin + AT_ONCE]
                vectors = self.get(part)
                whole = vectors.any(axis=1)  # a damaged row has no direction; a check reports its text as missing
                learned.write(part[whole], vectors[whole])
            learned.sequence = self.sequence
            learned.save()
            learned._heads = _Heads.of(learned._rows)
        except BaseException:
            learned.remove()
            raise
        return learned

    def _make_with_axes(self) -> None:
        if self._read_only:
            return
        axes = self._axes.written()
        try:
            self._make()
            _write_whole(self._file, axes, HEAD)
        except OSError as error:
            raise file_error(error) from error
        self._begin = HEAD + len(axes)

    # --- searching ------------------------------------------------------------------------------------------------

    def pinned(self) -> VectorCodes:
        """Return a view that keeps the rows mapped until a search ends; rows written meanwhile may show either state."""
        return copy(self)

    def nearest(self, vector: Vector, count: int) -> Texts:
        """Return the ``count`` texts with the highest scores, best first: shape (up to count,)."""
        rows, heads, axes = self._whole_rows(), self._heads, self._axes
        if not len(rows):
            return np.empty(0, np.int64)
        question, step = axes.question(vector / np.float32(np.linalg.norm(vector)))
        if heads is not None:
            head_count = min(len(rows), len(heads.codes))
            head = _scored(heads.codes[:head_count], heads.before[:head_count], question[:, :HEAD_AXES], step)
            among = _best(head, max(4 * count, int(HEAD_SHARE * head_count)))
            scores = self._scores(rows[among], question, step)
        else:
            among, scores = None, self._scores(rows, question, step)
        best = _best(scores, count)
        best = best[np.argsort(-scores[best], kind="stable")]
        best = best[scores[best] > LEAST]
        return best if among is None else among[best]

    def among(self, vector: Vector, texts: Texts, count: int) -> Texts:
        """Return the ``count`` of these texts with the highest scores, each once, in no order."""
        rows, axes = self._whole_rows(), self._axes
        present_texts = np.unique(texts[texts < len(rows)])
        question, step = axes.question(vector / np.float32(np.linalg.norm(vector)))
        scores = self._scores(rows[present_texts], question, step)
        best = _best(scores, count)
        return present_texts[best[scores[best] > LEAST]]

    @staticmethod
    def _scores(rows: _Rows, question: Codes, step: float) -> NDArray[np.float32]:
        if not len(rows):
            return np.empty(0, np.float32)
        return _scored(
            rows[:, BEFORE_CODE : BEFORE_CODE + question.shape[1]].view(np.int8), _before(rows), question, step
        )

    def texts(self) -> Texts:
        """Return the row ids of all texts that have a code, ascending."""
        return np.flatnonzero(_before(self._whole_rows())[:, 0])

    def held(self, texts: Texts) -> NDArray[np.bool_]:
        """Return which of these texts have a code, shape (texts,)."""
        rows, held = self._whole_rows(), texts < len(self._rows)
        held[held] = _before(rows)[texts[held], 0] != 0
        return held

    def get(self, texts: Texts) -> NDArray[np.float32]:
        """Decode the vectors of texts that have a row, shape (texts, dimension); zeros where a row is damaged."""
        rows, axes = self._whole_rows()[texts], self._axes
        return axes.decode(rows[:, BEFORE_CODE : BEFORE_CODE + self.dimension].view(np.int8), _before(rows))


def _scored(codes: Codes, before: NDArray[np.float32], question: Codes, step: float) -> NDArray[np.float32]:
    """Return the score of each row from its code, offset and step."""
    products = cast("Any", numkong).cdist(question, codes, "dot", out_dtype="float32", threads=1)
    scores: NDArray[np.float32] = np.asarray(products)[0]
    scores *= before[:, 1] * np.float32(step)
    scores += before[:, 0]
    return scores


def _before(rows: _Rows) -> NDArray[np.float32]:
    """Return offsets and steps, shape (rows, 2)."""
    return rows[:, :BEFORE_CODE].view("<f4") if len(rows) else np.empty((0, 2), np.float32)


def _best(scores: NDArray[np.float32], count: int) -> Texts:
    """Return the positions of the ``count`` highest scores, in no order. A sample gives a lower bound first:
    partitioning all scores costs ten times as much.
    """
    if count >= len(scores):
        return np.arange(len(scores))
    step = len(scores) // (8 * count)
    if step > 8:
        sample = scores[::step]
        bound = np.partition(sample, -16)[-16] if len(sample) >= 16 else -np.inf
        places = np.flatnonzero(scores >= bound)
        if len(places) >= count:
            return places[np.argpartition(scores[places], -count)[-count:]]
    return np.argpartition(scores, -count)[-count:]


def read_head(path: Path) -> dict[str, Any] | None:
    """Read the head of a file; None if it is damaged or of another format.

    Raises:
        OSError: the path cannot be read, or is not a regular file.
    """
    require_regular_file(path)
    try:
        with path.open("rb") as file:
            read: Any = orjson.loads(file.read(HEAD).rstrip(b" "))
        head = cast("dict[str, Any]", read)
        checksum = head.pop("checksum")
        whole = head["format"] == FORMAT and checksum == zlib.crc32(orjson.dumps(head))
    except (FileNotFoundError, ValueError, KeyError, AttributeError, TypeError):
        return None
    return head if whole else None


def _write_whole(file: int, data: bytes, offset: int) -> None:
    view = memoryview(data)
    while view:
        written = os.pwrite(file, view, offset)
        view, offset = view[written:], offset + written
