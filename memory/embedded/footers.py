"""The checksums in tantivy's files: tantivy writes them, but does not look at them when it opens an index.

Each file ends with a JSON footer that holds the CRC-32 of what is before it, the footer's length and a magic number,
both as 32 bits in little-endian order.
"""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import Any

import orjson

_MAGIC = 1337
_TAIL = struct.Struct("<II")
_LONGEST = 4096
_PLAIN = frozenset({"meta.json", ".managed.json", ".tantivy-writer.lock", ".tantivy-meta.lock"})


def check_footers(directory: Path) -> None:
    """Read every file once.

    Raises:
        ValueError: a file is cut off or was changed.
        OSError: a file cannot be read.
    """
    for path in directory.iterdir():
        if path.name not in _PLAIN:
            _check(path)


def _check(path: Path) -> None:
    size = path.stat().st_size
    with path.open("rb") as file:
        if size < _TAIL.size:
            raise ValueError("too short")
        file.seek(size - _TAIL.size)
        length, magic = _TAIL.unpack(file.read(_TAIL.size))
        body = size - _TAIL.size - length
        if magic != _MAGIC or length > _LONGEST or body < 0:
            raise ValueError("no footer")
        file.seek(body)
        footer: dict[str, Any] = orjson.loads(file.read(length))
        file.seek(0)
        checksum = left = 0
        left = body
        while left and (part := file.read(min(1 << 20, left))):
            checksum = zlib.crc32(part, checksum)
            left -= len(part)
    if left or footer.get("crc") != checksum:
        raise ValueError("wrong checksum")
