"""The files of the vector index: what usearch writes, row ids, and a trailer that tells whose it is and finds damage."""

from __future__ import annotations

import contextlib
import os
import zlib
from collections.abc import Collection
from pathlib import Path
from typing import Any, cast

import numpy as np
import orjson
from numpy.typing import NDArray
from usearch.index import Index

from ..private_files import create_anew, require_regular_file, sync_folder
from ..store.errors import file_error, index_errors, raise_if_exhausted
from .vector_file import let_others_run, overwrite_removed

TRAILER = 512
"""Bytes: JSON padded with blanks at the end of the file."""
FORMAT = 1


def write_snapshot(
    path: Path, index: Index, fields: dict[str, Any], *, hidden: Collection[int] = (), purged: bool = False
) -> int:
    """Write an index: temporary file, fsync, rename, fsync of the folder. Searches may go on meanwhile.

    Args:
        path: of the file.
        index: what it holds.
        fields: of the trailer; ``dimension`` is one of them.
        hidden: row ids that stand behind the index.
        purged: without the vectors of removed entries.

    Returns the checksum, by which another file may name this one.

    Raises:
        StoreError: it cannot be written.
        ValueError: usearch's file is laid out in a way from which nothing can be purged.
    """
    temporary = path.with_name(f"{path.name}.new")
    try:
        os.close(create_anew(temporary))
        with index_errors("vector"):
            cast("Any", index).save(str(temporary), progress=let_others_run)
        if purged:
            overwrite_removed(temporary, fields["dimension"])
        with temporary.open("ab") as file:
            file.write(np.array(sorted(hidden), dtype="<u8").tobytes())
        size, checksum = _checksum(temporary, None)
        written = {"format": FORMAT, **fields, "count": len(index), "size": size}
        checksum = zlib.crc32(orjson.dumps(written), checksum)
        with temporary.open("ab") as file:
            file.write(orjson.dumps({**written, "checksum": checksum}).ljust(TRAILER))
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
        sync_folder(path.parent)
    except OSError as error:
        raise file_error(error) from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
    return checksum


def hidden_rows(path: Path, count: int) -> NDArray[np.uint64]:
    """So many row ids that stand behind the index of a whole file."""
    with path.open("rb") as file:
        file.seek(-TRAILER - 8 * count, os.SEEK_END)
        return np.frombuffer(file.read(8 * count), dtype="<u8").astype(np.uint64)


def whole(path: Path) -> bool:
    """Whether a snapshot is what was written.

    Raises:
        ExhaustedError: there is not enough memory, or there are too few descriptors, to tell.
    """
    try:
        return trailer(path) is not None
    except OSError as error:
        raise_if_exhausted(error)
        return False
    except ValueError:
        return False


def trailer(path: Path) -> dict[str, Any] | None:
    """The trailer of a file whose checksum is right, with that checksum; None for any other file.

    Raises:
        OSError: it cannot be read.
        ValueError: it is no file of ours.
    """
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
    return {**fields, "checksum": expected} if zlib.crc32(orjson.dumps(fields), checksum) == expected else None


def _checksum(path: Path, size: int | None) -> tuple[int, int]:
    """Bytes read and their CRC-32: it finds damage, it is no defence against intent."""
    checksum = done = 0
    with path.open("rb") as file:
        while part := file.read(1 << 20 if size is None else min(1 << 20, size - done)):
            checksum = zlib.crc32(part, checksum)
            done += len(part)
    return done, checksum
