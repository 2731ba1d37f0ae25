"""The error of a forgetting on a full disk, with the space that it needs.

Forgetting rewrites files: first the remaining content is written, then the old copy is erased.
"""

from __future__ import annotations

from pathlib import Path

from ...memory.file_errors import FullDiskError, is_full
from ...memory.indexing.statistics import bytes_of
from ...memory.store.schema import DATABASE
from ...schemas.errors import StoreError
from ..config.paths import STORE


def raise_if_full(data_dir: Path, error: StoreError) -> None:
    """Raise a `FullDiskError` that says how much room is needed, and why, if the disk is full.

    SQLite writes each changed page into its log first, at most as much as memory.db holds; then the segments of the
    words that held what is forgotten are written anew.
    """
    if not isinstance(error, FullDiskError) and not is_full(data_dir):
        return
    store = data_dir / STORE
    megabytes = 1 + bytes_of([store / DATABASE, *(store / "words").glob("*")]) // 1_000_000
    raise FullDiskError(
        "the disk is full, and forgetting needs room: what stays is written anew before the rest is erased",
        hint=f"free up to {megabytes:,} MB and try again",
    ) from error
