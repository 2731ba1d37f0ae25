"""The vector index: HNSW by usearch over what SQLite holds. Derived: it may lag behind SQLite, it never lies.

The snapshot ``vectors.usearch`` is usearch's own file with a trailer: the store's id, the model, the number of the last
change in it, and a checksum. Where anything of that does not fit, the index is made anew.
"""

from __future__ import annotations

import contextlib
import os
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import orjson
from numpy.typing import NDArray
from usearch.compiled import MetricKind, ScalarKind
from usearch.index import Index

from ..private_files import create_anew, require_regular_file, sync_folder
from ..search_types import Comparison, Vector
from ..store.errors import file_error, index_errors, raise_if_exhausted
from .vector_file import let_others_run, overwrite_removed

SNAPSHOT = "vectors.usearch"
TRAILER = 512
"""Bytes: JSON padded with blanks at the end of the file."""
FORMAT = 1
EXACT_BELOW = 5_000
"""So few vectors are all compared: 0.25 ms instead of 0.1, and the order they came in changes no answer."""
REBUILD_SHARE = 0.2
"""Of removed among all entries: removed nodes stay in the graph and lengthen every path."""


class UsearchIndex:
    """An index of one model. Not for two threads at once: usearch hands equal scratch space to equal thread numbers."""

    def __init__(self, identity: str, dimension: int) -> None:
        self.identity = identity
        """The store's id and the model's."""
        self.dimension = dimension
        self.sequence = 0
        self.removed = 0
        self._index = self._empty()

    def _empty(self) -> Index:
        return Index(ndim=self.dimension, metric=MetricKind.Cos, dtype=ScalarKind.F16)

    def __len__(self) -> int:
        return len(self._index)

    @property
    def needs_rebuild(self) -> bool:
        """Whether a fifth of the graph is removed nodes."""
        return self.removed > 100 and self.removed > REBUILD_SHARE * (len(self._index) + self.removed)

    def update(self, gone: Sequence[int], rows: Sequence[int], vectors: NDArray[np.float32], threads: int = 1) -> None:
        """Remove and add; an added key must not be there already. No threads: all cores."""
        with index_errors("vector"):
            if gone:
                self.removed += int(self._index.remove(np.array(gone, dtype=np.uint64)))
            if rows:
                self._index.add(np.array(rows, dtype=np.uint64), vectors, threads=threads)

    def search(self, vector: Vector, limit: int, *, exact: bool = False) -> list[tuple[int, float]]:
        """Row ids and cosines, best first."""
        if not len(self._index) or limit < 1:
            return []
        exact = exact or len(self._index) <= EXACT_BELOW
        with index_errors("vector"):
            found: Any = self._index.search(vector, min(limit, len(self._index)), exact=exact, threads=1)
            return list(zip(found.keys.tolist(), (1.0 - found.distances).tolist(), strict=True))

    def get(self, rows: Sequence[int]) -> list[Vector | None]:
        """What the index holds of these rows, rounded to 16 bits; None where it has none."""
        with index_errors("vector"):
            found: Any = self._index.get(np.array(rows, dtype=np.uint64))
        return [None if value is None else np.asarray(value, dtype=np.float32) for value in found]

    def scores(self, vector: Vector, rows: Sequence[int]) -> list[tuple[int, float]]:
        """The exact cosines of those of these rows that are in the index, best first."""
        cosines = self.cosines(vector, rows)
        order = np.argsort(-cosines, kind="stable")  # NaN last
        return [(rows[index], float(cosines[index])) for index in order[: np.count_nonzero(~np.isnan(cosines))]]

    def cosines(self, vector: Vector, rows: Sequence[int]) -> NDArray[np.float32]:
        """The exact cosine of each of these rows, NaN for those that are not in the index."""
        present, matrix = self._matrix(rows)
        return _spread(len(rows), present, matrix @ _unit(vector))

    def compare(self, vector: Vector, rows: Sequence[int]) -> Comparison:
        """The same, and the cosine of each with the mean of all."""
        present, matrix = self._matrix(rows)
        cosines = _spread(len(rows), present, matrix @ _unit(vector))
        if not present:
            return Comparison(cosines, cosines)
        return Comparison(cosines, _spread(len(rows), present, matrix @ _unit(matrix.mean(axis=0, dtype=np.float32))))

    def _matrix(self, rows: Sequence[int]) -> tuple[list[int], NDArray[np.float32]]:
        """Which of these rows are here, by their number among them, and their vectors, of length 1."""
        if not len(self._index) or not rows:
            return [], np.empty((0, self.dimension), np.float32)
        with index_errors("vector"):
            found: Any = self._index.get(np.array(rows, dtype=np.uint64))
        present = [number for number, value in enumerate(found) if value is not None]
        if not present:
            return [], np.empty((0, self.dimension), np.float32)
        values = np.concatenate([found[number] for number in present])
        matrix = values.reshape(len(present), self.dimension).astype(np.float32)
        return present, matrix / np.sqrt(np.einsum("ij,ij->i", matrix, matrix))[:, None]

    def save(self, directory: Path, *, purged: bool = False) -> None:
        """Write the snapshot: temporary file, fsync, rename, fsync of the folder. Searches may go on meanwhile.

        Args:
            directory: where it is.
            purged: without the vectors of removed entries.

        Raises:
            StoreError: it cannot be written.
            ValueError: usearch's file is laid out in a way from which nothing can be purged.
        """
        target, temporary = directory / SNAPSHOT, directory / f"{SNAPSHOT}.new"
        try:
            os.close(create_anew(temporary))
            with index_errors("vector"):
                cast("Any", self._index).save(str(temporary), progress=let_others_run)
            if purged:
                overwrite_removed(temporary, self.dimension)
            size, checksum = _checksum(temporary, None)
            fields = {
                "format": FORMAT,
                "identity": self.identity,
                "dimension": self.dimension,
                "sequence": self.sequence,
                "removed": self.removed,
                "count": len(self._index),
                "size": size,
            }
            fields["checksum"] = zlib.crc32(orjson.dumps(fields), checksum)
            with temporary.open("ab") as file:
                file.write(orjson.dumps(fields).ljust(TRAILER))
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(target)
            sync_folder(directory)
        except OSError as error:
            raise file_error(error) from error
        finally:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)

    def purged(self, directory: Path) -> UsearchIndex:
        """Write a snapshot without the vectors of removed entries; returns the index that it holds, to be used from now on.

        Raises:
            StoreError: the snapshot cannot be written.
            ValueError: usearch's file is laid out in a way from which nothing can be purged.
        """
        self.save(directory, purged=True)
        index = UsearchIndex(self.identity, self.dimension)
        if not index.load(directory):
            raise ValueError("the snapshot cannot be read")
        return index

    def load(self, directory: Path) -> bool:
        """Take the snapshot over if it is whole and ours; otherwise the index stays empty.

        Raises:
            ExhaustedError: there is not enough memory, or there are too few descriptors, to tell.
        """
        path = directory / SNAPSHOT
        try:
            fields = _trailer(path)
            if fields is None or fields.get("identity") != self.identity or fields.get("dimension") != self.dimension:
                return False
            index = self._empty()
            cast("Any", index).load(str(path), progress=let_others_run)
        except OSError as error:
            raise_if_exhausted(error)
            return False
        except (RuntimeError, ValueError, MemoryError):
            return False
        if len(index) != fields["count"]:
            return False
        self._index = index
        self.sequence, self.removed = int(fields["sequence"]), int(fields["removed"])
        return True


