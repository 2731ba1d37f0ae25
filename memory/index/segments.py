"""Rewriting those segments of a tantivy index that hold deleted documents; the others stay as they are.

tantivy marks a deleted document in a bit set beside its segment and leaves its terms in the files until the segment is
merged, and its Python binding cannot ask for a merge. So each segment concerned is made an index of its own, in which it
appears as several copies (hard links) with bit sets of ours: every document that is left is alive in exactly one copy,
and all copies have equally many. So many segments of one size are what tantivy's own merge policy merges, with any
commit, into one. That one replaces the old one in the list of segments, ``meta.json``, by a rename; before, it is
checked to hold the same documents. A crash at any moment leaves the old list with the old files or the new list with the
new ones, and files that no list names, which the next purge removes.

Everything here works on the files, while nobody has a writer of the index. What is not as expected is a ``ValueError``
and leaves the index as it was.
"""

from __future__ import annotations

import os
import re
import shutil
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast
from uuid import UUID, uuid4

import numpy as np
import orjson
import tantivy
from numpy.typing import NDArray

from ..private_files import create_anew, sync_folder
from .segment_checksums import check_footers, footer_of, record_footers, with_footer

COPIES = 8
"""The number of equal segments that the merge policy waits for; a segment with fewer documents cannot be rewritten
here.
"""
_HEAP = 15_000_000
_AT_ONCE = 50_000
_META, _MANAGED = "meta.json", ".managed.json"
_COMPONENTS = (".fast", ".fieldnorm", ".idx", ".pos", ".store", ".term")
_NAME = re.compile(r"([0-9a-f]{32})\..+")

Opener = Callable[[Path], tantivy.Index]
"""Opens the index in a folder with its schema and analyzers."""
_Meta = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Segment:
    """A segment with deleted documents."""

    id: str
    documents: int
    bits: bytes
    """tantivy's bit set of the remaining documents, as in the file."""
    version: Any
    """The version of tantivy from the footers."""

    @property
    def stem(self) -> str:
        return self.id.replace("-", "")

    @property
    def alive(self) -> NDArray[np.bool_]:
        bits = np.frombuffer(self.bits, np.uint8)
        return np.unpackbits(bits, count=self.documents, bitorder="little").astype(bool)


def smallest_rows(directory: Path, beside: Path, opened: Opener) -> list[int] | None:
    """Return the rows of the remaining documents in segments too small to be rewritten here; None if there is no such
    segment.
    """
    small = [each for each in _worn(_meta(directory)["segments"], directory) if 0 < each.alive.sum() < COPIES]
    rows_left: list[int] = []
    concerned = False
    for number, segment in enumerate(small):
        rows = _rows(_alone(directory, beside / f"small-{number}", segment, opened), segment.documents)
        if rows[~segment.alive].any():
            concerned = True
            rows_left += [int(row) for row in rows[segment.alive] if row]
    return rows_left if concerned else None


def purge_segments(directory: Path, beside: Path, opened: Opener) -> None:
    """Take the deleted documents out of an index that has no writer.

    Documents of row 0 may stay: they are marks, and a new one is written with every commit.

    Args:
        directory: of the index.
        beside: a folder on the same file system that is not there yet, for files on their way.
        opened: opens an index.

    Raises:
        ValueError: something is not as expected; the index is as it was.
        OSError: a file cannot be read or written.
    """
    meta = _meta(directory)
    replaced: dict[str, _Meta | None] = {}
    for number, segment in enumerate(_worn(meta["segments"], directory)):
        folder = beside / str(number)
        left = int(segment.alive.sum())
        if not left:
            replaced[segment.id] = None
            continue
        rows = _rows(_alone(directory, folder / "old", segment, opened), segment.documents)
        if not rows[~segment.alive].any():
            continue
        if left < COPIES:
            raise ValueError("too few documents for a merge")
        replaced[segment.id] = _merged(directory, folder / "new", segment, rows[segment.alive], opened)
    if replaced:
        fresh = [beside / str(number) / "new" for number in range(len(meta["segments"]))]
        _change_over(directory, [folder for folder in fresh if folder.exists()], meta, replaced)
    _sweep(directory)
    record_footers(directory)
    shutil.rmtree(beside, ignore_errors=True)


def _meta(directory: Path) -> _Meta:
    meta: Any = orjson.loads((directory / _META).read_bytes())
    parsed = cast("_Meta", meta) if isinstance(meta, dict) else {}
    if not isinstance(parsed.get("segments"), list):
        raise ValueError("no list of segments")
    return parsed


def _worn(segments: Sequence[_Meta], directory: Path) -> Iterator[_Segment]:
    """Yield the segments with deleted documents."""
    for entry in segments:
        deletes = entry["deletes"]
        if deletes is not None:
            yield _segment(directory, str(entry["segment_id"]), int(entry["max_doc"]), deletes)


