"""Counts and sizes of the store."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterable
from pathlib import Path

from ..index.usearch_index import RECENT, SNAPSHOT
from ..records import StoreStats
from .change_log import count_after, sequence
from .documents_read import names
from .row_counts import FACTS, VECTORS, count_of
from .schema import DATABASE
from .vectors import current_model


def statistics(connection: sqlite3.Connection, directory: Path, followed: tuple[int, int]) -> StoreStats:
    """Counted as rows come and go; ``followed`` are the numbers that the words and the vector index have reached."""
    words, vectors = followed
    return StoreStats(
        documents=count_of(connection, "documents"),
        messages=count_of(connection, "messages"),
        chunks=count_of(connection, "chunks"),
        facts=count_of(connection, FACTS),
        people=len(names(connection)),
        vectors_done=count_of(connection, f"{VECTORS}{current_model(connection)}"),
        vectors_pending=count_of(connection, "pending"),
        bytes_by_part={
            "database": _bytes(directory.glob(f"{DATABASE}*")),
            "words": _bytes((directory / "words").glob("*")),
            "vectors": _bytes([directory / SNAPSHOT, directory / RECENT]),
        },
        sequence=sequence(connection),
        lag={
            "words": count_after(connection, "word_changes", words),
            "vectors": count_after(connection, "vector_changes", vectors),
        },
    )


def _bytes(paths: Iterable[Path]) -> int:
    total = 0
    for path in paths:
        with contextlib.suppress(OSError):  # a merge may remove a file at any time
            total += path.stat().st_size
    return total