def whole(path: Path) -> bool:
    """Whether a snapshot is what was written.

    Raises:
        ExhaustedError: there is not enough memory, or there are too few descriptors, to tell.
    """
    try:
        return _trailer(path) is not None
    except OSError as error:
        raise_if_exhausted(error)
        return False
    except ValueError:
        return False


def _trailer(path: Path) -> dict[str, Any] | None:
    """The trailer of a snapshot whose checksum is right."""
    require_regular_file(path)
    size = path.stat().st_size - TRAILER
    if size < 0:
        return None
    with path.open("rb") as file:
        file.seek(size)
        read: Any = orjson.loads(file.read())
    if not isinstance(read, dict):
        return None
    fields = cast("dict[str, Any]", read)
    if fields.get("format") != FORMAT or fields.get("size") != size:
        return None
    expected: Any = fields.pop("checksum", None)
    _, checksum = _checksum(path, size)
    return fields if zlib.crc32(orjson.dumps(fields), checksum) == expected else None


def _checksum(path: Path, size: int | None) -> tuple[int, int]:
    """Bytes read and their CRC-32: it finds damage, it is no defence against intent."""
    checksum = done = 0
    with path.open("rb") as file:
        while part := file.read(1 << 20 if size is None else min(1 << 20, size - done)):
            checksum = zlib.crc32(part, checksum)
            done += len(part)
    return done, checksum


def _unit(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    """The vector with length 1; of zeros, itself."""
    length = np.float32(np.linalg.norm(vector))
    return vector / length if length else vector


def _spread(count: int, present: Sequence[int], values: NDArray[np.float32]) -> NDArray[np.float32]:
    """The values at these places of so many, NaN at the others."""
    result = np.full(count, np.nan, np.float32)
    result[list(present)] = values
    return result
