"""The file of a usearch index: overwriting the vectors of removed entries, and letting others run while it is written.

usearch keeps a removed entry in the graph as a way to others, with its vector, under a key of its own that means
"free"; with the next snapshot the vector is in the file again. Here each such vector is replaced by that of a neighbour
in the graph that is still there: the entry leads where it led, which a vector of zeros, far from every question, would
not. The edges of the graph stay as they are; no vector follows from them.

The layout, of usearch 2 with 16-bit floats, 64-bit keys and 32-bit slots; all in little-endian order:

    rows, bytes a row     2 × uint32
    vectors               rows × bytes a row, by slot
    head                  64 bytes: "usearch", version, kinds, entries present, entries removed, dimension
    graph                 5 × uint64: slots, connectivity, connectivity of the base layer, top level, entry slot
    levels                int16 a slot
    nodes                 by slot: key uint64, level int16, then a list of the base layer and one for each level above;
                          a list is its length as uint32 and room for as many slots as its layer's connectivity
"""

import struct
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

_HEAD = struct.Struct("<7sHHH4s3Q")
_HEAD_SIZE = 64
_GRAPH = struct.Struct("<5Q")
_KINDS = b"c\x0c\x0e\x0f"
"""Cosine, 16-bit floats, 64-bit keys, 32-bit slots."""
_VERSION = 2
_FREE = np.uint64(2**64 - 1)
_NODE_HEAD = 10
_MOST_EDGES = 1 << 16
_AT_ONCE = 8_192
_CALLS = 500

_Bytes = NDArray[np.uint8]


def overwrite_removed(path: Path, dimension: int) -> int:
    """Replace the vectors of removed entries in the file of an index; returns how many such entries there are.

    Raises:
        ValueError: the file is not laid out as expected; nothing was written.
        OSError: it cannot be read or written.
    """
    with path.open("rb") as file:
        rows, width = struct.unpack("<II", _whole(file.read(8), 8))
        file.seek(8 + rows * width)
        head: tuple[Any, ...] = _HEAD.unpack_from(_whole(file.read(_HEAD_SIZE), _HEAD_SIZE))
        if not rows:
            return 0
        graph: tuple[int, ...] = _GRAPH.unpack(_whole(file.read(_GRAPH.size), _GRAPH.size))
    magic, version, _, _, kinds, present, removed, columns = head
    if (magic, version, kinds) != (b"usearch", _VERSION, _KINDS):
        raise ValueError("the file is of another kind or version")
    if (columns, width, graph[0], present + removed) != (dimension, 2 * dimension, rows, rows):
        raise ValueError("the numbers in the file's heads do not agree")
    if max(graph[1:3]) > _MOST_EDGES:
        raise ValueError("a number of neighbours beyond all sense")
    data: _Bytes = np.memmap(path, dtype=np.uint8, mode="r+")
    nodes, keys = _nodes(data, rows, 8 + rows * width + _HEAD_SIZE + _GRAPH.size, graph[1], graph[2])
    gone = np.flatnonzero(keys == _FREE)
    if len(gone) != removed:
        raise ValueError("another number of removed entries than counted")
    matrix = data[8 : 8 + rows * width].reshape(rows, width)
    for begin in range(0, len(gone), _AT_ONCE):
        slots = gone[begin : begin + _AT_ONCE]
        if present:
            matrix[slots] = matrix[_neighbours(data, nodes[slots], graph[2], keys != _FREE)]
        else:
            matrix[slots] = 0
    return removed


def let_others_run(done: int, total: int) -> bool:  # noqa: ARG001 - usearch gives and asks for exactly these
    """Make room now and then for other threads, while usearch saves or loads: it keeps the interpreter's lock."""
    if not done % _CALLS:
        time.sleep(0)
    return True


def _nodes(
    data: _Bytes, rows: int, begin: int, connectivity: int, base: int
) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """Where each slot's node begins, and the keys."""
    begin_nodes = begin + 2 * rows
    levels = np.frombuffer(_whole(bytes(data[begin:begin_nodes]), 2 * rows), dtype="<i2").astype(np.int64)
    sizes = _NODE_HEAD + 4 * (1 + base) + levels * 4 * (1 + connectivity)
    ends = begin_nodes + np.cumsum(sizes)
    if levels.min() < 0 or int(ends[-1]) != len(data):
        raise ValueError("the nodes do not end with the file")
    nodes = ends - sizes
    heads = np.empty((rows, _NODE_HEAD), np.uint8)
    for start in range(0, rows, _AT_ONCE):
        heads[start : start + _AT_ONCE] = _gathered(data, nodes[start : start + _AT_ONCE], _NODE_HEAD)
    if not np.array_equal(np.ascontiguousarray(heads[:, 8:]).view("<i2")[:, 0], levels):
        raise ValueError("a node of another level")
    return nodes, np.ascontiguousarray(heads[:, :8]).view("<u8")[:, 0].astype(np.uint64)


def _neighbours(data: _Bytes, nodes: NDArray[np.int64], base: int, present: NDArray[np.bool_]) -> NDArray[np.int64]:
    """For each of these nodes, a slot that is present: the first in its list of the base layer, else any."""
    lists = _gathered(data, nodes + _NODE_HEAD, 4 * (1 + base)).view("<u4")
    lengths, slots = lists[:, 0], lists[:, 1:].astype(np.int64)
    listed = np.arange(base) < lengths[:, None]
    if int(lengths.max()) > base or (slots[listed] >= len(present)).any():
        raise ValueError("a node with impossible neighbours")
    usable = listed & present[np.where(listed, slots, 0)]
    first = slots[np.arange(len(nodes)), usable.argmax(axis=1)]
    return np.where(usable.any(axis=1), first, int(present.argmax()))


def _gathered(data: _Bytes, offsets: NDArray[np.int64], length: int) -> _Bytes:
    """So many bytes from each offset, one row each."""
    return np.ascontiguousarray(data[offsets[:, None] + np.arange(length)])


def _whole(data: bytes, length: int) -> bytes:
    if len(data) != length:
        raise ValueError("the file is too short")
    return data
