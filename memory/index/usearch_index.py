"""The vector index: HNSW by usearch over what SQLite holds. Derived: it may lag behind SQLite, it never lies.

What was saved is searched in its file, which is mapped into memory: its pages are the system's to drop, like those of the
words index. What came since is in memory, and joins it with the next snapshot.

The snapshot ``vectors.usearch`` is usearch's own file with a trailer: the store's id, the model, the number of the last
change in it, and a checksum. Where anything of that does not fit, the index is made anew. ``vectors-recent.usearch`` holds
what came since, and names the snapshot that it belongs to.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from usearch.compiled import MetricKind, ScalarKind
from usearch.index import Index

from ..private_files import sync_folder
from ..search_types import Comparison, Vector
from ..store.errors import file_error, index_errors, raise_if_exhausted
from .comparing import compared, cosines_of
from .vector_file import let_others_run
from .vector_snapshot import hidden_rows, trailer, write_snapshot

SNAPSHOT = "vectors.usearch"
RECENT = "vectors-recent.usearch"
EXACT_BELOW = 5_000
"""So few vectors are all compared: 0.25 ms instead of 0.1, and the order they came in changes no answer."""
EQUALS = 256
"""So many more are looked at where the last one wanted and the next are equally near, as equal texts are; then all."""
MERGED_AT_ONCE = 32
"""Vectors that are added to a snapshot between two chances for other threads, about 10 ms."""
REBUILD_SHARE = 0.2
"""Of removed among all entries: removed nodes stay in the graph and lengthen every path."""


class _Parts(NamedTuple):
    """What is searched. Replaced as a whole, so that a search sees one state while a snapshot is written."""

    saved: Index | None
    """The snapshot, mapped into memory: usearch can neither add to it nor remove from it."""
    gone: set[int]
    """Rows of the snapshot that were removed or replaced since."""
    recent: Index
    """What came since."""


class UsearchIndex:
    """An index of one model. Not for two threads at once: usearch hands equal scratch space to equal thread numbers."""

    def __init__(self, identity: str, dimension: int) -> None:
        self.identity = identity
        """The store's id and the model's."""
        self.dimension = dimension
        self.sequence = 0
        self.removed = 0
        self._parts = _Parts(None, set(), self._empty())
        self._base = 0
        """The checksum of the snapshot."""

    def _empty(self) -> Index:
        return Index(ndim=self.dimension, metric=MetricKind.Cos, dtype=ScalarKind.F16)

    def close(self) -> None:
        """Let the mapped file go now: whatever still holds a cancelled call would keep it open."""
        self._parts = _Parts(None, set(), self._empty())

    def __len__(self) -> int:
        saved, gone, recent = self._parts
        return len(recent) + (0 if saved is None else len(saved) - len(gone))

    def rows(self) -> set[int]:
        """The keys of all entries."""
        saved, gone, recent = self._parts
        return {*_keys_of(recent), *(() if saved is None else _keys_of(saved) - gone)}

    @property
    def needs_rebuild(self) -> bool:
        """Whether a fifth of the graph is removed nodes."""
        return self.removed > 100 and self.removed > REBUILD_SHARE * (len(self) + self.removed)

    def update(self, gone: Sequence[int], rows: Sequence[int], vectors: NDArray[np.float32], threads: int = 1) -> None:
        """Remove and add; an added key must not be there already. No threads: all cores."""
        saved, hidden, recent = self._parts
        with index_errors("vector"):
            if gone:
                keys = np.array(gone, dtype=np.uint64)
                dropped = int(recent.remove(keys))
                if saved is None:
                    self.removed += dropped
                else:  # of what came since, the next snapshot takes only what is left
                    there = cast("NDArray[np.bool_]", saved.contains(keys))
                    fresh = {key for key, held in zip(gone, there, strict=True) if held} - hidden
                    hidden |= fresh
                    self.removed += len(fresh)
            if rows:
                recent.add(np.array(rows, dtype=np.uint64), vectors, threads=threads)

    def search(self, vector: Vector, limit: int, *, exact: bool = False) -> list[tuple[int, float]]:
        """Row ids and cosines, best first."""
        count = len(self)
        if not count or limit < 1:
            return []
        small = count <= EXACT_BELOW
        exact, wanted = exact or small, limit + 1
        found = self._best(vector, wanted, exact=exact)
        while small and len(found) == wanted < count and found[-1][1] == found[limit - 1][1]:
            wanted = min(wanted + EQUALS, count) if wanted <= limit + 1 else count
            found = self._best(vector, wanted, exact=exact)
        return found[:limit]

    def _best(self, vector: Vector, limit: int, *, exact: bool) -> list[tuple[int, float]]:
        """Row ids and cosines, best first, equal ones by row: so that an index that is made anew gives the same."""
        saved, gone, recent = self._parts
        with index_errors("vector"):
            found = _nearest(recent, vector, limit, exact=exact or len(recent) <= EXACT_BELOW)
            if saved is None:
                return sorted(found, key=_order)
            wanted = limit + min(limit, len(gone))
            while True:
                old = _nearest(saved, vector, wanted, exact=exact)
                kept = [pair for pair in old if pair[0] not in gone] if gone else old
                if len(kept) >= limit or wanted >= len(saved):
                    break
                wanted *= 4
        return sorted(found + kept, key=_order)[:limit]

    def get(self, rows: Sequence[int]) -> list[Vector | None]:
        """What the index holds of these rows, rounded to 16 bits; None where it has none."""
        return [None if value is None else np.asarray(value, dtype=np.float32) for value in self._held(rows)]

    def _held(self, rows: Sequence[int]) -> list[NDArray[np.float16] | None]:
        saved, gone, recent = self._parts
        keys = np.array(rows, dtype=np.uint64)
        with index_errors("vector"):
            new: Any = recent.get(keys) if len(recent) else [None] * len(rows)
            found: list[NDArray[np.float16] | None] = list(new)
            if saved is not None:
                old: Any = saved.get(keys)
                for place, value in enumerate(old):
                    if value is not None and found[place] is None and rows[place] not in gone:
                        found[place] = value
        return found

    def scores(self, vector: Vector, rows: Sequence[int]) -> list[tuple[int, float]]:
        """The exact cosines of those of these rows that are in the index, best first."""
        cosines = self.cosines(vector, rows)
        order = np.argsort(-cosines, kind="stable")  # NaN last
        return [(rows[index], float(cosines[index])) for index in order[: np.count_nonzero(~np.isnan(cosines))]]

    def cosines(self, vector: Vector, rows: Sequence[int]) -> NDArray[np.float32]:
        """The exact cosine of each of these rows, NaN for those that are not in the index."""
        return cosines_of(vector, self._found(rows))

    def compare(self, vector: Vector, rows: Sequence[int]) -> Comparison:
        """The same, and the cosine of each with the mean of all."""
        return compared(vector, self._found(rows))

    def _found(self, rows: Sequence[int]) -> Sequence[NDArray[np.float16] | None]:
        return self._held(rows) if len(self) and rows else [None] * len(rows)

    @property
    def unmerged(self) -> int:
        """Rows that came or went since the snapshot."""
        return len(self._parts.recent) + len(self._parts.gone)

    def save(self, directory: Path, *, purged: bool = False) -> None:
        """Write the snapshot, and map it. Searches may go on meanwhile. While it is written, all vectors are in memory.

        Args:
            directory: where it is.
            purged: without the vectors of removed entries.

        Raises:
            StoreError: it cannot be written.
            ValueError: usearch's file is laid out in a way from which nothing can be purged.
        """
        path = directory / SNAPSHOT
        with index_errors("vector"):
            merged = self._merged(path)
        checksum = write_snapshot(path, merged, self._fields(), purged=purged)
        try:
            with index_errors("vector"):
                saved = self._mapped(path)
            (directory / RECENT).unlink(missing_ok=True)
            sync_folder(directory)
        except OSError as error:
            raise file_error(error) from error
        self._parts, self._base = _Parts(saved, set(), self._empty()), checksum

    def leave(self, directory: Path) -> None:
        """Keep what came since the snapshot in a file of its own, for the next owner: to take it into the snapshot costs
        more time for each vector, and all of the others are written again.

        Raises:
            StoreError: it cannot be written.
        """
        saved, gone, recent = self._parts
        if saved is None:
            self.save(directory)
        else:
            fields = {**self._fields(), "base": self._base, "hidden": len(gone)}
            write_snapshot(directory / RECENT, recent, fields, hidden=gone)

    def _fields(self) -> dict[str, Any]:
        return {
            "identity": self.identity,
            "dimension": self.dimension,
            "sequence": self.sequence,
            "removed": self.removed,
        }

    def _merged(self, path: Path) -> Index:
        """All of it in one index in memory: of the snapshot what is left of it, and what came since; the fewer are added to
        the more.
        """
        saved, gone, recent = self._parts
        if saved is None:
            return recent
        if len(recent) > len(saved):
            # A copy, for the other is searched meanwhile. What was removed from it is removed in the copy.
            rows = [row for row in map(int, cast("Sequence[Any]", saved.keys)) if row not in gone]
            return _added(recent.copy(), saved, rows)
        merged = self._empty()
        try:
            cast("Any", merged).load(str(path), progress=let_others_run)
            whole = len(merged) == len(saved)
        except (OSError, RuntimeError, ValueError):
            whole = False
        if not whole:  # somebody removed or replaced the file; what is mapped stays
            merged = saved.copy()
        if gone:
            merged.remove(np.array(sorted(gone), dtype=np.uint64))
        return _added(merged, recent, list(recent.keys))

    def _mapped(self, path: Path) -> Index:
        """A snapshot to be searched where it lies: its pages are read when they are needed, and can be dropped."""
        index = self._empty()
        cast("Any", index).view(str(path))
        return index

    def load(self, directory: Path) -> bool:
        """Take the snapshot over if it is whole and ours; otherwise the index stays empty.

        Raises:
            ExhaustedError: there is not enough memory, or there are too few descriptors, to tell.
        """
        path = directory / SNAPSHOT
        try:
            fields = self._own(path)
            if fields is None:
                return False
            index = self._mapped(path)
        except OSError as error:
            raise_if_exhausted(error)
            return False
        except (RuntimeError, ValueError, MemoryError):
            return False
        if len(index) != fields["count"]:
            return False
        self._parts, self._base = _Parts(index, set(), self._empty()), int(fields["checksum"])
        self.sequence, self.removed = int(fields["sequence"]), int(fields["removed"])
        self._take_recent(directory / RECENT, index)
        return True

    def _take_recent(self, path: Path, saved: Index) -> None:
        """Take what an owner left beside this very snapshot; anything else there is taken from SQLite again."""
        try:
            fields = self._own(path)
            if fields is None or fields.get("base") != self._base:
                return
            recent = self._empty()
            cast("Any", recent).load(str(path), progress=let_others_run)
            gone = hidden_rows(path, int(fields["hidden"]))
        except FileNotFoundError:
            return
        except OSError as error:
            raise_if_exhausted(error)
            return
        except (RuntimeError, ValueError, MemoryError):
            return
        if len(recent) == fields["count"]:
            self._parts = _Parts(saved, set(gone.tolist()), recent)
            self.sequence, self.removed = int(fields["sequence"]), int(fields["removed"])

    def _own(self, path: Path) -> dict[str, Any] | None:
        """The trailer of a whole file of this store and model."""
        fields = trailer(path)
        if fields is None or (fields.get("identity"), fields.get("dimension")) != (self.identity, self.dimension):
            return None
        return fields


def _order(pair: tuple[int, float]) -> tuple[float, int]:
    return -pair[1], pair[0]


def _keys_of(index: Index) -> set[int]:
    return set(np.asarray(index.keys).tolist()) if len(index) else set()


def _added(target: Index, source: Index, rows: Sequence[int]) -> Index:
    """The target with these rows of another index."""
    keys = np.array(rows, dtype=np.uint64)
    for begin in range(0, len(keys), MERGED_AT_ONCE):
        part = keys[begin : begin + MERGED_AT_ONCE]
        target.add(part, np.stack(cast("Any", source.get(part))), threads=1)
    return target


def _nearest(index: Index, vector: Vector, limit: int, *, exact: bool) -> list[tuple[int, float]]:
    if not len(index):
        return []
    found: Any = index.search(vector, min(limit, len(index)), exact=exact, threads=1)
    return list(zip(found.keys.tolist(), (1.0 - found.distances).tolist(), strict=True))
