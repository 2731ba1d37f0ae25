"""Counts and sizes of the store."""

# ruff: noqa: S608 - statements are put together of names and conditions of ours; every value is bound

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterable
from pathlib import Path

from ..rows import BackendStats
from .log import sequence, waiting
from .nearest import SNAPSHOT
from .reading import names
from .tables import DATABASE
from .vectors import current_model


def statistics(connection: sqlite3.Connection, directory: Path, followed: tuple[int, int]) -> BackendStats:
    """Counted by the database; ``followed`` are the numbers that the words and the vector index have reached."""

    def count(table: str) -> int:
        return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])

    (done,) = connection.execute(
        "SELECT count(*) FROM vectors WHERE model = ?", (current_model(connection),)
    ).fetchone()
    words, vectors = followed
    return BackendStats(
        documents=count("documents"),
        messages=count("messages"),
        chunks=count("chunks"),
        facts=int(connection.execute("SELECT count(*) FROM facts WHERE replaced IS NULL").fetchone()[0]),
        people=len(names(connection)),
        vectors_done=int(done),
        vectors_pending=count("pending"),
        bytes_by_part={
            "database": _bytes(directory.glob(f"{DATABASE}*")),
            "words": _bytes((directory / "words").glob("*")),
            "vectors": _bytes([directory / SNAPSHOT]),
        },
        sequence=sequence(connection),
        lag={
            "words": waiting(connection, "word_changes", words),
            "vectors": waiting(connection, "vector_changes", vectors),
        },
    )


def _bytes(paths: Iterable[Path]) -> int:
    total = 0
    for path in paths:
        with contextlib.suppress(OSError):  # a merge may remove a file at any time
            total += path.stat().st_size
    return total
