"""The checksums in tantivy's files: tantivy writes them, but does not verify them when it opens an index.

Each file ends with a JSON footer that holds the CRC-32 of the bytes before it, then the footer's length and a magic
number, both as 32 bits in little-endian order.
"""

from __future__ import annotations

import contextlib
import os
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

import orjson

from ..private_files import create_anew, require_regular_file

_MAGIC = 1337
_TAIL = struct.Struct("<II")
_LONGEST = 4096
MANIFEST = "memd.json"
"""Our own record of the checksums, which reveals an intact file of another index. Files never change, they are only
removed.
"""


def check_footers(directory: Path) -> None:
    """Verify every file of the segments in use; files left beside them by a merge or a crash are ignored.

    Raises:
        ValueError: a file is truncated, was changed, or belongs to another index.
        OSError: a file cannot be read.
    """
    recorded = _recorded(directory)
    for path in _files(directory):
        with contextlib.suppress(
            FileNotFoundError
        ):  # a merge may remove it at any time; tantivy reports missing files itself
            checksum = _check(path)
            if recorded.get(path.name, checksum) != checksum:
                raise ValueError("another index's file")


def record_footers(directory: Path) -> None:
    """Record the current checksums; does nothing if they cannot be written, since the record only strengthens the
    check.
    """
    with contextlib.suppress(OSError, ValueError):
        checksums: dict[str, int] = {}
        for path in _files(directory):
            with contextlib.suppress(FileNotFoundError), path.open("rb") as file:
                checksums[path.name] = _footer(file, path.stat().st_size)[0]
        temporary = directory / f"{MANIFEST}.new"
        with os.fdopen(create_anew(temporary), "wb") as file:
            file.write(orjson.dumps(checksums))
        temporary.replace(directory / MANIFEST)


def footer_of(path: Path) -> tuple[bytes, dict[str, Any]]:
    """Return the content of a file without its footer, and the footer.

    Raises:
        ValueError: there is no footer.
        OSError: the file cannot be read.
    """
    data = path.read_bytes()
    with path.open("rb") as file:
        _, body = _footer(file, len(data))
    return data[:body], orjson.loads(data[body : len(data) - _TAIL.size])


def with_footer(body: bytes, version: object) -> bytes:
    """Return a file with this body and a footer of this tantivy version, as `footer_of` returns it."""
    footer = orjson.dumps({"version": version, "crc": zlib.crc32(body)})
    return body + footer + _TAIL.pack(len(footer), _MAGIC)


def _recorded(directory: Path) -> dict[str, int]:
    try:
        data: Any = orjson.loads((directory / MANIFEST).read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return {}  # missing or damaged; the footers are checked anyway
    return cast("dict[str, int]", data) if isinstance(data, dict) else {}


def _files(directory: Path) -> Iterator[Path]:
    """Yield the files of the segments in ``meta.json``; their names begin with the segment's id."""
    meta: Any = orjson.loads((directory / "meta.json").read_bytes())
    try:
        segments = {str(segment["segment_id"]).replace("-", "") for segment in meta["segments"]}
    except (KeyError, TypeError) as error:
        raise ValueError("no list of segments") from error
    return (path for path in directory.iterdir() if path.name.partition(".")[0] in segments)


def _check(path: Path) -> int:
    """Return the checksum of a file; raise a ValueError if the content does not match it."""
    require_regular_file(path)
    size = path.stat().st_size
    with path.open("rb") as file:
        expected, left = _footer(file, size)
        file.seek(0)
        checksum = 0
        while left and (part := file.read(min(1 << 20, left))):
            checksum = zlib.crc32(part, checksum)
            left -= len(part)
    if left or expected != checksum:
        raise ValueError("wrong checksum")
    return checksum


def _footer(file: BinaryIO, size: int) -> tuple[int, int]:
    """Return the checksum in the footer, and the number of bytes before it."""
    if size < _TAIL.size:
        raise ValueError("too short")
    file.seek(size - _TAIL.size)
    length, magic = _TAIL.unpack(file.read(_TAIL.size))
    body = size - _TAIL.size - length
    if magic != _MAGIC or length > _LONGEST or body < 0:
        raise ValueError("no footer")
    file.seek(body)
    footer: Any = orjson.loads(file.read(length))
    try:
        return int(footer["crc"]), body
    except (KeyError, TypeError) as error:
        raise ValueError("no checksum") from error