def _segment(directory: Path, name: str, documents: int, deletes: _Meta) -> _Segment:
    path = directory / f"{UUID(name).hex}.{int(deletes['opstamp'])}.del"
    data, footer = footer_of(path)
    words = -(-documents // 64)
    if (
        len(data) != 4 + 8 * words
        or struct.unpack_from("<I", data) != (documents,)
        or zlib.crc32(data) != footer["crc"]
    ):
        raise ValueError("a bit set of another form")
    segment = _Segment(name, documents, data[4:], footer["version"])
    if documents - int(segment.alive.sum()) != int(deletes["num_deleted_docs"]):
        raise ValueError("another number of deleted documents than counted")
    return segment


def _alone(directory: Path, folder: Path, segment: _Segment, opened: Opener) -> tantivy.Index:
    """Return an index of one segment in which its deleted documents are visible again."""
    _link(directory, folder, segment.stem, segment.stem)
    entry = {"segment_id": segment.id, "max_doc": segment.documents, "deletes": None}
    return _made(directory, folder, [entry], opened)


def _merged(directory: Path, folder: Path, segment: _Segment, rows: NDArray[np.int64], opened: Opener) -> _Meta:
    """Let tantivy rewrite a segment without its deleted documents; return its entry in the list of segments."""
    entries: list[_Meta] = []
    for part in np.array_split(np.flatnonzero(segment.alive), COPIES):
        copy = uuid4()
        _link(directory, folder, segment.stem, copy.hex)
        alive = np.zeros(len(segment.bits) * 8, np.uint8)
        alive[part] = 1
        body = struct.pack("<I", segment.documents) + np.packbits(alive, bitorder="little").tobytes()
        (folder / f"{copy.hex}.1.del").write_bytes(with_footer(body, segment.version))
        deletes = {"num_deleted_docs": segment.documents - len(part), "opstamp": 1}
        entries.append({"segment_id": str(copy), "max_doc": segment.documents, "deletes": deletes})
    index = _made(directory, folder, entries, opened)
    if index.searcher().num_docs != len(rows):
        raise ValueError("the copies do not hold what is left")
    writer = index.writer(heap_size=_HEAP, num_threads=1)
    writer.commit()
    writer.wait_merging_threads()
    segments: list[_Meta] = _meta(folder)["segments"]
    if len(segments) != 1 or segments[0]["deletes"] is not None or segments[0]["max_doc"] != len(rows):
        raise ValueError("the copies were not merged into one")
    check_footers(folder)
    if not np.array_equal(np.sort(_rows(opened(folder), len(rows))), np.sort(rows)):
        raise ValueError("the merged segment holds other documents")
    return segments[0]


def _made(directory: Path, folder: Path, entries: list[_Meta], opened: Opener) -> tantivy.Index:
    meta = {**_meta(directory), "segments": entries, "opstamp": 1}
    (folder / _META).write_bytes(orjson.dumps(meta))
    return opened(folder)


def _link(directory: Path, folder: Path, stem: str, name: str) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for component in _COMPONENTS:
        source = directory / f"{stem}{component}"
        if source.exists():
            os.link(source, folder / f"{name}{component}")


def _rows(index: tantivy.Index, documents: int) -> NDArray[np.int64]:
    """Return the row of each document, deleted or not, of an index with a single segment."""
    searcher: Any = index.searcher()
    rows: list[int] = []
    for begin in range(0, documents, _AT_ONCE):
        addresses = [tantivy.DocAddress(0, number) for number in range(begin, min(begin + _AT_ONCE, documents))]
        rows += searcher.fast_field_values("row", addresses)
    return np.array(rows, np.int64)


def _change_over(directory: Path, folders: Sequence[Path], meta: _Meta, replaced: Mapping[str, _Meta | None]) -> None:
    """Link the new segments' files into the index, then replace the list that names them."""
    stems = {str(entry["segment_id"]).replace("-", "") for entry in replaced.values() if entry is not None}
    for folder in folders:
        for path in folder.iterdir():
            if path.name.partition(".")[0] in stems:
                path.chmod(0o600)
                os.link(path, directory / path.name)
    segments = [replaced.get(str(entry["segment_id"]), entry) for entry in meta["segments"]]
    names = [path.name for path in directory.iterdir() if _NAME.fullmatch(path.name)]
    # tantivy removes files it no longer needs by this list; a file missing from it would stay for ever.
    _replace(directory / _MANAGED, orjson.dumps([*names, _META]))
    _replace(directory / _META, orjson.dumps({**meta, "segments": [entry for entry in segments if entry is not None]}))


def _sweep(directory: Path) -> None:
    """Remove the files that no segment in use has: old ones, and those left by a crash or a merge."""
    used: set[str] = set()
    for entry in _meta(directory)["segments"]:
        stem = str(entry["segment_id"]).replace("-", "")
        used |= {f"{stem}{component}" for component in _COMPONENTS}
        if entry["deletes"] is not None:
            used.add(f"{stem}.{entry['deletes']['opstamp']}.del")
    for path in directory.iterdir():
        if _NAME.fullmatch(path.name) and path.name not in used:
            path.unlink()
    sync_folder(directory)


def _replace(path: Path, data: bytes) -> None:
    """Replace a file atomically, so that the name always refers to a complete file."""
    temporary = path.with_name(f"{path.name}.new")
    with os.fdopen(create_anew(temporary), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    sync_folder(path.parent)  # the files that the list names must be there before it
    temporary.replace(path)
    sync_folder(path.parent)
