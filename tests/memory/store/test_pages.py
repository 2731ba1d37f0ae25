"""Unused bytes of a database file are overwritten, and nothing else is."""

from __future__ import annotations

import os
import random
import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from memd.memory.store.free_pages import zero_unused

ROWS = 1_500


@contextmanager
def _opened(path: Path) -> Generator[int]:
    descriptor = os.open(path, os.O_RDWR)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _token(number: int) -> bytes:
    return f"<canary {number:06d}>".encode()


def _fill(path: Path, page_size: int, secure: str) -> dict[int, bytes]:
    """Rows with an index of their texts, some of them deleted in several turns; returns the texts left."""
    rng = random.Random(page_size)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(f"PRAGMA page_size = {page_size}")
        connection.execute("PRAGMA auto_vacuum = NONE")
        connection.execute(f"PRAGMA secure_delete = {secure}")
        connection.execute("CREATE TABLE rows (id INTEGER PRIMARY KEY, key BLOB UNIQUE, body BLOB)")
        connection.execute("CREATE INDEX by_body ON rows (body)")
        left: dict[int, bytes] = {}
        connection.execute("BEGIN")
        for number in range(ROWS):
            longest = (
                9_000 if secure == "ON" and number % 50 == 0 else 20
            )  # the ends of overflow pages are not looked at
            body = _token(number) + b"x" * rng.choice([0, 3, 40, 60, longest])
            connection.execute("INSERT INTO rows VALUES (?, ?, ?)", (number, rng.randbytes(16), body))
            left[number] = body
            if rng.random() < 0.4:
                gone = rng.choice(list(left))
                connection.execute("DELETE FROM rows WHERE id = ?", (gone,))
                del left[gone]
        for gone in range(500, 700):  # whole pages
            connection.execute("DELETE FROM rows WHERE id = ?", (gone,))
            left.pop(gone, None)
        connection.execute("COMMIT")
    return left


def _remaining(path: Path, left: dict[int, bytes]) -> list[int]:
    data = path.read_bytes()
    return [number for number in range(ROWS) if number not in left and _token(number) in data]


@pytest.mark.slow
@pytest.mark.parametrize("secure", ["ON", "OFF"])
@pytest.mark.parametrize("page_size", [512, 4096, 65536])
def test_nothing_of_deleted_rows_is_left(tmp_path: Path, page_size: int, secure: str) -> None:
    """Whatever SQLite left of them, in gaps, free blocks or free pages, is gone; every other row is as it was."""
    path = tmp_path / "some.db"
    left = _fill(path, page_size, secure)
    assert _remaining(path, left) or secure == "ON"
    with _opened(path) as descriptor:
        assert zero_unused(descriptor) > 0 or secure == "ON"
        assert zero_unused(descriptor) == 0
    assert _remaining(path, left) == []
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert dict(connection.execute("SELECT id, body FROM rows")) == left
        found = connection.execute("SELECT body FROM rows INDEXED BY by_body ORDER BY body").fetchall()
        assert [body for (body,) in found] == sorted(left.values())
        connection.execute("INSERT INTO rows SELECT id + 10000, randomblob(16), body FROM rows")
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


@pytest.mark.parametrize("offset", [0, 20, 31, 36, 39, 55, 100 + 5])
def test_what_is_laid_out_otherwise_is_left_alone(tmp_path: Path, offset: int) -> None:
    """A file with another header, size, free list or first page than SQLite's format has is refused, not written."""
    path = tmp_path / "some.db"
    _fill(path, 4096, "OFF")
    data = bytearray(path.read_bytes())
    data[offset] ^= 0x0F
    path.write_bytes(data)
    with _opened(path) as descriptor, pytest.raises(ValueError, match=r"page|database|pointer|size|free|trunk"):
        zero_unused(descriptor)
    assert path.read_bytes() == data


def test_a_cell_in_the_gap_is_refused(tmp_path: Path) -> None:
    """A page whose pointers say another thing than its header is damaged, and VACUUM will tell."""
    path = tmp_path / "some.db"
    _fill(path, 4096, "OFF")
    data = bytearray(path.read_bytes())
    data[108:110] = (300).to_bytes(2, "big")
    path.write_bytes(data)
    with _opened(path) as descriptor, pytest.raises(ValueError, match="cell in the gap"):
        zero_unused(descriptor)
    assert path.read_bytes() == data
