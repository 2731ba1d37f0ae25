"""Overwriting the unused bytes of memory.db: the gaps of b-tree pages, freed cells, and pages of the free list.

``PRAGMA secure_delete`` overwrites the cells that a statement deletes, but not the copies that SQLite made of them
before: when it balances a b-tree, it moves cells to other pages and leaves their old bytes in the unallocated gap
between a page's cell pointers and its cells: a message that is deleted later can still be read there. VACUUM removes
such bytes by writing the whole file three times, while nobody else writes. That is what the small files, journal.db and
llm.db, are treated with (`sqlite_wal`); memory.db grows without bound, so here only the bytes concerned are written.

Why it is safe to write into the file beside SQLite:

* The caller holds SQLite's write lock and the write-ahead log is empty, so the file alone is the present state, and no
  other connection changes it. Readers may go on: SQLite does not look at unused bytes.
* Only unused bytes are written, and only by zeros. A crash or a power cut at any moment leaves each of them old or
  zero; the bytes beside them stay as they are, as SQLite itself expects of a disk (``SQLITE_POWERSAFE_OVERWRITE``).
* A page's layout is checked before anything is written to it, and whatever is not as SQLite's file format says
  (https://sqlite.org/fileformat2.html) is a ``ValueError``: the caller falls back to VACUUM.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator

_BTREE = struct.Struct(">BHHHB")
_PAIR = struct.Struct(">II")
_BLOCK = struct.Struct(">HH")
_INTERIOR, _LEAF = (2, 5), (10, 13)
_MOST_PAGES = 1 << 24
"""Below so many pages an overflow page begins with a zero byte, which no b-tree page does: 64 GiB of 4 KiB pages."""
_LOCK_BYTE = 1 << 30
"""The page that holds this offset is never used."""
_AT_ONCE = 1 << 22
"""Bytes read at a time; a multiple of every page size."""

Span = tuple[int, int]
"""Offsets of the first byte, and of the one after the last."""


def zero_unused(descriptor: int) -> int:
    """Overwrite what the database file holds beside its content, and sync it; returns how many bytes were not zero.

    Args:
        descriptor: of the file, open for reading and writing. It must not be closed while this process has connections
            to the file: with any descriptor that is closed, a process loses all its locks on the file.

    Raises:
        ValueError: the file is not laid out as expected; what was written until then is harmless.
        OSError: the file cannot be read or written.
    """
    size = os.fstat(descriptor).st_size
    page_size = _page_size(os.pread(descriptor, 100, 0), size)
    free = _free_pages(descriptor, page_size, size // page_size)
    zeroed = 0
    for begin in range(0, size, _AT_ONCE):
        data = _read(descriptor, min(_AT_ONCE, size - begin), begin)
        for offset in range(0, len(data), page_size):
            number = (begin + offset) // page_size + 1
            page = data[offset : offset + page_size]
            for start, end in _unused(page, number, free.get(number)):
                zeroed += end - start
                _write_zeros(descriptor, begin + offset + start, end - start)
    if zeroed:
        os.fsync(descriptor)
    return zeroed


def _page_size(header: bytes, size: int) -> int:
    """The page size of a file whose every byte can be accounted for."""
    if len(header) < 100 or header[:16] != b"SQLite format 3\0":
        raise ValueError("not a database")
    (page_size,) = struct.unpack_from(">H", header, 16)
    page_size = 65_536 if page_size == 1 else int(page_size)
    (pages,) = struct.unpack_from(">I", header, 28)
    (largest_root,) = struct.unpack_from(">I", header, 52)
    if page_size < 512 or page_size & (page_size - 1) or header[20]:
        raise ValueError("an unusual page size")
    if largest_root:
        raise ValueError("the database has pointer maps")
    if size != pages * page_size or pages >= _MOST_PAGES:
        raise ValueError("an unexpected size of the file")
    return page_size


def _free_pages(descriptor: int, page_size: int, pages: int) -> dict[int, int]:
    """By number, the free list's pages and how many bytes at their beginning are in use: none but in its trunk."""
    trunk, count = _PAIR.unpack(_read(descriptor, 8, 32))
    free: dict[int, int] = {}
    while trunk:
        if not 1 < trunk <= pages or trunk in free:
            raise ValueError("a free list that leads nowhere")
        page = _read(descriptor, page_size, (trunk - 1) * page_size)
        following, leaves = _PAIR.unpack_from(page)
        if leaves > page_size // 4 - 2:
            raise ValueError("a trunk that holds too much")
        free[trunk] = 8 + 4 * leaves
        for leaf in struct.unpack_from(f">{leaves}I", page, 8):
            if not 1 < leaf <= pages or leaf in free:
                raise ValueError("a free page that cannot be")
            free[leaf] = 0
        trunk = following
    if len(free) != count:
        raise ValueError("another number of free pages than counted")
    return free


def _unused(page: bytes, number: int, used: int | None) -> Iterator[Span]:
    """Where a page holds bytes that belong to nothing and are not zero."""
    spans: list[Span]
    if used is not None:
        spans = [(used, len(page))]
    elif (number - 1) * len(page) <= _LOCK_BYTE < number * len(page):
        return
    else:
        spans = _spans(page, 100 if number == 1 else 0)
    for start, end in spans:
        if page.count(0, start, end) != end - start:
            yield start, end


def _spans(page: bytes, header: int) -> list[Span]:
    """The gap and the free blocks of a b-tree page; nothing of a page that is none."""
    kind, block, cells, content, _ = _BTREE.unpack_from(page, header)
    if kind not in _INTERIOR and kind not in _LEAF:
        return []
    pointers = header + (12 if kind in _INTERIOR else 8)
    gap = pointers + 2 * cells
    content = content or 65_536
    if not gap <= content <= len(page):
        raise ValueError("a page whose cells overlap")
    if cells and min(struct.unpack_from(f">{cells}H", page, pointers)) < content:
        raise ValueError("a cell in the gap")
    spans = [(gap, content)]
    least = content
    while block:
        if not least <= block <= len(page) - 4:
            raise ValueError("a free block that cannot be")
        following, length = _BLOCK.unpack_from(page, block)
        least = block + length
        if length < 4 or least > len(page):
            raise ValueError("a free block of an impossible length")
        spans.append((block + 4, least))
        block = following
    return spans


def _read(descriptor: int, length: int, offset: int) -> bytes:
    data = os.pread(descriptor, length, offset)
    if len(data) != length:
        raise ValueError("the file is shorter than it was")
    return data


def _write_zeros(descriptor: int, offset: int, length: int) -> None:
    left = length
    while left:
        left -= os.pwrite(descriptor, bytes(left), offset + length - left)
