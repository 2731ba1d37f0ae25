"""The directory of a zip archive, read without trust: the names of its members and the positions of their bytes.

Own code, because the standard library's reader fails as a whole on one bad name, believes the counts it is told, and
raises a dozen kinds of exception on damaged input. Numbers and layouts are from PKWARE's APPNOTE 6.3.10.
"""

from __future__ import annotations

import os
import stat
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from ...schemas.errors import SourceError

_END = struct.Struct("<4s4H2LH")
_END_MAGIC = b"PK\x05\x06"
_LOCATOR64 = struct.Struct("<4sLQL")
_END64 = struct.Struct("<4sQ2H2L4Q")
_ENTRY = struct.Struct("<4s6H3L5H2L")
_ENTRY_MAGIC = b"PK\x01\x02"
_LOCAL = struct.Struct("<4s5H3L2H")
_LOCAL_MAGIC = b"PK\x03\x04"
_MAX_COMMENT = 0xFFFF
_UNIX, _MACINTOSH = 3, 19
_ENCRYPTED = 0x1 | 0x40 | 0x2000
_UTF8 = 0x800
_ZIP64, _UNICODE_PATH = 0x0001, 0x7075
_FULL32 = 0xFFFFFFFF

MAGICS = (_LOCAL_MAGIC, _END_MAGIC, b"PK\x07\x08")


@dataclass(frozen=True, slots=True)
class ZipEntry:
    """An entry of the directory. ``size`` and ``compressed`` are claims."""

    name: str
    raw_name: bytes
    method: int
    crc: int
    compressed: int
    size: int
    offset: int
    """The position of the local header, from the start of the file."""
    encrypted: bool
    file_type: int
    """The ``stat.S_IFMT`` of the archived file, 0 if the archive does not say."""
    is_folder: bool


class DamagedError(SourceError):
    """The directory cannot be read (any further)."""


def read_entries(file: BinaryIO, locator: str) -> Iterator[ZipEntry]:
    """Yield the members in the order of the directory, one by one, so that a false count costs nothing.

    Raises:
        DamagedError: there is no directory, or it is damaged from here on.
    """
    try:
        start, end, shift = _find(file, locator)
        position = start
        while position < end:
            file.seek(position)
            entry, length = _read_entry(file, locator, shift)
            position += length
            yield entry
    except (OSError, OverflowError, ValueError, struct.error) as error:  # seeking to nonsense; short reads
        raise _damaged(locator) from error


def data_start(file: BinaryIO, entry: ZipEntry, locator: str) -> int:
    """Return the position of a member's bytes; the local header must have the same name as the directory entry.

    Raises:
        DamagedError: there is no such header there.
    """
    try:
        file.seek(entry.offset)
        fields = _LOCAL.unpack(file.read(_LOCAL.size))
        name = file.read(fields[9])
    except (OSError, OverflowError, ValueError, struct.error) as error:
        raise _damaged(locator) from error
    if fields[0] != _LOCAL_MAGIC or name != entry.raw_name:
        raise _damaged(locator)
    return entry.offset + _LOCAL.size + fields[9] + fields[10]


def _damaged(locator: str) -> DamagedError:
    return DamagedError(f"{locator}: the zip archive is damaged", hint="copy or download it again")


def _find(file: BinaryIO, locator: str) -> tuple[int, int, int]:
    """Start and end of the directory, and by how much all offsets are shifted (something before the archive)."""
    size = file.seek(0, os.SEEK_END)
    tail_start = max(0, size - _MAX_COMMENT - _END.size)
    file.seek(tail_start)
    tail = file.read(size - tail_start)
    at = tail.rfind(_END_MAGIC)
    while at >= 0:
        if at + _END.size <= len(tail):
            fields = _END.unpack_from(tail, at)
            if at + _END.size + fields[7] <= len(tail):
                return _bounds(file, fields, tail_start + at, locator)
        at = tail.rfind(_END_MAGIC, 0, at)
    raise DamagedError(f"{locator}: the zip archive is cut off", hint="copy or download it again")


def _bounds(file: BinaryIO, end: tuple[int, ...], at: int, locator: str) -> tuple[int, int, int]:
    disk, length, offset = end[1], end[5], end[6]
    stop = at
    if at >= _LOCATOR64.size:
        file.seek(at - _LOCATOR64.size)
        magic, _, offset64, _ = _LOCATOR64.unpack(file.read(_LOCATOR64.size))
        if magic == b"PK\x06\x07":
            # Something before the archive shifts this record too, so look at both places.
            for place in (offset64, at - _LOCATOR64.size - _END64.size):
                file.seek(place)
                data = file.read(_END64.size)
                if len(data) == _END64.size and data.startswith(b"PK\x06\x06"):
                    fields = _END64.unpack(data)
                    disk, length, offset, stop = fields[4], fields[8], fields[9], place
                    break
    if disk:
        raise SourceError(f"{locator}: one part of a split archive", hint="join the parts first")
    start = stop - length
    shift = start - offset
    if start < 0 or shift < 0:
        raise _damaged(locator)
    return start, stop, shift


def _read_entry(file: BinaryIO, locator: str, shift: int) -> tuple[ZipEntry, int]:
    fields = _ENTRY.unpack(file.read(_ENTRY.size))
    if fields[0] != _ENTRY_MAGIC:
        raise _damaged(locator)
    made_by, flags, method = fields[1] >> 8, fields[3], fields[4]
    crc, compressed, size = fields[7:10]
    raw = file.read(fields[10])
    extra = dict(_extras(file.read(fields[11])))
    if len(raw) != fields[10]:
        raise _damaged(locator)
    size, compressed, offset = _sizes64(extra.get(_ZIP64, b""), size, compressed, fields[16])
    mode = fields[15] >> 16 if made_by in (_UNIX, _MACINTOSH) else 0
    name = _decode(raw, flags, extra.get(_UNICODE_PATH, b"")).replace("\\", "/")
    entry = ZipEntry(
        name=name,
        raw_name=raw,
        method=method,
        crc=crc,
        compressed=compressed,
        size=size,
        offset=offset + shift,
        encrypted=bool(flags & _ENCRYPTED),
        file_type=stat.S_IFMT(mode),
        is_folder=name.endswith("/"),
    )
    return entry, _ENTRY.size + fields[10] + fields[11] + fields[12]


def _extras(data: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at + 4 <= len(data):
        kind, length = struct.unpack_from("<HH", data, at)
        yield kind, data[at + 4 : at + 4 + length]
        at += 4 + length


def _sizes64(data: bytes, size: int, compressed: int, offset: int) -> tuple[int, int, int]:
    """Return the sizes and the offset with 64-bit values filled in; the 64-bit field has only those that did not fit
    into 32 bits, in this order.
    """
    values = [size, compressed, offset]
    for index, value in enumerate(values):
        if value == _FULL32 and len(data) >= 8:
            values[index] = int.from_bytes(data[:8], "little")
            data = data[8:]
    return values[0], values[1], values[2]


def _decode(raw: bytes, flags: int, unicode_path: bytes) -> str:
    """UTF-8 when the archive says so, or when it fits (many phones do not set the flag); else code page 437."""
    # Info-ZIP's field names the CRC of the plain name it belongs to, so that a renamed member drops it.
    if unicode_path[:5] == b"\x01" + zlib.crc32(raw).to_bytes(4, "little"):
        return unicode_path[5:].decode("utf-8", "replace")
    if flags & _UTF8:
        return raw.decode("utf-8", "replace")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("cp437")
