"""Overwrites the unused bytes of memory.db: gaps in b-tree pages, freed cells, and pages of the free list.

``PRAGMA secure_delete`` overwrites the cells that a statement deletes, but not the copies that SQLite made of them
before: when it balances a b-tree, it moves cells to other pages and leaves their old bytes in the unallocated gap
between a page's cell pointers and its cells. A message that is deleted later can still be read there. VACUUM removes
such bytes by writing the whole file three times and blocks all other writers. The small files, journal.db and llm.db,
are vacuumed (`sqlite_wal`); memory.db can be large, so only the affected bytes are written here.

Why it is safe to write into the file beside SQLite:

* The caller holds SQLite's write lock and the write-ahead log is empty, so the file alone is the current state, and no
  other connection changes it. Readers may continue: SQLite does not look at unused bytes.
* Only unused bytes are written, and only with zeros. A crash or a power cut leaves each of them old or zero; the bytes
  beside them stay as they are, as SQLite itself expects of a disk (``SQLITE_POWERSAFE_OVERWRITE``).
* A page's layout is checked before anything is written to it. Any deviation from SQLite's file format
  (https://sqlite.org/fileformat2.html) is a ``ValueError``, and the caller falls back to VACUUM.
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
"""The limit of the page number (64 GiB of 4 KiB pages): below it an overflow page begins with a zero byte, which tells
it from a b-tree page.
"""
_LOCK_BYTE = 1 << 30
"""SQLite never uses the page with this offset."""
_AT_ONCE = 1 << 22
"""Bytes per read; a multiple of every page size."""

Span = tuple[int, int]
"""Offsets of the first byte and of the byte after the last."""


def zero_unused(descriptor: int) -> int:
    """Overwrite the unused bytes of the database file and sync it; return the number of bytes that were not zero.

    Args:
        descriptor: a descriptor of the file, open for reading and writing. Keep it open while this process has
            connections to
            the file: when a process closes any descriptor of a file, it loses all its locks on that file.

    Raises:
        ValueError: the file has an unexpected layout; what was written until then is harmless.
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
    """Return the page size; raise a ValueError unless every byte of the file belongs to a page that `_unused`
    understands.
    """
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
    """Return the pages of the free list by number with the count of used bytes at their beginning, which is 0 except in
    trunks.
    """
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
    """Yield the spans of a page that are unused and not zero."""
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
    """Return the gap and the free blocks of a b-tree page; an empty list for other pages."""
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
