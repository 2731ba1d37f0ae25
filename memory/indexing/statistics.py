"""Reads the counts of the store, the sizes of its files, and the number of changes that each index is behind."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from ..records import StoreStats
from ..store.change_log import count_after, sequence
from ..store.documents_read import names
from ..store.fact_log import count_fact_changes_after
from ..store.retired import count_retired
from ..store.row_counts import FACTS, VECTORS, count_of
from ..store.schema import DATABASE
from ..store.vectors import current_model, fallback_count
from .vector_sync import FALLBACK_FOLDER

_LAG: Mapping[str, Callable[[sqlite3.Connection, int], int]] = {
    "words": lambda connection, number: count_after(connection, "word_changes", number),
    "vectors": lambda connection, number: count_after(connection, "vector_changes", number),
    "facts": count_fact_changes_after,
}


def statistics(connection: sqlite3.Connection, directory: Path, followed: Mapping[str, int]) -> StoreStats:
    """Return the statistics from the maintained counts; ``followed`` are the change numbers that the indexes have
    reached.
    """
    fallback = fallback_count(connection)
    return StoreStats(
        documents=count_of(connection, "documents") - count_retired(connection),
        messages=count_of(connection, "messages"),
        chunks=count_of(connection, "chunks"),
        facts=count_of(connection, FACTS),
        people=len(names(connection)),
        vectors_done=count_of(connection, f"{VECTORS}{current_model(connection)}"),
        vectors_pending=count_of(connection, "pending"),
        bytes_by_part={
            "database": bytes_of(directory.glob(f"{DATABASE}*")),
            "words": bytes_of((directory / "words").glob("*")),
            "vectors": bytes_of([directory / "vectors.codes", directory / FALLBACK_FOLDER / "vectors.codes"]),
        },
        sequence=sequence(connection),
        lag={name: _LAG[name](connection, number) for name, number in followed.items()},
        fallback=None if fallback is None else {"model": fallback[0].model, "vectors": fallback[1]},
    )


def bytes_of(paths: Iterable[Path]) -> int:
    """Return the size of all of these files that exist."""
    total = 0
    for path in paths:
        with contextlib.suppress(OSError):  # a merge may remove a file at any time
            total += path.stat().st_size
    return total
